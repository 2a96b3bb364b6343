// Pictures of every view of the page on the real program, in light, in dark and
// on a phone: `npm run shots` is `VIEWS=FOLDER` here. They are for people to look
// at, and for docs/reference/page.md.
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MockModel, hold } from '../mock/model';
import { launch } from './browser';
import { startProgram, type Program } from './program';
import * as sample from './samples';

const folder = process.env.VIEWS ?? '';
const root = join(import.meta.dirname, '../../..');

const manual = `<!doctype html><meta charset="utf-8"><title>Feed pump FP-40, operator manual</title><style>
  @page { size: A4; margin: 24mm } body { font: 12pt/1.5 'Liberation Serif', 'DejaVu Serif', serif } h1 { font-size: 22pt } h2 { font-size: 15pt; margin-top: 1.6em }
  table { border-collapse: collapse } td, th { border: 1px solid #888; padding: 4px 12px; text-align: left } .next { break-before: page }
</style>
<h1>Feed pump FP-40</h1><p>This manual describes the operation and the maintenance of the feed pump FP-40. Read it before the pump is used for the first time.</p>
<h2>Priming</h2><p>The feed pump is primed by opening the vent valve and filling the casing through the funnel until water comes out without bubbles. Close the vent valve before the motor is started.</p>
<h2>Starting</h2><p>Open the suction valve fully. Start the motor, and open the discharge valve slowly until the gauge shows four bar.</p>
<h1 class="next">Maintenance</h1><p>The feed pump is serviced every 2,000 hours of operation, or once a year, whichever comes first.</p>
<h2>Intervals</h2><table><tr><th>Part</th><th>Interval</th></tr><tr><td>Bearings</td><td>2,000 hours</td></tr><tr><td>Shaft seal</td><td>4,000 hours</td></tr><tr><td>Coupling</td><td>8,000 hours</td></tr></table>
<h2>Shaft seal</h2><p>Replace the shaft seal when more than ten drops of water leave it in a minute. A seal that runs dry is destroyed within seconds.</p>`;

const written = `The pump is **serviced every 2,000 hours** of operation, or once a year, whichever comes first [1]. Its parts have intervals of their own:

| Part | Interval |
| --- | ---: |
| Bearings | 2,000 h |
| Shaft seal | 4,000 h |

1. Close the suction valve.
2. Drain the casing, then take off the coupling.

\`\`\`go
func due(hours int) bool {
	return hours%2000 == 0 // every service
}
\`\`\`

With $n$ services after $h$ hours, $n = \\lfloor h / 2000 \\rfloor$. The moon is made of cheese.`;

const kinds = 'name: desk\nstates:\n  begin:\n    initial: true\n    body: [{reply: "Hello, this is the desk."}]\n    on: [{message: any, to: begin}]\n';

/** shop is a page of another site, with the widget on it. */
const shop = (docent: string) => `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Northern Pumps</title><style>
  :root { color-scheme: light dark } body { margin: 0; font: 16px/1.6 'Liberation Serif', serif } header { padding: 1.2rem 2rem; background: #14506b; color: #fff; font-size: 1.3rem }
  main { max-width: 36rem; padding: 1.5rem 2rem }
</style><header>Northern Pumps</header><main><h1>Feed pump FP-40</h1><p>The pump for boilers of up to two tonnes of steam an hour: four bar, one hand to start it, and a seal that lasts.</p><p>In stock. Sent within a day.</p></main>
<script src="${docent}/widget.js" data-title="Ask the manual" data-accent="#14506b" async></script>`;

interface Look {
  name: string;
  options: BrowserContextOptions;
}

