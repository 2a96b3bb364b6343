// The mounted page keeps messages over lost connections and expired sign-ins, and edits them.
import { beforeEach, describe, expect, test } from 'vitest';
import type { MockDocent } from '../mock/server';
import { accessible, start, type Page } from './page';

let mock: MockDocent;
let page: Page;

beforeEach(async () => {
  ({ mock, page } = await start());
});

async function ask(text: string): Promise<void> {
  await page.getByLabel('Your question').fill(text);
  await page.keyboard.press('Enter');
}

const answered = (n = 1) => expect.poll(() => page.locator('.answer:not([aria-busy]) .sources').count()).toBe(n);
const questions = () => page.locator('.question .bubble').allInnerTexts();
const button = (name: string) => page.getByRole('button', { name, exact: true });
const focused = (label: string) => page.locator(`[aria-label="${label}"]:focus`).waitFor();

describe('in the middle of a turn', () => {
  test('steps that are not stored yet are there after a reload', async () => {
    mock.pace = 15;
    await page.goto('#/');
    await ask('endless research');
    await page.getByText('2 of 3 tasks').waitFor();
    await page.reload();
    await page.getByText('2 of 3 tasks').waitFor();
    await expect.poll(() => page.locator('.call').count()).toBe(3); // reasoning is open while it runs
    await button('Stop').click();
    await page.getByText('Steps taken').waitFor();
  });

  test('a lost connection keeps the streamed text, and the answer continues', async () => {
    mock.pace = 30;
    await page.goto('#/');
    await ask('ramble');
    await page.getByText('Thing 9 ').waitFor();
    mock.cut();
    await page.getByText('Connection lost').waitFor();
    await expect.poll(() => page.locator('.answer[aria-busy]').textContent()).toContain('Thing 9 is');
    mock.mend();
    await expect.poll(() => page.getByText('Connection lost').count()).toBe(0);
    const said = (await page.locator('.answer[aria-busy]').textContent())!;
    expect(said.match(/Thing \d+/g)).toEqual(said.match(/Thing \d+/g)!.map((_, i) => `Thing ${i + 1}`));
    await button('Stop').click();
  });
});

test('a held message is shown as held after a reload, and a failed one can be sent again', async () => {
  await page.goto('#/');
  await ask('keep this');
  await page.getByText('docent keeps it until the agent can').waitFor();
  await page.reload();
  await page.getByText('docent keeps it until the agent can').waitFor();
  await ask('please fail');
  await page.getByText('The model does not answer.').waitFor();
  await button('Ask again').click();
  await expect.poll(() => mock.received.length).toBe(3);
  await page.getByText('The model does not answer.').waitFor();
  await expect.poll(() => questions()).toEqual(['keep this', 'please fail']);
});

describe('edits', () => {
  test('an answer is asked for again', async () => {
    await page.goto('#/');
    await ask('backup');
    await answered();
    await button('Answer again').click();
    await expect.poll(() => mock.received.map((r) => r.text)).toEqual(['backup', 'backup']);
    await answered(1);
    await expect.poll(() => questions()).toEqual(['backup']);
    expect(mock.received[0]!.id).not.toBe(mock.received[1]!.id);
  });

  test('an edit without a connection waits, in its place', async () => {
    await page.goto('#/');
    await ask('backup');
    await answered();
    mock.cut();
    await page.getByText('Connection lost').waitFor();
    await button('Edit this message').first().focus();
    await page.keyboard.press('Enter');
    await focused('Edit your message');
    await page.keyboard.type(' later');
    await page.keyboard.press('Enter');
    await page.getByText('Will be sent when').waitFor();
    await expect.poll(() => questions()).toEqual([expect.stringContaining('backup later')]);
    mock.mend();
    await expect.poll(() => mock.received.map((r) => r.text)).toEqual(['backup', 'backup later']);
    await answered(1);
    expect(mock.received.map((r) => r.text)).toEqual(['backup', 'backup later']);
  });

  test('an answer is rated, with a comment or without', async () => {
    await page.goto('#/');
    await ask('backup');
    await answered();
    await button('Good answer').click();
    await expect.poll(() => mock.feedback).toEqual([{ turn: 1, rating: 100 }]);
    await expect.poll(() => button('Good answer').getAttribute('aria-pressed')).toBe('true');
    await page.keyboard.press('Escape');
    await button('Bad answer').click();
    await button('Out of date').click();
    await expect.poll(() => button('Out of date').getAttribute('aria-pressed')).toBe('true');
    await page.getByLabel('Comment on this answer').fill('It is about tapes.');
    await accessible();
    await page.keyboard.press('Enter');
    await page.getByText('Thank you.').first().waitFor();
    await expect.poll(() => mock.feedback.slice(1)).toEqual([{ turn: 1, rating: -100 }, { turn: 1, rating: -100, reason: 'outdated' }, { turn: 1, rating: -100, reason: 'outdated', comment: 'It is about tapes.' }]);
    await expect.poll(() => button('Good answer').getAttribute('aria-pressed')).toBe('false');
    await ask('second');
    await answered(2);
    await expect.poll(() => button('Bad answer').first().getAttribute('aria-pressed')).toBe('true');
  });
});

