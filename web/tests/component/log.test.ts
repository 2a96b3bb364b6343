// The audit log in the console.
import { beforeEach, expect, test } from 'vitest';
import type { MockDocent } from '../mock/server';
import { accessible, start, type Page } from './page';

let mock: MockDocent;
let page: Page;

beforeEach(async () => {
  ({ mock, page } = await start());
});

const rows = () => page.locator('ul[aria-label="Log"] > li');

test('lists who did what', async () => {
  await page.goto('#/console/log');
  await expect.poll(() => rows().count()).toBe(7);
  const all = (await rows().allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
  expect(all[0]).toMatch(/^docent · removed old entries of this log: 12 ?May 3, 2026/);
  expect(all[1]).toMatch(/^ada · invited cleo ?May 3, 2026.* · 10.0.0.7/);
  expect(all[2]).toMatch(/^Command line · deleted all conversations of old/);
  expect(all[3]).toMatch(/^ben · later.action x/);
  expect(all[5]).toMatch(/^Without sign-in · added documents to default/);
  await accessible();
});

test('filters, shows more, and downloads the same records', async () => {
  mock.log.limit = 2;
  await page.goto('#/console/log');
  await expect.poll(() => rows().count()).toBe(2);
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect.poll(() => rows().count()).toBe(4);
  await page.getByLabel('Who', { exact: true }).fill('ada');
  await expect.poll(() => mock.log.asked.at(-1)).toBe('?actor=ada&limit=50');
  await page.getByLabel('What', { exact: true }).selectOption('settings');
  await expect.poll(() => rows().count()).toBe(1);
  await page.getByLabel('From', { exact: true }).fill('2026-05-01');
  await page.getByLabel('To', { exact: true }).fill('2026-05-02');
  const begin = encodeURIComponent(new Date('2026-05-01T00:00').toISOString());
  const end = encodeURIComponent(new Date('2026-05-03T00:00').toISOString());
  const query = `actor=ada&since=${begin}&until=${end}`;
  const kinds = 'action=setting&action=model&action=prompt&action=server&action=backup&action=digest&action=key&action=log';
  await expect.poll(() => mock.log.asked.at(-1)).toBe(`?${query}&limit=50&${kinds}`);
  expect(await page.getByRole('link', { name: 'Download as JSON lines' }).getAttribute('href')).toContain(`/api/admin/log/export?${query}&${kinds}`);
  await page.getByRole('button', { name: 'Show all' }).click();
  await expect.poll(() => rows().count()).toBe(2);
  await page.getByLabel('Who', { exact: true }).fill('nobody');
  await page.getByText('No entry matches these filters.').waitFor();
});
