// The page with an agent that reasons, offers choices and is stopped.
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MockDocent } from '../mock/server';
import { accessible, launch, watch, type Watched } from './browser';

let browser: Browser;
let mock: MockDocent;
let watched: Watched;
let page: Page;

beforeAll(async () => void (browser = await launch()));
afterAll(() => browser.close());
beforeEach(async () => {
  mock = await new MockDocent().start();
  mock.pace = 2;
  watched = await watch(browser, mock.url);
  page = watched.page;
  await page.goto(mock.url);
});
afterEach(async () => {
  await watched.check();
  await mock.stop();
});

async function ask(text: string, on = page): Promise<void> {
  await on.getByLabel('Your question').fill(text);
  await on.keyboard.press('Enter');
}

const trace = () => page.locator('details.trace');
const said = (text: string) => page.locator('.column').getByText(text, { exact: true });
const stop = () => page.getByRole('button', { name: 'Stop' });
const answered = () => page.locator('.answer:not([aria-busy]) .sources').waitFor();

describe('reasoning', () => {
  test('is one calm line while it runs, which opens', async () => {
    mock.pace = 15;
    await ask('endless research');
    await page.getByText('Thinking… calling search_knowledge').waitFor();
    expect(await trace().locator('.inner').isVisible()).toBe(false);
    await trace().locator('summary').press('Enter');
    await page.getByText('read_document').first().waitFor();
    await page.getByText('2 of 3 tasks').waitFor();
    expect(await trace().locator('.tasks li.completed').count()).toBe(2);
    expect(await trace().count()).toBe(1);
    expect(await page.locator('.answer[aria-busy]').count()).toBe(0);
    await accessible(page);
    await stop().click();
    await page.getByText('What was done').waitFor();
  });

  test('stands above its answer, and is the same after a reload', async () => {
    await ask('research backups');
    await answered();
    const seen = async () => {
      await trace().locator('summary').click();
      const text = await trace().evaluate((el) => (el as HTMLElement).innerText);
      expect(await trace().locator('ol > li').count()).toBe(3);
      expect(await trace().locator('.call').count()).toBe(3);
      expect(await trace().locator('.tasks li').count()).toBe(3);
      expect(await page.locator('article, details.trace').evaluateAll((all) => all.map((el) => el.className.split(' ')[0]))).toEqual(['answer', 'question', 'trace', 'answer']);
      return text;
    };
    const before = await seen();
    expect(before).toContain('How this was found · 3 steps');
    expect(before).toContain('[1] Backups');
    expect(before).not.toContain('add_tasks');
    await page.reload();
    await answered();
    expect(await seen()).toBe(before);
    await accessible(page);
  });

  test('long results are shown when asked for', async () => {
    await ask('research backups');
    await answered();
    await trace().locator('summary').click();
    const text = () => trace().locator('.call').first().innerText();
    const short = (await text()).length;
    await page.getByRole('button', { name: /Show all/ }).click();
    expect((await text()).length).toBeGreaterThan(short + 500);
    await page.getByRole('button', { name: 'Show less' }).click();
    expect((await text()).length).toBe(short);
  });

  test('a lost connection doubles nothing', async () => {
    mock.pace = 15;
    await ask('research backups slowly');
    await page.getByText('Thinking… calling search_knowledge').waitFor();
    mock.cut();
    await page.getByText('Connection lost').waitFor();
    await expect.poll(() => mock.sessions.get('s-1')?.running.size, { timeout: 10_000 }).toBe(0);
    mock.mend();
    await answered(); // it comes back by itself
    await page.getByText('How this was found · 3 steps').waitFor();
    await trace().locator('summary').click();
    expect(await trace().locator('.call').count()).toBe(3);
    expect(await page.locator('.answer').count()).toBe(2);
  });
});

describe('stop', () => {
  test('ends the turn, and what waits, and is said once', async () => {
    await ask('slow one');
    await page.locator('.status', { hasText: 'Searching the documents…' }).waitFor();
    await ask('slow two');
    await stop().click();
    await expect.poll(() => said('Stopped.').count()).toBe(2);
    expect(await stop().count()).toBe(0);
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA');
    await page.reload();
    await expect.poll(() => said('Stopped.').count()).toBe(2);
  });

  test('a message that is held says so', async () => {
    await ask('keep this');
    await page.getByText('Kept for later: no step of this agent takes this message now.').waitFor();
    expect(await stop().count()).toBe(0);
  });
});

test('options are buttons; the newest can be chosen, with the keyboard too', async () => {
  await ask('help me choose');
  await page.getByRole('button', { name: 'My account' }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => mock.received.at(-1)?.text).toBe('My account');
  await expect.poll(() => page.getByRole('group', { name: 'Choices' }).count()).toBe(2);
  const [old, fresh] = [page.getByRole('group', { name: 'Choices' }).first(), page.getByRole('group', { name: 'Choices' }).last()];
  expect(await old.getByRole('button', { disabled: true }).count()).toBe(3);
  expect(await old.getByRole('button', { name: 'My account (chosen)' }).count()).toBe(1);
  expect(await fresh.getByRole('button', { disabled: false }).count()).toBe(3);
  expect(await page.locator('.question').allInnerTexts()).toEqual(['help me choose', 'My account']);
  await accessible(page);
  await expect.poll(() => page.locator('nav li').first().textContent()).toContain('help me choose');
});

test('files are saved, pictures drawn, tables cut, and nothing in HTML acts', async () => {
  await ask('all kinds');
  await page.getByText('A reply of the kind “plotly” cannot be shown here yet.').waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download figures.csv' }).click()]);
  expect(download.suggestedFilename()).toBe('figures.csv');
  expect(await page.locator('.answer img').evaluate((el) => (el as HTMLImageElement).naturalWidth)).toBe(1);
  await page.getByText('49.61162° N, 6.13194° W').waitFor();
  expect(await page.locator('.answer tbody tr').count()).toBe(200);
  await page.getByText('The first 200 of 250 rows').waitFor();
  expect(await page.locator('.answer .prose b').textContent()).toBe('grew');
  expect(await page.locator('.answer :is(script, iframe, form, input, svg[onload], style, [style])').count()).toBe(0);
  await accessible(page);
});

test('what another tab says and hears appears here', async () => {
  await ask('backup');
  await answered();
  const other = await watch(browser, mock.url);
  await other.page.goto(page.url());
  await other.page.locator('.sources').waitFor();
  await ask('research backups', other.page);
  await said('research backups').waitFor();
  await page.getByText('How this was found').waitFor();
  await expect.poll(() => page.locator('.question').count()).toBe(2);
  await expect.poll(() => page.locator('.answer .sources').count()).toBe(2);
  await other.check();
});

test('a failure is said once, and once after a reload', async () => {
  await ask('please fail');
  await page.getByText('The model does not answer.').waitFor();
  expect(await page.locator('.column').getByText('does not answer').count()).toBe(1);
  await page.reload();
  await page.getByText('Sorry, that did not work').waitFor();
  expect(await page.locator('.column').getByText('does not answer').count()).toBe(1);
});
