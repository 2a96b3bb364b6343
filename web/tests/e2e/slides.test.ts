// Pictures of slides, sheets, and images beside an answer, on the real program.
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MockModel } from '../mock/model';
import { launch, watch } from './browser';
import { startProgram, type Program } from './program';

const printed = `<!doctype html><title>Lights</title><h1>Lights of the coast</h1><p>This talk is about the lights of the coast and their keepers.</p>
<h1 style="break-before: page">The lantern</h1><p>The lantern burns nine litres of oil in a night.</p>`;

describe('slides', () => {
  let browser: Browser;
  let program: Program;
  let model: MockModel;

  beforeAll(async () => {
    [browser, model] = await Promise.all([launch(), new MockModel().start()]);
    model.pace = 1;
    const page = await browser.newPage();
    await page.setContent(printed);
    const pdf = await page.pdf({ format: 'A4' });
    await page.close();
    program = await startProgram({ model: model.url, files: { 'lights.pdf': pdf, 'rules.md': '# Rules\n\nBoats moor stern first at the quixel pier.\n' } });
  });
  afterAll(async () => {
    await program?.stop();
    await model?.stop();
  });

  async function ask(page: Page, question: string, said: string): Promise<Locator> {
    model.text = said;
    await page.getByLabel('Your question').fill(question);
    await page.keyboard.press('Enter');
    await page.locator('.answer:not([aria-busy]) .sources').last().waitFor();
    return page.locator('.answer').last();
  }

  // The server has pictures of PDFs; what the page does for other formats is the same.
  // The first page of all waits for the reader of PDF to be loaded.
  test('slides have pictures where the server has some, and text otherwise', { timeout: 300_000 }, async () => {
    const { page, check } = await watch(browser, program.url);
    await page.goto(program.url);
    const slides = 'application/vnd.openxmlformats-officedocument.presentationml.presentation; charset=shift_jis';
    await page.route(/\/api\/documents\/\d+$/, async (r) => {
      const response = await r.fetch();
      await r.fulfill({ response, json: { ...((await response.json()) as object), media_type: slides } });
    });
    const answer = await ask(page, 'How much oil does the lantern burn in a night?', 'The lantern burns nine litres of oil in a night [1].');
    await answer.locator('.cite').first().click();
    await page.locator('.sheet .mark.said').first().waitFor({ timeout: 150_000 });
    await expect.poll(() => page.getByRole('tab', { name: 'Slide' }).getAttribute('aria-selected')).toBe('true');
    await expect.poll(() => page.locator('.sheet[data-page="1"] img').evaluate((i: HTMLImageElement) => i.naturalWidth)).toBeGreaterThan(0);
    await expect.poll(() => page.locator('.panel .where').innerText()).toContain('slide 2');
    await expect.poll(() => page.locator('.panel .format').innerText()).toBe('PPTX, Shift JIS');
    await page.keyboard.press('Escape');
    await page.route('**/pages/**', (r) => r.fulfill({ status: 404, contentType: 'application/json', body: '{"code":"not_found","message":"no pages","retryable":false}' }));
    await answer.locator('.cite').first().click();
    await page.locator('.panel .text mark.said').first().waitFor();
    await expect.poll(() => page.getByRole('tab', { name: 'Slide' }).count()).toBe(0);
    await page.unroute('**/pages/**');
    // A passage without a page number has no picture, and none is asked for.
    const asked: string[] = [];
    page.on('request', (r) => void (r.url().includes('/pages/') && asked.push(r.url())));
    await page.goto(`${program.url}/#/`);
    await (await ask(page, 'How do boats moor at the quixel pier?', 'Boats moor stern first at the quixel pier [1].')).locator('.cite').first().click();
    await page.locator('.panel .text mark.said').first().waitFor();
    await expect.poll(() => page.getByRole('tab', { name: 'Slide' }).count()).toBe(0);
    expect(asked).toEqual([]);
    await check();
  });
});