describe('logins', () => {
  beforeEach(() => void (mock.login = 'ada secret'));

  const logIn = async (password = 'secret') => {
    await page.getByLabel('Name').fill('ada');
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    if (password === 'secret') await page.locator('dialog[open]').waitFor({ state: 'detached' });
  };

  test('the page asks to sign in again after an expired login, and loses nothing', async () => {
    await page.goto('#/');
    await logIn();
    await ask('backup');
    await answered();
    mock.cookies.clear();
    mock.cut();
    mock.mend();
    await page.getByRole('heading', { name: 'Sign in to continue' }).waitFor();
    await page.getByLabel('Password').fill('secret');
    await page.keyboard.press('Enter');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
    await expect.poll(() => page.getByText('Connection lost').count()).toBe(0);
    await page.getByLabel('Your question').fill('half a thou');
    mock.cookies.clear();
    // A late request of the page may have opened the dialog by now, which covers the link.
    await page.getByRole('link', { name: 'Documents' }).click();
    await page.getByRole('heading', { name: 'Sign in to continue' }).waitFor();
    await page.getByLabel('Password').fill('secret');
    await page.keyboard.press('Enter');
    await page.locator('.row').first().waitFor();
  });

  test('a question without a login is sent once after the sign-in', async () => {
    await page.goto('#/');
    await logIn();
    await ask('backup');
    await answered();
    await page.getByLabel('Your question').fill('written before');
    mock.cookies.clear();
    mock.cut();
    mock.mend();
    await page.getByRole('heading', { name: 'Sign in to continue' }).waitFor();
    await page.getByLabel('Password').fill('secret');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('dialog[open]').count()).toBe(0);
    await expect.poll(() => page.getByLabel('Your question').inputValue()).toBe('written before');
    await page.getByLabel('Your question').press('Enter');
    await answered(2);
    expect(mock.received.map((r) => r.text)).toEqual(['backup', 'written before']);
  });

  test('a conversation from the address is opened after the sign-in', async () => {
    await page.goto('#/');
    await logIn();
    await ask('backup');
    await answered();
    mock.cookies.clear();
    await page.reload();
    await logIn();
    await answered();
  });

  test('users who may not add documents see no way to add them', async () => {
    mock.scopes = ['ask'];
    const offers = () => page.getByText(/docent ingest/i).or(page.getByRole('button', { name: /add documents/i })).or(page.getByRole('button', { name: /Options for “/ })).or(page.locator('[aria-labelledby=documents-title] input[type=file]')).count(); // files may be sent in a chat
    await page.goto('#/documents');
    await logIn();
    await page.getByText('Ask an administrator to add documents.').waitFor();
    await page.locator('.row').first().waitFor();
    await expect.poll(() => offers()).toBe(0);
    await accessible();
    const files = [new File(['dropped'], 'dropped.txt', { type: 'text/plain' })];
    const dataTransfer = { types: ['Files'], files, items: files.map((f) => ({ kind: 'file', getAsFile: () => f })) };
    for (const type of ['dragenter', 'drop']) {
      document.querySelector('.column')!.dispatchEvent(Object.assign(new Event(type, { bubbles: true, cancelable: true }), { dataTransfer }));
    }
    await page.reload();
    await page.locator('.row').first().waitFor();
    expect(mock.documents.length).toBe(6);
    mock.documents = [];
    await page.reload();
    await page.getByText('There are no documents yet.').waitFor();
    await expect.poll(() => offers()).toBe(0);
    await page.getByRole('link', { name: 'New chat' }).first().click();
    await page.getByRole('heading', { name: 'There are no documents yet' }).waitFor();
    await expect.poll(() => offers()).toBe(0);
  });

  test('users who may add documents see it', async () => {
    await page.goto('#/documents');
    await logIn();
    await page.getByRole('button', { name: 'Add files' }).waitFor();
    await page.getByRole('button', { name: /Options for “/ }).first().waitFor();
  });

  test('a login that ended during a conversation can be renewed', async () => {
    await page.goto('#/');
    await logIn();
    await ask('backup');
    await answered();
    mock.end(4502);
    const bar = page.getByText('Your session has expired. Sign in again');
    await bar.waitFor();
    await button('Sign in again').click();
    await expect.poll(() => bar.count()).toBe(0);
    await ask('backup again');
    await answered(2);
  });

  test('users who may not ask get a message', async () => {
    mock.scopes = ['ingest'];
    await page.goto('#/');
    await logIn();
    await ask('backup');
    await answered();
    mock.end(4503);
    await page.getByText('You do not have permission to ask questions.').waitFor();
    await button('Sign in as somebody else').click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});

test.each([
  [4501, 'This conversation was deleted.'],
  [4503, 'This conversation belongs to another user.'],
])('a connection that was ended with %d says why, and where to go', async (code, why) => {
  await page.goto('#/');
  await ask('backup');
  await answered();
  mock.end(code);
  const link = page.getByRole('status').filter({ hasText: why });
  await link.waitFor();
  await ask('too late');
  await page.getByText('Not sent.').waitFor();
  await expect.poll(() => page.locator('.answer[aria-busy]').count()).toBe(0);
  await link.getByRole('link', { name: 'New chat' }).click();
  await expect.poll(() => page.getByText(why).count()).toBe(0);
  await ask('backup');
  await answered();
});
