// The mounted sources view.
import { beforeEach, describe, expect, test } from 'vitest';
import type { MockDocent } from '../mock/server';
import { samples } from '../mock/sources';
import { start, type Page } from './page';

describe('sources', () => {
  let docent: MockDocent;
  let page: Page;

  beforeEach(async () => {
    ({ mock: docent, page } = await start());
    docent.sources.rows = samples();
  });

  const open = async () => {
    await page.goto('#/sources');
    await page.getByRole('heading', { name: 'Sources', level: 1 }).waitFor();
  };
  const card = (name: string) => page.getByRole('article', { name });
  const last = () => docent.sources.asked.at(-1);

  test('a running sync is followed to its end', async () => {
    await open();
    const bar = page.getByRole('progressbar', { name: 'Progress of “docs”' });
    await expect.poll(() => bar.getAttribute('value')).toBe('640');
    docent.sources.advance(2, 2000, 2312);
    await expect.poll(() => card('docs').innerText()).toContain('2,000 of 2,312');
    docent.sources.finish(2, 14);
    await expect.poll(() => card('docs').innerText()).toContain('14 added');
    await expect.poll(() => bar.count()).toBe(0);
    await expect.poll(() => page.getByRole('status').allTextContents()).toContain('“docs” has finished syncing.');
  });

  test('a sync that the server starts later is noticed soon', async () => {
    const { rows } = docent.sources;
    docent.sources.rows = rows.filter((r) => r.id !== 2).map((r) => (r.id === 1 ? { ...r, next_sync_at: new Date().toISOString() } : r));
    await open();
    await expect.poll(() => card('Handbook').innerText()).toContain('in less than a minute');
    docent.sources.start(1);
    await expect.poll(() => card('Handbook').innerText(), { timeout: 15_000 }).toContain('Syncing');
  });

  test('a source is synced now, paused, resumed, and given another schedule', async () => {
    await open();
    await page.getByRole('button', { name: 'Sync now: Handbook' }).click();
    await expect.poll(() => card('Handbook').innerText()).toContain('Syncing');
    expect(last()).toEqual({ method: 'POST', path: '/api/sources/1/sync', body: null });
    await expect.poll(() => page.getByRole('button', { name: 'Sync now: Handbook' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Resume: manuals' }).click();
    await page.getByRole('button', { name: 'Pause: manuals' }).waitFor();
    expect(last()).toEqual({ method: 'PATCH', path: '/api/sources/4', body: { paused: false } });
    const schedule = page.getByRole('combobox', { name: 'Schedule of “Support mailbox”' });
    await expect.poll(() => schedule.inputValue()).toBe('6h');
    await schedule.selectOption({ label: 'Every day' });
    await expect.poll(() => last()).toEqual({ method: 'PATCH', path: '/api/sources/3', body: { schedule: '24h' } });
    docent.sources.refuse = 'the schedule must be at least 1m';
    await schedule.selectOption({ label: 'Every 15 minutes' });
    await page.getByText('“Support mailbox” was not changed. The schedule must be at least 1m.').waitFor();
    await expect.poll(() => schedule.inputValue()).toBe('24h');
  });

  test('failures are listed with reasons and retried', async () => {
    await open();
    await page.getByRole('button', { name: '3 failures' }).click();
    const list = page.getByRole('region', { name: 'Failures of “Handbook”' });
    await list.getByText('encrypted: it opens only with a password').waitFor();
    await expect.poll(() => list.innerText()).toContain('tried 5 times');
    await expect.poll(() => list.getByRole('link', { name: 'handbook/plan.pdf' }).getAttribute('href')).toBe('https://www.example.com/handbook/plan.pdf');
    await page.getByRole('button', { name: 'Retry the failures of “Handbook”' }).click();
    await expect.poll(() => last()).toEqual({ method: 'POST', path: '/api/sources/1/retry', body: null });
    docent.sources.finish(1, 1, 2);
    await page.getByRole('button', { name: '2 failures' }).waitFor();
    await expect.poll(() => list.getByRole('listitem').count()).toBe(2);
  });

  test.each(['remove', 'keep'])('a source is removed; its documents: %s', async (documents) => {
    await open();
    await page.getByRole('button', { name: 'Remove: Handbook' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove “Handbook”?' });
    await expect.poll(() => dialog.getByRole('radio', { name: 'Also delete its documents' }).isChecked()).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(docent.sources.asked).toEqual([]);
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Remove: Handbook');
    await page.keyboard.press('Enter');
    if (documents === 'keep') await dialog.getByRole('radio', { name: 'Keep its documents' }).check();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await card('Handbook').waitFor({ state: 'detached' });
    expect(last()).toEqual({ method: 'DELETE', path: `/api/sources/1?documents=${documents}`, body: null });
  });

  test('options are sent in their types, and folders are for the command line', async () => {
    await open();
    await page.getByRole('button', { name: 'Add source' }).click();
    const kind = page.getByRole('combobox', { name: 'Type' });
    await kind.selectOption({ label: 'Folder' });
    await page.getByText('docent source add folder /path/to/folder').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Add and sync' }).count()).toBe(0);
    await kind.selectOption({ label: 'Website' });
    await page.getByRole('textbox', { name: 'Address' }).fill('https://www.example.org/');
    await page.locator('summary', { hasText: 'More options' }).click();
    await page.getByRole('combobox', { name: 'What to read' }).selectOption('crawl');
    await page.getByLabel('Links to follow from the first page').fill('5');
    await page.getByLabel('The address is a sitemap').check();
    await page.getByRole('button', { name: 'Add and sync' }).click();
    await card('https://www.example.org/').waitFor();
    expect(docent.sources.asked[0]!.body).toEqual({ kind: 'web', location: 'https://www.example.org/', collection: 'default', schedule: '1h', options: { mode: 'crawl', depth: '5', sitemap: 'true' } });
  });

  test('people who may not manage sources do not see them', async () => {
    docent.login = 'ada lovelace';
    await page.goto('#/sources');
    await page.getByLabel('Name').fill('ada');
    await page.getByLabel('Password').fill('lovelace');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Only administrators can manage sources.').waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'Sources' }).count()).toBe(0);
    await expect.poll(() => page.getByRole('button', { name: 'Add source' }).count()).toBe(0);
  });

  test('a refusal of the server is shown', async () => {
    docent.sources.forbidden = true;
    await open();
    await page.getByText('Only administrators can manage sources.').waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'Sources' }).count()).toBe(0);
  });
});
