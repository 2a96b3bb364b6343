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
  test('shows the server and its documents', async () => {
    await page.goto('#/');
    await page.getByRole('link', { name: 'Console' }).click();
    await page.getByRole('heading', { name: 'Today' }).waitFor(); // the first view
    await page.getByRole('link', { name: 'System', exact: true }).click();
    await page.getByRole('heading', { name: 'System' }).waitFor();
    await page.locator('.card').first().getByText(/^docent /).waitFor();
    await page.locator('tbody th').first().waitFor();
    await expect.poll(() => page.locator('nav [aria-current]').innerText()).toBe('System');
    await accessible();
  });

  test('names failed checks, with what to do', async () => {
    mock.system.failing = { database: 'it does not answer' };
    await page.goto('#/console/system');
    await page.getByText('1 check failed').waitFor();
    await page.getByText('It does not answer').waitFor();
    await page.getByText('Choose another folder').waitFor();
    await accessible();
    mock.system.failing = {};
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('Everything works').waitFor();
  });

  test('shows the processes that serve together', async () => {
    mock.system.replicas = [
      { id: '0123456789', self: true, seen: '2026-05-03T09:00:00Z', until: '2026-05-03T09:00:03Z' },
      { id: 'abcdef0123', self: false, seen: '2026-05-03T09:00:00Z', until: '2026-05-03T09:00:03Z' },
    ];
    await page.goto('#/console/system');
    await page.getByText('this one').waitFor();
    await expect.poll(() => page.locator('tbody th').first().innerText()).toContain('01234567');
  });
});

describe('backups', () => {
  const backups = () => page.getByRole('region', { name: 'Backups' });

  test('are listed, and one is made now', async () => {
    await page.goto('#/console/system');
    await expect.poll(() => backups().locator('ul li').count()).toBe(3);
    await backups().getByText('no space left on device').waitFor();
    await backups().getByRole('button', { name: 'Back up now' }).click();
    await backups().getByText('A backup is being made…').waitFor();
    mock.system.finish();
    await expect.poll(() => backups().locator('ul li').count(), { timeout: 10_000 }).toBe(4);
    await expect.poll(() => backups().getByRole('button', { name: 'Back up now' }).isDisabled()).toBe(false);
    await accessible();
  });

  test('are listed again on demand', async () => {
    await page.goto('#/console/system');
    await expect.poll(() => backups().locator('ul li').count()).toBe(3);
    mock.system.finish();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect.poll(() => backups().locator('ul li').count()).toBe(4);
  });

  test('have a schedule', async () => {
    await page.goto('#/console/system');
    await backups().getByLabel('Make backups regularly').click();
    await backups().getByLabel('Every').fill('6');
    await backups().getByLabel('Unit').selectOption('h');
    await backups().getByLabel('At', { exact: true }).fill('04:30');
    mock.system.next = '2026-05-04T04:30:00Z';
    await backups().getByRole('button', { name: 'Save the schedule' }).click();
    await backups().getByText('The schedule is saved.').waitFor();
    await backups().getByText(/The next backup is planned for/).waitFor();
    expect(mock.settings.calls).toEqual(['PUT /api/settings/backup.every {"value":"6h"}', 'PUT /api/settings/backup.at {"value":"04:30"}']);
  });

  test('name the command that restores them', async () => {
    await page.goto('#/console/system');
    await backups().getByText('Restore a backup').click();
    await expect.poll(() => backups().locator('pre').innerText()).toBe('docent restore /var/backups/docent/docent-20260503-020000.backup --data new-folder');
    await backups().getByLabel('File').selectOption('/home/ada/before upgrade.backup');
    await expect.poll(() => backups().locator('pre').innerText()).toContain("docent restore '/home/ada/before upgrade.backup'");
  });

  test('need a folder', async () => {
    mock.system.folder = '';
    await page.goto('#/console/system');
    await backups().getByText(/This server has no folder for backups/).waitFor();
    await expect.poll(() => backups().getByRole('button', { name: 'Back up now' }).count()).toBe(0);
  });
});

describe('a link to set a password', () => {
  test('sets it once, without a sign-in', async () => {
    mock.login = 'ada unknown';
    mock.link = 'secret';
    await page.goto('#/join/secret');
    await page.getByText('Your name in docent is ada. The link works once.').waitFor();
    await expect.poll(() => page.locator('dialog[open]').count()).toBe(0);
    await accessible();
    await page.getByLabel('New password, at least 8 characters').fill('correct horse');
    await page.getByLabel('The same password again').fill('another horse');
    await page.getByRole('button', { name: 'Save and sign in' }).click();
    await page.getByText('The passwords differ.').waitFor();
    await page.getByLabel('The same password again').fill('correct horse');
    await page.getByRole('button', { name: 'Save and sign in' }).click();
    await expect.poll(() => mock.login).toBe('ada correct horse');
    await expect.poll(() => location.hash).toBe(''); // the page leaves the link
  });

  test('says that it is used', async () => {
    mock.login = 'ada unknown';
    await page.goto('#/join/secret');
    await page.getByText('This link was used.').waitFor();
  });
});
