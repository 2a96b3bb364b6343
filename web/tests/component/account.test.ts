// The account of the user in the settings.
import { beforeEach, expect, test } from 'vitest';
import type { MockDocent } from '../mock/server';
import { accessible, start, type Page } from './page';

let mock: MockDocent;
let page: Page;

beforeEach(async () => {
  ({ mock, page } = await start());
  mock.login = 'ada correct horse';
  await page.goto('#/settings');
  await page.getByLabel('Name').fill('ada');
  await page.getByLabel('Password').fill('correct horse');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Password and sign-ins' }).waitFor();
});

test('the user ends the sign-in of another browser, and can export all data', async () => {
  await page.getByText('Firefox, Linux').waitFor();
  await page.getByText(/this browser/).waitFor();
  expect(await page.getByRole('link', { name: 'Export my data' }).getAttribute('href')).toBe('/api/me/export');
  await accessible();
  await page.getByRole('button', { name: 'End sign-in: Chrome, Windows' }).click();
  await page.getByText('Chrome, Windows').waitFor({ state: 'detached' });
  expect(mock.users.signIns.map((s) => s.id)).toEqual(['a1']);
});

test('the user erases what agents remember', async () => {
  const fact = (key: string, value: unknown) => ({ agent_name: 'keeper', key, value, updated_at: '2026-01-01T00:00:00Z', expires_at: null });
  mock.users.facts = [fact('city', 'Porto'), fact('size', 4), fact('pets', ['cat'])];
  await page.reload();
  await page.getByRole('heading', { name: 'What agents remember about you' }).waitFor();
  await page.getByText('Porto').waitFor();
  await accessible();
  await page.getByRole('button', { name: 'Erase: city' }).click();
  await page.getByText('Porto').waitFor({ state: 'detached' });
  expect(mock.users.facts.map((f) => f.key)).toEqual(['size', 'pets']);
  await page.getByRole('button', { name: 'Erase all' }).click();
  await page.getByRole('heading', { name: 'What agents remember about you' }).waitFor({ state: 'detached' });
  expect(mock.users.facts).toEqual([]);
});

test('the user changes the password, which signs out the other browsers', async () => {
  await page.getByText('Chrome, Windows').waitFor();
  await page.getByRole('button', { name: 'Change password…' }).click();
  const form = page.locator('form').filter({ hasText: 'Present password' });
  await form.getByLabel('Present password').fill('wrong horse');
  await form.getByLabel('New password, at least 8 characters').fill('battery staple');
  await form.getByLabel('The same password again').fill('battery stable');
  await form.getByRole('button', { name: 'Change password' }).click();
  await form.getByText('The passwords differ.').waitFor();
  await form.getByLabel('The same password again').fill('battery staple');
  await form.getByRole('button', { name: 'Change password' }).click();
  await form.getByText('The password is wrong.').waitFor();
  await accessible();
  await form.getByLabel('Present password').fill('correct horse');
  await form.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('The password is changed.').waitFor();
  await page.getByText('Chrome, Windows').waitFor({ state: 'detached' });
  expect(mock.users.password).toBe('battery staple');
});

test('the user deletes the account with the password', async () => {
  await page.getByRole('button', { name: 'Delete my account…' }).click();
  const form = page.locator('form').filter({ hasText: 'Nobody can undo this.' });
  await form.getByLabel('Present password').fill('wrong horse');
  await form.getByRole('button', { name: 'Delete my account' }).click();
  await form.getByText('The password is wrong.').waitFor();
  await accessible();
  await form.getByLabel('Present password').fill('correct horse');
  await form.getByLabel('Also delete my conversations').click();
  await form.getByRole('button', { name: 'Delete my account' }).click();
  await expect.poll(() => mock.users.calls).toEqual(['deleted without conversations']);
});
