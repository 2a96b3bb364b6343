// The view Work of the console, and documents that are read again.
import { beforeEach, expect, test } from 'vitest';
import type { MockDocent } from '../mock/server';
import { accessible, start, type Page } from './page';

let mock: MockDocent;
let page: Page;

beforeEach(async () => {
  ({ mock, page } = await start());
});

const rows = (list: string) => page.locator(`ul[aria-label="${list}"] > li`);

test('shows what runs and waits, why documents failed, and what has ended', async () => {
  await page.goto('#/console/work');
  await expect.poll(() => rows('Now').count()).toBe(3);
  const now = await rows('Now').allInnerTexts();
  expect(now[0]).toMatch(/^wiki 12 of 48 documents · Source/);
  expect(now[1]).toMatch(/^manual\.pdf The file arrives · Upload · by ada · 3\.\d MB/);
  expect(now[2]).toMatch(/^Pump Waits · Read again · by ada/);
  const failures = await rows('Failed documents').allInnerTexts();
  expect(failures[0]).toMatch(/^7 documents No text: its pages are pictures.*docent has not kept 2 of the files/);
  expect(failures[1]).toMatch(/^1 document .*These files have no text/);
  const ended = await rows('Lately').allInnerTexts();
  expect(ended[0]).toMatch(/No text: its pages are pictures.*Failed$/);
  expect(ended[1]).toMatch(/^manuals docent ingest · 2 documents failed · .* Done$/);
  await accessible();
});

test('cancels work, and tries failed documents of one reason or all of them again', async () => {
  await page.goto('#/console/work');
  await page.getByRole('button', { name: 'Cancel Pump' }).click();
  await expect.poll(() => rows('Now').count()).toBe(2);
  await page.getByRole('button', { name: 'Cancel wiki' }).click();
  await expect.poll(async () => (await rows('Now').allInnerTexts())[0]).toMatch(/^wiki Stops…/);
  await page.getByRole('button', { name: /^Try again: Empty/ }).click();
  await page.getByText('docent will read the document again.').waitFor();
  mock.work.answer = { queued: 4, syncs: 1, left_out: 2, reason: { id: 'original_not_kept', params: [], message: 'docent has not kept the file: add it again' } };
  await page.getByRole('button', { name: 'Try all again' }).click();
  await page.getByText('docent will read 4 documents again. Its source is synced. docent cannot read 2 documents again. Docent has not kept the file').waitFor();
  expect(mock.work.asked.map((a) => a.body)).toEqual([{ collection: '', reason: 'document_empty' }, { collection: '', reason: '' }]);
});

test('a failed document is tried again in the list, and the list then shows the new version', async () => {
  const broken = mock.documents[3]!;
  Object.assign(broken, { status: 'failed', error: 'no text: its pages are pictures' });
  await page.goto('#/documents');
  await page.getByRole('button', { name: /^Try again: / }).click();
  await page.getByText('Waits to be read again…').waitFor();
  expect(mock.work.asked).toEqual([{ path: '/api/documents/retry', body: { ids: [broken.id] } }]);
  Object.assign(broken, { status: 'ready', error: '', updated_at: new Date().toISOString() });
  await expect.poll(() => page.getByText('Waits to be read again…').count(), { timeout: 6000 }).toBe(0);
  expect(await page.getByRole('button', { name: /^Try again: / }).count()).toBe(0);
});

test('selected documents, and the open one, are read again', async () => {
  await page.goto('#/documents');
  const [first, second] = mock.documents;
  await page.getByRole('checkbox', { name: `Select “${first!.title}”` }).click();
  await page.getByRole('checkbox', { name: `Select “${second!.title}”` }).click();
  await page.getByRole('button', { name: 'Read again' }).click();
  await expect.poll(() => mock.work.asked.length).toBe(1);
  expect(mock.work.asked[0]).toEqual({ path: '/api/documents/read-again', body: { ids: expect.arrayContaining([first!.id, second!.id]) } });
});

test('Today tries failed documents again', async () => {
  await page.goto('#/console/today');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('docent will read the document again.').waitFor();
  expect(mock.work.asked[0]).toEqual({ path: '/api/documents/retry', body: { collection: 'default', reason: '' } });
});
