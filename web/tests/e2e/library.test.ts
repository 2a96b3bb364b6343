// The library on the real program: DOCENT_BIN=…/docent npm run e2e.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { DocumentPage } from '../../src/api/shapes';
import { accessible, launch, stopClock, watch, type Watched } from './browser';
import { sharedProgram, type Shared } from './program';

const text = (name: string, said: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(said) });

describe('the library', () => {
  let browser: Browser;
  let program: Shared;
  let watched: Watched;
  let page: Page;

  beforeAll(async () => {
    [browser, program] = await Promise.all([launch(), sharedProgram()]);
  });
  beforeEach(async () => {
    await program.reset();
    watched = await watch(browser, program.url);
    page = watched.page;
    await page.goto(`${program.url}/#/documents`);
    await page.locator('.row').first().waitFor();
  });
  afterEach(() => watched.check(60));

  const all = async (match = '') => ((await (await fetch(`${program.url}/api/documents?limit=1000&match=${encodeURIComponent(match)}`)).json()) as DocumentPage).documents;
  const sources = async () => (await all('upload:')).map((d) => d.source.slice('upload:'.length)).sort();
  const files = () => page.locator('input[type=file]:not(.folder)');
  const row = (name: string) => page.locator('.row', { hasText: name });
  const finished = () => page.getByRole('button', { name: 'Clear this list' }).waitFor({ timeout: 150_000 });

  // The first PDF of all waits for its reader to be loaded.
  test('many files are uploaded two at a time, each with its result or its error', { timeout: 300_000 }, async () => {
    let most = 0;
    let open = 0;
    let seen: () => void = () => undefined;
    const looked = new Promise<void>((ok) => (seen = ok));
    await page.route('**/api/documents', async (r) => {
      most = Math.max(most, ++open);
      await looked;
      const answer = await r.fetch({ timeout: 150_000 });
      open--;
      await r.fulfill({ response: answer });
    });
    await files().setInputFiles([
      ...Array.from({ length: 30 }, (_, i) => text(`note-${i}.txt`, `Note ${i} is about the ferry number ${i}.`)),
      { name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4\n') },
    ]);
    await page.getByText(/Adding \d+ of 31 files/).waitFor();
    await page.getByRole('progressbar', { name: 'Progress of all uploads' }).waitFor();
    // Only some waiting files are shown.
    await expect.poll(() => page.locator('.uploads li').count()).toBeLessThan(30);
    seen();
    await finished();
    expect(most).toBe(2);
    await expect.poll(() => page.locator('.uploads .counts').textContent()).toBe('30 added · 30 passages · 1 failed');
    const reason = await page.locator('.uploads li.failed .outcome').textContent();
    expect(reason!.length).toBeGreaterThan(10);
    await expect.poll(() => sources()).toHaveLength(31);
    await accessible(page);
    await page.getByLabel('Failed only').check();
    await expect.poll(() => page.locator('.row').count()).toBe(1);
    await expect.poll(() => row('broken.pdf').locator('.failed').textContent()).toContain(reason!.trim());
    await page.getByLabel('Failed only').uncheck();
    await page.getByRole('searchbox', { name: 'Filter by title or source' }).fill('note-2');
    await expect.poll(() => page.locator('.row').count()).toBe(11);
  });

  test('a folder keeps its paths, and hidden and system files are left out', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'docent-folder-'));
    mkdirSync(join(folder, 'harbour/old/.git'), { recursive: true });
    writeFileSync(join(folder, 'harbour/readme.md'), '# Harbour\n\nThe harbour has two piers.');
    writeFileSync(join(folder, 'harbour/old/readme.md'), '# Old harbour\n\nThe old harbour had one pier.');
    writeFileSync(join(folder, 'harbour/.DS_Store'), 'x');
    writeFileSync(join(folder, 'harbour/old/.git/config'), 'x');
    await page.locator('input.folder').setInputFiles(join(folder, 'harbour'));
    await finished();
    await expect.poll(() => page.locator('.uploads .counts').textContent()).toBe('2 added · 2 passages · 2 hidden or system files skipped');
    await expect.poll(() => sources()).toEqual(['harbour/old/readme.md', 'harbour/readme.md']);
    rmSync(folder, { recursive: true });
  });

  test('waiting and running uploads are canceled, one or all, and failed ones are retried', async () => {
    const held: (() => void)[] = [];
    await page.route('**/api/documents', async (r) => {
      await new Promise<void>((ok) => held.push(ok));
      await r.continue().catch(() => undefined); // it may have been canceled
    });
    await files().setInputFiles(Array.from({ length: 6 }, (_, i) => text(`slow-${i}.txt`, `Slow ${i}.`)));
    await expect.poll(() => held.length).toBe(2);
    await page.getByRole('button', { name: 'Cancel the upload of slow-0.txt' }).click();
    await expect.poll(() => held.length).toBe(3); // the next file takes its place
    await page.getByRole('button', { name: 'Cancel the upload of slow-4.txt' }).click();
    await expect.poll(() => page.locator('.uploads .counts').textContent()).toBe('2 canceled');
    await page.getByRole('button', { name: 'Cancel all' }).click();
    await finished();
    await expect.poll(() => page.locator('.uploads .counts').textContent()).toBe('6 canceled');
    for (const go of held) go();
    await page.unroute('**/api/documents');
    await page.getByRole('button', { name: 'Clear this list' }).click();
    await expect.poll(() => sources()).toEqual([]);

    await page.route('**/api/documents', (r) => r.fulfill({ status: 500, json: { code: 'internal', message: 'the disk is full', retryable: true } }));
    await files().setInputFiles([text('again-1.txt', 'Again one.'), text('again-2.txt', 'Again two.')]);
    await page.locator('.uploads li.failed', { hasText: 'The disk is full.' }).first().waitFor();
    await finished();
    await page.unroute('**/api/documents');
    await page.getByRole('button', { name: 'Try again: again-1.txt' }).click();
    await page.locator('.uploads li.done', { hasText: 'again-1.txt' }).waitFor();
    await page.getByRole('button', { name: 'Retry failed' }).click();
    await page.locator('.uploads li.done', { hasText: 'again-2.txt' }).waitFor();
    await expect.poll(() => sources()).toEqual(['again-1.txt', 'again-2.txt']);
  });

  test('the documents inside an archive are listed under it, the failed ones first', async () => {
    await page.route('**/api/documents', (r) =>
      r.request().method() !== 'POST' ? r.continue() : r.fulfill({
        json: {
          results: [
            { source: 'upload:harbour.zip#plans/pier.pdf', status: 'added', chunks: 12 },
            { source: 'upload:harbour.zip#plans/tides.xlsx', status: 'added', chunks: 3 },
            { source: 'upload:harbour.zip#keys.pdf', status: 'failed', chunks: 0, reason: 'encrypted: it opens only with a password' },
          ],
        },
      }));
    await files().setInputFiles([{ name: 'harbour.zip', mimeType: 'application/zip', buffer: Buffer.from('PK') }]);
    await finished();
    await page.getByText('3 documents inside').waitFor();
    await expect.poll(() => page.locator('.uploads .parts li').allInnerTexts()).toEqual([
      expect.stringMatching(/^keys\.pdf\s+encrypted: it opens only with a password$/), expect.stringMatching(/^plans\/pier\.pdf\s+Added · 12 passages$/), expect.stringMatching(/^plans\/tides\.xlsx\s+Added · 3 passages$/),
    ]);
    await expect.poll(() => page.locator('.uploads .counts').textContent()).toBe('1 added · 15 passages');
    await accessible(page);
    await page.unroute('**/api/documents');
  });

  test('formats, character sets, and archives are named in the list', async () => {
    await page.route('**/api/documents?*', async (r) => {
      const rows = [
        ['upload:harbour.zip#plans/tides.csv', 'text/csv; charset=shift_jis'],
        ['upload:deck.pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
        ['https://www.example.com/guide', 'text/html; charset=windows-1251'],
      ].map(([source, media_type], i) => ({ id: 9000 + i, collection: 'default', source, title: '', media_type, language: '', size: 2000, sha256: '', status: 'ready', chunks: 2, created_at: '2026-01-10T12:00:00Z', updated_at: '2026-01-10T12:00:00Z' }));
      await r.fulfill({ json: { documents: rows } });
    });
    await page.reload();
    await row('tides.csv').waitFor();
    await expect.poll(() => page.locator('.row .type').allInnerTexts()).toEqual(['CSV, Shift JIS', 'PPTX', 'HTML, Windows-1251']);
    await expect.poll(() => row('tides.csv').locator('.source').innerText()).toBe('Uploaded: plans/tides.csv, inside harbour.zip');
    await expect.poll(() => row('tides.csv').getByRole('link').innerText()).toBe('tides.csv');
    const accept = (await files().getAttribute('accept'))!.split(',');
    expect(accept).toEqual(expect.arrayContaining(['text/*', '.pptx', '.ods', '.eml', '.zip', '.go']));
    await accessible(page);
    await page.unroute('**/api/documents?*');
  });

  test('the page shows some of three thousand files, and stays usable', async () => {
    // The last uploads are still running when the test cancels all.
    let n = 0;
    await page.route('**/api/documents', (r) => (++n > 2900 ? undefined : r.fulfill({ json: { results: [{ source: 'x', status: 'added', chunks: 1 }] } })));
    await page.evaluate(() => {
      const data = new DataTransfer();
      for (let i = 0; i < 3000; i++) data.items.add(new File([`file ${i}`], `many-${i}.txt`, { type: 'text/plain' }));
      const input = document.querySelector<HTMLInputElement>('input[type=file]:not(.folder)')!;
      input.files = data.files;
      input.dispatchEvent(new Event('change', { bubbles: true }));
    });
    await page.getByText(/Adding [\d,]+ of 3,000 files/).waitFor();
    await expect.poll(() => page.locator('.uploads li.done').count()).toBe(8);
    await expect.poll(() => page.locator('.uploads li').count()).toBeLessThan(30);
    await page.getByRole('searchbox', { name: 'Filter by title or source' }).fill('tides'); // the user can type meanwhile
    await expect.poll(() => page.locator('.row').count()).toBe(1);
    await page.getByRole('button', { name: 'Cancel all' }).click();
    await finished();
    await expect.poll(() => page.locator('.uploads .counts').textContent()).toMatch(/^[\d,]+ added · [\d,]+ passages · [\d,]+ canceled$/);
  });

  test('one is deleted at once, undo brings it back, and otherwise it is gone; also several', async () => {
    await files().setInputFiles(['one', 'two', 'three'].map((n) => text(`${n}.txt`, `This is ${n}.`)));
    await finished();
    await row('one.txt').waitFor();
    await stopClock(page);
    await row('one.txt').getByRole('button', { name: /^Options for/ }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await expect.poll(() => row('one.txt').count()).toBe(0);
    await expect.poll(() => sources()).toContain('one.txt');
    const told = page.getByRole('status').filter({ hasText: 'Deleted “' }); // the result is announced, too
    await told.getByText('Deleted “').hover();
    await page.clock.resume(); // the timer stops while the pointer is there
    await accessible(page);
    await page.getByRole('button', { name: 'Undo' }).click();
    await row('one.txt').waitFor();

    for (const name of ['one.txt', 'two.txt']) await row(name).getByRole('checkbox').check();
    await page.getByText('2 selected').waitFor();
    await accessible(page);
    await stopClock(page);
    await page.getByRole('button', { name: 'Delete selected' }).click();
    await expect.poll(() => row('two.txt').count()).toBe(0);
    await page.getByText('Deleted 2 documents').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await row('two.txt').waitFor();
    await page.clock.resume();
    await expect.poll(() => sources()).toEqual(['one.txt', 'three.txt', 'two.txt']);

    for (const name of ['one.txt', 'two.txt']) await row(name).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Delete selected' }).click();
    await page.mouse.move(5, 5);
    await expect.poll(sources).toEqual(['three.txt']);
    await row('three.txt').getByRole('button', { name: /^Options for/ }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await expect.poll(() => row('three.txt').count()).toBe(0);
    await page.goto('about:blank'); // leaving the page does not undo the deletion
    await expect.poll(sources).toEqual([]);
  });

  test('five hundred are deleted, although the user leaves the page at once', async () => {
    const count = async () => (await all('bulk-')).length;
    const lines = Array.from({ length: 500 }, (_, i) => JSON.stringify({ id: `bulk-${i}`, title: `bulk-${i}`, text: `Number ${i} of the bulk.` }));
    await files().setInputFiles([{ name: 'bulk-all.jsonl', mimeType: 'application/json', buffer: Buffer.from(lines.join('\n')) }]);
    await finished();
    await expect.poll(() => count()).toBe(500);
    // The newest document is first, which tells the filtered list from the other.
    await files().setInputFiles([text('other.txt', 'Something else.')]);
    await row('other.txt').waitFor();
    await page.getByRole('searchbox', { name: 'Filter by title or source' }).fill('bulk-');
    await expect.poll(() => row('other.txt').count()).toBe(0);
    await expect.poll(() => page.locator('.row').count()).toBe(100);
    for (let n = 200; n <= 500; n += 100) {
      await page.getByRole('button', { name: 'Show more' }).click();
      await expect.poll(() => page.locator('.row').count()).toBe(n);
    }
    await page.getByLabel('Select all listed').check();
    await stopClock(page);
    await page.getByRole('button', { name: 'Delete selected' }).click();
    await page.getByText('Deleted 500 documents').waitFor();
    await expect.poll(() => count()).toBe(500);
    await page.goto('about:blank');
    await expect.poll(count, { timeout: 60_000 }).toBe(0);
  });

  test('the newest document is first, and columns sort', async () => {
    await files().setInputFiles([text('zebra.txt', 'The zebra has stripes, and this is the longest of them all, by far.')]);
    await finished();
    await files().setInputFiles([text('aardvark.txt', 'Ants.')]);
    await expect.poll(() => page.locator('.uploads .counts').textContent()).toBe('2 added · 2 passages');
    const first = () => page.locator('.row .what a').first().textContent();
    await expect.poll(first).toBe('aardvark.txt');
    const column = (name: string) => page.getByRole('columnheader', { name });
    await expect.poll(() => column('Title').getAttribute('aria-sort')).toBe('none');
    await column('Title').getByRole('button').press('Enter');
    await expect.poll(() => column('Title').getAttribute('aria-sort')).toBe('ascending');
    const listed = () => page.locator('.row .what a').allTextContents();
    const byTitle = (titles: string[]) => [...titles].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
    await expect.poll(async () => (await listed()).join() === byTitle(await listed()).join()).toBe(true);
    const titles = await listed();
    expect(titles[0]).toBe('aardvark.txt');
    await column('Title').getByRole('button').press('Enter');
    await expect.poll(first).toBe(titles.at(-1));
    await expect.poll(() => column('Title').getAttribute('aria-sort')).toBe('descending');
    await column('Size').getByRole('button').click();
    await expect.poll(async () => (await listed()).at(-1)).toBe('aardvark.txt');
    await expect.poll(() => column('Size').getAttribute('aria-sort')).toBe('descending');
    await expect.poll(() => column('Title').getAttribute('aria-sort')).toBe('none');
    await column('Size').getByRole('button').click();
    await expect.poll(first).toBe('aardvark.txt');
    await accessible(page);
    await column('Size').getByRole('button').click(); // the newest is first again
    await expect.poll(() => column('Size').getAttribute('aria-sort')).toBe('none');
    await expect.poll(async () => (await listed()).slice(0, 2)).toEqual(['aardvark.txt', 'zebra.txt']);
  });

  test('leaving during an upload needs a confirmation', async () => {
    const asked = () => watched.errors.filter((e) => e.startsWith('dialog')).length;
    await page.locator('h1').click(); // browsers ask only after an interaction
    await page.reload();
    await page.locator('.row').first().waitFor();
    expect(asked()).toBe(0);
    await page.route('**/api/documents', () => undefined); // never answered
    await files().setInputFiles([text('slow.txt', 'Slow.')]);
    await page.getByText('Adding 0 of 1 file').waitFor();
    await page.locator('h1').click();
    void page.evaluate(() => location.reload()).catch(() => undefined);
    await expect.poll(asked).toBe(1);
    watched.errors.length = 0;
    await page.getByRole('button', { name: 'Cancel all' }).click();
    await finished();
    await page.unroute('**/api/documents');
    await page.reload();
    await page.locator('.row').first().waitFor();
    expect(asked()).toBe(0);
  });

  test('a deletion that fails says so, and the document is there again', async () => {
    await page.route('**/api/documents/*', (r) => (r.request().url().endsWith('/delete') ? r.fulfill({ status: 500, json: { code: 'internal', message: 'the disk is full', retryable: true } }) : r.continue()));
    await stopClock(page);
    await row('Garden handbook').getByRole('button', { name: /^Options for/ }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await expect.poll(() => row('Garden handbook').count()).toBe(0);
    await page.locator('.notice', { hasText: 'Garden handbook' }).getByRole('button', { name: 'Dismiss' }).click(); // this deletes it at once
    await page.getByText('The document was not deleted. The disk is full.').waitFor();
    await row('Garden handbook').waitFor();
  });

  test('collections: files go into a new one, which is listed, filtered and searched on its own', async () => {
    await page.getByLabel('Add to').selectOption('New collection…');
    await page.getByLabel('Name of the new collection').fill('ferries');
    await files().setInputFiles([text('calliope.txt', 'The ferry Calliope leaves Quelmouth at 06:40 and at 17:15 on weekdays.')]);
    await finished();
    const chip = page.getByRole('button', { name: /^ferries/ });
    await chip.waitFor();
    await expect.poll(() => chip.textContent()).toContain('1 document');
    expect((await all('calliope')).map((d) => d.collection)).toEqual(['ferries']);
    await chip.click();
    await expect.poll(() => page.locator('.row').count()).toBe(1);
    await accessible(page);
    await expect.poll(() => page.getByLabel('Add to').inputValue()).toBe('ferries');
    await page.getByRole('radio', { name: 'Passages' }).check();
    await page.getByRole('searchbox', { name: 'Find passages in the documents' }).fill('Old Margery tides');
    await page.getByRole('list', { name: 'Passages found' }).or(page.getByText(/^No passages (?:found|match your search)\./)).first().waitFor();
    await expect.poll(() => page.locator('ol li', { hasText: 'Margery' }).count()).toBe(0);
    await page.getByRole('button', { name: /^All/ }).click();
    await page.locator('ol li', { hasText: 'Old Margery' }).first().waitFor();
  });

  test('passages are found with marked words, and open in their place', async () => {
    await page.getByRole('radio', { name: 'Passages' }).check();
    await page.getByText('Type a question or a few words').waitFor();
    await page.getByRole('searchbox', { name: 'Find passages in the documents' }).fill('When do neap tides occur?');
    const first = page.locator('ol li').first();
    await first.waitFor();
    await expect.poll(() => first.locator('mark').allTextContents()).toEqual(expect.arrayContaining(['Neap', 'tides', 'occur']));
    await expect.poll(() => first.textContent()).toContain('Tides');
    await expect.poll(() => first.locator('.where').textContent()).toContain('Neap tides');
    await expect.poll(() => first.getByRole('meter').getAttribute('aria-label')).toMatch(/^Score \d/);
    await accessible(page);
    await first.getByRole('button').click();
    await page.locator('.panel mark').first().waitFor();
    expect((await page.locator('.panel mark').allTextContents()).join('')).toContain('Neap tides occur at the quarter moons');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.panel').count()).toBe(0);
    await first.getByRole('button').and(page.locator(':focus')).waitFor();
  });

  test('a document is shown with its passages, and has an address', async () => {
    await row('Tides').getByRole('link').click();
    await page.locator('.panel').waitFor();
    expect(page.url()).toMatch(/#\/documents\/\d+$/);
    await page.locator('.panel').getByRole('tab', { name: 'Passages' }).click();
    await page.locator('.panel').getByText('The harbour of Quelmouth measures the tide').waitFor();
    await accessible(page);
    await page.reload();
    await page.locator('.panel').getByText('Old Margery').first().waitFor();
  });

  test.each([
    ['dark', { colorScheme: 'dark' }],
    ['360 px', { viewport: { width: 360, height: 740 }, hasTouch: true }],
  ] as const)('accessible: %s', async (_, options) => {
    const other = await watch(browser, program.url, options);
    await other.page.goto(`${program.url}/#/documents`);
    await other.page.locator('.row').first().waitFor();
    await other.page.locator('.row').getByRole('checkbox').first().check();
    await accessible(other.page);
    await other.page.getByRole('radio', { name: 'Passages' }).check();
    await other.page.getByRole('searchbox', { name: 'Find passages in the documents' }).fill('tides');
    await other.page.locator('ol li').first().waitFor();
    await accessible(other.page);
    await expect.poll(() => other.page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
    await other.check();
  });

  test('a folder is dropped', async () => {
    // A page cannot make a drop of a folder, so its entries are made here.
    await page.evaluate(() => {
      const file = (path: string) => ({ isDirectory: false, isFile: true, fullPath: path, file: (ok: (f: File) => void) => ok(new File([`About ${path}.`], path.split('/').at(-1)!)) });
      const root = {
        isDirectory: true, isFile: false, fullPath: '/pier',
        createReader: () => {
          const locked = { ...file('/pier/locked.txt'), file: (_: unknown, fail: (e: Error) => void) => fail(new DOMException('no', 'NotReadableError')) };
          const parts = [[file('/pier/a.txt'), file('/pier/.DS_Store')], [file('/pier/b.txt'), locked], []];
          return { readEntries: (ok: (some: unknown[]) => void) => ok(parts.shift()!) };
        },
      };
      const e = new DragEvent('drop', { bubbles: true, cancelable: true });
      Object.defineProperty(e, 'dataTransfer', { value: { types: ['Files'], items: [{ kind: 'file', webkitGetAsEntry: () => root }] } });
      document.querySelector('.column')!.dispatchEvent(e);
    });
    await finished();
    await expect.poll(() => sources()).toEqual(['pier/a.txt', 'pier/b.txt']);
    await expect.poll(() => page.locator('.uploads .counts').textContent()).toBe('2 added · 2 passages · 1 failed · 1 hidden or system file skipped');
    const locked = page.locator('.uploads li.failed', { hasText: 'pier/locked.txt' });
    await expect.poll(() => locked.textContent()).toContain('Your browser could not read this file');
    await expect.poll(() => locked.getByRole('button').count()).toBe(0); // the same file would fail again
  });
});
