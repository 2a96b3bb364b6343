// The questions of all people, in the console.
import { beforeEach, expect, test } from 'vitest';
import type { MockDocent } from '../mock/server';
import { accessible, start, type Page } from './page';

let mock: MockDocent;
let page: Page;

beforeEach(async () => {
  ({ mock, page } = await start());
});

const rows = () => page.locator('ul[aria-label="Questions"] > li');

test('shows four numbers, and lists questions without names', async () => {
  await page.goto('#/console/questions');
  await page.getByText('Which password rules apply to guests?').waitFor();
  await page.getByRole('img', { name: 'Not found or unsure, by day.' }).waitFor();
  expect(await page.locator('dt').allInnerTexts()).toEqual(['Questions in 30 days', 'Answered', 'Not found or unsure', 'Rated down']);
  expect(await rows().count()).toBe(7);
  expect(await rows().nth(1).innerText()).toMatch(/Not found In a gap .* · Widget · default/);
  await accessible();
});

test('filters and shows more', async () => {
  mock.insight.limit = 2;
  await page.goto('#/console/questions');
  await expect.poll(() => rows().count()).toBe(2);
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect.poll(() => rows().count()).toBe(4);
  await page.getByLabel('Outcome').selectOption('unanswered');
  await expect.poll(() => rows().allInnerTexts().then((all) => all.map((t) => t.split('?')[0]))).toEqual(['Which password rules apply to guests', 'How long are guests’ passwords valid']);
  await page.getByLabel('Time').selectOption('Last 7 days');
  await expect.poll(() => mock.insight.asked.at(-1)).toMatch(/since=20.*&outcome=unsure&outcome=not_found$/);
  await page.getByLabel('Channel').selectOption('terminal');
  await page.getByText('No question matches these filters.').waitFor();
  await page.getByRole('button', { name: 'Show all' }).click();
  await expect.poll(() => rows().count()).toBe(2);
});

test('opens the answer with its sources, and goes back to the row', async () => {
  mock.insight.questions[0]!.asker = 'ann';
  await page.goto('#/console/questions');
  await page.getByRole('link', { name: 'How do I make a backup' }).click();
  await page.getByRole('article', { name: 'Answer' }).waitFor();
  await page.locator('.prose strong').getByText('copy of the database').waitFor();
  await page.locator('.sources').getByText('Operations › Backups').waitFor();
  await page.locator('dl').getByText('ann').waitFor();
  await accessible();
  const asked = mock.insight.asked.length;
  await page.getByRole('link', { name: 'All questions' }).click();
  await expect.poll(() => document.activeElement?.id).toBe('question-1');
  expect(mock.insight.asked.length).toBe(asked); // each list can be logged
});

test('says why an answer is withheld', async () => {
  await page.goto('#/console/questions/6');
  await page.getByText('it used a private file').waitFor();
});

test('marks questions, and moves them to a gap', async () => {
  await page.goto('#/console/questions');
  const choose = async (row: number, item: string) => {
    await rows().nth(row).getByRole('button').click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await choose(0, 'Keep as a test');
  await rows().nth(0).getByText('Kept as a test').waitFor();
  await choose(4, 'It is our subject');
  await choose(1, 'Not our subject');
  await rows().nth(1).getByText('Not our subject').waitFor();
  await expect.poll(() => rows().nth(1).innerText()).not.toContain('In a gap');
  await choose(6, 'Add to a gap');
  await page.getByRole('searchbox', { name: 'Find a gap' }).fill('lisbon');
  await accessible();
  await page.getByRole('dialog').getByRole('button', { name: 'Do you have an office in Lisbon?' }).click();
  await rows().nth(6).getByText('In a gap').waitFor();
  expect(mock.insight.changes).toEqual([['questions/1', { mark: 'test' }], ['questions/5', { mark: '' }], ['questions/2', { mark: 'off_topic' }], ['questions/7', { gap: 3 }]]);
});

test('says what will appear without questions', async () => {
  mock.insight.questions = [];
  await page.goto('#/console/questions');
  await page.getByText('The questions of all people will appear here').waitFor();
});

test('names a failure, and tries again', async () => {
  page.unreachable = /insight/;
  await page.goto('#/console/questions');
  await page.locator('.column [role=alert]').waitFor();
  page.unreachable = undefined;
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => rows().count()).toBe(7);
});
