// The preferences of the user for answers.
import { expect, test } from 'vitest';
import { accessible, start } from './page';

test('the user chooses a language of answers and writes own instructions', async () => {
  const { mock, page } = await start();
  await page.goto('#/settings');
  const language = page.locator('fieldset').filter({ hasText: 'Language of answers' });
  await language.getByLabel('Deutsch').click();
  await page.getByText('Saved.').waitFor();
  expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  await page.getByLabel('Own instructions').fill('Be brief. ');
  await accessible();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => mock.users.calls).toEqual(['{"language":"de","instructions":""}', '{"language":"de","instructions":"Be brief."}']);
  await page.getByLabel('Own instructions').fill('refused');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The change was not saved.').waitFor();
  await page.reload();
  await expect.poll(() => page.getByLabel('Own instructions').inputValue()).toBe('Be brief.');
  expect(await language.getByLabel('Deutsch').isChecked()).toBe(true);
});

test('the page changes to French, and answers can be in French, too', async () => {
  const { mock, page } = await start();
  await page.goto('#/settings');
  await page.locator('fieldset').filter({ hasText: 'Text size' }).waitFor();
  const [appearance] = [page.locator('fieldset').filter({ hasText: 'Language' })];
  await appearance.getByLabel('Français').first().click();
  await page.getByRole('heading', { name: 'Apparence et saisie' }).waitFor();
  expect(document.documentElement.lang).toBe('fr');
  await page.locator('fieldset').filter({ hasText: 'Langue des réponses' }).getByLabel('Français').click(); // a part that loads later
  await page.getByText('Enregistré.').waitFor();
  await expect.poll(() => mock.users.calls).toEqual(['{"language":"fr","instructions":""}']);
  await accessible();
});

test('an operator can turn own instructions off', async () => {
  const { mock, page } = await start();
  mock.users.preferences = { language: 'en', instructions: 'Old.', instructions_allowed: false };
  await page.goto('#/settings');
  await page.getByText('Own instructions are turned off on this server.').waitFor();
  await page.locator('fieldset').filter({ hasText: 'Language of answers' }).getByLabel('As asked').click();
  await expect.poll(() => mock.users.calls).toEqual(['{"language":"","instructions":""}']);
});
