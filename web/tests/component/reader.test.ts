// The view of one document.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { MockDocent } from '../mock/server';
import { fillIn } from './jsdom';
import { accessible, start, type Page } from './page';

let mock: MockDocent;
let page: Page;

// The first load of these parts of the page takes longer than a test waits for an element.
beforeAll(async () => {
  fillIn();
  await Promise.all([import('../../src/reading/Reader.svelte'), import('../../src/panel/Sheet.svelte')]);
});

beforeEach(async () => {
  ({ mock, page } = await start());
  mock.outline = {
    headings: [{ text: 'Backups', level: 1, start: 0, end: 20, page: null }, { text: 'Every night', level: 2, start: 20, end: 60, page: null }, { text: 'Too deep', level: 4, start: 30, end: 60, page: null }],
    complete: true,
    summary: ['Make a backup every night.', 'Keep it elsewhere.'],
  };
  mock.about = ['What does the document say about backups?'];
});

const first = () => mock.documents[0]!;

test('the outline and the summary of a document', async () => {
  await page.goto(`#/read/${first().id}`);
  await page.getByRole('heading', { name: first().title, level: 2 }).waitFor();
  await page.getByText('Make a backup every night. Keep it elsewhere.').waitFor();
  const outline = page.getByRole('navigation', { name: 'Outline' }).getByRole('button');
  expect(await outline.allTextContents()).toEqual(['Backups', 'Every night']);
  await outline.nth(1).click();
  await expect.poll(() => page.locator('mark.active').count()).toBeGreaterThan(0);
  await accessible();
});

test('the summary and the questions of a model replace those from headings', async () => {
  mock.description = { summary: ['Backups are copies.', 'Keep them.'], questions: ['Where do I keep backups?'], model: 'gpt-4o-mini' };
  await page.goto(`#/read/${first().id}`);
  await page.getByText('Backups are copies. Keep them.').waitFor();
  await page.getByText('Written by gpt-4o-mini').waitFor();
  await page.getByRole('button', { name: 'Where do I keep backups?' }).waitFor();
  expect(await page.getByText('Make a backup every night.').count()).toBe(0);
  expect(await page.getByRole('button', { name: mock.about[0]! }).count()).toBe(0);
  await accessible();
});

test('the questions of docent do not need the description by a model', async () => {
  page.unreachable = /\/description$/;
  await page.goto(`#/read/${first().id}`);
  await page.getByRole('button', { name: mock.about[0]! }).waitFor();
});

test('the neighbors of a document', async () => {
  await page.goto(`#/read/${first().id}`);
  await page.getByRole('link', { name: /^Next document/ }).click();
  await page.getByRole('heading', { name: mock.documents[1]!.title, level: 2 }).waitFor();
  await page.getByRole('link', { name: /^Previous document/ }).click();
  await page.getByRole('heading', { name: first().title, level: 2 }).waitFor();
});

test('a question about the document keeps the conversation beside it', async () => {
  await page.goto(`#/read/${first().id}`);
  await page.getByRole('button', { name: 'What does the document say about backups?' }).click();
  await expect.poll(() => mock.received.at(-1)?.content).toEqual({ message: 'What does the document say about backups?', documents: [first().id] });
  await expect.poll(() => location.hash).toMatch(new RegExp(`^#/read/${first().id}\\?chat=.+`));
  await page.getByRole('heading', { name: first().title, level: 2 }).waitFor();
  await page.getByRole('region', { name: 'Conversation' }).waitFor();
  await page.getByRole('button', { name: 'Close the conversation' }).click();
  await expect.poll(() => location.hash).toBe(`#/read/${first().id}`);
});

test('a document is replaced by a file with its ending', async () => {
  first().source = 'upload:backups.md';
  await page.goto(`#/read/${first().id}`);
  await page.getByRole('button', { name: 'Replace…' }).click();
  await page.getByRole('heading', { name: `Replace “${first().title}”` }).waitFor();
  await accessible();
  const choose = (name: string) => {
    const field = document.querySelector<HTMLInputElement>('dialog input[type=file]')!;
    Object.defineProperty(field, 'files', { value: Object.assign([new File(['# New'], name)], { item: () => null }), configurable: true });
    field.dispatchEvent(new Event('change', { bubbles: true }));
  };
  choose('v2.pdf');
  await page.getByRole('button', { name: 'Replace', exact: true }).click();
  await page.getByText('Choose a file with the ending “.md”').waitFor();
  expect(mock.replaced).toEqual([]);
  choose('v2.md');
  await page.getByRole('button', { name: 'Replace', exact: true }).click();
  await expect.poll(() => mock.replaced).toEqual([first().id]);
  await expect.poll(() => document.querySelector('dialog input[type=file]')).toBe(null);
});

test('the changes of a document', async () => {
  mock.versions = [{ at: '2026-04-01T10:00:00Z', title: 'Backups 2', sha256: 'b', size: 9, added: 2, removed: 1, edits: [{ added: false, text: 'Every week.' }, { added: true, text: 'Every night.' }] }];
  await page.goto(`#/read/${first().id}`);
  await page.getByText('Versions', { exact: true }).click();
  await page.getByText('+2 −1').click();
  await page.getByText('Every week.').waitFor();
  expect([...document.querySelectorAll('ins')].map((e) => e.textContent)).toEqual(['Added: Every night.']);
  await page.getByText('and 1 more changed paragraph').waitFor();
  await accessible();
});

test('a document of a source cannot be replaced', async () => {
  first().source = 'https://example.com/backups';
  await page.goto(`#/read/${first().id}`);
  await page.getByRole('button', { name: 'Replace…' }).click();
  await page.getByText('Change it where it comes from:').waitFor();
  await page.getByRole('button', { name: 'Close', exact: true }).last().click();
});

test('a document that is gone says so', async () => {
  await page.goto('#/read/9999');
  await page.locator('.panel .note').waitFor();
  expect(await page.getByRole('button', { name: 'Ask about this document' }).count()).toBe(0);
});
