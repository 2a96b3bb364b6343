// The sources view, on the mock server.
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MockDocent } from '../mock/server';
import { samples } from '../mock/sources';
import { accessible, launch, watch, type Watched } from './browser';

describe('sources', () => {
  let browser: Browser;
  let docent: MockDocent;
  let watched: Watched;
  let page: Page;

  beforeAll(async () => {
    [browser, docent] = await Promise.all([launch(), new MockDocent().start()]);
  });
  afterAll(async () => {
    await docent?.stop();
  });
  beforeEach(async () => {
    Object.assign(docent.sources, { rows: samples(), asked: [], forbidden: false, refuse: '' });
    Object.assign(docent, { login: '', scopes: ['ask', 'ingest'] });
    watched = await watch(browser, docent.url);
    page = watched.page;
  });
  afterEach(() => watched.check(60)); // a list with a running sync is read every two seconds

  const open = async () => {
    await page.goto(`${docent.url}/#/sources`);
    await page.getByRole('heading', { name: 'Sources', level: 1 }).waitFor();
  };
  const card = (name: string) => page.getByRole('article', { name });
  const last = () => docent.sources.asked.at(-1);

  test('each source shows its place, its state, its last result, and its next sync', async () => {
    await page.goto(docent.url);
    await page.getByRole('link', { name: 'Sources' }).waitFor();
    docent.sources.rows = samples(); // the text "20 minutes ago" is correct for half a minute
    await page.getByRole('link', { name: 'Sources' }).click();
    const handbook = await card('Handbook').innerText();
    for (const text of ['Up to date', 'Website', 'https://www.example.com/handbook/', '20 minutes ago', '12 added, 4 changed, 1 removed, 3 failed, 393 unchanged', '412 items', 'in 40 minutes', '3 failures']) {
      expect(handbook).toContain(text);
    }
    await expect.poll(() => card('docs').innerText()).toContain('640 of 2,312');
    await expect.poll(() => card('Support mailbox').innerText()).toContain('the mail server does not accept the user name or the password');
    const manuals = await card('manuals').innerText();
    expect(manuals).toContain('Paused');
    expect(manuals).not.toContain('Next sync');
    await accessible(page);
  });

  test('a source is removed, and its documents are kept', async () => {
    await open();
    await page.getByRole('button', { name: 'Remove: Handbook' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove “Handbook”?' });
    await expect.poll(() => dialog.getByRole('radio', { name: 'Also delete its documents' }).isChecked()).toBe(true);
    await accessible(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(docent.sources.asked).toEqual([]);
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Remove: Handbook');
    await page.keyboard.press('Enter');
    await dialog.getByRole('radio', { name: 'Keep its documents' }).check();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await card('Handbook').waitFor({ state: 'detached' });
    expect(last()).toEqual({ method: 'DELETE', path: '/api/sources/1?documents=keep', body: null });
  });

  test('the dialog opens again before its close event', async () => {
    await open();
    const opener = page.getByRole('button', { name: 'Remove: Handbook' });
    const dialog = page.getByRole('dialog', { name: 'Remove “Handbook”?' });
    await opener.click();
    await dialog.waitFor();
    await opener.evaluate((el: HTMLElement) => {
      const shown = document.querySelector<HTMLDialogElement>('dialog[open]')!;
      const ended = new Promise((ok) => shown.addEventListener('close', ok, { once: true }));
      shown.close();
      el.click();
      return ended.then(() => undefined);
    });
    expect(await dialog.isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(docent.sources.asked).toEqual([]);
  });

  test('a source is added with the keyboard alone; its secrets are not shown', async () => {
    docent.sources.rows = [];
    await open();
    await page.getByText('There are no sources yet.').waitFor();
    await page.getByRole('button', { name: 'Add source' }).focus();
    await page.keyboard.press('Enter');
    const kind = page.getByRole('combobox', { name: 'Type' });
    await expect.poll(() => kind.locator('option').count()).toBeGreaterThan(7);
    await expect.poll(() => kind.evaluate((el) => el === document.activeElement)).toBe(true);
    await kind.selectOption({ label: 'S3 bucket' });
    await page.keyboard.press('Tab');
    await page.keyboard.type('https://s3.example.com/manuals');
    await page.keyboard.press('Tab');
    await page.keyboard.type('reader');
    await page.keyboard.press('Tab');
    await page.keyboard.type(' se cret ');
    const secret = page.getByLabel('Secret key');
    await expect.poll(() => secret.getAttribute('type')).toBe('password');
    await accessible(page);
    await page.getByRole('combobox', { name: 'Collection' }).fill('manuals');
    docent.sources.refuse = 'the server refuses the access key';
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('The server refuses the access key.').waitFor();
    await secret.focus(); // the dialog keeps its input
    await page.keyboard.press('Enter');
    await card('https://s3.example.com/manuals').waitFor();
    const added = docent.sources.asked.filter((a) => a.path === '/api/sources').at(-1);
    expect(added!.body).toEqual({
      kind: 's3', location: 'https://s3.example.com/manuals', collection: 'manuals', schedule: '1h', options: { access_key: 'reader' }, secret: { secret_key: ' se cret ' },
    });
    expect(last()!.path).toBe('/api/sources'); // the server starts the first sync by itself
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent?.trim())).toBe('Add source');
  });
});
