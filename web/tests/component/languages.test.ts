// The page in other languages than English, also after it is loaded again.
import { expect, test } from 'vitest';
import { start } from './page';

test.each([
  { code: 'de', language: 'Deutsch', settings: 'Einstellungen', welcome: 'Was möchten Sie wissen?', models: 'Modelle', lost: 'Der Schlüssel des Modells lost kann nicht entschlüsselt werden' },
  { code: 'es', language: 'Español', settings: 'Configuración', welcome: '¿Qué desea saber?', models: 'Modelos', lost: 'No se puede descifrar la clave del modelo lost' },
])('the page, the console, and the server speak $language', async ({ code, language, settings, welcome, models, lost }) => {
  const { mock, page } = await start();
  mock.settings.fill();
  await page.goto('#/settings');
  await page.getByRole('group', { name: 'Language', exact: true }).getByLabel(language).click();
  await page.getByRole('heading', { name: settings, level: 1 }).waitFor();
  expect(document.documentElement.lang).toBe(code);

  await page.goto('#/');
  await page.reload();
  await page.getByText(welcome).waitFor();
  await page.goto('#/console/models');
  await page.getByRole('heading', { name: models, level: 1 }).waitFor();
  await page.getByText(lost).waitFor(); // a sentence of the server
});
