// Pictures of rare states of the page, for people to look at: `npm run states -- FOLDER` is
// `STATES=FOLDER` here. With DOCENT_URL they are of that server.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { MockDocent } from '../mock/server';
import { samples } from '../mock/sources';
import { launch, watch } from './browser';

const folder = process.env.STATES ?? '';

describe.skipIf(!folder)('pictures', () => {
  let browser: Browser;
  let mock: MockDocent | undefined;
  let url = process.env.DOCENT_URL ?? '';
  const question = process.env.QUESTION ?? 'How do I make a backup?';

  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    browser = await launch();
    if (!url) {
      mock = await new MockDocent().start();
      mock.create('old-1', 'What is docent?');
      mock.create('old-2', 'How are documents cut into passages, and how long are they?');
      url = mock.url;
    }
  });
  afterAll(async () => {
    await mock?.stop();
  });

  const ask = async (page: Page, text: string) => {
    const done = page.locator('.answer:not([aria-busy]) .sources');
    const before = await done.count();
    await page.getByLabel('Your question').fill(text);
    await page.keyboard.press('Enter');
    await done.nth(before).waitFor();
  };

  // Replies without sources, and reasoning steps.
  const reasoning = async (page: Page, shot: (what: string) => Promise<void>) => {
    const asking = async (text: string) => {
      await page.goto(`${url}/#/`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByLabel('Your question').fill(text);
      await page.keyboard.press('Enter');
    };
    await asking('endless research');
    await page.locator('.trace > summary .label').waitFor();
    await shot('trace-live');
    await page.getByText('Reading document 99: failed').waitFor();
    await shot('trace-live-opened');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Steps taken').waitFor();
    await shot('stopped-opened');
    await page.locator('.trace > summary').click();
    await shot('stopped');
    await asking('research backups');
    await page.locator('.answer:not([aria-busy]) .sources').waitFor();
    await shot('trace');
    await page.locator('.trace > summary').first().click();
    await shot('trace-opened');
    await page.locator('.chat > .scroller').evaluate((el) => (el.scrollTop += 500));
    await shot('trace-opened-below');
    await asking('help me choose');
    await page.getByRole('button', { name: 'Billing' }).waitFor();
    await shot('options');
    await page.getByRole('button', { name: 'Billing' }).click();
    await page.getByRole('button', { name: 'Billing' }).nth(1).waitFor();
    await shot('options-chosen');
    await asking('please break off');
    await page.getByRole('button', { name: 'Ask again' }).waitFor();
    await shot('broken-off');
    await asking('keep this');
    await page.getByText('docent keeps it for later').waitFor();
    await shot('held');
    await asking('ask another');
    await page.getByText('another agent (bob').waitFor();
    await shot('peer');
    await asking('ramble');
    await page.getByText('Thing 9 ').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped.', { exact: true }).first().waitFor();
    await shot('stopped-text');
    await asking('all kinds');
    await page.getByText('250 rows', { exact: true }).waitFor();
    await shot('kinds');
    await page.frameLocator('iframe').getByRole('heading', { name: 'Report' }).scrollIntoViewIfNeeded();
    await shot('kinds-below');
  };

  // Interrupted conversations, and edits.
  const staying = async (page: Page, shot: (what: string) => Promise<void>) => {
    await page.goto(`${url}/#/`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await ask(page, 'backup');
    await ask(page, 'What changed?');
    await page.getByRole('button', { name: 'Bad answer' }).last().click();
    await shot('rating');
    await page.getByLabel('Comment on this answer').fill('It is about tapes.');
    await page.keyboard.press('Enter');
    await page.getByText('Thank you.').first().waitFor();
    await shot('rated');
    await page.getByRole('button', { name: 'Edit this message' }).last().focus();
    await shot('pencil');
    await page.keyboard.press('Enter');
    await shot('editing');
    await page.keyboard.press('Escape');
    mock!.cut();
    await page.getByText('Connection lost').waitFor();
    await page.getByLabel('Your question').fill('And without a connection?');
    await page.keyboard.press('Enter');
    await page.getByText('Will be sent when').waitFor();
    await shot('lost');
    mock!.mend();
    await page.getByRole('button', { name: 'Try now' }).click({ timeout: 1000 }).catch(() => undefined);
    await page.locator('.answer:not([aria-busy]) .sources').nth(2).waitFor();
  };

  const loggingIn = async (page: Page, shot: (what: string) => Promise<void>) => {
    mock!.login = 'ada secret';
    await page.goto('about:blank');
    await page.goto(`${url}/#/`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await shot('login');
    await page.getByLabel('Name').fill('ada');
    await page.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('The name or password is wrong').waitFor();
    await shot('login-wrong');
    await page.getByLabel('Password').fill('secret');
    await page.keyboard.press('Enter');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
    await page.waitForLoadState('networkidle');
    await shot('logged-in');
    await ask(page, question);
    mock!.end(4501);
    await page.getByText('was deleted').waitFor();
    await shot('deleted');
    mock!.scopes = ['ask'];
    await page.goto('about:blank');
    await page.goto(`${url}/#/documents`);
    await page.locator('.row').first().waitFor();
    await shot('documents-of-others');
    const { documents } = mock!;
    mock!.documents = [];
    await page.goto('about:blank');
    await page.goto(`${url}/#/documents`);
    await page.getByText('no documents yet').waitFor();
    await shot('documents-of-others-none');
    await page.goto('about:blank');
    await page.goto(`${url}/#/`);
    await page.getByText('no documents yet').waitFor();
    await shot('start-of-others-none');
    mock!.documents = documents;
    mock!.scopes = ['ask', 'ingest'];
    mock!.cookies.clear();
    await page.goto(`${url}/#/documents`);
    await page.getByRole('heading', { name: 'Sign in to continue' }).waitFor();
    await shot('login-again');
    mock!.login = '';
  };

  const forms = [
    { name: 'light', colorScheme: 'light', viewport: { width: 1440, height: 900 } },
    { name: 'dark', colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
    { name: '360', colorScheme: 'light', viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
  ] as const;

  test.each(forms)('sources and uploads, $name', { timeout: 180_000 }, async ({ name, ...form }) => {
    mock!.sources.rows = samples();
    const { page, check } = await watch(browser, url, form);
    const shot = async (what: string) => {
      await page.mouse.move(0, 0);
      await page.screenshot({ path: join(folder, `${what}-${name}.png`) });
    };
    await page.goto(`${url}/#/sources`);
    await page.getByRole('article', { name: 'Handbook' }).waitFor();
    await shot('sources');
    await page.getByRole('button', { name: '3 failures' }).click();
    await page.getByText('it opens only with a password').waitFor();
    await shot('sources-failures');
    await page.getByRole('button', { name: 'Remove: Handbook' }).click();
    await page.getByRole('dialog').waitFor();
    await shot('sources-remove');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Add source' }).click();
    const kind = page.getByRole('combobox', { name: 'Type' });
    await kind.selectOption('folder');
    await shot('sources-folder');
    await kind.selectOption('s3');
    await shot('sources-add');
    await page.locator('summary', { hasText: 'More options' }).scrollIntoViewIfNeeded();
    await page.locator('summary', { hasText: 'More options' }).click();
    await page.getByRole('button', { name: 'Add and sync' }).scrollIntoViewIfNeeded();
    await shot('sources-add-below');
    mock!.sources.rows = [];
    await page.reload();
    await page.getByText('There are no sources yet.').waitFor();
    await shot('sources-none');

    let sent = 0;
    const part = (file: string, status: string, chunks: number, reason?: string) => ({ source: `upload:${file}`, status, chunks, reason });
    await page.route('**/api/documents', async (r) => {
      if (r.request().method() !== 'POST' || ++sent > 5) return;
      const results = [
        [part('harbour.zip#plans/pier.pdf', 'added', 12), part('harbour.zip#plans/tides.xlsx', 'added', 3), part('harbour.zip#keys.pdf', 'failed', 0, 'encrypted: it opens only with a password')],
        [part('notes.md', 'added', 4)],
        [part('scan.pdf', 'failed', 0, 'no text: its pages are pictures, and text in pictures is not recognised')],
        [part('mail.eml', 'added', 1), part('mail.eml#offer.docx', 'added', 9)],
        [part('known.txt', 'unchanged', 9)],
      ][sent - 1]!;
      await r.fulfill({ json: { results } });
    });
    await page.goto(`${url}/#/documents`);
    await page.locator('.row').first().waitFor();
    await page.locator('input[type=file]:not(.folder)').setInputFiles(
      ['harbour.zip', 'notes.md', 'scan.pdf', 'mail.eml', 'known.txt', ...Array.from({ length: 40 }, (_, i) => `report-${i}.docx`)].map((file) => ({ name: file, mimeType: 'text/plain', buffer: Buffer.from('x'.repeat(3000)) })),
    );
    await page.getByText('3 documents inside').waitFor();
    await page.getByText('Already added').waitFor();
    await shot('uploads');
    await page.getByRole('button', { name: 'Cancel all' }).click();
    await page.getByRole('button', { name: 'Clear this list' }).waitFor();
    await shot('uploads-done');
    await check();
  });

  test.each(forms)('$name', { timeout: 180_000 }, async ({ name, ...form }) => {
    const { page, check } = await watch(browser, url, form);
    const shot = async (what: string) => {
      await page.mouse.move(0, 0);
      await page.screenshot({ path: join(folder, `${what}-${name}.png`) });
    };
    await page.goto(url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    await shot('start');
    await ask(page, question);
    await shot('answer');
    await page.locator('.cite').first().click();
    await page.locator('mark.active').first().waitFor();
    await shot('evidence');
    await page.keyboard.press('Escape');
    if (mock) {
      await ask(page, 'Something unknown');
      await shot('abstained');
    }
    if (mock) await staying(page, shot);
    if (mock) await reasoning(page, shot);
    if (name === '360') {
      await page.getByLabel('Menu', { exact: true }).click();
      await page.waitForTimeout(250);
      await shot('menu');
    }
    await page.goto(`${url}/#/documents`);
    await page.locator('.row').first().waitFor();
    await page.setInputFiles('input[type=file]', [
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Notes of today.\n') },
      ...(mock ? [{ name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF') }] : []),
    ]);
    await page.locator('li.done').waitFor();
    await page.waitForLoadState('networkidle');
    await shot('documents');
    if (mock) {
      mock.agent = 'Front desk of the harbour';
      await page.goto('about:blank');
      await page.goto(`${url}/#/`);
      await page.getByRole('button', { name: 'Billing' }).waitFor();
      await shot('agent-start');
      mock.agent = '';
      await loggingIn(page, shot);
    }
    await check(100);
  });
});
