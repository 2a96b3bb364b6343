// The notice that a question without an answer has one now.
import { expect, test } from 'vitest';
import { accessible, start } from './page';

test('a question that has an answer now is marked once, and Show asks it again', async () => {
  const { mock, page } = await start();
  await page.goto('#/');
  const ask = async (text: string, n: number) => {
    await page.getByLabel('Your question').fill(text);
    await page.getByLabel('Your question').press('Enter');
    await expect.poll(() => page.locator('.answer:not([aria-busy]) .sources').count()).toBe(n);
  };
  await ask('Something unknown', 1);
  await ask('backup', 2);
  const session = [...mock.sessions.values()][0]!;
  const turn = session.messages.find((m) => m.is_user)!.turn;
  session.solved = [turn];
  session.row.solved = 1;
  await page.goto('#/documents');
  await page.reload();
  const mark = page.locator('nav .conversation .dot');
  await expect.poll(() => mark.innerText()).toBe('There is an answer now');
  await page.locator('nav .conversation a').click();
  const notice = page.locator('.solved', { hasText: 'There is an answer now.' });
  await notice.waitFor();
  await expect.poll(() => mark.count()).toBe(0);
  expect(session.solved).toEqual([]);
  await accessible();
  await notice.getByRole('button', { name: 'Show' }).click();
  await expect.poll(() => notice.count()).toBe(0);
  await expect.poll(() => page.locator('.versions').textContent()).toContain('2 of 2');
  await expect.poll(() => page.locator('.question').count()).toBe(1); // the earlier version has the second question

  await page.goto('#/documents');
  await page.reload();
  await page.locator('nav .conversation a').click();
  await page.locator('.answer').first().waitFor();
  expect(await notice.count()).toBe(0);
});
