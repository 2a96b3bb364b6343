// The first start in the browser.
import { beforeEach, expect, test } from 'vitest';
import type { MockDocent } from '../mock/server';
import { accessible, start, type Page } from './page';

let mock: MockDocent;
let page: Page;

beforeEach(async () => {
  ({ mock, page } = await start());
  mock.setup = 'C0DE';
});

test('a used or wrong code says so', async () => {
  await page.goto('#/start/OTHER');
  await page.getByText('this link was used or has expired').waitFor();
  await page.getByRole('link', { name: 'To docent' }).waitFor();
});

test('one person starts with quotes, and asks the first question', async () => {
  await page.goto('#/start/C0DE');
  await page.getByText('Step 1 of 4').waitFor();
  await accessible();
  await page.getByRole('button', { name: 'Only me' }).click();
  await page.getByRole('heading', { name: 'How should docent answer?' }).waitFor();
  await page.getByRole('button', { name: 'With llama3.2 (ollama)' }).waitFor();
  await accessible();
  await page.getByRole('button', { name: 'With quotes' }).click();
  await page.getByRole('heading', { name: 'Add documents' }).waitFor();
  await accessible();
  await page.getByLabel('Address of the website').fill('https://docs.example.com/');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('docent reads https://docs.example.com/ in the background.').waitFor();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Ask the first question' }).click();
  await expect.poll(() => location.hash).toBe('#/');
  expect(mock.setup).toBe('');
});

test('a team gets an administrator, who is signed in, and a tested model of this machine', async () => {
  await page.goto('#/start/C0DE');
  await page.getByRole('button', { name: 'My team' }).click();
  await page.getByLabel('Your name').fill('ada');
  await page.locator('main').getByLabel('Password', { exact: true }).fill('correct horse');
  await page.getByLabel('Password again').fill('wrong horse');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('The passwords differ.').waitFor();
  await accessible();
  await page.getByLabel('Password again').fill('correct horse');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'With llama3.2 (ollama)' }).click();
  await page.getByRole('heading', { name: 'Add documents' }).waitFor();
  expect(mock.settings.calls.map((c) => c.split(' ').slice(0, 2).join(' '))).toEqual(['POST /api/models/test', 'PUT /api/models/llama3.2']);
  await page.getByRole('button', { name: 'Later' }).click();
  await page.getByRole('button', { name: 'Invite people' }).waitFor();
});

test('a model that fails its test is not stored', async () => {
  mock.settings.tested = { ok: false, first_token_ms: 0, streams: true, reasons: false, tools: false, problem: { id: 'x', params: [], message: 'the model needs more memory' } };
  await page.goto('#/start/C0DE');
  await page.getByRole('button', { name: 'Only me' }).click();
  await page.getByRole('button', { name: 'With llama3.2 (ollama)' }).click();
  await page.getByText('the model needs more memory').waitFor();
  expect(mock.settings.models).toEqual([]);
});
