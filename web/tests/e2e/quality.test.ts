// Kept questions and thresholds on the real program: DOCENT_BIN=…/docent npm run e2e.
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { accessible, accessibleInThemes, launch, watch } from './browser';
import { startProgram, type Program } from './program';

interface Asked {
  questions: { id: number; question: string }[];
}

describe('quality', () => {
  let browser: Browser;
  let program: Program;

  const ask = (question: string) => fetch(`${program.url}/api/ask`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ question }) });

  beforeAll(async () => {
    [browser, program] = await Promise.all([launch(), startProgram()]);
    expect((await ask('When do neap tides occur?')).status).toBe(200);
    const known = async () => ((await (await fetch(`${program.url}/api/insight/questions`)).json()) as Asked).questions.length;
    await vi.waitFor(async () => expect(await known()).toBe(1), { timeout: 60_000 });
  });
  afterAll(() => program?.stop());

  const shot = (name: string) => (process.env.QUALITY ? `${process.env.QUALITY}/${name}.png` : '');

  test('keeps a question, runs it, and tries thresholds', async () => {
    const watched = await watch(browser, program.url);
    const { page } = watched;
    await page.goto(`${program.url}/#/console/questions`);
    await page.getByRole('link', { name: 'When do neap tides occur?' }).click();
    await page.getByRole('button', { name: 'Keep as a test' }).click();
    await page.getByText('Kept as a test').first().waitFor();
    await page.getByRole('link', { name: 'Quality' }).click();
    await page.getByText('The questions have not been asked yet.').waitFor();
    await page.getByRole('button', { name: 'Add a question' }).click();
    await page.getByRole('textbox', { name: 'Question', exact: true }).fill('Who is the mayor of Lisbon?');
    await page.getByLabel('A good answer').selectOption('absent');
    await accessible(page);
    if (shot('form')) await page.screenshot({ path: shot('form') });
    await page.getByRole('button', { name: 'Save the question' }).click();
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('2 passed, 0 failed, 0 changed since the run before.').waitFor();
    await page.getByText('With these values, 0 of 1 answers of the last seven days would be different.').waitFor();
    await page.getByLabel('Answered from').fill('1');
    await page.getByText('With these values, 1 of 1 answers').waitFor();
    await accessible(page);
    await watched.check();
  });

  const looks: [string, BrowserContextOptions, string][] = [
    ['light and dark', {}, 'en'],
    ['390 px, German', { viewport: { width: 390, height: 800 } }, 'de'],
  ];
  for (const [name, options, language] of looks) {
    test(`shows the results: ${name}`, async () => {
      const watched = await watch(browser, program.url, options);
      const { page } = watched;
      await page.context().addInitScript((l) => localStorage.setItem('docent.language', l), language);
      await page.goto(`${program.url}/#/console/quality`);
      await page.locator('.tag.solved').nth(1).waitFor();
      await page.locator('.effect', { hasText: '1' }).waitFor();
      await accessibleInThemes(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      if (shot(name)) await page.screenshot({ path: shot(name), fullPage: true });
      await watched.check();
    });
  }
});
