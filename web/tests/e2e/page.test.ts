// The page on the mock server. Tests on the real program are in program.test.ts.
import type { Browser, Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { MockDocent } from '../mock/server';
import { launch, stopClock, watch, wheel, type Watched } from './browser';

let browser: Browser;
let mock: MockDocent;
let watched: Watched;
let page: Page;

beforeAll(async () => void (browser = await launch()));
beforeEach(async () => {
  mock = await new MockDocent().start();
  onTestFinished(() => mock.stop());
  watched = await watch(browser, mock.url);
  page = watched.page;
});
afterEach(() => watched.check());

const field = () => page.getByLabel('Your question');
const panel = () => page.locator('.panel');

async function ask(text: string): Promise<void> {
  await field().fill(text);
  await field().press('Enter');
}

async function answered(n = 1): Promise<void> {
  await expect.poll(() => page.locator('.answer:not([aria-busy]) .sources').count(), { timeout: 60_000 }).toBe(n);
}

/** visible reports whether an element is inside its scroller's view. */
const visible = (selector: string) =>
  page.locator(selector).first().evaluate((el) => {
    const a = el.getBoundingClientRect();
    return a.height > 0 && a.top >= 0 && a.top < innerHeight && document.elementFromPoint(a.left + 4, a.top + 4)?.closest('mark, .question, button') !== null;
  });

/** focused is a property or an attribute of what has the focus. */
const focused = (what: 'className' | 'id' | 'textContent' | 'aria-label') =>
  page.evaluate((what) => (what === 'aria-label' ? document.activeElement?.getAttribute(what) : document.activeElement?.[what]) ?? '', what);

describe('conversation', () => {
  test('an answer is streamed and cited, and its conversation has an address', async () => {
    mock.hold = 'nothing is stopped';
    await page.goto(mock.url);
    await ask('How do I make a backup?');
    // Drawn blocks stay while more text arrives.
    await page.locator('.answer[aria-busy] .prose ol').waitFor();
    await page.locator('.answer[aria-busy] .prose p').first().evaluate((el) => (el.dataset.seen = 'yes'));
    mock.hold = 'Indexes are not part of it';
    await page.locator('.answer[aria-busy] .prose p', { hasText: 'Indexes are not' }).waitFor();
    await expect.poll(() => page.locator('.answer[aria-busy] .prose p').first().getAttribute('data-seen')).toBe('yes');
    mock.hold = '';
    await answered();
    await expect.poll(() => page.locator('button.cite').count()).toBeGreaterThan(3);
    expect(page.url()).toMatch(/#\/c\/s-1$/);
    await expect.poll(() => page.locator('.prose table td').first().textContent()).toBe('docent backup');
    await expect.poll(() => page.locator('[aria-live]').textContent()).toContain('A backup is');
    await page.reload();
    await answered();
    await expect.poll(() => page.locator('.question').textContent()).toContain('How do I make a backup?');
    await expect.poll(() => page.locator('nav li').first().textContent()).toContain('How do I make a backup?');
  });

  test('Shift+Enter begins a line, the box grows, and empty messages are not sent', async () => {
    await page.goto(mock.url);
    await field().fill('   ');
    await field().press('Enter');
    const low = (await field().boundingBox())!.height;
    await field().fill('one');
    for (let i = 0; i < 3; i++) await field().press('Shift+Enter');
    await expect.poll(async () => (await field().boundingBox())!.height).toBeGreaterThan(low + 30);
    expect(mock.received).toEqual([]);
  });

  test('following the end stops at the question, and when the reader scrolls', async () => {
    await page.goto(mock.url);
    await ask('a long one');
    await answered();
    await expect.poll(() => visible('.question')).toBe(true);
    await page.getByRole('button', { name: 'Go to the end' }).click();
    const end = () => page.locator('.chat .scroller').evaluate((el) => el.scrollHeight - el.clientHeight - el.scrollTop);
    await expect.poll(end).toBeLessThan(2);
    mock.hold = 'Paragraph 20 ';
    await ask('another long one');
    await page.locator('.answer[aria-busy] .prose').getByText('Paragraph 20 ').waitFor();
    const at = () => page.locator('.chat .scroller').evaluate((el) => el.scrollTop);
    // The reader starts at the question.
    await expect.poll(() => page.locator('.question').nth(1).evaluate((el) => Math.round(el.getBoundingClientRect().top - el.closest('.scroller')!.getBoundingClientRect().top))).toBeLessThan(100);
    const from = await at();
    await wheel(page.locator('.chat .scroller'), -200);
    await expect.poll(at).toBeLessThanOrEqual(from - 200);
    const there = await at();
    mock.hold = '';
    await answered(2);
    await expect.poll(() => at()).toBe(there);
  });

  test('conversations are renamed and deleted, with undo, and missing ones are reported', async () => {
    mock.create('one', 'First');
    mock.create('two', 'Second');
    const choose = async (name: string, what: string) => {
      await page.getByRole('link', { name, exact: true }).hover();
      await page.getByRole('button', { name: `Options for “${name}”` }).click();
      await page.getByRole('menuitem', { name: what }).click();
    };
    await page.goto(mock.url);
    await choose('First', 'Rename');
    await page.getByLabel('Name of the conversation').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Renamed');
    await page.keyboard.press('Enter');
    await expect.poll(() => mock.sessions.get('one')?.row.session_name).toBe('Renamed');
    await page.getByRole('link', { name: 'Second' }).click();
    await expect.poll(() => page.url()).toMatch(/#\/c\/two$/);
    await stopClock(page);
    await choose('Second', 'Delete');
    await expect.poll(() => page.url()).toMatch(/#\/$/);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'Second' }).waitFor();
    expect(mock.sessions.size).toBe(2);
    await choose('Second', 'Delete');
    await expect.poll(() => page.getByRole('link', { name: 'Second' }).count()).toBe(0);
    expect(mock.sessions.size).toBe(2);
    await page.mouse.move(700, 300); // the notice stays while the pointer is over it
    await page.clock.resume();
    await expect.poll(() => mock.sessions.size).toBe(1);
    await page.goto(`${mock.url}/#/c/two`);
    await page.getByText('no longer exists').waitFor();
    // The user cannot write in it, only begin another conversation.
    await expect.poll(() => page.getByLabel('Your question').count()).toBe(0);
    const fresh = page.getByRole('main').getByRole('link', { name: 'New chat' }).last();
    await fresh.click();
    await page.getByLabel('Your question').and(page.locator(':focus')).waitFor();
    await ask('backup');
    await answered();
  });
});

describe('evidence', () => {
  test('a citation opens its passage, marked and in view', async () => {
    await page.goto(mock.url);
    await ask('backup');
    await answered();
    await page.locator('.cite').first().hover();
    await expect.poll(() => page.getByRole('tooltip').textContent()).toContain('docent keeps everything in one database');
    await page.locator('.cite').first().click();
    // The passage, with the part about the sentence.
    const marked = async () => (await page.locator('mark.active').allTextContents()).join('');
    await page.locator('mark.active').first().waitFor();
    await expect.poll(() => marked()).toMatch(/^docent keeps everything.*über 10 GB 😀 — take a few minutes\.$/s);
    await expect.poll(() => visible('mark.active')).toBe(true);
    await expect.poll(() => panel().textContent()).toContain('Operations › Backups');
    await expect.poll(() => page.locator('.panel a[target=_blank]').getAttribute('href')).toBe('/api/documents/1/file');
    await page.getByRole('button', { name: 'Next source' }).click();
    await expect.poll(() => marked()).toMatch(/^To restore/);
    await page.getByRole('button', { name: 'Next source' }).click();
    await expect.poll(() => marked()).toMatch(/^docent is one program/);
    await page.getByRole('button', { name: 'Next source' }).click();
    await expect.poll(() => panel().textContent()).toContain('page 12');
    await page.keyboard.press('Escape');
    await expect.poll(() => panel().count()).toBe(0);
    await expect.poll(() => focused('className')).toContain('cite');
  });

  test('more of a long document comes on demand, without a jump', async () => {
    await page.goto(mock.url);
    await ask('backup');
    await answered();
    await page.locator('.cite').first().click();
    await page.locator('mark.active').first().waitFor();
    const top = () => page.locator('mark.active').first().evaluate((el) => Math.round(el.getBoundingClientRect().top));
    await page.locator('.panel .body').evaluate((el) => (el.scrollTop = 0));
    const before = await top();
    await page.getByRole('button', { name: 'Show the preceding text' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'Show the preceding text' }).count()).toBe(0);
    await expect.poll(async () => Math.abs((await top()) - before)).toBeLessThan(120);
    await expect.poll(() => page.locator('.panel .text').textContent()).toContain('First paragraph 1.');
  });

  test('the keyboard alone reaches everything', async () => {
    await page.goto(`${mock.url}/#/documents`);
    await page.locator('.row').first().waitFor();
    await page.keyboard.press('Tab');
    await expect.poll(() => focused('textContent')).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    await expect.poll(() => focused('id')).toBe('main');
    await page.goto(mock.url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await field().focus();
    await page.keyboard.type('backup');
    await page.keyboard.press('Enter');
    await answered();
    await page.locator('.cite').first().focus();
    await page.keyboard.press('Enter');
    await page.locator('mark.active').first().waitFor();
    await expect.poll(() => focused('className')).toContain('panel');
    for (const name of ['Previous source', 'Next source']) {
      await page.keyboard.press('Tab');
      await expect.poll(() => focused('aria-label')).toBe(name);
    }
  });
});

describe('hostile content', () => {
  test('it runs, loads, and sends nothing', async () => {
    await page.goto(mock.url);
    await ask('hostile');
    await answered();
    await page.locator('.cite').first().click();
    await page.locator('mark.active').waitFor();
    await expect.poll(() => page.locator('.panel .text').textContent()).toContain('<img src=x onerror=');
    for (const link of await page.locator('.prose a').all()) await expect.poll(() => link.getAttribute('href')).toMatch(/^https:/);
    await expect.poll(() => page.locator('.answer :is(img, script, iframe, form, svg:not(.sources svg))').count()).toBe(0);
    await page.goto(`${mock.url}/#/documents/5`);
    await page.locator('.panel .text').waitFor();
    await page.waitForLoadState('networkidle');
  });

  test('the policy would stop content that the page let through', async () => {
    await page.goto(mock.url);
    const blocked = await page.evaluate(
      () =>
        new Promise<string[]>((done) => {
          const seen: string[] = [];
          document.addEventListener('securitypolicyviolation', (e) => {
            seen.push(e.effectiveDirective);
            if (seen.length === 3) done(seen.sort());
          });
          const script = document.createElement('script');
          script.textContent = "window.__pwned = 'inline'";
          const img = document.createElement('img');
          img.src = 'https://evil.example/p.png';
          const style = document.createElement('style');
          style.textContent = '* { display: none }';
          document.body.append(script, img, style);
        }),
    );
    expect(blocked).toEqual(['img-src', 'script-src-elem', 'style-src-elem']);
    watched.errors.length = 0; // the test itself made these three requests
    watched.foreign.length = 0;
  });
});

describe('connection', () => {
  test('lost during an answer: the page says so, reconnects, and loses nothing', async () => {
    await page.goto(mock.url);
    await ask('cut a backup');
    await page.getByText('Connection lost').waitFor();
    mock.mend();
    await page.getByRole('button', { name: 'Try now' }).click({ timeout: 2000 }).catch(() => undefined);
    await answered();
    await expect.poll(() => page.getByText('Connection lost').count()).toBe(0);
    await expect.poll(() => page.locator('.question').count()).toBe(1);
    await expect.poll(() => page.locator('.answer .prose').last().textContent()).toContain('copy of the database');
  });
});

describe('documents', () => {
  test('listed, filtered, uploaded, deleted', async () => {
    await page.goto(`${mock.url}/#/documents`);
    await expect.poll(() => page.locator('.row').count()).toBe(6);
    await expect.poll(() => page.locator('.table').textContent()).toContain('The PDF is encrypted');
    await page.getByPlaceholder('Filter').fill('report');
    await expect.poll(() => page.locator('.row').count()).toBe(1);
    await page.getByPlaceholder('Filter').fill('');
    await page.getByLabel('Failed only').check();
    await expect.poll(() => page.locator('.row').count()).toBe(1);
    await page.getByLabel('Failed only').uncheck();
    await page.setInputFiles('input[type=file]:not(.folder)', [
      { name: 'fine.txt', mimeType: 'text/plain', buffer: Buffer.from('fine') },
      { name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF') },
      { name: 'huge.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(1_000_001) },
    ]);
    await page.getByText('Added · 3 passages', { exact: true }).waitFor();
    await page.getByText('The PDF is truncated.').waitFor();
    await page.getByText('This file is larger than 1.0 MB').waitFor();
    await expect.poll(() => page.locator('.row').count()).toBe(7);
    await stopClock(page);
    await page.getByRole('button', { name: 'Options for “fine”' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await expect.poll(() => page.locator('.row').count()).toBe(6);
    expect(mock.documents.length).toBe(7); // the notice offers undo
    await page.mouse.move(5, 5); // the notice stays while the pointer is over it
    await page.clock.resume();
    await expect.poll(() => mock.documents.length).toBe(6);
  });

  test('files are dropped', async () => {
    await page.goto(`${mock.url}/#/documents`);
    await page.locator('.row').first().waitFor();
    const data = await page.evaluateHandle(() => {
      const d = new DataTransfer();
      d.items.add(new File(['dropped'], 'dropped.txt', { type: 'text/plain' }));
      return d;
    });
    await page.dispatchEvent('.column', 'dragenter', { dataTransfer: data });
    await page.getByText('Drop files to add them').waitFor();
    await page.dispatchEvent('.column', 'drop', { dataTransfer: data });
    await page.getByText('Added · 3 passages', { exact: true }).waitFor();
    expect(mock.documents.some((d) => d.source === 'upload:dropped.txt')).toBe(true);
  });
});

test('the chosen theme stays', async () => {
  await page.goto(mock.url);
  await page.getByRole('button', { name: /^Theme/ }).click();
  await page.getByRole('button', { name: /^Theme/ }).click();
  await page.reload();
  await expect.poll(() => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)).toBe('rgb(23, 22, 20)');
});
