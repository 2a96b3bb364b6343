// The library on the start page.
import { beforeEach, expect, test } from 'vitest';
import type { MockDocent } from '../mock/server';
import { accessible, start, type Page } from './page';

let mock: MockDocent;
let page: Page;

beforeEach(async () => {
  ({ mock, page } = await start());
});

test('cards show the collections, and lists the new and the most cited documents', async () => {
  mock.documents[1]!.cited = 2;
  mock.documents[2]!.cited = 31;
  mock.collections.push(
    { name: 'hr', title: 'People', description: 'All about us.', color: 'teal', documents: 3, failed: 0, chunks: 9, changed_at: '2026-05-03T10:00:00Z' },
    { name: 'empty', title: 'Nothing yet', documents: 0, failed: 0, chunks: 0 },
  );
  await page.goto('#/');
  await page.getByRole('link', { name: 'People' }).waitFor();
  const cards = page.locator('.cards li');
  expect(await cards.allTextContents().then((all) => all.map((text) => text.replace(/\s+/g, ' ').trim()))).toEqual([
    'People All about us. 3 documents · changed May 3, 2026 Ask here', `default ${mock.documents.length} documents Ask here`,
  ]);
  const lists = page.locator('.documents');
  await expect.poll(() => lists.count()).toBe(2);
  expect((await lists.nth(1).locator('.note').allTextContents())[0]).toContain('cited in 31 answers');
  await accessible();
  await page.getByRole('button', { name: 'Ask here: People' }).click();
  await page.getByLabel('Your question').fill('When is payday?');
  await page.getByLabel('Your question').press('Enter');
  await expect.poll(() => mock.received.at(-1)?.content).toEqual({ message: 'When is payday?', collections: ['hr'] });
});

test('a card opens its collection', async () => {
  mock.collections.push({ name: 'hr', title: 'People', documents: 3, failed: 0, chunks: 9 });
  await page.goto('#/');
  await page.getByRole('link', { name: 'People' }).click();
  await expect.poll(() => location.hash).toBe('#/documents?collection=hr');
});

test('a single collection without a text has no card', async () => {
  await page.goto('#/');
  await page.getByRole('heading', { name: 'New documents' }).waitFor();
  expect(await page.locator('.cards').count()).toBe(0);
  expect(await page.getByRole('heading', { name: 'Most cited' }).count()).toBe(0);
});
