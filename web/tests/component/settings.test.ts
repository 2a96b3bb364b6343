// The settings and chat models in the console.
import { beforeEach, expect, test } from 'vitest';
import type { MockDocent } from '../mock/server';
import { accessible, start, type Page } from './page';

let mock: MockDocent;
let page: Page;

beforeEach(async () => {
  ({ mock, page } = await start());
});

const dialog = () => page.locator('dialog[open]');

async function choose(name: string, item: string) {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

test('settings show their values and origins, and can be changed and reset', async () => {
  await page.goto('#/console/settings');
  await page.getByLabel('Passages').waitFor();
  expect(await page.getByLabel('Earlier messages').isDisabled()).toBe(true);
  await page.getByText('Set by DOCENT_HISTORY. Change it there.').waitFor();
  await page.getByText('docent uses the new value after a restart.').waitFor();
  await accessible();
  await page.getByLabel('Passages').fill('0');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('0 is not between 1 and 50').waitFor();
  await page.getByLabel('Passages').fill('6');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Passages: saved.').waitFor();
  await page.getByLabel('If the model fails').selectOption('error');
  await page.getByText('If the model fails: saved.').waitFor();
  await page.getByRole('button', { name: 'Use the default: Passages' }).click();
  await expect.poll(() => mock.settings.calls.at(-1)).toBe('DELETE /api/settings/k');
  expect(mock.settings.calls).toContain('PUT /api/settings/llm.on-failure {"value":"error"}');
});

test('the page gets a name, a color, and a logo', async () => {
  const logo = (size: number) => [{ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.alloc(size, 'x') }];
  await page.goto('#/console/settings');
  await page.getByLabel('Name of the page').fill('Acme Help');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Name of the page: saved. Reload the page to see it.').waitFor();
  await page.getByLabel('Logo', { exact: true }).setInputFiles(logo(33 * 1024));
  await page.getByText('The file has more than 32 KiB.').waitFor();
  await page.getByLabel('Logo', { exact: true }).setInputFiles(logo(3));
  await page.getByText('Logo: saved.').waitFor();
  await expect.poll(() => page.locator('form img').getAttribute('src')).toBe('data:image/png;base64,eHh4');
  expect(mock.settings.calls).toEqual(['PUT /api/settings/page.name {"value":"Acme Help"}', 'PUT /api/settings/page.logo {"value":"data:image/png;base64,eHh4"}']);
  await accessible();
});

test('the weekly digest has a day, recipients, a preview, and says who did not get it', async () => {
  await page.goto('#/console/settings');
  await page.getByLabel('Day of the digest').selectOption('monday');
  await page.getByText('Day of the digest: saved.').waitFor();
  expect(mock.settings.calls).toContain('PUT /api/settings/digest.day {"value":"monday"}');
  await page.getByText('Preview').click();
  await page.getByText('docent: 3 things to do').waitFor();
  await page.getByRole('button', { name: 'Send now' }).click();
  await page.getByText('Some recipients did not get the digest.').waitFor();
  await expect.poll(() => page.locator('ul[aria-label="Last attempts"] > li').allInnerTexts()).toEqual([expect.stringMatching(/^ops@example\.com sent/), expect.stringMatching(/^ann@example\.com not sent .*550 no such user/)]);
  await accessible();
});

test('a model on this machine is found, tested, and saved', async () => {
  await page.goto('#/console/models');
  await page.getByText('docent answers with quotes').waitFor();
  await page.getByRole('button', { name: 'Add a model…' }).click();
  await page.getByRole('button', { name: 'Look for models on this machine' }).click();
  await page.getByRole('button', { name: 'llama3.2 (ollama)' }).click();
  await page.getByRole('button', { name: 'Test' }).click();
  await page.getByText('The model works. First word after 0.4 s.').waitFor();
  await accessible();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('llama3.2 is saved.').waitFor();
  await expect.poll(() => page.locator('ul[aria-label="Models"] > li').allInnerTexts()).toEqual([expect.stringContaining('writes answers')]);
  expect(JSON.parse(mock.settings.calls.at(-1)!.replace(/^\S+ \S+ /, ''))).toMatchObject({ provider: 'ollama', model: 'llama3.2', key: '' });
});

test('a kept key is not sent, and a lost key is asked for', async () => {
  mock.settings.fill();
  await page.goto('#/console/models');
  await page.getByText('the key of the model "lost" cannot be decrypted').waitFor();
  await accessible();
  await choose('fast', 'Change…');
  await page.getByText('docent has a key. Leave this empty to keep it.').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => mock.settings.calls.length).toBe(1);
  expect(mock.settings.calls[0]).not.toContain('"key"');
  await expect.poll(() => dialog().count()).toBe(0);
  await choose('lost', 'Change…');
  await page.getByText('docent stores the key encrypted').waitFor();
  await page.getByLabel('API key').fill('new');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => mock.settings.calls.at(-1)).toContain('"key":"new"');
});

test('models are ordered, chosen for answers, and removed', async () => {
  mock.settings.fill();
  delete mock.settings.models[1]!.problem;
  await page.goto('#/console/models');
  await choose('lost', 'Move up');
  await expect.poll(() => mock.settings.calls.at(-1)).toBe('PUT /api/models {"names":["lost","fast"]}');
  await choose('lost', 'Let it write answers');
  await expect.poll(() => mock.settings.calls.at(-1)).toContain('"uses":["answers"]');
  await choose('lost', 'Remove…');
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('lost is removed.').waitFor();
  expect(mock.settings.calls.at(-1)).toBe('DELETE /api/models/lost');
});

test('a test that fails says why, in words', async () => {
  mock.settings.tested = { ok: false, first_token_ms: 0, streams: true, reasons: false, tools: false, problem: { id: 'x', params: [], message: 'the server refuses the key' }, server: 'status 401: invalid key' };
  await page.goto('#/console/models');
  await page.getByRole('button', { name: 'Add a model…' }).click();
  await page.getByLabel('Server').selectOption('');
  await page.getByLabel('Address').fill('http://gpu:8000/v1');
  await dialog().getByLabel('Model').fill('m');
  await page.getByRole('button', { name: 'Test' }).click();
  await page.getByText('the server refuses the key').waitFor();
  await page.getByText('status 401: invalid key').waitFor();
});

test('the key that sends is remembered', async () => {
  const radio = () => page.getByRole('radio', { name: 'Ctrl+Enter', exact: true });
  await page.goto('#/settings');
  await page.getByText('Shift+Enter starts a new line.').waitFor();
  await radio().check();
  await expect.poll(() => localStorage.getItem('docent.send')).toBe('ctrl-enter');
  await page.reload();
  await page.getByText('Enter starts a new line.', { exact: true }).waitFor();
  await expect.poll(() => radio().isChecked()).toBe(true);
});

test('without logins there is no account', async () => {
  await page.goto('#/settings');
  await page.getByText('Ready', { exact: true }).waitFor();
  await expect.poll(() => page.getByRole('heading', { name: 'Account' }).count()).toBe(0);
  await expect.poll(() => page.getByRole('heading', { name: 'API tokens' }).count()).toBe(0);
});
