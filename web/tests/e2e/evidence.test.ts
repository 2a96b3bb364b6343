// Evidence on the real program: the place in a document that supports a sentence of an answer,
// on a page, in a text, or in a table.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MockModel } from '../mock/model';
import { accessible, accessibleInThemes, launch, stopClock, watch, within, type Watched } from './browser';
import { guide, log, printed, rules, sentence } from './harbor';
import { startProgram, type Program } from './program';

const plain = (s: string | null) => (s ?? '').replace(/\s+/g, ' ').trim();

describe('evidence', () => {
  let browser: Browser;
  let program: Program;
  let model: MockModel;
  /** Where the sentence is on the second page, as shares of it. */
  let place: { left: number; top: number; right: number; bottom: number };

  beforeAll(async () => {
    [browser, model] = await Promise.all([launch(), new MockModel().start()]);
    model.pace = 1;
    const page = await browser.newPage({ viewport: { width: 794, height: 1123 } });
    await page.setContent(printed);
    place = await page.evaluate(() => {
      const range = document.createRange();
      range.selectNodeContents(document.querySelector('#it')!);
      const [on, at] = [document.querySelectorAll('section')[1]!.getBoundingClientRect(), range.getBoundingClientRect()];
      return { left: (at.left - on.left) / on.width, top: (at.top - on.top) / on.height, right: (at.right - on.left) / on.width, bottom: (at.bottom - on.top) / on.height };
    });
    const pdf = await page.pdf({ preferCSSPageSize: true });
    await page.close();
    const docx = readFileSync(join(import.meta.dirname, '../../../ingest/extract/testdata/manual.docx'));
    // Without the encoder, which would need the processor for the long file during the first tests.
    program = await startProgram({ model: model.url, options: ['--encoder', 'off'], files: { 'lights.pdf': pdf, 'rules.md': rules, 'guide.html': guide, 'log.txt': log, 'pump.docx': docx } });
  });
  afterAll(async () => {
    await program?.stop();
    await model?.stop();
  });

  async function start(options: BrowserContextOptions = {}): Promise<Watched> {
    const watched = await watch(browser, program.url, options);
    await watched.page.goto(program.url);
    return watched;
  }

  /** ask asks, and the model says what it is told to. */
  async function ask(page: Page, question: string, said: string): Promise<Locator> {
    model.text = said;
    const before = await page.locator('.answer:not([aria-busy]) .sources').count();
    await page.getByLabel('Your question').fill(question);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.answer:not([aria-busy]) .sources').count()).toBe(before + 1);
    return page.locator('.answer').last();
  }

  const lanterns = (page: Page) => ask(page, 'How much oil does the lantern of Skerry Point burn in a night?', `${sentence} [1]`);
  const rules_ = (page: Page) => ask(page, 'How do boats moor at the quixel pier?', 'Boats moor stern first at the quixel pier [1].');
  const lit = async (page: Page, kind: string) => plain((await page.locator(`.panel .text mark.${kind}`).allTextContents()).join(''));

  // The first page of all waits for the reader of PDF to be loaded.
  test('a passage of a PDF is marked on its page, in its printed place', { timeout: 300_000 }, async () => {
    const { page, check } = await start();
    const answer = await lanterns(page);
    await answer.locator('.cite').first().click();
    await page.locator('.sheet .mark.said').first().waitFor({ timeout: 150_000 });
    await expect.poll(() => page.getByRole('tab', { name: 'Page' }).getAttribute('aria-selected')).toBe('true');
    await expect.poll(() => page.locator('.panel .bar input').inputValue()).toBe('2');
    const picture = page.locator('.sheet[data-page="1"] img');
    await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.complete && img.naturalWidth)).toBeGreaterThan(300);
    await expect.poll(() => within(page.locator('.sheet .mark.said').first(), page.locator('.panel .body'))).toBe(true);
    await stopClock(page); // while positions are compared
    // The marks of the sentence cover all of it.
    const marks = await page.locator('.sheet[data-page="1"]').evaluate((sheet) => {
      const on = sheet.getBoundingClientRect();
      return [...sheet.querySelectorAll('.mark.said')].map((m) => {
        const at = m.getBoundingClientRect();
        return { left: (at.left - on.left) / on.width, top: (at.top - on.top) / on.height, right: (at.right - on.left) / on.width, bottom: (at.bottom - on.top) / on.height };
      });
    });
    const all = { left: Math.min(...marks.map((m) => m.left)), top: Math.min(...marks.map((m) => m.top)), right: Math.max(...marks.map((m) => m.right)), bottom: Math.max(...marks.map((m) => m.bottom)) };
    const near = 0.012; // an eighth of an inch
    for (const side of ['left', 'top', 'right', 'bottom'] as const) expect(Math.abs(all[side] - place[side]), `${side}: ${all[side]} for ${place[side]}`).toBeLessThan(near);
    expect(all.left).toBeGreaterThan(0.5); // the mark is in the right column only
    // Each mark covers printed text.
    const ink = await picture.evaluate((img: HTMLImageElement, m) => {
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [img.naturalWidth, img.naturalHeight];
      const c = canvas.getContext('2d')!;
      c.drawImage(img, 0, 0);
      const data = c.getImageData(m.left * canvas.width, m.top * canvas.height, (m.right - m.left) * canvas.width, (m.bottom - m.top) * canvas.height).data;
      let dark = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i]! < 128) dark++;
      return dark / (data.length / 4);
    }, marks[0]!);
    expect(ink).toBeGreaterThan(0.03);
    expect(ink).toBeLessThan(0.6);
    await page.clock.resume();
    await accessible(page);
    await check();
  });

  test('pages are turned, typed, scrolled, and enlarged', async () => {
    const { page, check } = await start();
    await (await lanterns(page)).locator('.cite').first().click();
    await page.locator('.sheet .mark.said').first().waitFor();
    const at = () => page.locator('.panel .bar input').inputValue();
    const drawn = (n: number) => expect.poll(() => page.locator(`.sheet[data-page="${n - 1}"] img`).evaluateAll((all) => all.some((i) => (i as HTMLImageElement).naturalWidth > 0))).toBe(true);
    await page.getByRole('button', { name: 'Next page' }).click();
    await expect.poll(at).toBe('3');
    await drawn(3);
    await expect.poll(() => page.getByRole('button', { name: 'Next page' }).isDisabled()).toBe(true);
    await page.locator('.panel .bar input').fill('1');
    await page.keyboard.press('Enter');
    await drawn(1);
    await expect.poll(() => page.getByRole('button', { name: 'Previous page' }).isDisabled()).toBe(true);
    const region = page.getByRole('region', { name: 'Pages of the document' });
    await region.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(at).toBe('2');
    await region.evaluate((el) => (el.scrollTop = el.scrollHeight));
    await expect.poll(at).toBe('3');
    const width = () => page.locator('.sheet').first().evaluate((el) => el.getBoundingClientRect().width);
    const fit = await width();
    await page.keyboard.press('+');
    await expect.poll(width).toBeGreaterThan(fit * 1.2);
    await page.getByRole('button', { name: 'Fit the width' }).click();
    await expect.poll(width).toBe(fit);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.panel').count()).toBe(0);
    await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toContain('cite');
    await check();
  });

  test('pages that cannot be drawn give way to the text', async () => {
    const { page, check } = await start();
    await page.route('**/pages/*/image*', (r) => r.fulfill({ status: 500, body: '' }));
    const answer = await lanterns(page);
    await answer.locator('.cite').first().click();
    await page.getByText('docent cannot show page 2.').waitFor();
    await page.unroute('**/pages/*/image*');
    await page.locator('.sheet[data-page="1"]').getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => page.locator('.sheet[data-page="1"] img').evaluate((i: HTMLImageElement) => i.naturalWidth)).toBeGreaterThan(0);
    await page.keyboard.press('Escape');
    await page.route('**/pages/**', (r) => r.fulfill({ status: 404, contentType: 'application/json', body: '{"code":"not_found","message":"no pages","retryable":false}' }));
    await answer.locator('.cite').first().click();
    await page.locator('.panel .text mark.said').first().waitFor();
    await expect.poll(() => lit(page, 'said')).toContain('burns nine litres of oil');
    await expect.poll(() => page.getByRole('tab', { name: 'Page' }).count()).toBe(0);
    await check();
  });

  test('Markdown shows its source, and the passage', async () => {
    const { page, check } = await start();
    await (await rules_(page)).locator('.cite').first().click();
    await page.locator('.panel .text mark.active').first().waitFor();
    await expect.poll(() => lit(page, 'active')).toContain('Boats moor **stern first** at the quixel pier.');
    await expect.poll(() => lit(page, 'said')).toBe('Boats moor **stern first** at the quixel pier.');
    await expect.poll(() => page.locator('.panel .text').textContent()).toBe(rules); // every byte is unchanged
    const weight = (what: string) => page.locator(`.panel ${what}`).first().evaluate((el) => Number(getComputedStyle(el).fontWeight));
    await expect.poll(() => weight('.heading')).toBeGreaterThan(600);
    await expect.poll(() => page.locator('.panel .block.code').evaluate((el) => getComputedStyle(el).fontFamily)).toMatch(/mono/i);
    const column = await page.locator('.panel .row .cell:nth-child(2)').evaluateAll((all) => new Set(all.map((el) => el.getBoundingClientRect().left)).size);
    expect(column).toBe(1);
    await check();
  });

  test.each([
    ['HTML', 'What does a vornado berth cost?', 'A vornado berth costs forty crowns a week. [1]', 'A vornado berth costs forty crowns a week.', 'Berths'],
    ['Word', 'How often is the oil of the pump changed?', 'Change the oil every 500 hours [1].', 'Change the oil every 500 hours.', 'Maintenance'],
    ['plain text', 'When was the ferry delayed by the yellow whale?', 'The ferry was delayed by the yellow whale, with 57 passengers [1].', 'the ferry was delayed by the yellow whale, with 57 passengers', ''],
  ])('a passage in %s', async (_, question, said, marked, heading) => {
    const { page, check } = await start();
    await (await ask(page, question, said)).locator('.cite').first().click();
    await page.locator('.panel .text mark.said').first().waitFor();
    await expect.poll(() => lit(page, 'said')).toContain(marked);
    await expect.poll(() => lit(page, 'active')).toContain(marked);
    await expect.poll(() => within(page.locator('mark.said').first(), page.locator('.panel'))).toBe(true);
    if (heading) await expect.poll(() => page.locator('.panel .heading').allTextContents().then((all) => all.map(plain))).toContain(heading);
    await check();
  });

  test('a citation shows its passage on hover and on focus', async () => {
    const { page, check } = await start();
    const answer = await rules_(page);
    const cite = answer.locator('.cite').first();
    const card = page.getByRole('tooltip');
    await cite.hover();
    await card.waitFor();
    expect(plain(await card.locator('mark').textContent())).toBe('Boats moor stern first at the quixel pier.');
    expect(plain(await card.textContent())).toMatch(/Harbour rules.*Score \d/);
    await expect.poll(async () => {
      const [a, b] = [(await card.boundingBox())!, (await cite.boundingBox())!];
      return a.y + a.height <= b.y || a.y >= b.y + b.height;
    }).toBe(true);
    await card.hover(); // the pointer can move there
    await expect.poll(() => card.count()).toBe(1);
    await page.mouse.move(2, 2);
    await expect.poll(() => card.count()).toBe(0);
    await page.getByLabel('Your question').focus();
    for (let i = 0; i < 40 && !(await cite.evaluate((el) => el === document.activeElement)); i++) await page.keyboard.press('Shift+Tab');
    await card.waitFor();
    await expect.poll(() => cite.getAttribute('aria-describedby')).toBe(await card.getAttribute('id'));
    await page.keyboard.press('Escape');
    await expect.poll(() => card.count()).toBe(0);
    await expect.poll(() => cite.getAttribute('aria-describedby')).toBe(null);
    await page.keyboard.press('Enter');
    await page.locator('mark.said').first().waitFor();
    await check();
  });

  test('unsupported and partly supported sentences are marked', async () => {
    const { page, check } = await start();
    const answer = await ask(page, 'How do boats moor at the quixel pier?', 'Boats moor stern first at the quixel pier [1]. Boats moor at the quixel pier after a toast of many cannons by the mayor [1]. Penguins govern Atlantis from turquoise submarines.');
    await expect.poll(() => answer.locator('.doubtful[data-support=none]').textContent()).toContain('Penguins govern');
    expect(plain((await answer.locator('.doubtful[data-support=weak]').allTextContents()).join(''))).toContain('many cannons');
    const looks = (support: string) => answer.locator(`.doubtful[data-support=${support}]`).first().evaluate((el) => getComputedStyle(el).textDecorationStyle);
    await expect.poll(() => looks('weak')).not.toBe(await looks('none'));
    const legend = answer.getByRole('note', { name: 'Meaning of the marks' });
    expect(plain(await legend.textContent())).toMatch(/The cited passages support 1 sentence only in part.*No source supports 1 sentence.*Check the answer before/);
    await answer.locator('.doubt[data-support=none]').focus();
    await expect.poll(() => page.getByRole('tooltip').textContent()).toContain('No source supports this sentence.');
    await accessible(page);
    await check();
  });

  test('marks keep tables, lists, and formulas, and the end of a sentence', async () => {
    const { page, check } = await start({ viewport: { width: 360, height: 740 } });
    const answer = await ask(page, 'How do boats moor at the quixel pier?', `Boats moor stern first at the quixel pier [1]. The root is $\\sqrt{\\pi}$ and Atlantis has one:

| Pier | Penguins | Submarines |
|------|:--------:|-----------:|
| quixel | turquoise | 9 months |

1. Penguins
   - govern the deep Atlantis
   - [x] often

${[...'ABCDEFGHIJKL'].map((name) => `Boat ${name} moors stern first at the quixel pier [1]. `).join('')}See https://example.org/atlantis.`);
    await expect.poll(() => answer.locator('ol > li > ul > li').count()).toBe(2);
    await expect.poll(() => answer.locator('th .doubt, th .doubtful, tr > span, ul > span').count()).toBe(0);
    await expect.poll(() => answer.locator('tbody tr .doubt').count()).toBe(1);
    await expect.poll(() => answer.locator('td').evaluateAll((all) => all.map((el) => getComputedStyle(el).textAlign))).toEqual(['start', 'center', 'end']);
    const link = answer.getByRole('link', { name: 'https://example.org/atlantis' });
    await expect.poll(() => link.getAttribute('href')).toBe('https://example.org/atlantis');
    const root = answer.locator('msqrt');
    await root.waitFor();
    await expect.poll(() => root.evaluate((el) => el.getBoundingClientRect().width - el.firstElementChild!.getBoundingClientRect().width)).toBeGreaterThan(4);
    // No number, stop or mark begins a line, however wide the window is.
    for (const width of [320, 341, 360, 377, 398, 420, 455]) {
      await page.setViewportSize({ width, height: 740 });
      const torn = await answer.locator('.prose :is(p, td) .held').evaluateAll((all) => all.flatMap((el) => {
        const [from, to] = [document.createRange(), document.createRange()];
        const before = el.previousSibling!;
        from.selectNodeContents(before);
        to.selectNodeContents(el);
        const [last, first] = [[...from.getClientRects()].at(-1)!, [...to.getClientRects()].find((r) => r.width > 0)!];
        return first.top >= last.bottom || new Set([...to.getClientRects()].map((r) => r.bottom > last.bottom + 8)).size > 1 ? [el.textContent] : [];
      }));
      expect(torn, `${width} px`).toEqual([]);
    }
    await accessible(page);
    await check();
  });

  test('the search details show scores, and the support of each passage', async () => {
    const { page, check } = await start();
    const answer = await rules_(page);
    await answer.getByRole('button', { name: 'Search details' }).focus();
    await page.keyboard.press('Enter');
    const panel = page.locator('.panel');
    await panel.getByText('How do boats moor at the quixel pier?').waitFor();
    const made = (await panel.locator('.made > div').allTextContents()).map(plain);
    expect(made.slice(0, 2)).toEqual(['QuestionHow do boats moor at the quixel pier?', 'Collectionsall collections']);
    expect(made[2]).toMatch(/^Passagesup to \d+$/);
    expect(made[3]).toBe('Modelmock');
    const rows = panel.locator('ol > li');
    await expect.poll(() => rows.count()).toBeGreaterThan(1);
    expect(plain(await rows.first().textContent())).toMatch(/^1 Harbour rules.*Cited.*Supports fully “?Boats moor stern first at the quixel pier/);
    expect(plain(await rows.last().textContent())).toContain('Not cited');
    const bars = await panel.locator('.score .bar').evaluateAll((all) => all.map((el) => el.getBoundingClientRect().width));
    expect(bars[0]).toBeGreaterThan(bars.at(-1)!);
    expect(plain(await panel.locator('.score').first().textContent())).toMatch(/\d\.\d\d/);
    await panel.getByRole('button', { name: /Search again with details/ }).click();
    await panel.getByText(/^Evidence [01]\.\d\d/).waitFor();
    await expect.poll(() => panel.locator('.features').first().textContent()).toContain('Keywords');
    expect(plain(await rows.first().textContent())).toContain('Now ranked 1');
    await accessible(page);
    await rows.first().getByRole('button').click();
    await panel.locator('mark.said').first().waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toContain('panel');
    await panel.getByRole('button', { name: 'Search details' }).click();
    await rows.first().waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Search details');
    await check();
  });

  test('a follow-up question is searched again in its original form', async () => {
    const { page, check } = await start();
    await rules_(page);
    const answer = await ask(page, 'And what does the warden do there?', 'The quixel warden checks the lines at noon [1].');
    await answer.getByRole('button', { name: 'Search details' }).click();
    const panel = page.locator('.panel');
    await panel.locator('.made .as').waitFor();
    const as = (await panel.locator('.made .as').textContent())!;
    expect(as).not.toBe('And what does the warden do there?');
    expect((await panel.locator('.made > div').allTextContents()).slice(0, 2).map(plain)).toEqual(['QuestionAnd what does the warden do there?', `Search text${plain(as)}`]);
    const again = page.waitForRequest((r) => new URL(r.url()).pathname === '/api/search');
    await panel.getByRole('button', { name: /Search again with details/ }).click();
    expect(new URL((await again).url()).searchParams.get('q')).toBe(as);
    await panel.getByText(/^Evidence [01]\.\d\d/).waitFor();
    await accessible(page);
    await check();
  });

  test('a sentence in other words leads to its source sentence', async () => {
    const { page, check } = await start();
    const answer = await ask(page, 'How much oil does the lantern of Skerry Point burn in a night?', 'A preface stands here [1]. In a night, Skerry Point burns twenty litres of oil for its lantern [1].');
    await answer.locator('.doubt').first().waitFor();
    await answer.locator('.cite').last().hover();
    const card = page.getByRole('tooltip');
    await card.waitFor();
    expect(plain((await card.locator('mark').allTextContents()).join(''))).toBe(sentence);
    const shown = (await card.locator('.text').textContent())!.replaceAll('…', '').trim().split(/\s+/);
    const all = plain(printed.replace(/<[^>]*>/g, ' ')).split(' ');
    for (const word of shown) expect(all).toContain(word);
    await answer.locator('.cite').last().click();
    await page.locator('.sheet .mark.said').first().waitFor();
    await page.getByRole('tab', { name: 'Text' }).click();
    await page.locator('.panel .text mark.said').first().waitFor();
    await expect.poll(() => lit(page, 'said')).toContain(sentence);
    expect((await lit(page, 'said')).length).toBeLessThan((await lit(page, 'active')).length / 2);
    await check();
  });

  test('until its page is drawn, the passage is readable as text', async () => {
    const { page, check } = await start({ colorScheme: 'dark' }); // a page is white in the dark theme, too
    const answer = await lanterns(page);
    const go: (() => void)[] = [];
    for (const what of ['**/api/documents/*/text*', '**/pages/*/image*']) {
      await page.route(what, async (r) => {
        await new Promise<void>((ok) => go.push(ok));
        await r.continue();
      });
    }
    const next = () => go.splice(0).forEach((ok) => ok());
    await answer.locator('.cite').first().click();
    const passage = page.locator('.panel .meanwhile');
    await passage.waitFor();
    expect(plain((await passage.locator('mark').allTextContents()).join(''))).toBe(sentence);
    await page.getByText('Opening…').waitFor();
    await expect.poll(() => go.length).toBe(1);
    next();
    // The page has its space, but no picture yet, so the marks wait.
    await page.locator('.sheet .meanwhile').waitFor();
    await expect.poll(async () => {
      const [box, body] = [(await passage.boundingBox())!, (await page.locator('.panel .body').boundingBox())!];
      return Math.min(box.y + box.height, body.y + body.height) - Math.max(box.y, body.y);
    }).toBeGreaterThan(40);
    await expect.poll(() => page.locator('.sheet .mark.said').evaluateAll((all) => all.every((el) => getComputedStyle(el).visibility === 'hidden'))).toBe(true);
    await accessible(page);
    await expect.poll(() => go.length).toBeGreaterThan(0);
    go.push = (ok) => (ok(), 0);
    next();
    await page.locator('.sheet .mark.said').first().waitFor();
    await expect.poll(() => passage.count()).toBe(0);
    await check();
  });

  test('each number and each mark is large enough for a finger', async () => {
    const { page, check } = await start({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
    const answer = await ask(page, 'How do boats moor at the quixel pier?', 'Boats moor stern first at the quixel pier [1][2]. They sing at the quixel pier all night [1]. Nobody hears of it in the whole harbour, nor at sea. Boats moor stern first [2].');
    await answer.locator('.doubt').first().waitFor();
    const hits = await answer.locator('.cite, .doubt').evaluateAll((all) => all.map((el) => {
      el.scrollIntoView({ block: 'center' });
      const at = el.getBoundingClientRect();
      const [x, y] = [at.left + at.width / 2, at.top + at.height / 2];
      const hit = (dx: number, dy: number) => document.elementFromPoint(x + dx, y + dy) === el;
      return [hit(0, 0), hit(-11.5, 0), hit(11.5, 0), hit(0, -11.5), hit(0, 11.5)];
    }));
    expect(hits.length).toBeGreaterThan(4);
    expect(hits).toEqual(hits.map(() => [true, true, true, true, true]));
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
    await check();
  });

  test('the bars of a table are its lines, and not in its cells', async () => {
    const { page, check } = await start();
    const answer = await ask(page, 'What does a vornado berth cost?', 'A vornado berth costs forty crowns a week [1].');
    await answer.locator('.cite').first().click();
    await page.locator('.panel .cell').first().waitFor();
    expect((await page.locator('.panel .cell').allTextContents()).map(plain)).toEqual(['Length', 'Fee', 'up to 8 m', '30 crowns']);
    await check();
  });

  test('the only passage cited is number 1, wherever it was found, from its first word on', async () => {
    const { page, check } = await start();
    const answer = await ask(page, 'How do boats moor at the quixel pier?', 'Boats moor stern first at the quixel pier [2], so it is said [2][1].');
    await expect.poll(() => answer.locator('.cite').allTextContents()).toEqual(['1', '1', '2']);
    expect((await answer.locator('.sources > ol .n').allTextContents())).toEqual(['1', '2']);
    await answer.locator('.cite').first().click();
    await page.locator('.panel').getByText('Source 1 of', { exact: false }).first().waitFor({ state: 'attached' });
    await check();
  });

  test('a rating and its comment are there in another browser', async () => {
    const { page, check } = await start();
    await rules_(page);
    await page.getByRole('button', { name: 'Bad answer' }).click();
    await page.getByLabel('Comment on this answer').fill('Which lines?');
    await page.keyboard.press('Enter');
    await page.getByText('Thank you.', { exact: true }).first().waitFor();
    const address = page.url();
    const other = await watch(browser, program.url, {});
    await other.page.goto(address);
    await other.page.locator('.actions q', { hasText: 'Which lines?' }).waitFor();
    await expect.poll(() => other.page.getByRole('button', { name: 'Bad answer' }).getAttribute('aria-pressed')).toBe('true');
    await accessible(other.page);
    await other.page.getByRole('button', { name: 'Bad answer' }).click();
    await expect.poll(() => other.page.getByLabel('Comment on this answer').inputValue()).toBe('Which lines?');
    await other.check();
    await check();
  });

  test('not knowing is no answer, and says what is nearest and what was searched', async () => {
    const { page, check } = await start();
    const answer = await ask(page, 'Who wrote the Brandenburg concertos?', 'I don\u2019t know.');
    await expect.poll(() => answer.evaluate((el) => el.classList.contains('abstained'))).toBe(true);
    await expect.poll(() => page.getByRole('article', { name: 'No answer: the documents do not contain it' }).count()).toBe(1);
    await expect.poll(() => answer.textContent()).toContain('Not found in the documents');
    await expect.poll(() => answer.locator('.cite').count()).toBe(0);
    if (await answer.locator('.sources li').count()) {
      await answer.locator('.sources li button').first().click();
      await page.locator('.panel [role=tab]').first().waitFor();
    }
    await answer.getByRole('button', { name: 'Search details' }).click();
    await page.locator('.panel').getByText(/none supports an answer|No passages found/).waitFor();
    await expect.poll(() => page.locator('.panel .score .bar').count()).toBe(0); // bars would suggest support
    await accessible(page);
    await check();
  });

  test('a document is read by its passages', async () => {
    const { page, check } = await start();
    const { documents } = (await (await page.request.get(`${program.url}/api/documents?limit=100`)).json()) as { documents: { id: number; source: string; chunks: number }[] };
    const named = (name: string) => documents.find((d) => d.source.endsWith(name))!;
    await page.goto(`${program.url}/#/documents/${named('lights.pdf').id}`);
    await page.getByRole('tab', { name: 'Passages' }).click();
    const rows = page.getByRole('region', { name: 'Passages of the document' }).locator('li button');
    await expect.poll(() => rows.count()).toBe(named('lights.pdf').chunks);
    expect(plain(await rows.first().textContent())).toMatch(/^Passage 1 page 1 · \d+ tokens/);
    await rows.last().click();
    await page.locator('.sheet[data-page="2"] .mark.active').first().waitFor();
    await page.getByRole('tab', { name: 'Page' }).focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => lit(page, 'said')).toContain('The bell of Skerry Point');
    await page.goto(`${program.url}/#/documents/${named('log.txt').id}`);
    await expect.poll(() => page.getByRole('tab', { name: 'Page' }).count()).toBe(0);
    await page.getByRole('tab', { name: 'Passages' }).click();
    await expect.poll(() => rows.count()).toBe(200);
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => rows.count()).toBe(400);
    await rows.nth(399).click();
    await expect.poll(() => lit(page, 'active').then((s) => s.length)).toBeGreaterThan(20);
    await accessible(page);
    await check();
  });

  test('words are found in a long document', async () => {
    const { page, check } = await start();
    const { documents } = (await (await page.request.get(`${program.url}/api/documents?limit=100`)).json()) as { documents: { id: number; source: string }[] };
    await page.goto(`${program.url}/#/documents/${documents.find((d) => d.source.endsWith('log.txt'))!.id}`);
    await page.getByRole('region', { name: 'Text of the document' }).focus();
    await page.keyboard.press('Control+f');
    const field = page.getByRole('searchbox', { name: 'Find in this document' });
    await field.fill('YELLOW whale');
    await expect.poll(() => page.locator('.find [role=status]').textContent()).toBe('1 of 1');
    await expect.poll(() => page.locator('mark.now').textContent()).toBe('yellow whale');
    await expect.poll(() => page.locator('.panel .text').textContent()).toContain('Entry 7777');
    await expect.poll(() => within(page.locator('mark.now'), page.locator('.panel'))).toBe(true);
    await field.fill('with 82 passengers');
    await expect.poll(() => page.locator('.find [role=status]').textContent()).toMatch(/^\d+ of 108$/);
    await field.fill('passengers');
    await expect.poll(() => page.locator('.find [role=status]').textContent()).toMatch(/of 2,000\+$/);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Next match' }).click();
    await page.keyboard.press('Escape');
    await expect.poll(() => field.count()).toBe(0);
    await expect.poll(() => page.locator('.panel').count()).toBe(1);
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Find in this document');
    await check();
  });

  test('an answer is copied with its sources', async () => {
    const { page, check } = await start({ permissions: ['clipboard-read', 'clipboard-write'] });
    await rules_(page);
    await page.getByRole('button', { name: 'Copy this answer with its sources' }).last().click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/^Boats moor stern first at the quixel pier \[1\]\.\s+Sources:\s+- \[1\] Harbour rules.*rules\.md`$/s);
    await check();
  });

  test('the panel is made wider, and stays so', async () => {
    const { page, check } = await start();
    await (await rules_(page)).locator('.cite').first().click();
    const width = () => page.locator('.panel').evaluate((el) => el.getBoundingClientRect().width);
    await page.locator('mark.said').first().waitFor();
    const own = await width();
    const splitter = page.getByRole('separator', { name: 'Width of the panel' });
    await splitter.focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight');
    await expect.poll(width).toBeLessThan(own - 100); // all three key presses had an effect
    const narrow = await width();
    const box = (await splitter.boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, 400);
    await page.mouse.down();
    await page.mouse.move(box.x - 60, 400, { steps: 4 });
    await page.mouse.up();
    await expect.poll(width).toBeGreaterThan(narrow + 60);
    const chosen = await width();
    await page.reload();
    await page.locator('.cite').first().click();
    await page.locator('mark.said').first().waitFor();
    await expect.poll(async () => Math.abs((await width()) - chosen)).toBeLessThan(3);
    await check();
  });

  test.each([
    ['light and dark', {}, accessibleInThemes],
    ['360 px', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }, accessible],
  ] as const)('accessible in every view: %s', async (name, options, accessible) => {
    const { page, check } = await start(options);
    const cite = (await lanterns(page)).locator('.cite').first();
    if (name === '360 px') {
      await cite.tap(); // a click opens it, and no card covers it
      await expect.poll(() => page.getByRole('tooltip').count()).toBe(0);
      const dialog = page.getByRole('dialog');
      await dialog.waitFor();
      expect((await dialog.boundingBox())!.width).toBe(360);
    } else await cite.click();
    await page.locator('.sheet .mark.said').first().waitFor();
    await accessible(page);
    for (const tab of ['Text', 'Passages']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.locator(tab === 'Text' ? 'mark.said' : '.panel li button').first().waitFor();
      await accessible(page);
    }
    await page.locator('.panel').getByRole('button', { name: 'Search details' }).click();
    await page.locator('.panel ol > li').first().waitFor();
    await accessible(page);
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
    await check();
  });

  // The server has pictures of PDFs. The page does the same for other formats.
  test('slides have pictures where the server has some, and text otherwise', async () => {
    const { page, check } = await start();
    const slides = 'application/vnd.openxmlformats-officedocument.presentationml.presentation; charset=shift_jis';
    await page.route(/\/api\/documents\/\d+$/, async (r) => {
      const response = await r.fetch();
      await r.fulfill({ response, json: { ...((await response.json()) as object), media_type: slides } });
    });
    const answer = await lanterns(page);
    await answer.locator('.cite').first().click();
    await page.locator('.sheet .mark.said').first().waitFor();
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
    await (await rules_(page)).locator('.cite').first().click();
    await page.locator('.panel .text mark.said').first().waitFor();
    await expect.poll(() => page.getByRole('tab', { name: 'Slide' }).count()).toBe(0);
    expect(asked).toEqual([]);
    await check();
  });
});
