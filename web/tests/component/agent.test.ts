// The mounted page with an agent that reasons, offers choices, and is stopped.
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { MockDocent } from '../mock/server';
import { accessible, start, type Page } from './page';

let mock: MockDocent;
let page: Page;

beforeEach(async () => {
  ({ mock, page } = await start());
  await page.goto('#/');
});

async function ask(text: string): Promise<void> {
  await page.getByLabel('Your question').fill(text);
  await page.keyboard.press('Enter');
}

const trace = () => page.locator('details.trace');
const said = (text: string) => page.locator('.column').getByText(text, { exact: true });
const stop = () => page.getByRole('button', { name: 'Stop' });
const answered = () => page.locator('.answer:not([aria-busy]) .sources').waitFor();
/** folded waits for the end of a turn that reasons: its answer comes before. */
const folded = async () => {
  await trace().getByText(/^How docent found this/).waitFor();
  await expect.poll(() => trace().locator('.inner').isVisible()).toBe(false);
};

describe('reasoning', () => {
  test('long results are shown on request', async () => {
    await ask('research backups');
    await answered();
    await folded();
    await trace().locator('> summary').click();
    const text = () => trace().locator('.call').first().innerText();
    const short = (await text()).length;
    await page.getByRole('button', { name: /Show all/ }).click();
    expect((await text()).length).toBeGreaterThan(short + 500);
    await page.getByRole('button', { name: 'Show less' }).click();
    expect((await text()).length).toBe(short);
  });

  test('a lost connection duplicates nothing', async () => {
    mock.hold = 'searching';
    await ask('research backups');
    await page.getByText('Searching for “backup”…').waitFor();
    mock.cut();
    mock.hold = '';
    await page.getByText('Connection lost').waitFor();
    await expect.poll(() => mock.sessions.get('s-1')?.running.size).toBe(0);
    mock.mend();
    await answered(); // it reconnects by itself
    await page.getByText('How docent found this · 3 steps').waitFor();
    await folded();
    await trace().locator('> summary').click();
    await expect.poll(() => trace().locator('.call').count()).toBe(3);
    await expect.poll(() => page.locator('.answer').count()).toBe(2);
  });
});

describe('stop', () => {
  test('ends the turn and the waiting messages, with one note', async () => {
    await ask('slow one');
    await page.locator('.status', { hasText: 'Searching the documents…' }).waitFor();
    await ask('slow two');
    await expect.poll(() => page.locator('.status', { hasText: 'Searching the documents…' }).count()).toBe(2);
    await stop().click();
    await expect.poll(() => said('Stopped.').count()).toBe(2);
    await expect.poll(() => stop().count()).toBe(0);
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA');
    await page.reload();
    await expect.poll(() => said('Stopped.').count()).toBe(2);
  });

  test('the text so far stays', async () => {
    mock.pace = 30; // slow enough for a slow page
    await ask('ramble');
    await page.getByText('Thing 9 ').waitFor();
    await stop().click();
    await said('Stopped.').waitFor();
    await expect.poll(() => said('Stopped.').count()).toBe(1);
    await expect.poll(() => page.locator('.answer').last().textContent()).toMatch(/^\s*Thing 1 is said\. [^]*Stopped\.$/);
    await page.reload();
    await page.getByText('Thing 9 ').waitFor();
    await expect.poll(() => said('Stopped.').count()).toBe(1);
  });

  test('a message that is held says so', async () => {
    await ask('keep this');
    await page.getByText('The agent cannot answer this message yet. docent keeps it until the agent can.').waitFor();
    await expect.poll(() => stop().count()).toBe(0);
  });
});

test("another agent's words are not the user's", async () => {
  await ask('ask another');
  const aside = page.getByText('another agent (bob.example:8765): Bob says **42**.');
  await aside.waitFor();
  await expect.poll(() => page.locator('.question').allInnerTexts()).toEqual(['ask another']);
  await accessible();
  await page.reload();
  await aside.waitFor();
  await expect.poll(() => page.locator('.question').allInnerTexts()).toEqual(['ask another']);
});

