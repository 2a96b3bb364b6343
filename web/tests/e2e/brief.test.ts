// A brief in a browser: from the task and the outline to the report, and to a DOCX that docent reads again.
import type { Browser, Page } from 'playwright-core';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { DocumentPage } from '../../src/api/shapes';
import { accessibleInThemes, launch, watch, type Watched } from './browser';
import { startProgram, type Program } from './program';

let browser: Browser;
let program: Program;
let watched: Watched;
let page: Page;

beforeAll(async () => {
  [browser, program] = await Promise.all([launch(), startProgram()]);
});
afterAll(() => program?.stop());
afterEach(() => watched.check());

const task = 'What does the handbook say about the garden, and when do tides occur?';

test('a brief is planned, written, read, and saved as DOCX', async () => {
  watched = await watch(browser, program.url, { acceptDownloads: true });
  page = watched.page;
  await page.goto(program.url);
  await page.getByLabel('Your question').fill(task);
  await page.getByRole('button', { name: 'Write a brief…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Write a brief' });
  await dialog.getByRole('button', { name: 'Make an outline' }).click();
  const headings = dialog.getByRole('listitem').getByRole('textbox');
  await expect.poll(() => headings.count()).toBeGreaterThan(0);
  await accessibleInThemes(page);
  while ((await headings.count()) > 1) await dialog.getByRole('button', { name: `Remove heading ${await headings.count()}`, exact: true }).click();
  await headings.first().fill('Compost');
  for (const heading of ['Neap tides', 'Chess championships of Paraguay']) {
    await dialog.getByRole('button', { name: 'Add a heading' }).click();
    await headings.last().fill(heading);
  }
  await dialog.getByRole('button', { name: 'Write the brief' }).click();
  await expect.poll(() => page.locator('.answer:not([aria-busy]) .sources').count()).toBe(1);
  const answer = page.locator('.answer').last();
  await expect.poll(() => answer.getByRole('heading', { name: 'Compost' }).count()).toBe(1);
  const text = (await answer.innerText()).replace(/\s+/g, ' ');
  expect(text).toContain('turned every three weeks');
  expect(text).toContain('quarter moons');
  expect(text).toMatch(/Not found.*Chess championships of Paraguay/i);
  // Every quote has a citation that opens its passage.
  await answer.locator('.cite').first().click();
  await page.locator('mark.active').first().waitFor();
  await page.keyboard.press('Escape');
  await page.locator('mark.active').waitFor({ state: 'detached' });
  await accessibleInThemes(page);

  await page.getByRole('button', { name: 'Download this answer' }).last().click();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: 'Download as Word' }).click()]);
  const file = join(program.place.folder, 'brief.docx');
  await download.saveAs(file);
  program.run(['ingest', file, '--collection', 'briefs']);
  const { documents } = (await (await fetch(`${program.url}/api/documents?collection=briefs`)).json()) as DocumentPage;
  expect(documents.map((d) => d.status)).toEqual(['ready']);
  const read = (await (await fetch(`${program.url}/api/documents/${documents[0]!.id}/text`)).text()).replace(/\s+/g, ' ');
  for (const part of ['Compost', 'turned every three weeks', 'Neap tides', 'quarter moons', 'Garden handbook']) expect(read).toContain(part);

  // The brief is a conversation that is there after a reload.
  await page.reload();
  await expect.poll(() => page.locator('.answer').last().innerText()).toContain('turned every three weeks');
});
