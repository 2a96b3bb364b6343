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
  }]);
});

test('an answer solves a gap', async () => {
  await page.goto('#/console/gaps/1');
  await page.getByRole('button', { name: 'Write an answer' }).click();
  await page.getByLabel('Answer in Markdown').fill('Guests get no passwords.');
  await page.getByRole('button', { name: 'Save the answer' }).click();
  await page.locator('.tag.solved').waitFor();
  expect(mock.insight.changes.at(-1)).toEqual(['answers', {
    questions: ['Which password rules apply to guests?'], text: 'Guests get no passwords.', signed: '', owner: '', review: '', documents: [], collection: 'default', gap: 1,
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
