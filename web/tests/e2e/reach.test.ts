// Small windows and the keyboard reach all controls, and announcements are plain text.
import type { Browser, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { accessible, launch, watch, type Watched } from './browser';
import { sharedProgram, type Shared } from './program';

let program: Shared;
let browser: Browser;
let open: Watched[] = [];
beforeAll(async () => {
  [browser, program] = await Promise.all([launch(), sharedProgram()]);
});

afterEach(async () => {
  for (const one of open) await one.check();
  open = [];
});

async function at(width: number, height: number, more = {}): Promise<Page> {
  const watched = await watch(browser, program.url, { viewport: { width, height }, ...more });
  open.push(watched);
  await watched.page.goto(program.url);
  await watched.page.getByRole('heading', { level: 1 }).waitFor();
  return watched.page;
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.tagName);

async function ask(page: Page, question: string) {
  await page.getByRole('textbox', { name: 'Your question' }).fill(question);
  await page.keyboard.press('Enter');
  await page.locator('.answer:not([aria-busy]) .sources').last().waitFor();
}

describe('within reach', () => {
  it.each([[320, 568], [740, 360], [1280, 400]])('in %i × %i, the start begins at its top, and Settings is reachable', async (width, height) => {
    const page = await at(width, height);
    await page.locator('.start h1').waitFor();
    await page.locator('.start li').first().waitFor();
    await expect.poll(() => page.locator('.chat .scroller').evaluate((el) => el.scrollTop)).toBe(0);
    if (width < 832) await page.getByRole('button', { name: 'Menu', exact: true }).click();
    const settings = page.getByRole('link', { name: 'Settings' });
    await settings.scrollIntoViewIfNeeded();
    const box = (await settings.boundingBox())!;
    expect(box.y).toBeGreaterThanOrEqual(0);
    expect(box.y + box.height).toBeLessThanOrEqual(height);
    await accessible(page);
  });

  it('keeps the focus after a rating and at the last source, and announces answers without Markdown', async () => {
    const page = await at(1280, 800);
    await ask(page, 'When do neap tides occur?');
    await expect.poll(() => page.locator('.chat > [aria-live=polite]').textContent()).toMatch(/^Answer: /);
    await expect.poll(() => page.locator('.chat > [aria-live=polite]').textContent()).not.toMatch(/[*`#]/);
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toContain('neap');
    await accessible(page);

    const bad = page.getByRole('button', { name: 'Bad answer' });
    for (const key of ['Escape', 'Enter']) {
      await bad.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('textbox', { name: /comment/i }).or(page.locator('.actions input')).first().waitFor();
      await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
      await page.keyboard.press(key);
      await expect.poll(() => focused(page)).toBe('Bad answer');
    }

    await page.locator('.answer .cite').first().click();
    await page.locator('.panel mark').first().waitFor();
    await accessible(page);
    const next = page.getByRole('button', { name: 'Next source' });
    await next.focus();
    await expect
      .poll(async () => {
        await page.keyboard.press('Enter');
        return next.getAttribute('aria-disabled');
      })
      .toBe('true');
    await expect.poll(() => focused(page)).toBe('Next source');
  });

  it('shows the chosen option with forced colors', async () => {
    const page = await at(1280, 800, { forcedColors: 'active' });
    await page.goto(`${program.url}/#/settings`);
    const look = (chosen: boolean) => page.locator(`fieldset label${chosen ? '.chosen' : ':not(.chosen)'}`).first().evaluate((el) => getComputedStyle(el).backgroundColor);
    await page.locator('fieldset label.chosen').first().waitFor();
    await expect.poll(() => look(true)).not.toBe(await look(false));
  });
});
