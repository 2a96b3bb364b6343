// Suggested questions on the start page.
import { beforeEach, expect, test } from 'vitest';
import type { MockDocent } from '../mock/server';
import { start, type Page } from './page';

let mock: MockDocent;
let page: Page;

beforeEach(async () => {
  ({ mock, page } = await start());
});

test('a visit loads the questions in one call, and a click asks one', async () => {
  const suggested = () => page.locator('.start button').allTextContents();
  await page.goto('#/');
  await expect.poll(suggested).toEqual(['What is “Backups” about?', 'What is docent?']);
  expect(mock.suggested).toEqual(['?limit=4&language=en']);
  await page.getByRole('button', { name: 'What is docent?' }).click();
  await expect.poll(() => mock.received.at(-1)?.content).toEqual('What is docent?');
});
