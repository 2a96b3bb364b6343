// The list of conversations on the real program: DOCENT_BIN=…/docent npm run e2e.
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { accessible, launch, stopClock, watch, type Watched } from './browser';
import { sharedProgram, type Shared } from './program';

describe('conversations', () => {
  let browser: Browser;
  let program: Shared;
  let watched: Watched;
  let page: Page;

  beforeAll(async () => {
    [browser, program] = await Promise.all([launch(), sharedProgram()]);
  });
  beforeEach(async () => {
    await program.reset();
    watched = await watch(browser, program.url);
    page = watched.page;
    await page.goto(program.url);
    await page.getByRole('heading', { level: 1 }).waitFor();
  });
  afterEach(() => watched.check(40));

  const stored = async () => (await (await fetch(`${program.url}/api/sessions`)).json()) as { session_id: string; pinned?: boolean }[];
  const ids = async () => (await stored()).map((s) => s.session_id);

  /** talk begins a conversation, and returns its address. */
  async function talk(text: string): Promise<string> {
    await page.goto(`${program.url}/#/`);
    await expect.poll(() => page.locator('.question').count()).toBe(0); // the text box now belongs to the new conversation
    await page.getByLabel('Your question').fill(text);
    await page.keyboard.press('Enter');
    await page.locator('.answer:not([aria-busy]) .sources').waitFor();
    await row(text).waitFor();
    return page.url();
  }

  const row = (name: string) => page.locator('nav .conversation', { hasText: name });
  const names = () => page.locator('nav .conversation a').allTextContents();

  async function choose(name: string, what: string): Promise<void> {
    await row(name).hover();
    await page.getByRole('button', { name: `Options for “${name}”` }).click();
    await page.getByRole('menuitem', { name: what }).click();
  }

  test('are listed, the newest first, renamed in place and pinned', async () => {
    await talk('What is Old Margery?');
    await talk('When are roses pruned?');
    await expect.poll(names).toEqual(['When are roses pruned?', 'What is Old Margery?']);
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    await choose('What is Old Margery?', 'Rename');
    const field = page.getByLabel('Name of the conversation').and(page.locator(':focus'));
    await field.waitFor();
    await page.keyboard.type('Gauges');
    await page.keyboard.press('Escape');
    await expect.poll(names).toContain('What is Old Margery?');
    await choose('What is Old Margery?', 'Rename');
    await field.waitFor();
    await page.keyboard.type('Gauges');
    await page.keyboard.press('Enter');
    await expect.poll(names).toContain('Gauges');
    await choose('Gauges', 'Pin');
    await page.getByRole('heading', { name: 'Pinned' }).waitFor();
    await expect.poll(names).toEqual(['Gauges', 'When are roses pruned?']);
    await expect.poll(async () => (await stored()).filter((s) => s.pinned).length).toBe(1); // before the new page reads the list
    await page.reload();
    await expect.poll(names).toEqual(['Gauges', 'When are roses pruned?']);
    await choose('Gauges', 'Unpin');
    await expect.poll(() => page.getByRole('heading', { name: 'Pinned' }).count()).toBe(0);
    await accessible(page);
  });

  test('are found by their names and messages', async () => {
    await talk('What is Old Margery?');
    await talk('When are roses pruned?');
    await page.keyboard.press('Control+k');
    const sought = page.getByRole('search', { name: 'Search conversations' }).locator('input');
    await sought.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('forsythia'); // only the answer contains the word
    await expect.poll(() => page.locator('nav .conversation mark').allTextContents()).toEqual(['forsythia']);
    expect(await names()).toEqual([expect.stringMatching(/^When are roses pruned\?/)]);
    await page.getByRole('heading', { name: '1 conversation found' }).waitFor();
    await accessible(page);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('zeppelin');
    await page.locator('nav').getByText('No conversations match.').last().waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(async () => (await names()).length).toBe(2);
    await expect.poll(() => sought.inputValue()).toBe('');
  });

  test('the menu of one works by keyboard alone', async () => {
    await talk('What is Old Margery?');
    const button = page.getByRole('button', { name: 'Options for “What is Old Margery?”' });
    await button.focus();
    await page.keyboard.press('Enter');
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim());
    await expect.poll(focused).toBe('Rename');
    await accessible(page);
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => focused()).toBe('Delete');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    await page.keyboard.press('Home');
    await expect.poll(() => focused()).toBe('Rename');
    await page.keyboard.press('e');
    await expect.poll(() => focused()).toBe('Export as Markdown');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('menu').count()).toBe(0);
    await button.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => focused()).toBe('Rename');
    await button.evaluate((el: HTMLElement) => {
      const menu = document.querySelector(':popover-open')!;
      const told = new Promise((ok) => menu.addEventListener('toggle', ok, { once: true }));
      document.activeElement!.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }));
      el.click(); // opens the dialog again before the close event
      return told.then(() => undefined);
    });
    await expect.poll(() => focused()).toBe('Rename');
    await page.keyboard.press('Escape');
  });

  test('one is deleted at once, and undo brings it back', async () => {
    const address = await talk('What is Old Margery?');
    await stopClock(page);
    await choose('What is Old Margery?', 'Delete');
    await expect.poll(names).toEqual([]);
    await expect.poll(() => page.url()).toMatch(/#\/$/);
    await page.getByText('Deleted “What is Old Margery?”').hover();
    await page.clock.resume(); // the timer stops while the pointer is there
    await accessible(page);
    await expect.poll(() => ids()).toHaveLength(1); // the conversation is not deleted yet
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(names).toEqual(['What is Old Margery?']);
    await expect.poll(() => page.url()).toBe(address);
    await page.locator('.answer .sources').waitFor();
    // A key undoes it, too. Otherwise, the conversation is deleted after a while.
    await stopClock(page);
    await choose('What is Old Margery?', 'Delete');
    await expect.poll(names).toEqual([]);
    await page.keyboard.press('Control+z');
    await expect.poll(names).toEqual(['What is Old Margery?']);
    await page.clock.resume();
    await choose('What is Old Margery?', 'Delete');
    await page.mouse.move(700, 300);
    await expect.poll(ids).toEqual([]);
    await expect.poll(() => page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await page.goto(address);
    await page.getByText('no longer exists').waitFor();
  });

  test('the notice stays under the pointer; several wait at once, each with its own undo', async () => {
    await talk('What is Old Margery?');
    await talk('When are roses pruned?');
    await stopClock(page);
    await choose('What is Old Margery?', 'Delete');
    await choose('When are roses pruned?', 'Delete');
    await expect.poll(() => page.getByRole('button', { name: 'Undo' }).count()).toBe(2);
    await page.getByText('Deleted “When are roses pruned?”').hover();
    // Longer than the time to undo.
    await page.clock.runFor(7500);
    await expect.poll(() => page.getByRole('button', { name: 'Undo' }).count()).toBe(2);
    await page.locator('.notice', { hasText: 'Margery' }).getByRole('button', { name: 'Undo' }).click();
    await expect.poll(names).toEqual(['What is Old Margery?']);
    await page.mouse.move(700, 300);
    await page.clock.runFor(6500);
    await expect.poll(async () => (await ids()).length).toBe(1);
    await expect.poll(names).toEqual(['What is Old Margery?']);
    await page.clock.resume();
  });

  test('leaving the page completes the announced deletion', async () => {
    const address = await talk('What is Old Margery?');
    await talk('When are roses pruned?');
    await stopClock(page);
    await choose('What is Old Margery?', 'Delete');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.clock.resume();
    await page.reload();
    await expect.poll(async () => (await ids()).length).toBe(1);
    await page.reload();
    await expect.poll(names).toEqual(['When are roses pruned?']);
    await page.goto(address);
    await page.getByText('no longer exists').waitFor();
  });

  test('those with the same name show the time of their last use', async () => {
    await talk('What is Old Margery?');
    await talk('When are roses pruned?');
    const links = page.locator('nav .conversation a');
    await expect.poll(() => links.locator('.when').count()).toBe(0);
    await choose('When are roses pruned?', 'Rename');
    await page.getByLabel('Name of the conversation').and(page.locator(':focus')).fill('What is Old Margery?');
    await page.keyboard.press('Enter');
    await expect.poll(() => links.locator('.when').count()).toBe(2);
    for (const link of await links.all()) {
      await expect.poll(() => link.locator('.when').textContent()).toMatch(/20\d\d.*\d:\d\d/);
      await expect.poll(() => link.getAttribute('title')).toMatch(/^What is Old Margery\?\n.*20\d\d.*\d:\d\d/);
    }
    await accessible(page);
  });

  test('one is exported as Markdown and as JSON', async () => {
    await talk('What is Old Margery?');
    const save = async (what: string) => {
      const [download] = await Promise.all([page.waitForEvent('download'), choose('What is Old Margery?', what)]);
      return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
    };
    const markdown = await save('Export as Markdown');
    expect(markdown.name).toMatch(/\.md$/);
    expect(markdown.text).toContain('What is Old Margery?');
    expect(markdown.text).toContain('float gauge');
    const json = await save('Export as JSON');
    expect(json.name).toMatch(/\.json$/);
    const read = JSON.parse(json.text) as { messages: { is_user: boolean; content: unknown }[] };
    expect(read.messages.some((m) => m.is_user && m.content === 'What is Old Margery?')).toBe(true);
    expect(JSON.stringify(read.messages)).toContain('float gauge');
  });

  test('each has an address that another page opens', async () => {
    const address = await talk('What is Old Margery?');
    const other = await watch(browser, program.url, { viewport: { width: 360, height: 740 }, hasTouch: true });
    await other.page.goto(address);
    await other.page.locator('.answer .sources').waitFor();
    await expect.poll(() => other.page.title()).toContain('What is Old Margery?');
    // The same list in the drawer, by touch.
    await other.page.getByRole('button', { name: 'Menu', exact: true }).tap();
    await other.page.getByRole('button', { name: 'Options for “What is Old Margery?”' }).tap();
    await other.page.getByRole('menuitem', { name: 'Rename' }).tap();
    await other.page.getByLabel('Name of the conversation').fill('Gauges');
    await other.page.keyboard.press('Enter');
    await expect.poll(() => other.page.locator('nav .conversation').textContent()).toContain('Gauges');
    await accessible(other.page);
    await other.check();
  });

  test('an answer in another conversation is announced', async () => {
    const first = await talk('What is Old Margery?');
    await talk('When are roses pruned?');
    const said = async () => {
      const rows = (await (await fetch(`${program.url}/api/sessions`)).json()) as { session_id: string; messages: number }[];
      return rows.find((r) => first.endsWith(r.session_id))!.messages;
    };
    const before = await said();
    // Another tab continues the first conversation.
    const other = await watch(browser, program.url);
    await other.page.goto(first);
    await other.page.locator('.answer .sources').waitFor();
    await other.page.getByLabel('Your question').fill('And how often is it read?');
    await other.page.keyboard.press('Enter');
    await other.page.locator('.question', { hasText: 'how often' }).waitFor();
    await expect.poll(said).toBeGreaterThan(before + 1);
    await other.check();
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await row('What is Old Margery?').getByText('New answer').waitFor({ state: 'attached' });
    await row('What is Old Margery?').getByRole('link').click();
    await page.locator('.question', { hasText: 'how often' }).waitFor();
    await expect.poll(() => page.getByText('New answer').count()).toBe(0);
  });

  test('one that the user leaves before the acknowledgment is watched for its answer', async () => {
    let on = true;
    const held: (() => void)[] = [];
    await page.routeWebSocket(/./, (ws) => {
      const server = ws.connectToServer();
      ws.onMessage((m) => (on ? server.send(m) : held.push(() => server.send(m))));
      ws.onClose(() => undefined); // the server still receives the held request
    });
    await page.reload();
    await talk('What is Old Margery?');
    on = false;
    await page.getByLabel('Your question').fill('And how often is it read?');
    await page.keyboard.press('Enter');
    await page.locator('.question', { hasText: 'how often' }).waitFor();
    await expect.poll(() => held.length).toBeGreaterThan(0);
    await page.getByRole('link', { name: 'New chat' }).first().click();
    await expect.poll(() => page.locator('.question').count()).toBe(0);
    for (const send of held) send();
    await row('What is Old Margery?').getByText('New answer').waitFor({ state: 'attached' });
  });
});
