// All kinds of replies on the real program. An agent file sends the kinds that it can. The tests
// write the other kinds, which agents in Go send, to the database.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostile } from '../mock/corpus';
import { accessible, launch, watch, type Watched } from './browser';
import { newDatabase } from './postgres';
import { startProgram, type Program } from './program';
import * as sample from './samples';

const agent = `
name: kinds
states:
  begin:
    initial: true
    body:
      - markdown: Some **kinds** of replies.
      - html: '<h1>Report</h1><p style="color: rgb(180, 30, 30); position: fixed; background-image: url(https://evil.example/a.png)" onclick="parent.__pwned=1">Revenue <b>grew</b>.</p><form><input name=a></form>'
      - options: [Billing, My account, Something else]
    on: [{message: any, to: begin}]
`;

type Reply = [type: string, content: unknown];

describe('replies of agents', () => {
  let browser: Browser;
  let program: Program;
  let database: ReturnType<typeof newDatabase>;
  const shots = process.env.SHOTS ?? '';

  beforeAll(async () => {
    database = newDatabase();
    browser = await launch();
    program = await startProgram({ agent, env: { DATABASE_URL: database.url } });
    if (shots) mkdirSync(shots, { recursive: true });
  });
  afterAll(async () => {
    await program.stop();
    database.drop();
  });

  let sessions = 0;

  /** told is a session in which the agent has said that. */
  function told(...replies: Reply[]): string {
    const id = `told-${++sessions}`;
    const json = (v: unknown) => `$json$${JSON.stringify(v)}$json$::jsonb`;
    const rows: [string, unknown, boolean][] = [['str', 'Show me', true], ...replies.map(([type, content]): [string, unknown, boolean] => [type, content, false])];
    const sql = `
      INSERT INTO session (agent_name, session_id, platform_name, "timestamp", current_state, seq, turn)
      VALUES ('kinds', '${id}', 'WebSocketPlatform', now(), 'begin', ${rows.length}, 1);
      ${rows.map(([type, content, isUser], i) => `INSERT INTO chat (session_id, type, content, is_user, "timestamp", seq, turn) SELECT id, '${type}', ${json(content)}, ${isUser}, now(), ${i + 1}, 1 FROM session WHERE session_id = '${id}';`).join('\n')}`;
    execFileSync('psql', [database.url, '-qX', '-v', 'ON_ERROR_STOP=1', '-f', '-'], { input: sql, stdio: ['pipe', 'pipe', 'pipe'] });
    return id;
  }

  async function open(replies: Reply[], options: BrowserContextOptions = {}): Promise<{ page: Page; watched: Watched }> {
    const id = told(...replies);
    const watched = await watch(browser, program.url, options);
    await watched.page.goto(`${program.url}/#/c/${id}`);
    await watched.page.locator('.column').getByText('Show me', { exact: true }).first().waitFor();
    return { page: watched.page, watched };
  }

  async function saved(page: Page, name: string | RegExp): Promise<{ name: string; bytes: Buffer }> {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).first().click()]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  }

  test('replies of a YAML agent are shown live: Markdown, HTML, choices by keyboard', async () => {
    const watched = await watch(browser, program.url);
    const { page } = watched;
    await page.goto(program.url);
    await page.locator('.column').getByText('Some kinds of replies.').waitFor();
    const frame = page.frameLocator('iframe');
    await frame.getByRole('heading', { name: 'Report' }).waitFor();
    await expect.poll(() => frame.locator('p').evaluate((el) => [getComputedStyle(el).color, getComputedStyle(el).position, getComputedStyle(el).backgroundImage])).toEqual(['rgb(180, 30, 30)', 'static', 'none']);
    await expect.poll(() => frame.locator('form, input, [onclick]').count()).toBe(0);
    const choices = page.getByRole('group', { name: 'Choices' }).getByRole('button');
    await choices.first().focus();
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim());
    for (const [key, want] of [['ArrowRight', 'My account'], ['End', 'Something else'], ['ArrowDown', 'Billing'], ['3', 'Something else'], ['2', 'My account']] as const) {
      await page.keyboard.press(key);
      await expect.poll(() => focused()).toBe(want);
    }
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'My account (chosen)' }).waitFor();
    await expect.poll(() => page.locator('iframe').count()).toBe(2);
    await watched.check();
  });

  test('HTML is shown in a frame that runs nothing and asks for nothing', async () => {
    const { page, watched } = await open([['html', `${sample.html}${hostile}<script>parent.__pwned = 1; top.__pwned = 1</script><img src=x onerror="parent.__pwned = 2"><img src="https://evil.example/x.png"><style>@import 'https://evil.example/x.css'; .tint { background: url(https://evil.example/y.png); color: rgb(0, 90, 160) }</style><svg onload="parent.__pwned = 3"></svg><base href="https://evil.example/">`]]);
    const element = page.locator('iframe');
    await expect.poll(() => element.getAttribute('sandbox')).toBe('allow-same-origin allow-popups allow-popups-to-escape-sandbox');
    await expect.poll(() => element.getAttribute('title')).toBe('HTML from the agent');
    const frame = page.frameLocator('iframe');
    await frame.getByRole('heading', { name: 'Quarter' }).waitFor();
    await expect.poll(() => frame.locator('script, style, form, input, button, iframe, svg, base, meta, object, embed, link, [onclick], [onload], [onerror]').count()).toBe(0);
    await expect.poll(() => frame.locator('img').evaluateAll((all) => all.map((img) => (img as HTMLImageElement).src.slice(0, 10)))).toEqual(['data:image']);
    await expect.poll(() => frame.locator('td').first().evaluate((el) => getComputedStyle(el).backgroundColor)).toBe('rgb(220, 240, 220)');
    await expect.poll(() => frame.locator('.tint').evaluate((el) => getComputedStyle(el).color)).toBe('rgb(0, 90, 160)');
    for (const [target, rel] of await frame.locator('a').evaluateAll((all) => all.map((a) => [(a as HTMLAnchorElement).target, (a as HTMLAnchorElement).rel]))) {
      expect(target).toBe('_blank');
      expect(rel).toContain('noopener');
    }
    await expect.poll(() => element.evaluate((el) => el.clientHeight)).toBeGreaterThan(150);
    await watched.check();
  });

  // The first PDF of all waits for its reader to be loaded.
  test('files are saved unchanged and previewed: text, picture, PDF', { timeout: 300_000 }, async () => {
    const { page, watched } = await open([
      ['file', sample.file('figures.csv', 'year,revenue\n2026,12\n')],
      ['file', sample.file('../evil.html', '<script>__pwned = 1</script>')],
      ['file', { name: 'dot.png', type: 'image/png', base64: sample.png }],
      ['file', sample.file('two.pdf', sample.pdf('First page', 'Second page'))],
      ['file', sample.file('blob.bin', Buffer.from([0, 1, 2, 3]))],
    ]);
    const csv = await saved(page, 'Download figures.csv');
    expect([csv.name, csv.bytes.toString()]).toEqual(['figures.csv', 'year,revenue\n2026,12\n']);
    const previews = page.getByRole('button', { name: 'Preview', exact: true });
    await expect.poll(() => previews.count()).toBe(4); // the last file has none
    const openNext = async (left: number) => {
      await previews.nth(1).click();
      await expect.poll(() => previews.count()).toBe(left); // the button of an open picture has another name
    };
    await openNext(3);
    await expect.poll(() => page.getByRole('region', { name: 'Preview of .._evil.html' }).textContent()).toBe('<script>__pwned = 1</script>');
    await openNext(2);
    await page.getByRole('img', { name: 'dot.png' }).first().waitFor();
    await openNext(1);
    const sheet = page.getByRole('img', { name: 'Page 1 of two.pdf' });
    await sheet.waitFor({ timeout: 150_000 });
    await expect.poll(() => sheet.evaluate((el) => (el as HTMLImageElement).naturalWidth)).toBeGreaterThan(300);
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByRole('img', { name: 'Page 2 of two.pdf' }).waitFor();
    await page.getByText('Page 2 of 2').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Next page' }).isDisabled()).toBe(true);
    await watched.check();
  });

  test('pictures are enlarged and saved, and invalid ones are reported', async () => {
    const { page, watched } = await open([['image', sample.png], ['image', 'AAAA'], ['image', sample.bomb]]);
    await page.getByText('This image cannot be shown.').waitFor();
    await page.getByText(/too large to show/).waitFor();
    await page.getByRole('button', { name: /Enlarge the picture/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Picture' });
    await dialog.waitFor();
    expect((await saved(page, 'Download the picture')).name).toMatch(/^picture\.(png|bin)$/);
    await page.keyboard.press('Escape');
    await expect.poll(() => dialog.count()).toBe(0);
    await watched.check();
  });

  describe('a table', () => {
    test('of 10,000 rows draws the visible ones, and is sorted, filtered, and saved', async () => {
      const { page, watched } = await open([['dataframe', sample.people(10_000)]]);
      const table = page.getByRole('table');
      await table.waitFor();
      await expect.poll(() => table.getAttribute('aria-rowcount')).toBe('10001');
      await expect.poll(() => page.locator('tbody tr').count()).toBeLessThan(80);
      const column = (n: number) => page.locator('tbody tr[data-row]').evaluateAll((rows, i) => rows.slice(0, 3).map((r) => r.children[i]!.textContent), n);
      const head = (name: string) => page.getByRole('columnheader', { name });
      await head('score').getByRole('button').click();
      await expect.poll(() => head('score').getAttribute('aria-sort')).toBe('ascending');
      await expect.poll(() => column(1)).toEqual(['-5000', '-4999', '-4998']); // as numbers
      await head('score').getByRole('button').click();
      await expect.poll(() => head('score').getAttribute('aria-sort')).toBe('descending');
      await expect.poll(() => column(1)).toEqual(['4999', '4998', '4997']);
      await head('name').getByRole('button').click();
      await expect.poll(() => column(0)).toEqual(['Alan 1', 'Alan 6', 'Alan 11']); // as words, with numbers in numeric order
      await head('joined').getByRole('button').click();
      await expect.poll(async () => (await column(2))[0]).toBe('Jan 1, 2020');
      await page.getByRole('searchbox', { name: 'Filter the rows' }).fill('zoe 77');
      await page.getByText(/^\d+ of 10,000 rows$/).waitFor();
      await expect.poll(async () => (await column(0)).every((name) => name!.startsWith('Zoe 77'))).toBe(true);
      const kept = (await saved(page, 'Download CSV')).bytes.toString();
      expect(kept.split('\r\n')[0]).toBe('name,score,joined,active');
      expect(kept).toMatch(/\r\nZoe 77\d*,-?\d+,20\d\d-\d\d-\d\dT00:00:00\.000Z,(?:true|false)\r\n/);
      await page.getByRole('searchbox').fill('nothing like it');
      await page.getByText('No rows match the filter.').waitFor();
      await page.getByRole('searchbox').fill('');
      // The keyboard reaches the last row, and the header stays.
      await page.getByRole('region', { name: 'Table' }).focus();
      await page.keyboard.press('End');
      await page.locator('tr[aria-rowindex="10001"]').waitFor();
      await expect.poll(() => head('name').isVisible()).toBe(true);
      await accessible(page);
      await watched.check();
    });
  });

  test('a plot is drawn by code that is loaded on demand, and is also a table and a PNG', async () => {
    const others = await open([['str', 'No plot here'], ['dataframe', sample.people(3)]]);
    await others.page.getByRole('table').waitFor();
    const loaded = (page: Page) => page.evaluate(() => performance.getEntriesByType('resource').filter((r) => /\/plotly-[^/]*\.js/.test(r.name)).length);
    await expect.poll(() => loaded(others.page)).toBe(0);
    await others.watched.check();
    const { page, watched } = await open([['plotly', sample.figure('bar')], ['plotly', sample.figure('pie')], ['plotly', sample.figure('heatmap')], ['plotly', sample.figure('box')], ['plotly', sample.figure('scatter3d')]]);
    await page.getByText('Revenue by quarter').first().waitFor();
    await page.locator('.js-plotly-plot .main-svg').first().waitFor();
    await expect.poll(() => loaded(page)).toBe(1);
    await page.locator('figure .plot').first().scrollIntoViewIfNeeded();
    await expect.poll(() => page.locator('figure').first().locator('.bars .point path').count()).toBe(8);
    await expect.poll(() => page.locator('a[href*="evil"]').count()).toBe(0);
    await expect.poll(() => page.locator('figure').first().locator('image').count()).toBe(0); // a heatmap is an image
    await expect.poll(() => page.getByRole('img', { name: /Bar chart · 2 series · 8 values/ }).count()).toBe(1);
    await page.getByText('This page cannot draw a chart of the type scatter3d. Its data is below.').waitFor();
    for (const kind of ['.pielayer .slice', '.heatmaplayer image, .heatmaplayer .hm', '.boxlayer path.box']) {
      await page.locator('figure .plot').last().scrollIntoViewIfNeeded();
      await page.locator(kind).first().waitFor({ state: 'attached' });
    }
    const png = await saved(page, 'Download PNG');
    expect([png.name, png.bytes.subarray(1, 4).toString()]).toEqual(['Revenue by quarter.png', 'PNG']);
    await page.getByRole('button', { name: 'Show as a table' }).first().click();
    await expect.poll(() => page.locator('figure').first().locator('tbody tr[data-row]').first().innerText()).toMatch(/2025\s+Q1\s+12/);
    await page.getByRole('button', { name: 'Show as a chart' }).click();
    await page.locator('figure .plot').first().scrollIntoViewIfNeeded();
    await page.locator('figure').first().locator('.main-svg').first().waitFor();
    await watched.check();
  });

  describe('small plots that would compute too long', () => {
    const scatter = { type: 'scatter', x: [1, 2], y: [1, 2] };
    const wild = 'url(https://evil.example/x)';
    test.each<[string, object[], object]>([
      ['ticks', [scatter], { xaxis: { dtick: 1e-9, range: [0, 1] } }],
      ['days', [{ ...scatter, x: ['2020-01-01', '2026-01-01'] }], { xaxis: { type: 'date', dtick: 1 } }],
      ['a grid', [{ type: 'bar', x: [1], y: [1] }], { grid: { rows: 1e8, columns: 1e8 } }],
      ['bins', [{ type: 'histogram', x: [0, 1e9, 5], xbins: { start: 0, end: 1e9, size: 0.001 } }, { type: 'histogram', x: [0, 1e9, 5], nbinsx: 1e9 }], {}],
      ['cells', [{ type: 'heatmap', z: [Array(5000).fill(1), ...Array(5000).fill([])] }], {}],
      ['numbers at the ends', [{ ...scatter, x: [0, 1e-300, 1e300, 1e99, 1, 1.0000000000000002], y: [-1e99, 1e99, 1, 1, 1, 1] }, { ...scatter, x: [1e-90, 1e90], y: [1, 2] }], { xaxis: { type: 'log', range: [0, 1e-300] }, yaxis: { range: [0, 1e300], tickformat: '999999999d' } }],
      ['close numbers', [{ ...scatter, x: [1, 1.0000000000000002], y: [1e15, 1e15 + 0.125] }], { xaxis: { tickvals: Array(9999).fill(1), ticktext: Array(9999).fill('x'.repeat(999)) } }],
      ['years', [{ ...scatter, x: ['0001-01-01', '9999-12-31', 1e99] }, { ...scatter, x: [1, 1e99] }], { xaxis: { type: 'date' } }],
      ['looks', [
        { ...scatter, mode: 'markers+text', text: ['a', 'b'], marker: { color: [wild, 'no colour'], size: [1e9, 1], symbol: wild, line: { color: wild, width: 1e9 } }, textfont: { size: 1e9, color: wild, family: wild }, line: { color: wild, width: -5, dash: wild }, hovertemplate: '%{y:999999999d}' },
        { type: 'bar', x: [1, 2], y: [3, 4], marker: { color: 'nocolouratall', pattern: { shape: wild } }, width: [1e99, -1], offset: 1e99 },
        { type: 'box', y: [1, 2, 3], whiskerwidth: 1e9, jitter: 1e9, boxpoints: 'all', marker: { size: 1e9 } },
      ], { annotations: [{ text: 'x', x: 0, y: 1, ax: 1e99, font: { size: 1e99, color: wild } }], shapes: [{ type: 'rect', x0: -1e99, x1: 1e99, y0: 0, y1: 1, line: { width: 1e99 } }], margin: { l: 1e9 }, font: { size: 1e9 }, xaxis: { tickfont: { size: 1e9 }, domain: [5, -5], scaleanchor: 'y', scaleratio: 1e99 } }],
    ])('%s', async (_, data, layout) => {
      const { page, watched } = await open([['plotly', JSON.stringify({ data, layout })]]);
      const bad: string[] = [];
      page.on('console', (m) => m.type() === 'error' && bad.push(m.text()));
      // The page draws it or refuses it, and stays responsive.
      await page.locator('figure .main-svg').first().or(page.getByText('The chart could not be drawn. Its data is below.')).waitFor();
      await page.getByRole('button', { name: 'Show as a table' }).click();
      await page.getByRole('table').first().waitFor();
      expect(bad).toEqual([]);
      await watched.check();
    });
  });

  test('sound has a player with its duration', async () => {
    const { page, watched } = await open([['audio', sample.tone(2, 1)], ['audio', sample.tone(1.5, 2)], ['audio', { metadata: {} }]]);
    const audio = page.locator('audio');
    await expect.poll(() => audio.count()).toBe(2);
    await expect.poll(() => audio.evaluateAll((all) => all.map((a) => (a as HTMLAudioElement).duration))).toEqual([2, 1.5]);
    const box = (at: string) => page.locator(at).first().boundingBox();
    expect((await box('.sound .button'))!.y).toBeGreaterThan((await box('audio'))!.y + 40);
    const wav = await saved(page, 'Download the recording');
    expect([wav.name, wav.bytes.subarray(0, 4).toString(), wav.bytes.length]).toEqual(['recording.wav', 'RIFF', 44 + 2 * 2 * 8000]);
    await page.getByText('This “audio” reply is malformed and cannot be shown.').waitFor();
    await watched.check();
  });

  test('models of user interfaces, JSON, and unknown replies are trees', async () => {
    const { page, watched } = await open([['ui', sample.gui], ['json', { answer: 42, list: Array.from({ length: 300 }, (_, i) => i) }], ['gui', { modules: [], deep: sample.nested(1500) }]]);
    const gui = page.getByRole('region', { name: 'User interface: Booking' });
    await gui.getByText('modules', { exact: true }).waitFor();
    await gui.getByText('Main screen').first().waitFor();
    await gui.getByText('screens', { exact: true }).locator('xpath=ancestor::details[1]/summary').press('Enter');
    await expect.poll(() => gui.getByText('Main screen').count()).toBe(0);
    const data = page.getByRole('region', { name: 'Data' });
    const list = data.getByText('list', { exact: true });
    if (!(await list.locator('xpath=ancestor::details[1]').evaluate((el) => (el as HTMLDetailsElement).open))) await list.click();
    await data.getByRole('button', { name: 'Show 200 more' }).click();
    await expect.poll(() => data.locator('li .leaf').count()).toBeGreaterThan(240);
    expect(JSON.parse((await saved(page, 'Download JSON')).bytes.toString())).toEqual(sample.gui);
    await watched.check();
  });

  test('megabytes of hostile content do not stop the page', async () => {
    const long = 'x'.repeat(3_000_000);
    const { page, watched } = await open([
      ['html', '<div>'.repeat(100_000) + `<p style="color:red">${long}</p>`],
      ['json', { long, deep: sample.nested(1500), wide: Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i])) }],
      ['dataframe', JSON.stringify({ long: { 0: long }, '<img src=x onerror=__pwned=1>': { 0: '<script>__pwned=1</script>' } })],
      ['plotly', JSON.stringify({ data: [{ type: 'scatter', x: Array.from({ length: 300_000 }, (_, i) => i), y: Array.from({ length: 300_000 }, (_, i) => i % 97) }], layout: { title: { text: `<a href="https://evil.example">${long}</a>` } } })],
      ['options', JSON.stringify(Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [i, `Choice ${i}`])))],
    ]);
    await page.getByText('The chart shows only the first 20,000 values.').waitFor();
    await expect.poll(() => page.getByRole('group', { name: 'Choices' }).getByRole('button').count()).toBe(100);
    await expect.poll(() => page.locator('*').count()).toBeLessThan(10_000);
    // The page still responds.
    await page.getByRole('button', { name: 'Choice 7', exact: true }).click();
    await page.getByRole('button', { name: 'Choice 7 (chosen)' }).waitFor();
    await watched.check();
  });

  describe('all of it on one page', () => {
    const everything = (): Reply[] => [
      ['markdown', 'Here is **everything** at once.'], ['html', sample.html], ['file', sample.file('figures.csv', 'year,revenue\n2026,12\n')], ['image', sample.photo],
      ['dataframe', sample.people(250)], ['plotly', sample.figure('bar')], ['plotly', sample.figure('line')], ['audio', sample.tone(2, 1)], ['location', { latitude: 49.6, longitude: 6.1 }],
      ['ui', sample.gui], ['options', '["Billing", "My account"]'],
    ];
    test.each([
      ['light and dark', {}],
      ['320 px, in German', { viewport: { width: 320, height: 700 }, locale: 'de-DE' }],
    ])('is accessible and fits: %s', async (name, options) => {
      const { page, watched } = await open(everything(), options);
      await page.frameLocator('iframe').getByRole('heading', { name: 'Quarter' }).waitFor();
      await page.locator('figure .plot').first().scrollIntoViewIfNeeded();
      await page.locator('.js-plotly-plot .main-svg').first().waitFor();
      await expect.poll(() => page.locator('audio').evaluate((a) => (a as HTMLAudioElement).duration)).toBe(2);
      await expect.poll(() => page.locator('.column').evaluate((el) => el.scrollWidth - el.clientWidth)).toBeLessThanOrEqual(0);
      await accessible(page);
      if (name === 'light and dark') {
        const ink = () => page.locator('.js-plotly-plot .xtick text').first().evaluate((el) => getComputedStyle(el).fill);
        const light = await ink();
        await page.emulateMedia({ colorScheme: 'dark' });
        await expect.poll(ink).not.toBe(light); // the plot is drawn again
        await accessible(page, 'colors');
      }
      if (shots) {
        const { height, width } = page.viewportSize()!;
        await page.setViewportSize({ width, height: 6200 });
        await page.locator('.js-plotly-plot .main-svg').nth(3).waitFor({ state: 'attached' });
        await page.screenshot({ path: join(shots, `payloads-${name}.png`) });
        await page.setViewportSize({ width, height });
      }
      await watched.check();
    });
  });
});
