// The page on the real program. A restart of the program is in crash.test.ts.
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { accessible, launch, stopClock, watch, type Watched } from './browser';
import { sharedProgram, startProgram, type Program, type Shared } from './program';

const desk = `
name: harbour desk
states:
  choose:
    initial: true
    body: [{reply: "What is it about?"}, {options: [Tides, Moorings]}]
    on: [{message: any, to: end}]
  end:
    body: [{reply: "Thank you, that is all."}]
`;

describe('the page on an agent of a file', () => {
  let browser: Browser;
  let program: Program;

  beforeAll(async () => {
    [browser, program] = await Promise.all([launch(), startProgram({ agent: desk })]);
  });
  afterAll(async () => {
    await program?.stop();
  });

  test('it speaks first, and leaves no session without a message', async () => {
    const { page, check } = await watch(browser, program.url);
    const sessions = async () => ((await (await page.request.get(`${program.url}/api/sessions`)).json()) as unknown[]).length;
    const tides = page.getByRole('button', { name: 'Tides', exact: true });
    await page.goto(program.url);
    await tides.waitFor();
    await expect.poll(() => page.title()).toBe('New chat · harbour desk');
    await page.reload();
    await tides.waitFor();
    await expect.poll(sessions).toBe(1);
    await tides.click();
    await page.locator('.column').getByText('Thank you, that is all.').waitFor();
    await expect.poll(() => page.locator('nav li').first().textContent()).toContain('Tides');
    await page.getByLabel('Your message').fill('And now?');
    await page.keyboard.press('Enter');
    await page.getByText('The agent cannot answer this message yet. docent keeps it until the agent can.').waitFor();
    await page.getByRole('link', { name: 'New chat' }).first().click();
    await tides.waitFor();
    await expect.poll(() => page.locator('.question').count()).toBe(0);
    await page.goto('about:blank');
    await expect.poll(sessions).toBe(1);
    await check();
  });
});

describe('the page on the real program', () => {
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
    await page.goto(program.url);
  });
  afterEach(() => watched.check());

  const ask = async (text: string, n = 1) => {
    await page.getByLabel('Your question').fill(text);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.answer:not([aria-busy]) .sources').count(), { timeout: 60_000 }).toBe(n);
  };
  const plain = (s: string | null) => (s ?? '').replace(/\s+/g, ' ').trim();

  test('answers with citations that open the passage they cite', async () => {
    await ask('When do neap tides occur?');
    expect(plain(await page.locator('.answer .prose').last().textContent())).toContain('quarter moons');
    await page.locator('.answer:last-of-type .cite').first().click();
    await page.locator('mark.active').first().waitFor();
    expect(plain((await page.locator('mark.active').allTextContents()).join(''))).toContain('Neap tides occur at the quarter moons, when the pull of the Sun 😀 works');
    // The quoted paragraph is marked.
    expect(plain(await page.locator('mark.said').first().textContent())).toMatch(/^Neap tides occur at the quarter moons.*average\.$/);
    await expect
      .poll(async () => {
        const { y } = (await page.locator('mark.said').first().boundingBox())!;
        return y > 0 && y < 800;
      })
      .toBe(true);
    await expect.poll(() => page.getByText('has changed since').count()).toBe(0);
    expect(plain(await page.locator('.panel .head').textContent())).toContain('Tides');
    const file = await page.locator('.panel a[target=_blank]').getAttribute('href');
    const res = await page.request.get(program.url + file!);
    expect(res.status()).toBe(200);
    await expect.poll(() => res.text()).toContain('# Tides');
    await accessible(page);
  });

  test('every citation of an answer finds its passage unchanged', async () => {
    await ask('How often is compost turned, and when are roses pruned?');
    const cites = page.locator('.answer:last-of-type .cite');
    const n = await cites.count();
    expect(n).toBeGreaterThan(0);
    for (let i = 0; i < n; i++) {
      await cites.nth(i).click();
      await page.locator('mark.active').first().waitFor();
      await expect.poll(() => page.locator('.panel .note').count()).toBe(0);
    }
  });

  test('an uploaded document is cited, but not after its deletion', async () => {
    await page.goto(`${program.url}/#/documents`);
    await page.locator('.row').first().waitFor();
    await page.setInputFiles('input[type=file]:not(.folder)', [
      { name: 'ferry.txt', mimeType: 'text/plain', buffer: Buffer.from('The ferry Calliope leaves Quelmouth at 06:40 and at 17:15 on weekdays.\n') },
      { name: 'empty.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4\n') },
    ]);
    await page.locator('li.done', { hasText: 'ferry.txt' }).waitFor();
    // The first PDF of all waits for its reader to be loaded.
    await page.locator('li.failed', { hasText: 'empty.pdf' }).waitFor({ timeout: 150_000 });
    expect(plain(await page.locator('li.failed .outcome').textContent()).length).toBeGreaterThan(10);
    await accessible(page);
    await page.getByRole('link', { name: 'New chat' }).first().click();
    await ask('When does the ferry Calliope leave?');
    await expect.poll(() => page.locator('.answer .prose').last().textContent()).toContain('06:40');
    await page.goto(`${program.url}/#/documents`);
    await page.locator('.row', { hasText: 'ferry' }).waitFor();
    await stopClock(page);
    await page.locator('.row', { hasText: 'ferry' }).getByRole('button', { name: /^Options for/ }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await expect.poll(() => page.locator('.row', { hasText: 'ferry.txt' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Dismiss' }).click(); // without undo
    await page.clock.resume();
    await expect.poll(async () => ((await (await page.request.get(`${program.url}/api/documents?match=ferry`)).json()) as { documents: unknown[] }).documents.length).toBe(0);
    await page.getByRole('link', { name: 'New chat' }).first().click();
    await ask('When does the ferry Calliope leave?');
    await expect.poll(() => page.locator('.answer .prose').last().textContent()).not.toContain('06:40');
  }, 300_000);

  test('hostile documents are quoted and do nothing', async () => {
    await ask('At what pressure does the zorblatt valve open?');
    await ask('Tell me about zorblatt maintenance', 2);
    for (const source of await page.locator('.sources li button:visible').all()) {
      await source.click();
      await page.locator('.panel .text').first().waitFor();
    }
    await expect.poll(() => page.locator('.answer :is(img, script, iframe, form)').count()).toBe(0);
    await page.goto(`${program.url}/#/documents`);
    await page.locator('.row').first().waitFor();
    await page.waitForLoadState('networkidle');
  });

  test('the server sends the policy, and caches only files with a hash in their name', async () => {
    const index = await page.request.get(program.url);
    expect(index.headers()['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'/);
    expect(index.headers()['cache-control']).toBe('no-cache');
    const asset = /src="\.(\/assets\/[^"]+\.js)"/.exec(await index.text())![1]!;
    expect((await page.request.get(program.url + asset)).headers()['cache-control']).toContain('immutable');
  });
});
