// Prompts: kept in the settings, and used in the text box.
import { beforeEach, expect, test } from 'vitest';
import type { MockDocent } from '../mock/server';
import { start, type Page } from './page';

let mock: MockDocent;
let page: Page;

const row = (id: number, name: string, text: string, more: object = {}) => ({ id, name, text, shared: false, own: true, updated_at: '2026-05-03T09:00:00Z', ...more });
const box = () => page.getByRole('textbox', { name: 'Your question' });
const options = () => page.getByRole('listbox', { name: 'Prompts and commands' }).getByRole('option');

beforeEach(async () => {
  ({ mock, page } = await start());
});

test('Escape leaves a prompt, and a command with an argument runs', async () => {
  mock.users.prompts = [row(1, 'Theme dark', 'About {topic}')];
  await page.goto('#/');
  await page.getByRole('button', { name: /^Answer options/ }).waitFor();
  await box().fill('/');
  await options().first().click();
  await page.getByRole('dialog', { name: 'Theme dark' }).getByLabel('topic').press('Escape');
  await expect.poll(() => page.getByRole('dialog', { name: 'Theme dark' }).count()).toBe(0);
  await expect.poll(() => box().inputValue()).toBe('/');
  await box().fill('/theme dark');
  await box().press('Enter');
  await expect.poll(() => box().inputValue()).toBe('');
  expect(await page.getByRole('dialog', { name: 'Theme dark' }).count()).toBe(0);
});
