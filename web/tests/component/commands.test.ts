// Commands in the text box.
import { beforeEach, expect, test } from 'vitest';
import { start, type Page } from './page';

let page: Page;

beforeEach(async () => {
  ({ page } = await start());
  await page.goto('#/');
});

test('a command is chosen by the mouse', async () => {
  await page.getByLabel('Your question').fill('/');
  await page.getByRole('option', { name: /^\/settings/ }).click();
  await expect.poll(() => page.url()).toContain('#/settings');
});
