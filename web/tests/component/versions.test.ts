// Versions of a question, a new chat from an answer, and the archive with folders.
import { beforeEach, expect, test } from 'vitest';
import type { MockDocent } from '../mock/server';
import { accessible, start, type Page } from './page';

let mock: MockDocent;
let page: Page;

beforeEach(async () => {
  ({ mock, page } = await start());
  await page.goto('#/');
});

const questions = () => page.locator('.question .bubble').allTextContents().then((all) => all.map((text) => text.trim()));

async function ask(text: string): Promise<void> {
  await page.getByLabel('Your question').fill(text);
  await page.getByLabel('Your question').press('Enter');
}

async function answered(n: number): Promise<void> {
  await expect.poll(() => page.locator('.answer:not([aria-busy]) .sources').count()).toBe(n);
}

async function edit(text: string): Promise<void> {
  await page.getByRole('button', { name: 'Edit this message' }).last().click();
  await page.getByLabel('Edit your message').fill(text);
  await page.getByLabel('Edit your message').press('Enter');
}

test('the arrows show an earlier version with its answer, and keep the focus', async () => {
  await ask('backup');
  await answered(1);
  await edit('Something unknown');
  await expect.poll(questions).toEqual(['Something unknown']);
  await answered(1);
  await expect.poll(() => page.locator('.versions').textContent()).toContain('2 of 2');
  await accessible();
  await page.getByRole('button', { name: 'Earlier version' }).click();
  await expect.poll(questions).toEqual(['backup']);
  await expect.poll(() => page.locator('.answer').last().textContent()).toContain('Most teams');
  await expect.poll(() => document.activeElement?.getAttribute('aria-label')).toBe('Earlier version');
  await page.getByRole('button', { name: 'Later version' }).click();
  await expect.poll(questions).toEqual(['Something unknown']);
});

test('a new chat begins with the messages up to an answer', async () => {
  await ask('backup');
  await answered(1);
  await ask('Something unknown');
  await answered(2);
  await page.getByRole('button', { name: 'Continue from here in a new chat' }).first().click();
  await expect.poll(questions).toEqual(['backup']);
  expect(mock.sessions.size).toBe(2);
});

test('an archived conversation is in the archive, and a folder has a heading', async () => {
  await ask('backup');
  await answered(1);
  const choose = async (item: string) => {
    await page.getByRole('button', { name: 'Options for “backup”' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await choose('Move to folder…');
  await page.getByLabel('Folder (empty: none)').fill('Trips');
  await page.getByLabel('Folder (empty: none)').press('Enter');
  await page.getByRole('heading', { name: 'Trips' }).waitFor();
  await accessible();
  const archive = page.getByRole('button', { name: 'Archived conversations' });
  expect(await archive.count()).toBe(0);
  await choose('Archive');
  await expect.poll(() => page.locator('.conversation').count()).toBe(0);
  await page.getByRole('button', { name: 'Archived conversations' }).click();
  await expect.poll(() => page.locator('.conversation').count()).toBe(1);
  await choose('Take out of the archive');
  await page.getByText('Nothing is archived.').waitFor();
  await page.getByRole('button', { name: 'Back to all conversations' }).click();
  await expect.poll(() => page.locator('.conversation').count()).toBe(1);
  expect(await archive.count()).toBe(0);
  await choose('Archive');
  await page.reload();
  await archive.waitFor();
});