const looks: Look[] = [
  { name: 'light', options: { viewport: { width: 1280, height: 800 }, colorScheme: 'light' } },
  { name: 'dark', options: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' } },
  { name: '360', options: { viewport: { width: 360, height: 740 }, colorScheme: 'light', hasTouch: true, isMobile: true } },
];

describe.skipIf(!folder).each(looks)('views, $name', ({ name, options }) => {
  let browser: Browser;
  let model: MockModel;
  let programs: Program[] = [];
  let [plain, written_, closed, desk]: Program[] = [];
  const phone = name === '360';

  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    model = await new MockModel().start();
    browser = await launch();
    const page = await browser.newPage();
    await page.setContent(manual);
    const pdf = await page.pdf({ preferCSSPageSize: true });
    await page.close();
    const doc = (path: string) => readFileSync(join(root, path), 'utf8');
    const files = { 'feed-pump.pdf': pdf, 'README.md': doc('README.md'), 'settings.md': doc('docs/reference/settings.md'), 'architecture.md': doc('docs/explanation/architecture.md'), 'agents.md': doc('docs/how-to/write-agents.md') };
    const voice = { DOCENT_TRANSCRIPTION_MODEL: 'whisper', DOCENT_SPEECH_URL: model.url, DOCENT_SPEECH_KEY: 'key' };
    plain = await startProgram({ bare: true, files });
    written_ = await startProgram({ bare: true, files, model: model.url, env: voice });
    closed = await startProgram({ bare: true, files: { 'feed-pump.pdf': pdf }, user: ['ada', 'correct horse battery'] });
    desk = await startProgram({ bare: true, files: { 'feed-pump.pdf': pdf }, agent: kinds });
    programs = [plain, written_, closed, desk];
  });
  afterAll(async () => {
    for (const p of programs) await p.stop();
    await model?.stop();
  });

  async function visit(program: Program, address = '', more: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', ...options, ...more });
    context.setDefaultTimeout(30_000);
    const page = await context.newPage();
    await page.goto(program.url + address);
    return page;
  }

  /** shot takes a picture once fonts and pictures are there and nothing moves. */
  async function shot(page: Page, what: string): Promise<void> {
    await page.evaluate(async () => {
      await document.fonts.ready;
      await Promise.all([...document.images].map((i) => (i.complete ? null : new Promise((ok) => i.addEventListener('load', ok, { once: true })))));
      await new Promise((ok) => requestAnimationFrame(() => requestAnimationFrame(ok)));
    });
    await page.screenshot({ path: join(folder, `${what}-${name}.png`) });
  }

  const box = (page: Page) => page.locator('form textarea').first();

  async function ask(page: Page, text: string): Promise<void> {
    const done = page.locator('.answer:not([aria-busy]) .sources');
    const before = await done.count();
    await box(page).fill(text);
    await box(page).press('Enter');
    await expect.poll(() => done.count()).toBe(before + 1);
  }

  test('start, answer, evidence', async () => {
    const page = await visit(plain!);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('.start li').first().waitFor();
    await shot(page, 'start');
    await ask(page, 'How often is the feed pump serviced?');
    await shot(page, 'answer');
    if (!phone) {
      await page.locator('.answer .cite').first().hover();
      await page.locator('#evidence-card').waitFor();
      await shot(page, 'preview');
      await page.mouse.move(5, 5);
    }
    await page.locator('.answer .cite').first().click();
    await expect.poll(() => page.locator('.sheet img').evaluateAll((all) => all.some((i) => (i as HTMLImageElement).naturalWidth > 0)), { timeout: 30_000 }).toBe(true);
    await shot(page, 'evidence-page');
    await page.locator('.panel').getByRole('tab', { name: 'Text' }).click();
    await page.locator('.panel mark').first().waitFor();
    await shot(page, 'evidence-text');
    await page.locator('.panel').getByRole('tab', { name: 'Passages' }).click();
    await page.locator('.panel').getByText('Shaft seal').first().waitFor();
    await shot(page, 'evidence-passages');
    await page.keyboard.press('Escape');
    await page.locator('.panel').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /Search details/ }).first().click();
    await page.locator('.panel').waitFor();
    await shot(page, 'searched');
    await page.keyboard.press('Escape');
    await ask(page, 'Who won the football world cup in 1954?');
    await shot(page, 'unknown');
    await page.context().close();
  });

  test('a written answer, streaming and finished', async () => {
    Object.assign(model, { pace: 1, text: written.replace('\n\n| Part', `\n\n${hold}| Part`) });
    const page = await visit(written_!);
    await box(page).fill('How is the feed pump serviced?');
    await box(page).press('Enter');
    await page.locator('.answer[aria-busy] .prose strong').waitFor();
    await shot(page, 'streaming');
    model.go();
    await page.locator('.answer:not([aria-busy]) .sources').waitFor();
    await page.locator('.answer math').first().waitFor();
    await shot(page, 'written');
    await page.context().close();
  });

  test('typed, attached, recorded, and chosen input', async () => {
    const page = await visit(written_!, '', { permissions: ['microphone'] });
    await box(page).waitFor();
    await box(page).pressSequentially('/');
    await page.getByRole('listbox').waitFor();
    await shot(page, 'commands');
    await box(page).fill('');
    await page.locator('input[type=file]').first().setInputFiles([{ name: 'readings.csv', mimeType: 'text/csv', buffer: Buffer.from('hour,bar\n1,4.0\n') }, { name: 'gauge.gif', mimeType: 'image/gif', buffer: Buffer.from(sample.photo, 'base64') }]);
    await page.getByText('readings.csv').waitFor();
    await shot(page, 'attached');
    await page.reload();
    await page.getByRole('button', { name: /^Record/ }).click();
    await page.getByRole('button', { name: /Send/ }).first().waitFor();
    await shot(page, 'recording');
    await page.reload();
    await box(page).waitFor();
    await page.getByRole('button', { name: /Answer options|Answered/ }).first().click();
    await shot(page, 'choice');
    await page.context().close();
  });

  test('every kind of reply', async () => {
    const rows: [string, unknown][] = [
      ['markdown', 'Here is **everything** that an agent may send.'],
      ['dataframe', sample.people(200)],
      ['plotly', sample.figure('bar').replace(/ <a href[^>]*>evil<.a>/, '')],
      ['options', JSON.stringify({ 0: 'Billing', 1: 'My account', 2: 'Something else' })],
      ['html', sample.html],
      ['file', sample.file('notes.txt', 'Prime the pump.\nThen start it.')],
      ['file', sample.file('manual.pdf', sample.pdf('Feed pump', 'Maintenance'))],
      ['image', sample.photo],
      ['location', { latitude: 54.3233, longitude: 10.1228 }],
      ['audio', sample.tone(3, 1)],
      ['ui', sample.gui],
    ];
    const json = (v: unknown) => `$json$${JSON.stringify(v)}$json$::jsonb`;
    desk!.sql(`
      INSERT INTO session (agent_name, session_id, platform_name, "timestamp", current_state, seq, turn) VALUES ('desk', 'kinds', 'WebSocketPlatform', now(), 'begin', ${rows.length + 1}, 1) ON CONFLICT DO NOTHING;
      ${[['str', 'Show me everything', true] as const, ...rows.map(([t, c]) => [t, c, false] as const)].map(([type, content, isUser], i) => `INSERT INTO chat (session_id, type, content, is_user, "timestamp", seq, turn) SELECT id, '${type}', ${json(content)}, ${isUser}, now(), ${i + 1}, 1 FROM session WHERE session_id = 'kinds';`).join('\n')}`);
    const page = await visit(desk!, '/#/c/kinds');
    await page.locator('.question').first().waitFor();
    const scroller = page.locator('.chat > .scroller');
    for (const [i, at] of [0, 0.3, 0.6, 1].entries()) {
      await scroller.evaluate((el, share) => (el.scrollTop = (el.scrollHeight - el.clientHeight) * share), at);
      await page.waitForTimeout(1200); // images that load when they come near
      await shot(page, `kinds-${i + 1}`);
    }
    await page.context().close();
  });

  test('the library', async () => {
    const page = await visit(plain!, '/#/documents');
    await page.locator('.row').first().waitFor();
    await shot(page, 'documents');
    await page.locator('input[type=file]:not(.folder)').setInputFiles([{ name: 'log.txt', mimeType: 'text/plain', buffer: Buffer.from('The pump ran all night.') }, { name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4 nothing') }]);
    await page.getByRole('button', { name: 'Clear this list' }).waitFor();
    await shot(page, 'uploads');
    await page.getByRole('button', { name: 'Clear this list' }).click();
    await page.locator('.row', { hasText: 'log.txt' }).getByRole('button', { name: /^Options for/ }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await shot(page, 'undo');
    await page.locator('.notice').getByRole('button', { name: 'Dismiss' }).first().click();
    await page.getByRole('radio', { name: 'Passages' }).check();
    await page.getByRole('searchbox', { name: 'Find passages in the documents' }).fill('How is the shaft seal replaced?');
    await page.locator('ol li').first().waitFor();
    await shot(page, 'passages');
    await page.context().close();
  });

  test('conversations', async () => {
    const page = await visit(plain!);
    await ask(page, 'What is stored in the database?');
    await page.getByRole('link', { name: 'New chat' }).first().click();
    await ask(page, 'How is an agent written in YAML?');
    if (phone) await page.getByRole('button', { name: 'Menu' }).click();
    await page.locator('nav li').first().waitFor();
    await page.locator('nav li').first().hover();
    await page.locator('nav li').first().getByRole('button').last().click();
    await page.getByRole('menu').waitFor();
    await shot(page, 'conversations');
    await page.context().close();
  });

  test('settings, login and tokens', async () => {
    const page = await visit(plain!, '/#/settings');
    await page.getByRole('heading', { name: 'Status' }).waitFor();
    await shot(page, 'settings');
    await page.getByRole('heading', { name: 'Status' }).scrollIntoViewIfNeeded();
    await shot(page, 'status');
    await page.getByRole('radio', { name: 'Deutsch' }).check();
    await page.getByRole('heading', { name: 'Einstellungen' }).waitFor();
    await page.goto(`${plain!.url}/#/`);
    await box(page).waitFor();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await shot(page, 'german');
    await page.context().close();
    const known = await visit(closed!, '/#/settings');
    const login = known.getByRole('dialog', { name: 'Sign in' });
    await login.waitFor();
    await shot(known, 'login');
    await login.getByLabel('Name').fill('ada');
    await login.getByLabel('Password').fill('correct horse battery');
    await known.keyboard.press('Enter');
    await known.getByRole('heading', { name: 'API tokens' }).scrollIntoViewIfNeeded();
    await known.getByRole('button', { name: 'New token' }).click();
    await shot(known, 'tokens');
    await known.context().close();
  });

  test('the widget on a page of another site', async () => {
    const site = createServer((_, res) => res.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(shop(plain!.url)));
    await new Promise<void>((ok) => site.listen(0, '127.0.0.1', ok));
    const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', ...options });
    context.setDefaultTimeout(30_000);
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    const widget = page.locator('docent-widget');
    await widget.getByRole('button').first().waitFor();
    await shot(page, 'widget-closed');
    await widget.getByRole('button').first().click();
    await widget.getByRole('dialog').getByRole('textbox').fill('How often is the feed pump serviced?');
    await page.keyboard.press('Enter');
    await widget.locator('.answer:not(.pending) button.cite').first().waitFor();
    await shot(page, 'widget');
    await widget.locator('.answer button.cite').first().click();
    await widget.getByRole('tooltip').waitFor();
    await shot(page, 'widget-card');
    await context.close();
    site.closeAllConnections();
    site.close();
  });
});
