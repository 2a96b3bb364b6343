// Files in a conversation with an agent that takes them.
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { accessible, launch, watch, type Watched } from './browser';
import { startProgram, type Program } from './program';

const agent = `
name: clerk
states:
  open:
    initial: true
    on:
      - {file: md, to: own}
      - {file: any, to: filed}
      - {matches: ^In my file, to: ask}
      - {message: any, to: answer}
  filed: {body: [{reply: 'Filed {{.message}}.'}], then: open}
  own: {body: [{session_documents: add}, {reply: 'Read {{.message}}.'}], then: open}
  ask: {body: [session_rag], then: open}
  answer: {body: [rag], then: open}
`;

describe('files in the chat', () => {
  let browser: Browser;
  let program: Program;
  let watched: Watched;
  let page: Page;

  beforeAll(async () => {
    [browser, program] = await Promise.all([
      launch(),
      startProgram({ agent }),
    ]);
  });
  afterAll(async () => {
    await program?.stop();
  });
  beforeEach(async () => {
    watched = await watch(browser, program.url);
    page = watched.page;
    await page.goto(program.url);
    await page.getByRole('heading', { level: 1 }).waitFor();
  });
  afterEach(() => watched.check(60));

  const box = () => page.locator('.composer textarea');
  const say = async (text: string) => {
    await box().fill(text);
    await page.keyboard.press('Enter');
  };
  const answered = (n: number) => expect.poll(() => page.locator('.answer:not([aria-busy]) .sources').count()).toBe(n);
  const questions = async () => (await page.locator('.question .bubble').allTextContents()).map((t) => t.trim());
  const stored = async () => {
    const id = decodeURIComponent(page.url().split('#/c/')[1] ?? '');
    const { messages } = (await (await page.request.get(`${program.url}/api/sessions/${id}/messages`)).json()) as { messages: { type: string; content: unknown; is_user: boolean }[] };
    return messages.map((m) => ({ ...m, content: m.type === 'file' && typeof m.content === 'string' ? (JSON.parse(m.content) as unknown) : m.content }));
  };
  const attach = (...files: { name: string; mimeType: string; buffer: Buffer }[]) => page.setInputFiles('.composer input[type=file]', files);
  const text = (name: string, content: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });

  test('files are attached, removed, and sent before the text', async () => {
    await attach(text('a.txt', 'first'), text('b.txt', 'second'), { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64') });
    const chips = page.getByRole('list', { name: 'Files to send' }).getByRole('listitem');
    await expect.poll(() => chips.count()).toBe(3);
    await chips.locator('img').waitFor();
    await page.getByRole('button', { name: 'Remove “b.txt”' }).click();
    await expect.poll(() => chips.count()).toBe(2);
    await accessible(page);
    await say('When do spring tides occur?');
    await expect.poll(async () => (await questions()).length).toBe(3);
    await expect.poll(() => page.locator('.question').count()).toBe(3);
    await answered(1);
    const messages = (await stored()).filter((m) => m.is_user);
    expect(messages.map((m) => m.type)).toEqual(['file', 'file', 'str']);
    expect(messages[0]!.content).toMatchObject({ name: 'a.txt', base64: Buffer.from('first').toString('base64') });
  });

  test('a document of the conversation is cited, and only its passage is shown', async () => {
    await attach({ name: 'fleet.md', mimeType: 'text/markdown', buffer: Buffer.from('# Sails\n\nThe mainsail of the Zephyr is 310 square metres.\n') });
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.locator('.answer').getByText('Read fleet.md.').waitFor();
    await say('In my file, how large is the mainsail of the Zephyr?');
    await answered(1);
    await page.locator('.answer .sources button').first().click();
    const panel = page.locator('.panel');
    await panel.getByText('This document belongs to the conversation.').waitFor();
    await panel.getByText('The mainsail of the Zephyr is 310 square metres.').waitFor();
    expect(await panel.getByRole('link', { name: 'Original' }).count()).toBe(0);
    await accessible(page);
  });

  test('a file that is too large is reported, and not sent', async () => {
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(26 << 20)], 'large.txt', { type: 'text/plain' }));
      document.querySelector('textarea')!.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data }));
    });
    await page.getByText(/^Larger than 25 MB/).waitFor();
    await box().fill('When do spring tides occur?');
    await page.keyboard.press('Enter');
    await answered(1);
    await expect.poll(() => questions()).toEqual(['When do spring tides occur?']);
    await page.getByText(/^Larger than 25 MB/).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Remove “large.txt”' }).click();
  });

  test('a large file is sent whole', async () => {
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(20 << 20).fill(7)], 'large.bin', { type: 'application/octet-stream' }));
      document.querySelector('textarea')!.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data }));
    });
    await page.locator('.files').getByText('21 MB').waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const sent = async () => (await stored()).find((m) => m.is_user)?.content as { name: string; base64: string } | undefined;
    await expect.poll(async () => (await sent())?.name).toBe('large.bin');
    expect(Buffer.from((await sent())!.base64, 'base64').equals(Buffer.alloc(20 << 20, 7))).toBe(true);
  });
});

describe('files with the built-in assistant', () => {
  let browser: Browser;
  let program: Program;
  let watched: Watched;
  let page: Page;

  beforeAll(async () => {
    [browser, program] = await Promise.all([launch(), startProgram()]);
  });
  afterAll(async () => {
    await program?.stop();
  });
  beforeEach(async () => {
    watched = await watch(browser, program.url);
    page = watched.page;
    await page.goto(program.url);
    await page.getByRole('heading', { level: 1 }).waitFor();
  });
  afterEach(() => watched.check(60));

  const documents = async () => ((await (await page.request.get(`${program.url}/api/documents?limit=1000`)).json()) as { documents: { source: string; collection: string }[] }).documents.filter((d) => d.source.startsWith('upload:'));

  test('a file belongs to its conversation until the user adds it to the library', async () => {
    await page.setInputFiles('.composer input[type=file]', [{ name: 'fleet.md', mimeType: 'text/markdown', buffer: Buffer.from('# Sails\n\nThe mainsail of the Zephyr is 310 square metres.\n') }]);
    await page.getByText('Only this conversation can see the files.').waitFor();
    await accessible(page);
    await page.locator('.composer textarea').fill('How large is the mainsail of the Zephyr?');
    await page.keyboard.press('Enter');
    await page.locator('.answer').getByText('310 square metres').first().waitFor();
    await page.locator('.question').getByText('Only this conversation can see it.').waitFor();
    expect(await documents()).toEqual([]);

    const add = page.getByRole('button', { name: 'Add to the library…' });
    await add.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Add “fleet.md” to the library?' });
    await dialog.getByLabel('Collection').selectOption({ label: 'New collection…' });
    await dialog.getByLabel('Name of the new collection').fill('ships');
    await accessible(page);
    await page.keyboard.press('Enter');
    await page.locator('.question').getByText('In the collection ships').waitFor();
    await expect.poll(() => add.evaluate((el) => el === document.activeElement)).toBe(true);
    expect(await documents()).toMatchObject([{ source: 'upload:fleet.md', collection: 'ships' }]);

    await page.getByRole('button', { name: 'Remove “fleet.md” from this conversation' }).click();
    await page.locator('.question').getByText('Removed from this conversation.').waitFor();
    await page.reload();
    await page.locator('.question').getByText('Removed from this conversation.').waitFor();
    expect(await page.getByRole('button', { name: 'Add to the library…' }).count()).toBe(0);
    expect(await documents()).toMatchObject([{ source: 'upload:fleet.md', collection: 'ships' }]);
  });
});
