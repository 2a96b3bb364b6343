// The widget on pages of other sites, which have their own policies and styles.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { MockModel } from '../mock/model';
import { accessible, launch } from './browser';
import { startProgram, type Program } from './program';

// A site with hostile styles and scripts.
const hostileStyle = `
* { all: unset !important; font-size: 3px !important; color: #300 !important; }
button, textarea, section { display: none !important; }
docent-widget { display: none !important; visibility: hidden !important; opacity: 0 !important; transform: scale(0) !important; pointer-events: none !important; }
:root { --accent: red; --paper: red; --ink: red; direction: ltr; }
`;

const hostScript = `
window.before = Object.keys(window);
window.shortcuts = [];
addEventListener('keydown', (e) => window.shortcuts.push(e.key));
addEventListener('load', () => { document.getElementById('ready').textContent = 'ready'; });
`;

/** Site is another site: its pages are made of what their address asks for. */
class Site {
  port = 0;
  server: Server = createServer((req, res) => {
    const url = new URL(req.url ?? '/', 'http://site.test');
    if (url.pathname === '/site.js') return void res.writeHead(200, { 'Content-Type': 'text/javascript' }).end(hostScript);
    if (url.pathname === '/site.css') return void res.writeHead(200, { 'Content-Type': 'text/css' }).end(url.searchParams.has('hostile') ? hostileStyle : 'html { font: 10px serif; }');
    if (url.pathname === '/favicon.ico') return void res.writeHead(204).end();
    if (url.pathname !== '/') return void res.writeHead(404).end();
    const docent = url.searchParams.get('docent')!;
    const attributes = JSON.parse(url.searchParams.get('attributes') ?? '{}') as Record<string, string>;
    const tag = `<script src="${docent}/widget.js" ${Object.entries(attributes).map(([k, v]) => `${k}="${v}"`).join(' ')}></script>`;
    const style = `/site.css${url.searchParams.has('hostile') ? '?hostile' : ''}`;
    res.writeHead(200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `default-src 'none'; script-src 'self' ${docent}; style-src 'self'; img-src 'self'; connect-src ${docent} ${docent.replace('http', 'ws')}`,
    });
    res.end(`<!doctype html><html lang="${url.searchParams.get('lang') ?? 'en'}" dir="${url.searchParams.get('dir') ?? 'ltr'}"><head><title>A shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="stylesheet" href="${style}"><script src="/site.js"></script></head>
<body><main><h1>A shop</h1><p id="ready"></p><button>Of the shop</button></main>${tag.repeat(Number(url.searchParams.get('times') ?? 1))}</body></html>`);
  });

  async start(): Promise<this> {
    await new Promise<void>((ok) => this.server.listen(0, '127.0.0.1', ok));
    this.port = (this.server.address() as AddressInfo).port;
    return this;
  }

  /** origin is that of one of its names. */
  origin = (name: string) => `http://${name}.test:${this.port}`;
}

