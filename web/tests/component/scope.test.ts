// The documents that a question searches, on the mounted page.
import { expect, test } from 'vitest';
import { accessible, start } from './page';

test('an @ finds folders and tags, which limit the next questions and survive a reload', async () => {
  const { mock, page } = await start();
  await page.goto('#/');
  const box = page.getByRole('textbox', { name: 'Your question' });
  await page.getByRole('button', { name: /^Answer options/ }).waitFor();
  await box.fill('Who pays? @leav');
  const options = page.getByRole('listbox', { name: 'Documents to search' }).getByRole('option');
  await expect.poll(() => options.count()).toBe(2);
  await accessible();
  await box.press('ArrowDown');
  await box.press('Enter'); // the tag
  await expect.poll(() => options.count()).toBe(0);
  await page.getByRole('button', { name: 'Do not limit to “leave”' }).waitFor();
  await box.press('Enter');
  await expect.poll(() => mock.received.at(-1)?.content).toEqual({ message: 'Who pays?', tags: ['leave'] });

  await page.reload();
  await page.getByRole('button', { name: 'Do not limit to “leave”' }).click();
  await box.fill('And now?');
  await box.press('Enter');
  await expect.poll(() => mock.received.at(-1)?.content).toBe('And now?');
});
