// Suggested questions on the start page.
import { beforeEach, expect, test } from 'vitest';
import type { MockDocent } from '../mock/server';
import { start, type Page } from './page';

let mock: MockDocent;
let page: Page;

beforeEach(async () => {
  ({ mock, page } = await start());
});

test('a second visit asks nothing until the documents change', async () => {
  const suggested = () => page.locator('.start button').allTextContents();
  await page.goto('#/');
  await expect.poll(async () => (await suggested()).length).toBeGreaterThan(0);
  const [before, asked] = [await suggested(), mock.quoted];
  expect(asked).toBeGreaterThan(0);
  await page.reload();
  await expect.poll(suggested).toEqual(before);
  expect(mock.quoted).toBe(asked);
  mock.documents.pop();
  await page.reload();
  await expect.poll(() => mock.quoted).toBeGreaterThan(asked);
});