describe('the widget', () => {
  const model = new MockModel();
  const site = new Site();
  let browser: Browser;
  let open: Program;
  let closed: Program;
  let done: (() => Promise<void>) | undefined;

  beforeAll(async () => {
    await Promise.all([model.start(), site.start()]);
    const origins = ['--origins', site.origin('shop')];
    [browser, open, closed] = await Promise.all([
      launch(),
      startProgram({ options: origins }),
      startProgram({ user: ['ada', 'correct horse battery'], model: model.url, options: origins }),
    ]);
  });
  afterAll(async () => {
    await Promise.all([open?.stop(), closed?.stop(), model.stop()]);
    site.server.closeAllConnections();
    site.server.close();
  });
  afterEach(async () => {
    await done?.();
    done = undefined;
  });

  interface Visit {
    program?: Program;
    name?: string;
    attributes?: Record<string, string>;
    more?: Record<string, string>;
    context?: BrowserContextOptions;
    /** What may fail: a site that is not allowed is told so by failures. */
    refused?: boolean;
  }

  /** visit opens a page of the site; what may not happen on it is looked at when the test ends. */
  async function visit({ program = open, name = 'shop', attributes = {}, more = {}, context: options = {}, refused = false }: Visit = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1000, height: 800 }, reducedMotion: 'reduce', ...options });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    const foreign: string[] = [];
    const errors: string[] = [];
    const own = [new URL(site.origin(name)).host, new URL(program.url).host];
    const look = (address: string) => {
      const { protocol, host } = new URL(address);
      if (!['data:', 'blob:', 'about:'].includes(protocol) && !own.includes(host)) foreign.push(address);
    };
    context.on('request', (r) => look(r.url()));
    page.on('websocket', (ws) => look(ws.url()));
    page.on('pageerror', (e) => errors.push(String(e)));
    page.on('console', (m) => {
      if (/Content Security Policy|violates/.test(m.text()) || (m.type() === 'error' && !refused && !/WebSocket|ERR_/.test(m.text()))) errors.push(m.text());
    });
    done = async () => {
      expect(foreign).toEqual([]);
      expect(errors).toEqual([]);
      await expect.poll(() => page.evaluate(() => (globalThis as { __pwned?: unknown }).__pwned)).toBeUndefined();
      await context.close();
    };
    const query = new URLSearchParams({ docent: program.url, attributes: JSON.stringify(attributes), ...more });
    await page.goto(`${site.origin(name)}/?${query}`);
    await page.locator('docent-widget').waitFor({ state: 'attached' });
    return page;
  }

  const launcher = (page: Page) => page.locator('docent-widget .launcher');
  const panel = (page: Page) => page.locator('docent-widget').getByRole('dialog');
  const answers = (page: Page): Locator => page.locator('docent-widget .answer:not(.pending)');
  async function ask(page: Page, text: string, n = 1) {
    if (!(await panel(page).isVisible())) await launcher(page).click();
    await panel(page).getByRole('textbox').fill(text);
    await page.keyboard.press('Enter');
    await expect.poll(() => answers(page).count()).toBe(n);
    await expect.poll(() => page.locator('docent-widget .pending').count()).toBe(0);
  }
  const plain = (s: string | null) => (s ?? '').replace(/\s+/g, ' ').trim();

  test('answers on an allowed site, and its citations show their passages', async () => {
    const page = await visit();
    const requested: string[] = [];
    page.on('websocket', (ws) => requested.push(ws.url()));
    await expect.poll(() => panel(page).isVisible()).toBe(false);
    expect(requested).toEqual([]); // until somebody opens it
    await launcher(page).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => panel(page).getByRole('textbox').evaluate((el) => el.matches(':focus'))).toBe(true);
    await ask(page, 'When do neap tides occur?');
    expect(plain(await answers(page).locator('.prose').textContent())).toContain('quarter moons');
    const cite = answers(page).locator('button.cite').first();
    await cite.hover();
    const card = panel(page).getByRole('tooltip');
    await card.waitFor();
    expect(plain(await card.locator('.what').textContent())).toContain('Tides');
    expect(plain(await card.locator('.where').textContent())).toContain('Neap tides');
    expect(plain(await card.locator('blockquote').textContent())).toContain('when the pull of the Sun 😀 works against');
    expect(plain(await card.locator('mark').first().textContent())).toContain('Neap tides occur at the quarter moons');
    // The pointer can move to the card.
    await card.hover();
    await expect.poll(() => card.isVisible()).toBe(true);
    await page.mouse.move(5, 5);
    await card.waitFor({ state: 'hidden' });
    // The keyboard opens it, too. Escape closes one element at a time.
    await page.keyboard.press('Shift+Tab');
    await cite.focus();
    await cite.press('Enter');
    await card.waitFor();
    await expect.poll(() => cite.getAttribute('aria-describedby')).toBe(await card.getAttribute('id'));
    await page.keyboard.press('Escape');
    await card.waitFor({ state: 'hidden' });
    await expect.poll(() => panel(page).isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'hidden' });
    await expect.poll(() => launcher(page).evaluate((el) => el.matches(':focus'))).toBe(true);
    await expect.poll(() => page.locator('docent-widget p[role=status]').textContent()).toContain('quarter moons');
  });

  test('the conversation continues after a reload of the site, until the user begins a new one', async () => {
    const page = await visit();
    await ask(page, 'When are roses pruned?');
    await page.reload();
    await launcher(page).click();
    await expect.poll(() => answers(page).count()).toBe(1);
    expect(plain(await page.locator('docent-widget .bubble').textContent())).toBe('When are roses pruned?');
    await ask(page, 'When do spring tides occur?', 2);
    await panel(page).getByRole('button', { name: 'New conversation' }).click();
    await expect.poll(() => answers(page).count()).toBe(0);
    await page.reload();
    await launcher(page).click();
    await panel(page).waitFor();
    await ask(page, 'When are roses pruned?');
  });

  test('a reply without an answer looks different from an answer', async () => {
    const page = await visit();
    await ask(page, 'Who won the 1987 chess championship of Paraguay?');
    await panel(page).getByText('Not found in the documents', { exact: true }).waitFor();
    await expect.poll(() => answers(page).first().evaluate((el) => getComputedStyle(el).borderTopStyle)).toBe('dashed');
  });

  test('a site that is not allowed gets one message', async () => {
    const page = await visit({ name: 'other', refused: true });
    const tries: string[] = [];
    page.on('websocket', (ws) => tries.push(ws.url()));
    await launcher(page).click();
    await panel(page).getByText('This site is not allowed to use this assistant.').waitFor();
    await expect.poll(() => panel(page).getByRole('textbox').isEditable()).toBe(false);
    const tried = tries.length;
    await page.keyboard.press('Escape');
    await launcher(page).click();
    await panel(page).getByText('This site is not allowed to use this assistant.').waitFor();
    expect(tries.length - tried).toBeLessThanOrEqual(1);
    await accessible(page);
  });

  test('with authentication, it works with a token and reports a missing one', async () => {
    let page = await visit({ program: closed, refused: true });
    await launcher(page).click();
    await panel(page).getByText('This assistant requires a token').waitFor();
    await done!();
    const token = closed.run(['token', 'create', '--name', 'shop', '--scopes', 'chat']).trim();
    page = await visit({ program: closed, attributes: { 'data-token': token } });
    await ask(page, 'What is a spring tide?');
    expect(plain(await answers(page).first().textContent())).toContain('end');
  });

  test('an answer is streamed, can be stopped, and survives a restart of the server', async () => {
    const token = closed.run(['token', 'create', '--name', 'shop2', '--scopes', 'chat']).trim();
    model.words = 2000;
    const page = await visit({ program: closed, attributes: { 'data-token': token } });
    await launcher(page).click();
    await panel(page).getByRole('textbox').fill('What is a neap tide?');
    await page.keyboard.press('Enter');
    await page.locator('docent-widget .pending.said').getByText('word5').waitFor();
    await panel(page).getByRole('button', { name: 'Stop' }).click();
    await expect.poll(() => page.locator('docent-widget .pending').count()).toBe(0);
    await panel(page).getByText('Stopped.').waitFor();
    model.words = 40;
    await closed.restart();
    await ask(page, 'And a spring tide?', 2);
    await expect.poll(() => page.locator('docent-widget .notice').isVisible()).toBe(false);
  });

  test('attributes set and change its style and language', async () => {
    const page = await visit({ attributes: { 'data-theme': 'dark', 'data-accent': '#ffcc00', 'data-title': 'Ask the shop', 'data-position': 'start', 'data-lang': 'de', 'data-open': '', 'data-greeting': 'Guten Tag!' } });
    await panel(page).waitFor();
    const look = (what: string, property: string) => page.locator(`docent-widget ${what}`).evaluate((el, p) => getComputedStyle(el).getPropertyValue(p), property);
    await expect.poll(() => page.locator('h1').evaluate(() => document.activeElement?.tagName)).toBe('BODY'); // the widget opened by itself
    await expect.poll(() => panel(page).getByRole('heading').textContent()).toBe('Ask the shop');
    await panel(page).getByText('Guten Tag!').waitFor();
    await panel(page).getByPlaceholder('Frage stellen').waitFor();
    await expect.poll(() => look('.root', 'color-scheme')).toBe('dark');
    await expect.poll(() => look('.launcher', 'background-color')).toBe('rgb(255, 204, 0)');
    await expect.poll(() => look('.launcher', 'color')).toBe('rgb(0, 0, 0)'); // the text contrasts with the color
    expect((await launcher(page).boundingBox())!.x).toBeLessThan(100);
    await accessible(page);
    await page.locator('script[src$="/widget.js"]').evaluate((el) => {
      el.setAttribute('data-theme', 'light');
      el.setAttribute('data-accent', 'rebeccapurple');
      el.setAttribute('data-position', 'end');
    });
    await expect.poll(() => look('.root', 'color-scheme')).toBe('light');
    await expect.poll(() => look('.launcher', 'background-color')).toBe('rgb(102, 51, 153)');
    expect((await launcher(page).boundingBox())!.x).toBeGreaterThan(800);
    await accessible(page);
  });

  for (const [name, context, themes] of [
    ['in light, dark, and a light color', {}, [{ 'data-theme': 'dark', 'data-accent': '' }, { 'data-theme': 'light', 'data-accent': '#ffdd55' }, { 'data-theme': 'light', 'data-accent': '' }]],
    ['320 px', { viewport: { width: 320, height: 640 } }, []],
  ] as [string, BrowserContextOptions, Record<string, string>[]][]) {
    test(`everybody can use it: ${name}`, async () => {
      const page = await visit({ context, attributes: { 'data-theme': 'light' } });
      const inThemes = async () => {
        await accessible(page);
        for (const theme of themes) {
          await page.locator('script[src$="widget.js"]').evaluate((el, theme) => {
            for (const [key, value] of Object.entries(theme)) el.setAttribute(key, value);
          }, theme);
          await expect.poll(() => page.locator('docent-widget .root').evaluate((el) => getComputedStyle(el).colorScheme)).toBe(theme['data-theme']);
          await accessible(page, 'colors');
        }
      };
      await inThemes();
      await ask(page, 'When do neap tides occur?');
      await answers(page).locator('summary').click();
      await answers(page).locator('button.cite').first().click();
      await panel(page).getByRole('tooltip').waitFor();
      await inThemes();
      const { width, height } = page.viewportSize()!;
      const box = (await panel(page).boundingBox())!;
      if (width < 400) expect([box.x, box.y, box.width, box.height]).toEqual([0, 0, width, height]);
      const card = (await panel(page).getByRole('tooltip').boundingBox())!;
      expect(card.x).toBeGreaterThanOrEqual(box.x);
      expect(card.x + card.width).toBeLessThanOrEqual(box.x + box.width);
      expect(card.y).toBeGreaterThanOrEqual(box.y);
      expect(card.y + card.height).toBeLessThanOrEqual(box.y + box.height);
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/widget-${name.replace(/\W+/g, '-')}.png` });
    });
  }

  test('its side follows the text direction of the page', async () => {
    const page = await visit({ attributes: { 'data-lang': 'de' }, more: { dir: 'rtl' } });
    expect((await launcher(page).boundingBox())!.x).toBeLessThan(100);
    await launcher(page).click();
    const box = (await panel(page).boundingBox())!;
    expect(box.x).toBeLessThan(100);
    // The site chooses only the side. The text direction follows the language.
    for (const part of ['.panel', 'header', '.notice', 'form', '.launcher']) {
      await expect.poll(() => page.locator(`docent-widget ${part}`).evaluate((el) => getComputedStyle(el).direction), { message: part }).toBe('ltr');
    }
    const title = (await page.locator('docent-widget h2').boundingBox())!;
    expect(title.x - box.x).toBeLessThan(40);
    await page.locator('script[src$="widget.js"]').evaluate((el) => el.setAttribute('data-position', 'start'));
    await expect.poll(async () => (await launcher(page).boundingBox())!.x).toBeGreaterThan(800);
  });

  test('its side follows the attribute', async () => {
    const page = await visit({ attributes: { 'data-position': 'start' } });
    expect((await launcher(page).boundingBox())!.x).toBeLessThan(100);
    await launcher(page).click();
    expect((await panel(page).boundingBox())!.x).toBeLessThan(100);
  });

  test('global styles of its site do not affect it', async () => {
    const page = await visit({ more: { hostile: '' } });
    const box = (await launcher(page).boundingBox())!;
    expect([box.width, box.height]).toEqual([56, 56]);
    await page.mouse.click(box.x + 28, box.y + 28);
    await panel(page).waitFor();
    await ask(page, 'When do neap tides occur?');
    expect((await panel(page).boundingBox())!.width).toBe(400);
    await expect.poll(() => answers(page).locator('.prose').evaluate((el) => [getComputedStyle(el).fontSize, getComputedStyle(el).color, getComputedStyle(el).display])).toEqual(['15px', 'rgb(31, 29, 26)', 'block']);
    await accessible(page);
  });

  test('it does not affect its site', async () => {
    const page = await visit({ more: { times: '2' } });
    await expect.poll(() => page.locator('docent-widget').count()).toBe(1);
    await launcher(page).click();
    await panel(page).getByRole('textbox').pressSequentially('s?');
    await page.keyboard.press('Escape');
    const { added, shortcuts, head, body, lang } = await page.evaluate(() => {
      const w = globalThis as unknown as { before: string[]; shortcuts: string[] };
      return {
        added: Object.keys(globalThis).filter((k) => !w.before.includes(k) && !['before', 'shortcuts'].includes(k)),
        shortcuts: w.shortcuts,
        head: [...document.head.children].map((el) => el.localName),
        body: [...document.body.children].map((el) => el.localName),
        lang: document.documentElement.lang,
      };
    });
    expect(added).toEqual(['docentWidget']);
    expect(shortcuts).toEqual([]);
    expect(head).toEqual(['title', 'meta', 'link', 'script']);
    expect(body).toEqual(['main', 'script', 'script']);
    expect(lang).toBe('en');
    const call = (what: string) => page.evaluate((what) => (globalThis as unknown as { docentWidget: Record<string, () => void> }).docentWidget[what]!(), what);
    await call('open');
    await panel(page).waitFor();
    await call('close');
    await panel(page).waitFor({ state: 'hidden' });
    await call('remove');
    await expect.poll(() => page.locator('docent-widget').count()).toBe(0);
  });

  test('document content runs, loads, and sends nothing', async () => {
    const page = await visit();
    await ask(page, 'At how many bar does the zorblatt valve open?');
    expect(plain(await answers(page).first().textContent())).toContain('zorblatt');
    await expect.poll(() => answers(page).locator('script, img, iframe, object, embed, form, input, style, link, svg image, video, audio').count()).toBe(0);
    const attributes = await answers(page).locator('.prose *').evaluateAll((all) => all.flatMap((el) => el.getAttributeNames()).filter((a) => a.startsWith('on') || a === 'style' || a === 'src'));
    expect(attributes).toEqual([]);
    await answers(page).locator('button.cite').first().click();
    await panel(page).getByRole('tooltip').waitFor();
    await expect.poll(() => panel(page).getByRole('tooltip').locator('script, img, iframe, a').count()).toBe(0);
  });
});
