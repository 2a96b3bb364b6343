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
  test('is the first view, and shows the server and its documents', async () => {
    await page.goto('#/');
    await page.getByRole('link', { name: 'Console' }).click();
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
