// The groups of questions without an answer, in the console.
import { beforeEach, expect, test } from 'vitest';
import type { MockDocent } from '../mock/server';
import { accessible, start, type Page } from './page';

let mock: MockDocent;
let page: Page;

beforeEach(async () => {
  ({ mock, page } = await start());
});

const rows = () => page.locator('ul[aria-label="Gaps"] > li');

test('lists gaps with their wording, numbers, state, and owner', async () => {
  await page.goto('#/console/gaps');
  await expect.poll(() => rows().count()).toBe(3);
  expect(await rows().first().innerText()).toMatch(/^14 Which password rules apply to guests\? Open 14 questions · 9 people · since .* · ada$/);
  expect(await rows().nth(1).innerText()).toMatch(/To check 5 questions · 4 people · since .* · no owner$/);
  await accessible();
  await page.getByLabel('State').selectOption('stays_open');
  await expect.poll(() => rows().allInnerTexts().then((all) => all.map((t) => t.includes('Lisbon')))).toEqual([true]);
});

test('a proposed gap shows the new answer beside the old one', async () => {
  await page.goto('#/console/gaps');
  await page.getByRole('link', { name: 'Can I restore a single document?' }).click();
  await page.getByRole('region', { name: 'Answer before' }).getByRole('article').waitFor();
  await page.getByRole('region', { name: 'Answer now' }).getByText('copy of the database').waitFor();
  await page.getByRole('link', { name: 'Can I restore a single document?' }).waitFor(); // its question
  await accessible();
  await page.getByRole('button', { name: 'Solved', exact: true }).click();
  await page.locator('.tag.solved').waitFor();
  await page.getByRole('link', { name: 'All gaps' }).click();
  await expect.poll(() => document.activeElement?.id).toBe('gap-2');
  await expect.poll(() => rows().nth(1).innerText()).toContain('Solved');
  expect(mock.insight.changes).toEqual([['gaps/2', { state: 'solved' }]]);
});

test('a gap that is not solved opens again', async () => {
  await page.goto('#/console/gaps/2');
  await page.getByRole('button', { name: 'Not solved' }).click();
  await page.locator('.tag.open').waitFor();
  await expect.poll(() => page.getByRole('region', { name: 'Answer now' }).count()).toBe(0);
});

test('a gap has an owner, and stays open with a text', async () => {
  await page.goto('#/console/gaps/1');
  await page.getByText('closest passages').waitFor();
  await page.getByLabel('Owner').fill('bob');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => mock.insight.changes.at(-1)).toEqual(['gaps/1', { owner: 'bob', note: '' }]);
  await page.getByRole('button', { name: 'Stays open' }).click();
  await page.getByText('Write first the text that people get.').waitFor();
  await page.getByLabel('Text').fill('Guests get no passwords.');
  await page.getByRole('button', { name: 'Stays open' }).click();
  await page.locator('.tag.stays_open').waitFor();
  expect(mock.insight.changes.at(-1)).toEqual(['answers', {
    questions: ['Which password rules apply to guests?'], text: 'Guests get no passwords.', collection: 'default', gap: 1, fallback: true,
  }]);
  await page.getByRole('button', { name: 'Open again' }).click();
  await page.locator('.tag.open').waitFor();
});

test('a question that leaves its gap leaves the list', async () => {
  await page.goto('#/console/gaps/1');
  const questions = () => page.locator('ul[aria-label="Questions in this gap"] > li');
  await expect.poll(() => questions().count()).toBe(2);
  await questions().first().getByRole('button').click();
  await page.getByRole('menuitem', { name: 'Not our subject' }).click();
  await expect.poll(() => questions().count()).toBe(1);
});

test('says what will appear without gaps', async () => {
  mock.insight.gaps = [];
  await page.goto('#/console/gaps');
  await page.getByText('docent groups questions that the documents do not answer.').waitFor();
});
