// Kept questions and thresholds, in the console.
import { beforeEach, expect, test } from 'vitest';
import type { MockDocent } from '../mock/server';
import { accessible, start, type Page } from './page';

let mock: MockDocent;
let page: Page;

beforeEach(async () => {
  ({ mock, page } = await start());
});

const rows = () => page.locator('ul[aria-label="Quality"] > li');

test('lists kept questions with the last run, and those that changed', async () => {
  await page.goto('#/console/quality');
  await expect.poll(() => rows().count()).toBe(2);
  expect(await rows().first().innerText()).toMatch(/^How do I make a backup while docent serves\? Changed Failed Not found · before: Answered · expected passage not used · /);
  await page.getByText('1 passed, 1 failed, 1 changed since the run before.').waitFor();
  await page.getByLabel('Only changed').click();
  await expect.poll(() => rows().count()).toBe(1);
  await accessible();
});

test('runs in the background, and shows the end without a reload', async () => {
  await page.goto('#/console/quality');
  await page.getByRole('button', { name: 'Run now' }).click();
  await page.getByText('Running: 1 of 2 questions asked.').waitFor();
  mock.insight.run = { ...mock.insight.run!, state: 'done', done: 2, ended: new Date().toISOString() };
  mock.insight.kept[0] = { ...mock.insight.kept[0]!, changed: false };
  await page.getByText('0 changed since the run before.').waitFor();
});

test('changes and removes a question', async () => {
  await page.goto('#/console/quality');
  await rows().first().getByRole('button').click();
  await accessible();
  await page.getByLabel('A good answer').selectOption('absent');
  await page.getByRole('button', { name: 'Save the question' }).click();
  await expect.poll(() => mock.insight.changes.at(-1)).toEqual(['kept/2', { question: 'How do I make a backup while docent serves?', collection: 'default', expect: 'absent', history: [] }]);
  await rows().nth(1).getByRole('button').click();
  await page.getByRole('button', { name: 'Remove' }).click();
  await expect.poll(() => rows().count()).toBe(1);
});

test('tries thresholds on the answers of the last days', async () => {
  await page.goto('#/console/quality');
  await page.getByText('With these values, 0 of 212 answers of the last seven days would be different.').waitFor();
  await page.getByLabel('Answered from').fill('0.9');
  await page.getByText('With these values, 2 of 212 answers').waitFor();
  await page.locator('ul[aria-label="Answers that would be different"]').getByText('How much memory does the index need?').waitFor();
  await accessible();
});
