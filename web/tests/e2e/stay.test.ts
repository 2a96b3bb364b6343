// The page keeps messages over reloads and in several tabs, and edits them.
import type { Browser, Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { MockDocent } from '../mock/server';
import { accessible, launch, watch, type Watched } from './browser';

let browser: Browser;
let mock: MockDocent;
let watched: Watched;
let page: Page;

beforeAll(async () => void (browser = await launch()));
beforeEach(async () => {
  mock = await new MockDocent().start();
  onTestFinished(() => mock.stop());
  watched = await watch(browser, mock.url);
  page = watched.page;
});
afterEach(() => watched.check());

async function ask(text: string, on = page): Promise<void> {
  await on.getByLabel('Your question').fill(text);
  await on.keyboard.press('Enter');
}

const answered = (n = 1, on = page) => expect.poll(() => on.locator('.answer:not([aria-busy]) .sources').count(), { timeout: 60_000 }).toBe(n);
const questions = (on = page) => on.locator('.question .bubble').allInnerTexts();
const button = (name: string, on = page) => on.getByRole('button', { name, exact: true });
const focused = (label: string) => page.locator(`[aria-label="${label}"]:focus`).waitFor();

test('a conversation has its first question as its title until it has a name', async () => {
  const list = () => page.locator('nav .lists li a').allInnerTexts();
  await page.goto(mock.url);
  await ask('How do I backup?');
  await answered();
  await expect.poll(list).toEqual(['How do I backup?']);
  await button('Edit this message').hover();
  const [bubble, pencil] = await Promise.all([page.locator('.bubble').boundingBox(), button('Edit this message').boundingBox()]);
  expect(pencil!.x + pencil!.width).toBeLessThanOrEqual(bubble!.x); // and not over text
  expect(pencil!.y + pencil!.height).toBeLessThanOrEqual(bubble!.y + bubble!.height);
  await button('Edit this message').click();
  await page.getByLabel('Edit your message').fill('When do I restore a backup?');
  await page.keyboard.press('Enter');
  await answered();
  await expect.poll(list).toEqual(['When do I restore a backup?']);
  await page.goto(`${mock.url}/#/`);
  await page.reload();
  await expect.poll(list).toEqual(['When do I restore a backup?']);
  expect([...mock.sessions.values()].map((s) => s.row.session_name)).toEqual([null]);
});

describe('in the middle of a turn', () => {
  test('a reload shows the text so far, and the answer continues', async () => {
    mock.pace = 30;
    await page.goto(mock.url);
    await ask('ramble');
    await page.getByText('Thing 9 ').waitFor();
    await page.reload();
    await page.getByText('Thing 12 ').waitFor();
    await expect.poll(() => page.locator('.answer[aria-busy]').textContent()).toMatch(/^\s*Thing 1 is said\. Thing 2 is/);
    await expect.poll(() => questions()).toEqual(['ramble']);
    await button('Stop').click();
    await page.locator('.column').getByText('Stopped.', { exact: true }).waitFor();
  });
});

test('two tabs share one conversation, also during an answer', async () => {
  mock.hold = 'Indexes are not';
  await page.goto(mock.url);
  await ask('backup');
  await page.locator('.answer[aria-busy] .prose').waitFor();
  const other = await watch(browser, mock.url);
  await other.page.goto(page.url());
  await other.page.locator('.answer[aria-busy] .prose').waitFor();
  mock.hold = '';
  await answered(1, other.page);
  await answered();
  await ask('and more', other.page);
  await answered(2);
  await page.locator('.question').first().hover();
  await button('Edit this message').first().click();
  await focused('Edit your message');
  await page.keyboard.type(' of everything');
  await page.keyboard.press('Enter');
  await answered(1, other.page);
  await expect.poll(() => questions(other.page)).toEqual(['backup of everything']);
  await other.check();
});

describe('edits', () => {
  test('a question is edited, also by keyboard, and the later messages disappear', async () => {
    await page.goto(mock.url);
    await ask('backup');
    await answered();
    await ask('second');
    await answered(2);
    await button('Edit this message').first().focus();
    await page.keyboard.press('Enter');
    const field = page.getByLabel('Edit your message');
    await expect.poll(() => field.inputValue()).toBe('backup');
    await page.keyboard.type('!');
    await accessible(page);
    await page.keyboard.press('Escape');
    await expect.poll(() => questions()).toEqual(['backup', 'second']);
    await focused('Edit this message');
    await page.keyboard.press('Enter');
    await focused('Edit your message');
    await expect.poll(() => button('Send').first().isDisabled()).toBe(true); // nothing changed
    await page.keyboard.type('s, edited');
    await page.keyboard.press('Enter');
    await answered(1);
    await expect.poll(() => questions()).toEqual(['backups, edited']);
    expect(mock.received.map((r) => r.text)).toEqual(['backup', 'second', 'backups, edited']);
    await page.reload();
    await answered(1);
    await expect.poll(() => questions()).toEqual(['backups, edited']);
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

  test('the page shows nothing without a login, and reports a wrong password', async () => {
    await page.goto(mock.url);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await accessible(page);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await logIn('wrong');
    await page.getByText('The name or password is wrong').waitFor();
    await expect.poll(() => page.getByLabel('Password').inputValue()).toBe('');
    await logIn('too often');
    await page.getByText('Wait 7 seconds').waitFor();
    await logIn();
    await ask('backup');
    await answered();
    await button('Sign out').click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expect.poll(() => page.locator('.question').count()).toBe(0);
  });
});
