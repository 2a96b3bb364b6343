// The view of one document on the real program: outline, neighbors, and the conversation beside it.
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DocumentPage } from '../../src/api/shapes';
import { MockModel } from '../mock/model';
import { accessible, accessibleInThemes, launch, watch, type Watched } from './browser';
import { rules } from './harbor';
import { startProgram, type Program } from './program';

describe('a document as a place', () => {
  let browser: Browser;
  let program: Program;

  beforeAll(async () => {
    browser = await launch();
    // Each part is longer than a passage, so it has its own.
    const screws = Array.from({ length: 60 }, (_, i) => `Screw ${i + 1} is made of steel, and a hand turns it three times.`).join(' ');
    const manual = `# Pump manual\n\n## Cleaning the filter\n\nClose both valves before you open the filter of the pump.\n\n${screws}\n\n## Storing the pump in winter\n\nThe pump needs a dry room in winter, and its tank must be empty.\n\n${screws}\n`;
    program = await startProgram({ options: ['--encoder', 'off'], files: { 'pump.md': manual, 'rules.md': rules } });
  });
  afterAll(async () => {
    await program?.stop();
  });

  async function start(options: BrowserContextOptions = {}): Promise<Watched> {
    const watched = await watch(browser, program.url, options);
    await watched.page.goto(program.url);
    return watched;
  }

  test('a document opens in full width, and a heading leads to its passage', async () => {
    const { page, check } = await start({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${program.url}#/documents`);
    await page.getByRole('link', { name: 'Pump manual' }).click();
    await page.getByRole('link', { name: 'Open the document' }).click();
    await expect.poll(() => page.evaluate(() => location.hash)).toMatch(/^#\/read\/\d+$/);
    const outline = page.getByRole('navigation', { name: 'Outline' }).getByRole('button');
    await expect.poll(() => outline.allTextContents()).toEqual(['Cleaning the filter', 'Storing the pump in winter']);
    await outline.last().click();
    await expect.poll(async () => (await page.locator('mark.active').allTextContents()).join('')).toContain('The pump needs a dry room');
    await accessible(page);
    // The neighbors are in the order of titles.
    const previous = page.getByRole('link', { name: /^Previous document: / });
    const title = (await previous.getAttribute('aria-label'))!.replace('Previous document: ', '');
    await previous.click();
    await page.getByRole('heading', { name: title, level: 2 }).waitFor();
    await page.getByRole('link', { name: 'Next document: Pump manual' }).click();
    await page.getByRole('heading', { name: 'Pump manual', level: 2 }).waitFor();
    await check();
  });

  test('a question keeps its conversation beside the document', async () => {
    const { page, check } = await start({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${program.url}#/documents`);
    await page.getByRole('link', { name: 'Pump manual' }).click();
    await page.getByRole('link', { name: 'Open the document' }).click();
    await page.getByRole('button', { name: 'What does the document say about “Cleaning the filter”?' }).click();
    await page.locator('.answer:not([aria-busy]) .cite').first().click();
    await expect.poll(async () => (await page.locator('mark.active').allTextContents()).join('')).toContain('Close both valves');
    expect(await page.evaluate(() => location.hash)).toMatch(/^#\/read\/\d+\?chat=.+/);
    await accessible(page);
    // The address brings both back.
    await page.reload();
    await page.getByRole('heading', { name: 'Pump manual', level: 2 }).waitFor();
    await page.locator('.answer .cite').first().waitFor();
    await check();
  });

  test('on a narrow screen, the document and the conversation take turns', async () => {
    const { page, check } = await start({ viewport: { width: 390, height: 844 } });
    await page.goto(`${program.url}#/read/1`);
    await page.getByRole('button', { name: 'Ask about this document' }).click();
    const conversation = page.getByRole('region', { name: 'Conversation' });
    await conversation.waitFor();
    await expect.poll(() => page.locator('.panel.place').isVisible()).toBe(false);
    await accessible(page);
    await page.getByRole('group', { name: 'Document or conversation' }).getByRole('button', { name: 'Document' }).click();
    await page.locator('.panel.place').waitFor();
    expect(await conversation.isVisible()).toBe(false);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await accessible(page);
    await check();
  });

  describe('with a chat model', () => {
    let model: MockModel;
    let written: Program;
    let calls = 0;

    beforeAll(async () => {
      model = await new MockModel().start();
      model.pace = 1;
      model.text = 'Bicycles are kept in the bicycle room.\nThe stairs stay free, and the pump needs a dry room.\nWhere are bicycles kept?\nWho is the mayor of Lisbon?\n';
      written = await startProgram({ model: model.url, options: ['--encoder', 'off'], files: { 'rooms.md': '# Rooms\n\n## Bicycles\n\nBicycles are kept in the bicycle room, and not on the stairs.\n\n## Pump\n\nThe pump needs a dry room in winter.\n' } });
    });
    afterAll(async () => {
      await written?.stop();
      await model?.stop();
    });

    const looks: [string, BrowserContextOptions, string, string][] = [
      ['light and dark', { viewport: { width: 1280, height: 800 } }, 'en', 'Written by mock'],
      ['390 px, German', { viewport: { width: 390, height: 800 }, hasTouch: true }, 'de', 'Geschrieben von mock'],
    ];
    for (const [name, options, language, by] of looks) {
      test(`the model writes the summary and the questions once: ${name}`, async () => {
        const { page, check } = await watch(browser, written.url, options);
        await page.context().addInitScript((l) => localStorage.setItem('docent.language', l), language);
        const { documents } = (await (await fetch(`${written.url}/api/documents?match=rooms`)).json()) as DocumentPage;
        await page.goto(`${written.url}/#/read/${documents[0]!.id}`);
        if (language === 'de') await page.locator('details.about > summary').click();
        await page.getByText('Bicycles are kept in the bicycle room. The stairs stay free, and the pump needs a dry room.').waitFor();
        await page.getByText(by).waitFor();
        await page.getByRole('button', { name: 'Where are bicycles kept?' }).waitFor();
        expect(await page.getByText('Lisbon').count()).toBe(0);
        await accessibleInThemes(page);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          if (process.env.DOCUMENTS) await page.screenshot({ path: `${process.env.DOCUMENTS}/described ${language} ${colorScheme}.png` });
        }
        calls ||= model.calls; // also those before the first visit
        expect(model.calls).toBe(calls);
        await check();
      });
    }
  });
});
