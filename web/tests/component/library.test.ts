// The library on the mounted page.
import { createHash, webcrypto } from 'node:crypto';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { MockDocent } from '../mock/server';
import { accessible, start, type Page } from './page';

let mock: MockDocent;
let page: Page;

beforeEach(async () => {
  ({ mock, page } = await start());
  await page.goto('#/documents');
});

const button = (name: string | RegExp) => page.getByRole('button', { name });

test('a collection is created, described, and removed', async () => {
  await button('New collection').click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('hr');
  await page.getByLabel('What is in it?').fill('All about us.');
  await page.getByLabel('Suggested questions').fill('Who is who?\n\n When is payday? ');
  await button('Create').click();
  await page.getByRole('heading', { name: 'hr' }).waitFor();
  expect(mock.collections[1]).toMatchObject({ name: 'hr', description: 'All about us.', questions: ['Who is who?', 'When is payday?'] });

  await button('Describe').click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('People');
  await accessible();
  await button('Save').click();
  await page.getByRole('heading', { name: 'People' }).waitFor();
  expect(mock.collections[1]).toMatchObject({ name: 'hr', title: 'People', description: 'All about us.' });

  await button('Delete collection').click();
  await expect.poll(() => page.getByRole('heading', { name: 'People' }).count()).toBe(0);
  await button('Undo').click();
  await button(/^People/).click();
  await button('Delete collection').click();
  await button('Dismiss').click(); // this deletes it at once
  await expect.poll(() => mock.collections.map((c) => c.name)).toEqual(['default']);
});

test('a suggested question is asked in its collection', async () => {
  mock.collections.push({ name: 'hr', title: 'People', documents: 3, failed: 0, chunks: 9, questions: ['When is payday?'] });
  await page.reload();
  await button('When is payday?').click();
  await expect.poll(() => mock.received.at(-1)?.content).toEqual({ message: 'When is payday?', collections: ['hr'] });
});

test('filters are in the address, and Back restores them', async () => {
  const last = () => new URLSearchParams(mock.listings.at(-1));
  await button('Filters').click();
  await page.getByLabel('Language').selectOption('und');
  await expect.poll(() => location.hash).toBe('#/documents?language=und');
  await page.getByLabel('Citations').selectOption('true');
  await button('manuals').click();
  await expect.poll(() => last().get('folder')).toBe('manuals');
  expect([last().get('language'), last().get('cited')]).toEqual(['und', 'never']);
  await accessible();
  history.back();
  await expect.poll(() => last().get('folder')).toBe(null);
  await button('Remove the filter “Never cited”').click();
  await expect.poll(() => location.hash).toBe('#/documents?language=und');

  await page.goto('#/documents?tag=draft&days=7&sort=title');
  await expect.poll(() => [last().get('tag'), last().get('sort'), last().get('order')]).toEqual(['draft', 'title', 'asc']);
  expect(Date.parse(last().get('since')!)).toBeLessThan(Date.now());
});

test('selected documents get tags', async () => {
  await page.getByLabel('Select all listed').check();
  await button('Tags…').click();
  await page.getByLabel('Add tags').fill('draft, 2026 ');
  await accessible();
  await button('Save').click();
  await expect.poll(() => mock.tagged).toEqual([{ ids: mock.documents.map((d) => d.id), add: ['draft', '2026'], remove: [] }]);
});

test('a document is moved to another collection, and back', async () => {
  mock.collections.push({ name: 'hr', title: 'People', documents: 0, failed: 0, chunks: 0 });
  await page.reload();
  await button('Options for “Backups”').click();
  await page.getByRole('menuitem', { name: 'Move…' }).click();
  await page.getByRole('heading', { name: 'Move “Backups”' }).waitFor();
  await accessible();
  mock.moveFails = 'the source keeps it in sync';
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  await page.getByText(/the source keeps it in sync/i).waitFor();
  mock.moveFails = '';
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  await page.getByText('Moved 1 document to “People”').waitFor();
  const backups = () => mock.documents.find((d) => d.title === 'Backups')!;
  expect(backups().collection).toBe('hr');
  await expect.poll(() => document.activeElement?.textContent).toBe('Backups');
  await button('Undo').click();
  await expect.poll(() => backups().collection).toBe('default');
});

test('a document is renamed, and gets the title in the file back', async () => {
  await button('Options for “Backups”').click();
  await page.getByRole('menuitem', { name: 'Rename…' }).click();
  await page.getByRole('heading', { name: 'Rename “Backups”' }).waitFor();
  await accessible();
  await page.getByLabel('Title', { exact: true }).fill('Nightly copies');
  await page.getByRole('button', { name: 'Rename', exact: true }).click();
  await button('Options for “Nightly copies”').click();
  await page.getByRole('menuitem', { name: 'Rename…' }).click();
  await page.getByRole('button', { name: 'Restore it' }).click();
  await button('Options for “Backups”').waitFor();
});

test('selected documents are moved', async () => {
  mock.collections.push({ name: 'hr', title: 'People', documents: 0, failed: 0, chunks: 0 });
  await page.reload();
  await page.getByLabel('Select all listed').check();
  await button('Move…').click();
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  await expect.poll(() => mock.moves).toEqual([{ ids: mock.documents.map((d) => d.id), collection: 'hr' }]);
  await expect.poll(() => page.locator('.selection').count()).toBe(0);
});

test('without another collection, nothing can be moved', async () => {
  await button('Options for “Backups”').click();
  await page.getByRole('menuitem', { name: 'Move…' }).click();
  await page.getByText('There is no other collection in which you may change documents.').waitFor();
});

test('a file with the content of a document elsewhere is held back', async () => {
  const sent: string[] = [];
  // jsdom reads no files, and its requests do not reach the mock.
  vi.stubGlobal('crypto', webcrypto);
  vi.stubGlobal('XMLHttpRequest', class {
    upload = {};
    open = (_method: string, url: string) => void sent.push(url);
    send = () => undefined;
    abort = () => undefined;
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  mock.documents[0]!.sha256 = createHash('sha256').update('the same').digest('hex');
  await page.locator('.row').first().waitFor();
  const read = () => Promise.resolve(new TextEncoder().encode('the same').buffer);
  const files = ['one.txt', 'two.txt'].map((name) => Object.assign(new File(['the same'], name), { arrayBuffer: read }));
  const dataTransfer = { types: ['Files'], files, items: files.map((f) => ({ kind: 'file', webkitGetAsEntry: () => null, getAsFile: () => f })) };
  document.querySelector('.column')!.dispatchEvent(Object.assign(new Event('drop', { bubbles: true, cancelable: true }), { dataTransfer }));
  await button('Add two.txt anyway').waitFor();
  await expect.poll(() => page.locator('.uploads li').allTextContents().then((all) => all.every((text) => text.includes(`Same content as “${mock.documents[0]!.title}”`)))).toBe(true);
  await accessible();
  await button('Do not add one.txt').click();
  expect(sent).toEqual([]);
  await button('Add two.txt anyway').click();
  await expect.poll(() => sent.length).toBe(1);
});