describe('an agent that is not the built-in one', () => {
  const choice = (name = 'Billing') => page.getByRole('button', { name });
  const fresh = async () => {
    mock.agent = 'Front desk';
    await page.reload();
    await choice().waitFor();
  };

  test('speaks first, under its own name', async () => {
    await fresh();
    await page.getByText('Hello! What can I do for you?').waitFor();
    await expect.poll(() => page.title()).toBe('New chat · Front desk');
    await expect.poll(() => page.locator('nav a.name').textContent()).toBe('Front desk');
    await expect.poll(() => page.getByLabel('Your message').getAttribute('placeholder')).toBe('Message');
    await expect.poll(() => page.getByText(/documents to begin|would you like to know/).count()).toBe(0);
    expect(page.url()).not.toContain('/c/');
    await expect.poll(() => page.locator('nav li').allTextContents()).toEqual(['None yet']);
    await accessible();
    await choice().click();
    await expect.poll(() => mock.received.at(-1)?.text).toBe('Billing');
    await expect.poll(() => page.url()).toContain('#/c/');
    await expect.poll(() => page.locator('nav li').first().textContent()).toContain('Billing');
    expect(mock.sessions.size).toBe(1);
  });

  test('a hidden page waits', async () => {
    let state = 'hidden';
    vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => state as DocumentVisibilityState);
    mock.agent = 'Front desk';
    await page.reload();
    await page.getByRole('heading', { name: 'Front desk' }).waitFor();
    expect(mock.sessions.size).toBe(0);
    state = 'visible';
    dispatchEvent(new Event('visibilitychange'));
    await choice().waitFor();
  });
});

test('a conversation without a name is listed by its first message', async () => {
  const at = new Date().toISOString();
  mock.create('bare').messages.push({ seq: 1, turn: 1, type: 'str', content: 'Said elsewhere', is_user: true, timestamp: at });
  await page.reload();
  await page.getByRole('link', { name: 'Said elsewhere' }).waitFor();
});

test('the built-in assistant makes no session before the first question', async () => {
  await page.getByRole('button', { name: /^Answer options/ }).waitFor(); // the page knows the agent
  await expect.poll(() => page.locator('nav li').allTextContents()).toEqual(['None yet']);
  expect([page.sockets, mock.sessions.size]).toEqual([0, 0]);
  await expect.poll(() => page.getByLabel('Your question').getAttribute('placeholder')).toBe('Ask about your documents');
});

test('options are buttons; the newest can be chosen, with the keyboard too', async () => {
  await ask('help me choose');
  await page.getByRole('button', { name: 'My account' }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => mock.received.at(-1)?.text).toBe('My account');
  await expect.poll(() => page.getByRole('group', { name: 'Choices' }).count()).toBe(2);
  const [old, fresh] = [page.getByRole('group', { name: 'Choices' }).first(), page.getByRole('group', { name: 'Choices' }).last()];
  await expect.poll(() => old.getByRole('button', { disabled: true }).count()).toBe(3);
  await expect.poll(() => old.getByRole('button', { name: /^My account\s*\(chosen\)$/ }).count()).toBe(1);
  await expect.poll(() => fresh.getByRole('button', { disabled: false }).count()).toBe(3);
  await expect.poll(() => page.locator('.question').allInnerTexts()).toEqual(['help me choose', 'My account']);
  await accessible();
  await expect.poll(() => page.locator('nav li').first().textContent()).toContain('help me choose');
});

test('a failure is shown once, also after a reload', async () => {
  await ask('please fail');
  await page.getByText('The model does not answer.').waitFor();
  await page.getByRole('button', { name: 'Ask again' }).waitFor(); // the turn has ended
  await expect.poll(() => page.locator('.column').getByText('does not answer').count()).toBe(1);
  await page.reload();
  await page.getByText('The model does not answer.').waitFor();
  await page.getByRole('button', { name: 'Ask again' }).waitFor();
  await expect.poll(() => page.locator('.column').getByText('does not answer').count()).toBe(1);
});

test('a partial answer stays, with the error below it', async () => {
  await ask('please break off');
  const seen = async () => {
    await page.getByRole('button', { name: 'Ask again' }).waitFor();
    await expect.poll(() => page.locator('article .cite').allTextContents()).toEqual(['1']);
    const order = () => page.locator('.prose, .answer > .note, .ended').evaluateAll((all) => all.map((el) => el.textContent!.trim()));
    await expect.poll(order).toEqual([expect.stringContaining('made while docent serves'), 'The answer ends here, unfinished.', expect.stringMatching(/The model does not answer\.\s*Ask again/)]);
    expect(await page.getByText('Stopped.').count()).toBe(0);
    await accessible();
  };
  await seen();
  await page.reload();
  await seen();
});
