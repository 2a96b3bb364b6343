// Briefs: the task, the outline to change, and the question that asks for the brief.
import { beforeEach, expect, test } from 'vitest';
import type { MockDocent } from '../mock/server';
import { accessible, start, type Page } from './page';

let mock: MockDocent;
let page: Page;

const dialog = () => page.getByRole('dialog', { name: 'Write a brief' });
const heading = (n: number) => dialog().getByLabel(`Heading ${n}`, { exact: true });
const box = () => page.getByRole('textbox', { name: 'Your question' });

beforeEach(async () => {
  ({ mock, page } = await start());
  await page.goto('#/');
  await page.getByRole('button', { name: /^Answer options/ }).waitFor();
});

test('an outline is made, changed, and written', async () => {
  await box().fill('returns');
  await page.getByRole('button', { name: 'Write a brief…' }).click();
  expect(await dialog().getByLabel('Task').inputValue()).toBe('returns');
  await accessible();
  mock.briefs.failing = true;
  await dialog().getByRole('button', { name: 'Make an outline' }).click();
  await dialog().getByText('The outline could not be made.').waitFor();
  mock.briefs.failing = false;
  await dialog().getByRole('button', { name: 'Make an outline' }).click();
  await heading(1).waitFor();
  expect(mock.briefs.outlined.at(-1)).toEqual({ task: 'returns' });
  await accessible();
  await dialog().getByRole('button', { name: 'Move heading 2 up' }).click();
  await dialog().getByRole('button', { name: 'Add a heading' }).click();
  await heading(3).fill('Spain');
  await dialog().getByRole('button', { name: 'Add a heading' }).click(); // it stays empty
  await dialog().getByRole('button', { name: 'Write the brief' }).click();
  await expect.poll(() => mock.received.at(-1)?.content).toEqual({ message: 'returns', brief: ['France', 'Germany', 'Spain'] });
  await expect.poll(() => dialog().count()).toBe(0);
  expect(await box().inputValue()).toBe('');

  // The outline of the brief can be changed, which replaces the question.
  await page.getByRole('button', { name: 'Change the outline…' }).click();
  await heading(3).waitFor();
  await dialog().getByRole('button', { name: 'Remove heading 3' }).click();
  await dialog().getByRole('button', { name: 'Write the brief' }).click();
  await expect.poll(() => mock.received.at(-1)?.content).toEqual({ message: 'returns', brief: ['France', 'Germany'] });
});

test('closing the dialog keeps the text in the box', async () => {
  await box().fill('returns');
  await page.getByRole('button', { name: 'Write a brief…' }).click();
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await expect.poll(() => dialog().count()).toBe(0);
  expect(await box().inputValue()).toBe('returns');
  expect(mock.received).toEqual([]);
});

test('closing the dialog keeps the changed outline', async () => {
  await box().fill('returns');
  await page.getByRole('button', { name: 'Write a brief…' }).click();
  await dialog().getByRole('button', { name: 'Make an outline' }).click();
  await heading(1).fill('Spain');
  await page.keyboard.press('Escape');
  await expect.poll(() => dialog().count()).toBe(0);
  await page.getByRole('button', { name: 'Write a brief…' }).click();
  await heading(2).waitFor();
  expect(await heading(1).inputValue()).toBe('Spain');
  await heading(2).fill(' spain '); // the same heading is written once
  await dialog().getByRole('button', { name: 'Write the brief' }).click();
  await expect.poll(() => mock.received.at(-1)?.content).toEqual({ message: 'returns', brief: ['Spain'] });
  await box().fill('returns');
  await page.getByRole('button', { name: 'Write a brief…' }).click();
  await dialog().getByRole('button', { name: 'Make an outline' }).waitFor(); // the written outline is not kept
});
