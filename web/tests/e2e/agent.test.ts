// The page with an agent that reasons and offers choices.
import type { Browser, Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { MockDocent } from '../mock/server';
import { accessible, launch, watch, type Watched } from './browser';

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
  await page.goto(mock.url);
});
afterEach(() => watched.check());

async function ask(text: string, on = page): Promise<void> {
  await on.getByLabel('Your question').fill(text);
  await on.keyboard.press('Enter');
}

const trace = () => page.locator('details.trace');
const said = (text: string) => page.locator('.column').getByText(text, { exact: true });
const stop = () => page.getByRole('button', { name: 'Stop' });
const answered = () => page.locator('.answer:not([aria-busy]) .sources').waitFor();
/** folded waits for the end of a turn that reasons: its answer comes before. */
const folded = async () => {
  await trace().getByText(/^How docent found this/).waitFor();
  await expect.poll(() => trace().locator('.inner').isVisible()).toBe(false);
};

describe('reasoning', () => {
  test('is shown live, step by step in words, and can be folded', async () => {
    mock.hold = 'searching';
    await ask('endless research');
    const line = trace().locator('> summary .label');
    await line.getByText('Searching for “backup”…').waitFor();
    mock.hold = '';
    await trace().locator('.call').first().waitFor();
    await trace().locator('.inner').waitFor();
    await page.getByText('Reading document 99: failed').waitFor();
    const report = trace().getByText('ERROR: there is no document 99');
    await expect.poll(() => report.isVisible()).toBe(false);
    await page.getByText('Report').click();
    await report.waitFor();
    await expect.poll(() => trace().innerText()).not.toMatch(/search_knowledge|read_document/);
    await page.getByText('2 of 3 tasks').waitFor();
    await trace().locator('> summary').press('Enter');
    await expect.poll(() => trace().locator('.inner').isVisible()).toBe(false);
    await trace().locator('> summary').press('Enter');
    await trace().locator('.inner').waitFor();
    await expect.poll(() => trace().locator('.tasks li.completed').count()).toBe(2);
    await expect.poll(() => trace().count()).toBe(1);
    await expect.poll(() => page.locator('.answer[aria-busy]').count()).toBe(0);
    await accessible(page);
    await stop().click();
    await page.getByText('Steps taken').waitFor();
    await expect.poll(() => trace().locator('.inner').isVisible()).toBe(true); // folded or open, as the reader left it
  });

  test('stands above its answer, and is the same after a reload', async () => {
    await ask('research backups');
    await answered();
    // A browser's clock and the server's may differ by as long as a step is on its way.
    const time = / · \d+(?:\.\d+)? s$/m;
    const timeless = (text: string) => {
      expect(text.split('\n')[0]).toMatch(/^How docent found this · 3 steps · \d+(?:\.\d+)? s$/);
      return text.replace(time, '');
    };
    const seen = async () => {
      await folded();
      await trace().locator('> summary').click();
      await trace().locator('.inner').waitFor();
      const text = await trace().evaluate((el) => (el as HTMLElement).innerText);
      await expect.poll(() => trace().locator('ol > li').count()).toBe(3);
      await expect.poll(() => trace().locator('.call').count()).toBe(3);
      await expect.poll(() => trace().locator('.tasks li').count()).toBe(3);
      await expect.poll(() => page.locator('article, details.trace').evaluateAll((all) => all.map((el) => el.className.split(' ')[0]))).toEqual(['answer', 'question', 'trace', 'answer']);
      return timeless(text);
    };
    const before = await seen();
    expect(before).toContain('How docent found this · 3 steps');
    expect(before).toContain('[1] Backups');
    expect(before).not.toContain('add_tasks');
    await page.reload();
    await answered();
    await expect.poll(() => seen()).toBe(before);
    await accessible(page);
  });
});

describe('an agent that is not the built-in one', () => {
  const choice = (name = 'Billing') => page.getByRole('button', { name });
  const fresh = async () => {
    mock.agent = 'Front desk';
    await page.reload();
    await choice().waitFor();
  };

  test('visits without a message leave no session', async () => {
    await fresh();
    for (let i = 0; i < 3; i++) await fresh();
    await expect.poll(() => mock.sessions.size).toBe(1);
    await page.getByRole('link', { name: 'Documents' }).click();
    await page.getByRole('link', { name: 'New chat' }).first().click();
    await choice('My account').click();
    await expect.poll(() => page.url()).toContain('#/c/');
    await page.getByRole('link', { name: 'New chat' }).first().click();
    await expect.poll(() => mock.sessions.size).toBe(2);
    await choice().waitFor();
    await page.locator('nav li a').first().click();
    await page.locator('.question').waitFor();
    await expect.poll(() => mock.sessions.size).toBe(1);
    await page.goto('about:blank');
    expect(mock.sessions.size).toBe(1);
  });
});

test('files are saved, pictures and tables are drawn, and HTML runs nothing', async () => {
  await ask('all kinds');
  await page.frameLocator('iframe').getByRole('heading', { name: 'Report' }).waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download figures.csv' }).click()]);
  expect(download.suggestedFilename()).toBe('figures.csv');
  await expect.poll(() => page.locator('.answer img').first().evaluate((el) => (el as HTMLImageElement).naturalWidth)).toBe(1);
  await page.getByText('49.61162° N, 6.13194° W').waitFor();
  await page.getByText('250 rows', { exact: true }).waitFor();
  await expect.poll(() => page.frameLocator('iframe').locator('b').first().textContent()).toBe('grew');
  await expect.poll(() => page.frameLocator('iframe').locator(':is(script, iframe, form, input, svg, style, base, [onclick], [onload])').count()).toBe(0);
  await accessible(page);
});

test('messages and replies of another tab appear here', async () => {
  await ask('backup');
  await answered();
  const other = await watch(browser, mock.url);
  await other.page.goto(page.url());
  await other.page.locator('.sources').waitFor();
  await ask('research backups', other.page);
  await said('research backups').waitFor();
  await page.getByText('How docent found this').waitFor();
  await expect.poll(() => page.locator('.question').count()).toBe(2);
  await expect.poll(() => page.locator('.answer .sources').count()).toBe(2);
  await other.check();
});

test('an unfinished answer shows only numbers of possible sources', async () => {
  mock.hold = 'As in [2] of the list, and [9].';
  await ask('say it from nowhere');
  await page.getByText('As in [2] of the list, and [9].').waitFor();
  await expect.poll(() => page.locator('.cite').count()).toBe(0);
  mock.hold = 'So [99], but so [2], and so [1].';
  await page.locator('article.answer[aria-busy]').waitFor({ state: 'detached' });
  await ask('make it up: made up');
  await expect.poll(() => page.locator('.answer[aria-busy] .cite').allTextContents()).toEqual(['1', '2']);
  await expect.poll(() => page.locator('.answer[aria-busy]').textContent()).toContain('So [99], but so');
  mock.hold = '';
  await expect.poll(() => page.locator('.answer:not([aria-busy]) button.cite').count()).toBeGreaterThan(1);
  await expect.poll(() => page.locator('.answer').last().locator('.prose .cite').allTextContents()).toEqual(['1', '2']);
});
