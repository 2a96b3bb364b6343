// The view Today of the console.
import { beforeEach, expect, test } from 'vitest';
import type { MockDocent } from '../mock/server';
import { accessible, start, type Page } from './page';

let mock: MockDocent;
let page: Page;

beforeEach(async () => {
  ({ mock, page } = await start());
});

const rows = () => page.locator('ul[aria-label="To do"] > li');

test('lists things to do with their buttons, and the numbers of thirty days', async () => {
  await page.goto('#/console');
  await expect.poll(() => rows().count()).toBe(11);
  const texts = await rows().allInnerTexts();
  expect(texts[0]).toMatch(/^Now The model large does not answer Since .*\. .*key.* docent answers with quotes instead\. Open the models$/);
  expect(texts[4]).toMatch(/^Soon The source wiki is 2 days late/);
  expect(texts[6]).toMatch(/^Soon The last backup is 9 days old/);
  expect(texts[9]).toMatch(/^When there is time 12 questions without an answer 5 topics, 3 new this week\. Open the gaps$/);
  expect(texts[7]).toMatch(/^Soon The weekly digest was not sent to ann@example\.com and 1 more .*550 no such user\. Open the settings$/);
  expect(await page.locator('svg.bars').count()).toBe(4);
  await accessible();
});

test('a button opens the list that it is about', async () => {
  await page.goto('#/console/today');
  await page.getByRole('link', { name: 'Compare' }).click();
  await page.getByRole('heading', { name: 'Gaps', level: 1 }).waitFor();
  await expect.poll(() => mock.insight.asked.at(-1)).toContain('state=proposed');
});

test('without things to do, the view says so', async () => {
  mock.insight.things = [];
  await page.goto('#/console/today');
  await page.getByText('Nothing to do. Everything works.').waitFor();
  await accessible();
});
