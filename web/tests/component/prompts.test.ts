// Prompts: kept in the settings, and used in the text box.
import { beforeEach, expect, test } from 'vitest';
import type { MockDocent } from '../mock/server';
import { accessible, start, type Page } from './page';

let mock: MockDocent;
let page: Page;

const row = (id: number, name: string, text: string, more: object = {}) => ({ id, name, text, shared: false, own: true, updated_at: '2026-05-03T09:00:00Z', ...more });
const form = () => page.locator('form.box');
const box = () => page.getByRole('textbox', { name: 'Your question' });
const options = () => page.getByRole('listbox', { name: 'Prompts and commands' }).getByRole('option');

beforeEach(async () => {
  ({ mock, page } = await start());
});

test('a prompt is made, changed, and deleted in the settings', async () => {
  await page.goto('#/settings');
  await page.getByText('There are no prompts yet.').waitFor();
  await page.getByRole('button', { name: 'New prompt' }).click();
  await form().getByLabel('Name').fill('Reply');
  await form().getByLabel('Text').fill('Reply to {customer} about {topic}.');
  await page.getByText('docent asks for {customer}, {topic}.').waitFor();
  expect(await page.getByLabel('Share with everybody').count()).toBe(0); // nobody signs in
  await accessible();
  await form().getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Change “Reply”' }).click();
  await form().getByLabel('Name').fill('Answer');
  await form().getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Delete “Answer”' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('There are no prompts yet.').waitFor();
  expect(mock.users.calls).toEqual([
    'POST /api/prompts {"name":"Reply","text":"Reply to {customer} about {topic}.","shared":false}',
    'PUT /api/prompts/1 {"name":"Answer","text":"Reply to {customer} about {topic}.","shared":false}',
    'DELETE /api/prompts/1',
  ]);
});

test('only administrators share prompts, and change shared ones', async () => {
  mock.users.prompts = [row(1, 'Mine', 'x'), row(2, 'Ours', 'y', { shared: true, own: false })];
  mock.login = 'ada correct horse';
  const signIn = async () => {
    await page.goto('#/settings');
    await page.getByLabel('Name').fill('ada');
    await page.getByLabel('Password').fill('correct horse');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('for everybody', { exact: true }).waitFor();
  };
  await signIn();
  expect(await page.getByRole('button', { name: /^Change “/ }).count()).toBe(1);
  await page.getByRole('button', { name: 'Change “Mine”' }).click();
  expect(await page.getByLabel('Share with everybody').count()).toBe(0);

  mock.scopes = ['admin'];
  await page.reload();
  await page.getByRole('button', { name: 'Change “Ours”' }).waitFor();
  await page.getByRole('button', { name: 'Change “Mine”' }).click();
  await page.getByLabel('Share with everybody').click();
  await accessible();
  await form().getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => mock.users.prompts[0]!.shared).toBe(true);
});

test('a slash finds prompts, and docent asks for their placeholders', async () => {
  mock.users.prompts = [row(1, 'Weekly report', 'What changed this week?'), row(2, 'Reply to a customer', 'Reply to {customer} about {topic}. Dear {customer}')];
  await page.goto('#/');
  await page.getByRole('button', { name: /^Answer options/ }).waitFor();
  await box().fill('/');
  await expect.poll(async () => (await options().allInnerTexts())[0]).toContain('Reply to a customer');
  await expect.poll(() => page.getByRole('textbox', { name: 'Your question' }).getAttribute('aria-activedescendant')).toBe('composer-commands-prompt-2');
  await box().fill('/re'); // commands come first
  await expect.poll(() => options().count()).toBe(4);
  await accessible();
  await box().fill('/custom');
  await expect.poll(() => options().count()).toBe(1);
  await box().press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Reply to a customer' });
  await dialog.getByLabel('customer').fill('Ann');
  expect(await dialog.getByRole('button', { name: 'Insert' }).isDisabled()).toBe(true);
  await accessible();
  await dialog.getByLabel('topic').fill('boats');
  await dialog.getByLabel('topic').press('Enter');
  await expect.poll(() => box().inputValue()).toBe('Reply to Ann about boats. Dear Ann');

  await box().fill('/week');
  await expect.poll(() => options().count()).toBe(1);
  await box().press('Enter'); // it has no placeholders
  await expect.poll(() => box().inputValue()).toBe('What changed this week?');
  await box().press('Enter');
  await expect.poll(() => mock.received.at(-1)?.content).toBe('What changed this week?');
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
