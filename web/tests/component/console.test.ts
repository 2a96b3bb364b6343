// The console of operators.
import { beforeEach, describe, expect, test } from 'vitest';
import type { MockDocent } from '../mock/server';
import { accessible, start, type Page } from './page';

let mock: MockDocent;
let page: Page;

beforeEach(async () => {
  ({ mock, page } = await start());
});

describe('the system', () => {
  test('shows the server and its documents', async () => {
    await page.goto('#/');
    await page.getByRole('link', { name: 'Console' }).click();
    await page.getByRole('heading', { name: 'Today' }).waitFor(); // the first view
    await page.getByRole('link', { name: 'System', exact: true }).click();
    await page.getByRole('heading', { name: 'System' }).waitFor();
    await page.locator('.card').first().getByText(/^docent /).waitFor();
    await page.locator('tbody th').first().waitFor();
    await expect.poll(() => page.locator('nav [aria-current]').innerText()).toBe('System');
    await accessible();
  });

  test('names failed checks', async () => {
    mock.failing = { database: 'it does not answer' };
    await page.goto('#/console/system');
    await page.getByText('Not ready').waitFor();
    await page.getByText('it does not answer').waitFor();
  });
});

describe('a link to set a password', () => {
  test('sets it once, without a sign-in', async () => {
    mock.login = 'ada unknown';
    mock.link = 'secret';
    await page.goto('#/join/secret');
    await page.getByText('Your name in docent is ada. The link works once.').waitFor();
    await expect.poll(() => page.locator('dialog[open]').count()).toBe(0);
    await accessible();
    await page.getByLabel('New password, at least 8 characters').fill('correct horse');
    await page.getByLabel('The same password again').fill('another horse');
    await page.getByRole('button', { name: 'Save and sign in' }).click();
    await page.getByText('The passwords differ.').waitFor();
    await page.getByLabel('The same password again').fill('correct horse');
    await page.getByRole('button', { name: 'Save and sign in' }).click();
    await expect.poll(() => mock.login).toBe('ada correct horse');
    await expect.poll(() => location.hash).toBe(''); // the page leaves the link
  });

  test('says that it is used', async () => {
    mock.login = 'ada unknown';
    await page.goto('#/join/secret');
    await page.getByText('This link was used.').waitFor();
  });
});
