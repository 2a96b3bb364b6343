// The browser that the files of a worker share, and the checks of every page: no requests to
// other hosts, no scripts of foreign content, and no errors.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, type Browser, type BrowserContextOptions, type Locator, type Page } from 'playwright-core';
import { expect } from 'vitest';

let launched: Promise<Browser> | undefined;

/** The headless shell of Chromium needs a seventh of the time of Chromium to open a context, because it has no windows. */
const shell = '/usr/bin/chromium-headless-shell';
const executablePath = process.env.CHROMIUM ?? (existsSync(shell) ? shell : '/usr/bin/chromium');

/**
 * launch returns the browser of this worker. It has a microphone that beeps, and all hosts
 * below .test are this machine. Chromium ends when the worker ends.
 */
export const launch = (): Promise<Browser> =>
  (launched ??= chromium.launch({
    executablePath,
    args: [
      '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run',
      '--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream', '--host-resolver-rules=MAP *.test 127.0.0.1',
    ],
  }));

/** leave closes the pages that a test left open. */
export async function leave(): Promise<void> {
  for (const context of (await launched)?.contexts() ?? []) await context.close();
}

export interface Watched {
  page: Page;
  /** Requests to any other origin than the page's. */
  foreign: string[];
  /** Uncaught errors and policy violations. */
  errors: string[];
  /**
   * check closes the page. It fails after a request to another host, an error, a script of
   * foreign content, or more than most reads of an address of the API.
   */
  check(most?: number): Promise<void>;
}

export async function watch(browser: Browser, origin: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const foreign: string[] = [];
  const errors: string[] = [];
  const host = new URL(origin).host;
  const counts = new Map<string, number>();
  const look = (address: string) => {
    const url = new URL(address);
    if (!['data:', 'blob:', 'about:'].includes(url.protocol) && url.host !== host) foreign.push(address);
  };
  context.on('request', (r) => {
    look(r.url());
    if (r.method() !== 'GET') return; // tests may send other requests often
    counts.set(r.url(), (counts.get(r.url()) ?? 0) + 1);
  });
  page.on('websocket', (ws) => look(ws.url()));
  page.on('pageerror', (e) => errors.push(String(e)));
  page.on('console', (m) => {
    if (/Content Security Policy|violates/.test(m.text())) errors.push(m.text());
  });
  page.on('dialog', (d) => {
    errors.push(`dialog: ${d.message()}`);
    void d.dismiss();
  });
  return {
    page,
    foreign,
    errors,
    async check(most = 25) {
      expect(foreign).toEqual([]);
      expect(errors).toEqual([]);
      // An effect that triggers itself sends many requests.
      expect([...counts].filter(([url, n]) => n > most && url.includes('/api/'))).toEqual([]);
      expect(await page.evaluate(() => (globalThis as { __pwned?: unknown }).__pwned)).toBeUndefined();
      await context.close();
    },
  };
}

/**
 * stopClock stops the clock of a page until page.clock.resume(). page.clock.runFor() runs it
 * for a time. Timers, animation frames, and the time to undo wait for the test.
 */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.install();
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 60_000);
}

/** wheel turns the wheel over an element that scrolls, and waits until it has scrolled. */
export async function wheel(scroller: Locator, by: number): Promise<void> {
  await scroller.hover();
  await scroller.evaluate((el) => {
    delete el.dataset.scrolled;
    el.addEventListener('scrollend', () => (el.dataset.scrolled = ''), { once: true });
  });
  await scroller.page().mouse.wheel(0, by);
  await expect.poll(() => scroller.getAttribute('data-scrolled')).toBe('');
}

/** within reports whether an element is in sight in another one, with its whole height. */
export async function within(el: Locator, outer: Locator): Promise<boolean> {
  const [a, b] = [await el.boundingBox(), await outer.boundingBox()];
  return a !== null && b !== null && a.y > b.y && a.y + a.height < b.y + b.height;
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResults {
  violations: { id: string; impact: string | null; help: string; nodes: { target: unknown; failureSummary?: string }[] }[];
}

/** The accepted violations of rules of axe, by rule and selector of the element. */
const exceptions: Record<string, RegExp> = {
  // The arrow keys in the text box move through the list, which scrolls along. axe would accept
  // this for a combobox, but a textarea must not have this role.
  'scrollable-region-focusable': /^#composer-commands$/,
  // The author of an answer chooses its headings, which can begin with a low level.
  'heading-order': /(?:^|[\s>])h[4-6]\b[^>]*$/,
};

const rules = {
  all: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  /** The rules whose result depends on the theme. */
  colors: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
  /** The rules whose result depends on sizes and places. */
  layout: { type: 'rule', values: ['color-contrast', 'target-size', 'scrollable-region-focusable'] },
};

/** accessible fails on violations of WCAG 2.2 AA and of axe's best practices, also in open shadow roots. */
export async function accessible(page: Page, which: keyof typeof rules = 'all'): Promise<void> {
  // Through the debugger, so the page's policy stays unchanged.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
  const { violations } = await page.evaluate(
    (runOnly) => (globalThis as unknown as { axe: { run(o: object): Promise<AxeResults> } }).axe.run({ runOnly, resultTypes: ['violations'] }),
    rules[which],
  );
  const bad = violations
    .map((v) => ({ ...v, nodes: v.nodes.filter((n) => !exceptions[v.id]?.test(String(n.target))) }))
    .filter((v) => v.nodes.length > 0)
    .map((v) => `${v.impact} ${v.id}: ${v.help}: ${v.nodes.map((n) => `${JSON.stringify(n.target)} ${n.failureSummary ?? ''}`).join('; ')}`);
  expect(bad).toEqual([]);
}

/** accessibleInThemes is accessible in the light theme, and then checks the colors of the dark one. */
export async function accessibleInThemes(page: Page): Promise<void> {
  await accessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await accessible(page, 'colors');
  await page.emulateMedia({ colorScheme: 'light' });
}
