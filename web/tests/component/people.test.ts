// The users in the console.
import { beforeEach, expect, test } from 'vitest';
import type { MockDocent } from '../mock/server';
import { accessible, start, type Page } from './page';

let mock: MockDocent;
let page: Page;

beforeEach(async () => {
  ({ mock, page } = await start());
});

/** open signs an administrator in, and opens the view. */
async function open() {
  mock.login = 'ada correct horse';
  mock.scopes = ['admin'];
  await page.goto('#/console/people');
  await page.getByLabel('Name').fill('ada');
  await page.getByLabel('Password').fill('correct horse');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await row('ben').waitFor();
}

const row = (name: string) => page.locator('li', { hasText: name }).filter({ hasText: /seen/ });
const dialog = () => page.locator('dialog[open]');

/** choose chooses an item of the menu of a user. */
async function choose(name: string, item: string) {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

test('without authentication, the view says how to turn it on', async () => {
  await page.goto('#/console/people');
  await page.getByText('docent serve --auth').waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Invite…' }).count()).toBe(0);
  await accessible();
});

test('the list shows permissions, groups, and states', async () => {
  await open();
  expect(await row('ada').innerText()).toMatch(/^ada you administer Last seen May 3, 2026/);
  expect(await row('ben').innerText()).toMatch(/^ben ask Groups: staff ?Last seen/);
  expect(await row('cleo').innerText()).toMatch(/^cleo invited ask Never seen/);
  await accessible();
});

test('an invitation shows its link once, and can be copied', async () => {
  await open();
  await page.getByRole('button', { name: 'Invite…' }).click();
  await dialog().getByLabel('Name').fill('ben');
  await dialog().getByRole('button', { name: 'Create the link' }).click();
  await dialog().getByText('There is already a user of this name.').waitFor();
  await dialog().getByLabel('Name').fill('Dora');
  await dialog().getByRole('checkbox', { name: /add documents/ }).check();
  await accessible();
  await dialog().getByRole('button', { name: 'Create the link' }).click();
  await dialog().getByText(/works once, for three days: until May 6, 2026/).waitFor();
  expect(mock.users.calls.at(-1)).toBe('POST /api/users {"name":"dora","scopes":["ask","ingest"]}');
  await dialog().getByRole('button', { name: 'Copy' }).click();
  await dialog().getByRole('button', { name: 'Copied' }).waitFor();
  expect(await navigator.clipboard.readText()).toBe(`${location.origin}/#/join/secret1`);
  await accessible();
  await dialog().getByRole('button', { name: 'Done' }).click();
  await row('dora').waitFor();
  await expect.poll(() => dialog().count()).toBe(0);
  expect(document.body.innerHTML).not.toContain('secret1');
});

test('permissions and groups change together', async () => {
  await open();
  await choose('ben', 'Permissions and groups…');
  await dialog().getByRole('checkbox', { name: 'sales' }).check();
  await dialog().getByRole('checkbox', { name: 'staff' }).uncheck();
  await dialog().getByRole('checkbox', { name: /add documents/ }).check();
  await accessible();
  await dialog().getByRole('button', { name: 'Save' }).click();
  await row('ben').filter({ hasText: 'Groups: sales' }).waitFor();
  expect(mock.users.calls).toEqual([
    'PATCH /api/users/ben {"scopes":["ask","ingest"]}',
    'PUT /api/groups/staff/members {"member":"user:ben","is":false}',
    'PUT /api/groups/sales/members {"member":"user:ben","is":true}',
  ]);
});

test('the last administrator keeps the permission', async () => {
  await open();
  await choose('ada', 'Permissions and groups…');
  await dialog().getByRole('checkbox', { name: /administer/ }).uncheck();
  await dialog().getByRole('checkbox', { name: /^ask/ }).check();
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().getByText(/only administrator/).waitFor();
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await row('ada').filter({ hasText: 'administer' }).waitFor();
});

test('a user is signed out, disabled, and enabled again', async () => {
  await open();
  await choose('ben', 'Sign out everywhere');
  await dialog().getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByText('ben is signed out everywhere.').waitFor();
  await choose('ben', 'Disable…');
  await dialog().getByRole('button', { name: 'Disable' }).click();
  await row('ben').filter({ hasText: 'disabled' }).waitFor();
  await choose('ben', 'Enable');
  await page.getByText('ben can sign in again.').waitFor();
  expect(mock.users.calls).toEqual(['DELETE /api/users/ben/sign-ins', 'PATCH /api/users/ben {"disabled":true}', 'PATCH /api/users/ben {"disabled":false}']);
});

test('a new link replaces a forgotten password', async () => {
  await open();
  await choose('ben', 'Link to reset the password');
  expect(await dialog().getByLabel('Send this link to ben').inputValue()).toMatch(/#\/join\/secret2$/);
});

test.each([['Keep them', ''], ['Delete them, too', '?conversations=true']])('a user is deleted with the choice %s', async (choice, query) => {
  await open();
  await choose('ben', 'Delete…');
  await dialog().getByRole('radio', { name: choice }).check();
  await accessible();
  await dialog().getByRole('button', { name: 'Delete' }).click();
  await row('ben').waitFor({ state: 'detached' });
  expect(mock.users.calls).toEqual([`DELETE /api/users/ben${query}`]);
});

test('the collections that a user may read have their reasons', async () => {
  await open();
  await choose('ben', 'What may ben see?');
  await dialog().getByText('through the group staff, own right · 3 documents').waitFor();
  await dialog().getByText('open to everybody · 1 document').waitFor();
  await accessible();
});
