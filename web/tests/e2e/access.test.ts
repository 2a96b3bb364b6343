// Accessibility on the real program: axe in every view, the keyboard alone, reduced motion,
// narrow windows, and text from right to left.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { accessible, accessibleInThemes, launch, stopClock, watch, type Watched } from './browser';
import { sharedProgram, startProgram, type Program, type Shared } from './program';

describe('everybody can use the page', () => {
  let browser: Browser;
  let program: Shared;
  let closed: Program;

  beforeAll(async () => {
    [browser, program, closed] = await Promise.all([launch(), sharedProgram(), startProgram({ user: ['ada', 'correct horse battery'] })]);
  });
  afterAll(() => closed?.stop());

  let watched: Watched;
  let page: Page;
  afterEach(() => watched?.check(60));

  async function visit(options: BrowserContextOptions = {}, storage: Record<string, string> = {}, rtl = false, at: Shared = program) {
    watched = await watch(browser, at.url, options);
    page = watched.page;
    await page.context().addInitScript((storage) => {
      for (const [key, value] of Object.entries(storage)) localStorage.setItem(key, value);
    }, storage);
    await page.goto(at.url);
    if (rtl) await page.evaluate(() => (document.documentElement.dir = 'rtl'));
  }

  const composer = () => page.locator('textarea').first();
  async function ask(text: string) {
    const before = await page.locator('.answer:not([aria-busy]) .sources').count();
    await composer().fill(text);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.answer:not([aria-busy]) .sources').count()).toBe(before + 1);
  }
  const narrow = () => expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);

  // Each look adds rules that can fail only there. German has the longest texts.
  const looks: [string, BrowserContextOptions, Record<string, string>, boolean, () => Promise<void>][] = [
    ['light, dark, and from right to left', {}, {}, false, async () => {
      await accessibleInThemes(page);
      await page.evaluate(() => (document.documentElement.dir = 'rtl'));
      await accessible(page, 'layout');
      await narrow();
      await page.evaluate(() => (document.documentElement.dir = 'ltr'));
    }],
    ['320 px, in German', { viewport: { width: 320, height: 640 }, hasTouch: true }, { 'docent.language': 'de' }, false, () => accessibleInThemes(page)],
    ['320 px, very large, from right to left', { viewport: { width: 320, height: 640 } }, { 'docent.size': 'x-large' }, true, () => accessible(page, 'layout')],
  ];
  for (const [name, options, storage, rtl, check] of looks) {
    test(`every view: ${name}`, async () => {
      await visit(options, storage, rtl);
      const seen = async () => {
        // While the conversation still scrolls, the input can cover a part of it.
        let last = -1;
        await expect.poll(async () => {
          const at = await page.evaluate(() => document.querySelector('.chat > .scroller')?.scrollTop ?? 0);
          return at === last || void (last = at);
        }).toBe(true);
        await check();
        await narrow();
      };
      await composer().waitFor();
      await page.waitForLoadState('networkidle'); // the suggestions are there
      await seen();
      await ask('When do neap tides occur?');
      await seen();
      // The evidence, beside the answer.
      await page.locator('.answer .cite').first().click();
      await page.locator('mark.active').first().waitFor();
      await seen();
      await page.keyboard.press('Escape');
      await page.locator('.panel').waitFor({ state: 'detached' });
      await page.mouse.move(5, 500); // pointing at a number shows its passage
      // A question without an answer.
      await ask('Who won the 1987 chess championship of Paraguay?');
      await seen();
      const menu = page.getByRole('button', { name: /^Men[uü]$/ });
      if (await menu.isVisible()) {
        await menu.click();
        await page.getByRole('link', { name: /^(?:Documents|Dokumente)/ }).click({ trial: true }); // the card is there and does not move
        await seen();
        await page.keyboard.press('Escape');
        await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toMatch(/^Men[uü]$/);
      }
      const form = new FormData();
      form.append('file', new File(['This document is deleted and restored.'], 'gone.txt'));
      expect((await fetch(`${program.url}/api/documents`, { method: 'POST', body: form })).status).toBe(200);
      await page.goto(`${program.url}/#/documents`);
      await page.getByText('gone.txt').first().waitFor();
      await seen();
      // A deleted document that can be restored, while the pointer is over the notice.
      const row = page.locator('.row', { hasText: 'gone.txt' });
      await stopClock(page);
      await row.getByRole('checkbox').check();
      await page.getByRole('button', { name: /^(?:Delete selected|Ausgewählte löschen)$/ }).click();
      await row.waitFor({ state: 'detached' });
      await page.locator('.notice').hover();
      await page.clock.resume();
      await (rtl ? accessible(page, 'layout') : accessibleInThemes(page));
      await narrow();
      await page.locator('.notice .undo').click();
      await row.waitFor();
      await page.goto(`${program.url}/#/settings`);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page.locator('select, [role=radiogroup], fieldset').first().waitFor();
      await seen();
    });
  }

  test('the keyboard alone: sort, select, delete and undo documents', async () => {
    await visit();
    await page.goto(`${program.url}/#/documents`);
    await page.locator('.row').first().waitFor();
    const before = await page.locator('.row').count();
    const title = page.getByRole('columnheader', { name: 'Title' });
    await title.getByRole('button').focus();
    await page.keyboard.press('Space');
    await expect.poll(() => title.getAttribute('aria-sort')).toBe('ascending');
    await stopClock(page);
    const box = page.locator('.row').first().getByRole('checkbox');
    await box.focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Delete selected' }).press('Enter');
    await expect.poll(() => page.locator('.row').count()).toBe(before - 1);
    await page.locator('.row a:focus').waitFor(); // the keyboard focus is there
    await page.keyboard.press('Control+z');
    await expect.poll(() => page.locator('.row').count()).toBe(before);
    await page.clock.resume();
  });

  test('the login', async () => {
    await visit({}, {}, false, closed);
    await page.locator('input[type=password]').waitFor();
    await accessible(page);
  });

  test('the keyboard alone: ask, read a source, rename and delete, change a setting', async () => {
    await visit();
    await composer().waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') || document.activeElement?.textContent?.trim() || document.activeElement?.tagName || '');
    /** tab goes on until the focus is on what is named. */
    const tab = async (to: RegExp, key = 'Tab') => {
      const passed: string[] = [];
      for (let i = 0; i < 80; i++) {
        await page.keyboard.press(key);
        const now = await focused();
        passed.push(now.slice(0, 40));
        if (to.test(now)) return;
      }
      throw new Error(`${String(to)} is not reached by ${key}: ${passed.join(' | ')}`);
    };
    await expect.poll(() => composer().evaluate((el) => el === document.activeElement)).toBe(true);
    await page.keyboard.type('When do neap tides occur at all?'); // no other conversation has this name
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.answer:not([aria-busy]) .sources').count()).toBe(1);
    await tab(/^Source 1/, 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.locator('mark').first().waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.panel').waitFor({ state: 'detached' });
    await expect.poll(focused).toMatch(/^Source 1/); // the focus has not moved
    // The menu renames the conversation, then deletes it.
    const choose = async (item: string) => {
      await page.keyboard.press('Enter');
      await page.getByRole('menu').locator(':focus').waitFor();
      for (let i = 0; i < 10 && (await focused()) !== item; i++) await page.keyboard.press('ArrowDown');
      await expect.poll(() => focused()).toBe(item);
      await page.keyboard.press('Enter');
    };
    await page.getByRole('button', { name: /^Options for “When do neap tides occur at all/ }).waitFor({ state: 'attached' });
    await tab(/^Options for “When do neap tides occur at all/, 'Shift+Tab');
    await choose('Rename');
    await page.getByLabel('Name of the conversation').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Moons');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Moons' }).first().waitFor();
    await tab(/^Settings/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Settings' }).first().waitFor();
    await tab(/^Options for “Moons”/, 'Shift+Tab');
    await choose('Delete');
    await expect.poll(() => page.getByRole('link', { name: 'Moons' }).count()).toBe(0);
  });

  test('with reduced motion, no animation lasts', async () => {
    await visit({ reducedMotion: 'reduce' });
    await composer().waitFor();
    await composer().fill('When are roses pruned?');
    await page.keyboard.press('Enter');
    const lasting = () =>
      page.evaluate(() => document.getAnimations().filter((a) => Number(a.effect?.getComputedTiming().duration ?? 0) > 10).map((a) => (a as CSSAnimation).animationName ?? a.id));
    await expect.poll(() => lasting()).toEqual([]);
    await expect.poll(() => page.locator('.answer:not([aria-busy]) .sources').count()).toBe(1);
    await page.locator('.answer .cite').first().click();
    await page.locator('mark').first().waitFor();
    await expect.poll(() => lasting()).toEqual([]);
  });
});
