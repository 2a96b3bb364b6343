// Approved answers, in the console.
import { beforeEach, expect, test } from 'vitest';
import type { MockDocent } from '../mock/server';
import { accessible, start, type Page } from './page';

let mock: MockDocent;
let page: Page;

beforeEach(async () => {
  ({ mock, page } = await start());
});

const rows = () => page.locator('ul[aria-label="Answers"] > li');

test('lists answers, and changes one', async () => {
  await page.goto('#/console/answers');
  await expect.poll(() => rows().count()).toBe(2);
  expect(await rows().first().innerText()).toMatch(/^When is the office open\? A document changed Answered by Support, .* · default · ada$/);
  await page.getByLabel('Only answers to check').click();
  await expect.poll(() => rows().count()).toBe(1);
  await page.getByRole('button', { name: 'When is the office open?' }).click();
  await page.getByLabel('Answer in Markdown').fill('From 8 to 17.');
  await accessible();
  await page.getByRole('button', { name: 'Save the answer' }).click();
  await expect.poll(() => mock.insight.changes.at(-1)).toEqual(['answers/40', {
    questions: ['When is the office open?', 'What are the opening hours?'], text: 'From 8 to 17.', signed: 'Support', owner: 'ada', review: '2026-01-01', documents: [3],
    passages: [{ document_id: 1, quote: 'The office opens at 9.' }, { document_id: 2, quote: 'The office closes at 17.' }],
  }]);
});

test('passages are linked from the sources and by a search, and removed', async () => {
  await page.goto('#/console/questions/1');
  await page.getByRole('button', { name: 'Write an answer' }).click();
  await page.getByLabel('Answer in Markdown').fill('Run docent backup.');
  const sources = page.locator('ul[aria-label="Sources of the present answer"] > li');
  await expect.poll(() => sources.count()).toBeGreaterThan(0);
  await sources.first().getByRole('button').click();
  await expect.poll(() => sources.first().getByRole('button').isDisabled()).toBe(true);
  await page.getByLabel('Search for a passage').fill('archive');
  await page.keyboard.press('Enter');
  const found = page.locator('ul[aria-label="Passages that were found"] > li');
  await expect.poll(() => found.count()).toBeGreaterThan(1);
  await found.nth(1).getByRole('button').click();
  const chosen = page.locator('ul[aria-label="Passages below the answer"] > li');
  await expect.poll(() => chosen.count()).toBe(2);
  await accessible();
  await chosen.first().getByRole('button').click();
  await expect.poll(() => chosen.count()).toBe(1);
  await page.getByRole('button', { name: 'Save the answer' }).click();
  await page.getByRole('button', { name: 'Write an answer' }).waitFor();
  const [, sent] = mock.insight.changes.at(-1) as [string, { passages: { document_id: number; quote: string }[] }];
  expect(sent.passages).toEqual([{ document_id: expect.any(Number) as number, quote: expect.stringMatching(/./) as string }]);
});

test('an answer shows which passages changed', async () => {
  await page.goto('#/console/answers');
  await page.getByRole('button', { name: 'When is the office open?' }).click();
  const chosen = page.locator('ul[aria-label="Passages below the answer"] > li');
  await expect.poll(() => chosen.allInnerTexts()).toEqual([
    expect.stringMatching(/Office hours.*no longer has this passage[^]*opens at 9/), expect.stringMatching(/^Office hours\s+The office closes/),
    expect.stringContaining('The document was deleted'), expect.stringContaining('A document that you may not read'),
  ]);
  expect(await chosen.getByRole('button').count()).toBe(3); // a hidden passage stays
});

test('an answer solves a gap', async () => {
  await page.goto('#/console/gaps/1');
  await page.getByRole('button', { name: 'Write an answer' }).click();
  await page.getByLabel('Answer in Markdown').fill('Guests get no passwords.');
  await page.getByRole('button', { name: 'Save the answer' }).click();
  await page.locator('.tag.solved').waitFor();
  expect(mock.insight.changes.at(-1)).toEqual(['answers', {
    questions: ['Which password rules apply to guests?'], text: 'Guests get no passwords.', signed: '', owner: '', review: '', documents: [], passages: [], collection: 'default', gap: 1,
  }]);
});

test('an answer is written for a question', async () => {
  await page.goto('#/console/questions');
  await page.locator('main a[href^="#/console/questions/"]').first().click();
  const asked = await page.getByRole('heading', { level: 2 }).innerText();
  await page.getByRole('button', { name: 'Write an answer' }).click();
  await page.getByLabel('Answer in Markdown').fill('Ask the guard.');
  await accessible();
  await page.getByRole('button', { name: 'Save the answer' }).click();
  await page.getByRole('button', { name: 'Write an answer' }).waitFor();
  expect(mock.insight.changes.at(-1)).toMatchObject(['answers', { questions: [asked], text: 'Ask the guard.' }]);
});

test('answers are imported from CSV after a preview', async () => {
  await page.goto('#/console/answers');
  await page.getByRole('button', { name: 'Import from CSV' }).click();
  const csv = 'question,answer\nWho waters the plants?,Ann.\nWho repairs bikes?,Bob.\nWhy?,\n';
  await expect.poll(() => document.querySelector<HTMLInputElement>('input[type="file"]')?.disabled).toBe(false);
  await page.getByLabel('CSV file').setInputFiles([{ name: 'answers.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) }]);
  await expect.poll(() => page.locator('table tbody tr').allInnerTexts()).toEqual([
    expect.stringContaining('Who waters the plants?'), expect.stringMatching(/3.*changed/), expect.stringMatching(/4.*refused.*the question or the answer is missing/),
  ]);
  expect(mock.insight.changes).toEqual([['answers/import', { csv, collection: 'default', preview: true }]]);
  await accessible();
  await page.getByRole('button', { name: 'Import 2 answers' }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  expect(mock.insight.changes.at(-1)).toEqual(['answers/import', { csv, collection: 'default', preview: false }]);
  await expect.poll(() => rows().count()).toBe(2);
});
