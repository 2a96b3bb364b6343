// Conversations of others on the real program: DOCENT_BIN=…/docent npm run e2e.
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessibleInThemes, launch, watch } from './browser';
import { startProgram, type Program } from './program';

const password = 'correct horse battery';

describe('conversations of others', () => {
  let browser: Browser;
  let program: Program;

  beforeAll(async () => {
    [browser, program] = await Promise.all([launch(), startProgram({ user: ['ann', password], options: ['--read-conversations'] })]);
    program.run(['user', 'create', 'root', '--scopes', 'admin', '--password-stdin'], password);
    const token = program.run(['token', 'create', 'anns', '--user', 'ann']).match(/docent_[\w-]+/)![0];
    const asked = await fetch(`${program.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'X-Session-ID': 'anns' },
      body: JSON.stringify({ model: 'docent', messages: [{ role: 'user', content: 'When do neap tides occur?' }] }),
    });
    expect(asked.status).toBe(200);
  });
  afterAll(() => program?.stop());

  const looks: [string, BrowserContextOptions, Record<string, string>, string][] = [
    ['light and dark', {}, {}, 'You are reading a conversation of ann. Your reading is logged.'],
    ['390 px, German', { viewport: { width: 390, height: 800 } }, { 'docent.language': 'de' }, 'Sie lesen eine Unterhaltung von ann. Dieser Zugriff wird protokolliert.'],
  ];
  for (const [name, options, storage, banner] of looks) {
    test(`an administrator reads, and cannot write: ${name}`, async () => {
      const watched = await watch(browser, program.url, options);
      const { page } = watched;
      await page.context().addInitScript((storage) => {
        for (const [key, value] of Object.entries(storage)) localStorage.setItem(key, value);
      }, storage);
      const shot = (view: string) => process.env.OTHERS && page.screenshot({ path: `${process.env.OTHERS}/${view} ${name}.png` });
      const log = () => program.run(['audit']).split('\n').filter((line) => line.includes('user:root'));
      const before = log().length;
      await page.goto(`${program.url}/#/others`);
      await page.locator('input[autocomplete=username]').fill('root');
      await page.locator('input[type=password]').fill(password);
      await page.keyboard.press('Enter');
      const row = page.locator('.column a', { hasText: 'When do neap tides occur?' });
      await row.waitFor();
      expect(await row.locator('.owner').innerText()).toBe('ann');
      expect(await page.locator('nav .lists a').count()).toBe(0); // the administrator's own conversations
      await accessibleInThemes(page);
      await shot('list');
      await row.click();
      await page.getByText(banner).waitFor();
      await page.locator('.answer .cite').first().waitFor();
      expect(await page.locator('textarea').count()).toBe(0);
      expect(await page.locator('.turns .icon-button').count()).toBe(1); // ready to copy
      await accessibleInThemes(page);
      await shot('transcript');
      const added = log().slice(0, -before || undefined).filter((line) => line.includes('conversation'));
      expect(added.map((line) => line.match(/conversations?\.\w+/)![0])).toEqual(['conversation.read', 'conversations.listed']);
      // A new chat starts empty.
      await page.goto(`${program.url}/#/`);
      await page.locator('textarea').first().waitFor();
      expect(await page.locator('.turns .turn').count()).toBe(0);
      await watched.check();
    });
  }
});
