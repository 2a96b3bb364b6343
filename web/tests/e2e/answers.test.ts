// An approved answer with passages on the real program: written from a question, given with its sources,
// and reported as soon as a passage changes.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { accessible, accessibleInThemes, launch, watch } from './browser';
import { startProgram, type Program } from './program';

let browser: Browser;
let program: Program;

const question = 'When do neap tides occur?';
const ask = () => fetch(`${program.url}/api/ask`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ question }) });

beforeAll(async () => {
  [browser, program] = await Promise.all([launch(), startProgram()]);
  expect((await ask()).status).toBe(200);
  const known = async () => ((await (await fetch(`${program.url}/api/insight/questions`)).json()) as { questions: unknown[] }).questions.length;
  await vi.waitFor(async () => expect(await known()).toBe(1), { timeout: 60_000 });
});
afterAll(() => program?.stop());

const shot = (name: string) => (process.env.ANSWERS ? `${process.env.ANSWERS}/${name}.png` : '');

test('an answer links passages, and says when one changes', async () => {
  const watched = await watch(browser, program.url);
  const { page } = watched;
  await page.goto(`${program.url}/#/console/questions`);
  await page.getByRole('link', { name: question }).click();
  await page.getByRole('button', { name: 'Write an answer' }).click();
  await page.getByLabel('Answer in Markdown').fill('At the **quarter moons**. Ask the harbour master.');
  await page.getByLabel('Signed by').fill('Harbour office');
  await page.getByRole('list', { name: 'Sources of the present answer' }).getByRole('button', { name: 'Add the passage of Tides' }).first().click();
  await page.getByLabel('Search for a passage').fill('old margery float gauge');
  await page.keyboard.press('Enter');
  const found = page.getByRole('list', { name: 'Passages that were found' }).getByRole('listitem').filter({ hasText: 'Old Margery' });
  await found.getByRole('button').click();
  const chosen = page.getByRole('list', { name: 'Passages below the answer' }).getByRole('listitem');
  await expect.poll(() => chosen.count()).toBe(2);
  await accessibleInThemes(page);
  if (shot('form')) await page.screenshot({ path: shot('form'), fullPage: true });
  await page.getByRole('button', { name: 'Save the answer' }).click();
  await page.getByRole('button', { name: 'Write an answer' }).waitFor();

  // The answer cites both.
  await page.goto(`${program.url}/#/`);
  await page.getByLabel('Your question').fill(question);
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('.answer:not([aria-busy]) .sources').count()).toBe(1);
  const answer = page.locator('.answer').last();
  expect((await answer.innerText()).replace(/\s+/g, ' ')).toMatch(/Answered by Harbour office, .* quarter moons/);
  const sources = answer.locator('.sources > ol > li');
  await expect.poll(() => sources.count()).toBe(3);
  if (shot('answer')) await page.screenshot({ path: shot('answer') });
  await sources.nth(2).getByRole('button').click();
  await page.locator('mark.active').first().waitFor();
  expect((await page.locator('mark.active').allTextContents()).join('')).toContain('Old Margery');
  await page.keyboard.press('Escape');

  // Another text of the document.
  writeFileSync(join(program.place.folder, 'tides.md'), '# Tides\n\n## Neap tides\n\nNeap tides occur at the quarter moons, when the pull of the Sun 😀 works against the pull of the Moon.\n\n## Instruments\n\nThe old gauge is broken.\n');
  program.run(['ingest', join(program.place.folder, 'tides.md')]);
  await page.goto(`${program.url}/#/console/today`);
  await page.getByText('1 approved answer to check').waitFor();
  await page.getByRole('link', { name: 'Check them' }).click();
  await page.getByText('A passage changed').waitFor();
  await page.getByRole('button', { name: question }).click();
  const changed = chosen.filter({ hasText: 'The document no longer has this passage' });
  await expect.poll(() => changed.count()).toBeGreaterThan(0);
  await accessible(page);
  await watched.check();
});

const looks: [string, BrowserContextOptions, string][] = [
  ['light and dark', {}, 'en'],
  ['390 px, German', { viewport: { width: 390, height: 800 } }, 'de'],
];
for (const [name, options, language] of looks) {
  test(`shows changed passages: ${name}`, async () => {
    const watched = await watch(browser, program.url, options);
    const { page } = watched;
    await page.context().addInitScript((l) => localStorage.setItem('docent.language', l), language);
    await page.goto(`${program.url}/#/console/answers/due`);
    await page.getByRole('button', { name: question }).click();
    await page.locator('fieldset li .tag').first().waitFor();
    await accessibleInThemes(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await page.locator('fieldset').scrollIntoViewIfNeeded();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      if (shot(name)) await page.screenshot({ path: shot(`${name} ${colorScheme}`), fullPage: true });
    }
    await watched.check();
  });
}

// Approved answers fill some of the views.
for (const [name, options, language] of looks) {
  test(`the settings and every view of the console: ${name}`, async () => {
    const watched = await watch(browser, program.url, options);
    const { page } = watched;
    await page.context().addInitScript((l) => localStorage.setItem('docent.language', l), language);
    const views = ['today', 'work', 'system', 'models', 'settings', 'embed', 'people', 'log', 'questions', 'gaps', 'answers', 'quality'].map((v) => `console/${v}`);
    for (const view of ['settings', ...views]) {
      await page.goto(`${program.url}/#/${view}`);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page.waitForLoadState('networkidle');
      await expect.poll(() => page.locator('main [role=status]', { hasText: /…$/ }).count()).toBe(0); // nothing loads
      await accessibleInThemes(page);
      expect([view, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)]).toEqual([view, true]);
      await page.emulateMedia({ colorScheme: 'dark' });
      if (shot(view)) await page.screenshot({ path: shot(`${view.replace('/', '-')} ${language} dark`), fullPage: true });
      await page.emulateMedia({ colorScheme: 'light' });
    }
    await watched.check(60);
  });
}
