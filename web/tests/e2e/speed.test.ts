// How fast the page is, measured by `npm run perf`; results of a busy
// machine mean nothing, so this is not part of the other tests.
import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { dirname } from 'node:path';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MockModel } from '../mock/model';
import { launch } from './browser';
import { startProgram, type Program } from './program';
import { seed } from './seed';

const out = process.env.PERF;

interface Event {
  name: string;
  ph: string;
  ts: number;
  dur?: number;
  /** What of it the processor worked on it, as others may have it in between. */
  tdur?: number;
  pid: number;
  tid: number;
  args?: { name?: string; data?: { url?: string; functionName?: string; type?: string } };
}

/** A task is one of the page's main thread, in ms, and what it did. */
interface Task {
  ms: number;
  /** Of the processor's time. */
  cpu: number;
  did: string;
}

/** traced does something and returns the tasks of the page meanwhile, longest first. */
async function traced(browser: Browser, page: Page, f: () => Promise<void>): Promise<Task[]> {
  await browser.startTracing(page, { categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'toplevel', 'v8.execute', '__metadata'] });
  await f();
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as { traceEvents: Event[] };
  // The thread of the page is the one in which most of its scripts ran.
  const runs = new Map<string, number>();
  for (const e of traceEvents) if (e.name === 'FunctionCall' || e.name === 'EvaluateScript') runs.set(`${e.pid} ${e.tid}`, (runs.get(`${e.pid} ${e.tid}`) ?? 0) + 1);
  const thread = [...runs].sort(([, a], [, b]) => b - a)[0]?.[0];
  const mine = traceEvents.filter((e) => `${e.pid} ${e.tid}` === thread && e.ph === 'X' && e.dur !== undefined);
  const tasks = mine.filter((e) => e.name === 'RunTask');
  return tasks
    .map((t) => {
      const inside = mine.filter((e) => e !== t && e.ts >= t.ts && e.ts + e.dur! <= t.ts + t.dur! && /^(?:FunctionCall|EvaluateScript|TimerFire|FireAnimationFrame|WebSocketReceive|ParseHTML|Layout|UpdateLayoutTree|Paint|MajorGC|MinorGC|V8\.GC.*|EventDispatch|v8\.compile.*|IntersectionObserverController::computeIntersections|PrePaint|Layerize|Commit|FireIdleCallback)$/.test(e.name));
      const sums = new Map<string, number>();
      for (const e of inside) sums.set(e.name, (sums.get(e.name) ?? 0) + e.dur!);
      return { ms: t.dur! / 1000, cpu: (t.tdur ?? t.dur!) / 1000, did: [...sums].sort(([, a], [, b]) => b - a).slice(0, 4).map(([n, us]) => `${n} ${(us / 1000).toFixed(1)}`).join(', ') };
    })
    .sort((a, b) => b.cpu - a.cpu);
}

/** A profile is a machine and a line. */
interface Profile {
  cpu: number;
  /** In kbit/s, and ms. */
  down: number;
  rtt: number;
}

const profiles: Record<string, Profile> = {
  'CPU 4x slower, 1.6 Mbit/s, 150 ms': { cpu: 4, down: 1600, rtt: 150 },
  'CPU 4x slower, 10 Mbit/s, 40 ms': { cpu: 4, down: 10_000, rtt: 40 },
  'this machine, no limit': { cpu: 1, down: 0, rtt: 0 },
};

async function limited(page: Page, { cpu, down, rtt }: Profile): Promise<CDPSession> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  if (cpu > 1) await cdp.send('Emulation.setCPUThrottlingRate', { rate: cpu });
  if (down) await cdp.send('Network.emulateNetworkConditions', { offline: false, latency: rtt, downloadThroughput: (down * 1000) / 8, uploadThroughput: (down * 1000) / 16 });
  return cdp;
}

/**
 * loaded is when a first visit to a new chat can be used, in ms from its start:
 * the field takes text, and no task of over 50 ms comes after that, for 2 s.
 */
async function loaded(browser: Browser, url: string, profile: Profile) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const cdp = await limited(page, profile);
  let bytes = 0;
  const kinds = new Map<string, string>();
  cdp.on('Network.responseReceived', (e) => kinds.set(e.requestId, e.type));
  cdp.on('Network.loadingFinished', (e) => {
    if (['Script', 'Stylesheet'].includes(kinds.get(e.requestId) ?? '')) bytes += e.encodedDataLength;
  });
  await page.addInitScript(() => {
    const w = window as unknown as { long: number[][]; usable: number };
    w.long = [];
    w.usable = 0;
    new PerformanceObserver((list) => list.getEntries().forEach((e) => w.long.push([e.startTime, e.duration]))).observe({ type: 'longtask', buffered: true });
    new MutationObserver((_, watcher) => {
      const field = document.querySelector<HTMLTextAreaElement>('form textarea');
      if (!field || field.disabled) return;
      w.usable = performance.now();
      watcher.disconnect();
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto(url);
  await page.waitForFunction(() => (window as unknown as { usable: number }).usable > 0);
  await page.waitForTimeout(2000); // a measurement of time
  const { long, usable, paint } = await page.evaluate(() => {
    const w = window as unknown as { long: number[][]; usable: number };
    return { long: w.long, usable: w.usable, paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0 };
  });
  await context.close();
  return { interactive: Math.max(usable, ...long.map(([at, ms]) => at! + ms!)), usable, paint, bytes, long };
}

describe.skipIf(!out)('speed', () => {
  let browser: Browser;
  let model: MockModel;
  let program: Program;
  const lines: string[] = [];
  const say = (line: string) => {
    console.log(line);
    lines.push(line);
  };
  const listed = (tasks: Task[]) => {
    const over = (f: (t: Task) => number) => tasks.filter((t) => f(t) > 50).length;
    say(`  ${tasks.length} tasks; over 50 ms: ${over((t) => t.cpu)} by the processor's time, ${over((t) => t.ms)} by the clock; machine's load ${loadavg()[0]!.toFixed(1)}`);
    for (const t of tasks.slice(0, 5)) say(`    ${t.cpu.toFixed(1)} ms of the processor, ${t.ms.toFixed(1)} ms: ${t.did}`);
  };

  beforeAll(async () => {
    model = await new MockModel().start();
    [browser, program] = await Promise.all([launch(), startProgram({ model: model.url })]);
  });
  afterAll(async () => {
    await program?.stop();
    await model?.stop();
    mkdirSync(dirname(out!), { recursive: true });
    writeFileSync(out!, lines.join('\n') + '\n');
  });

  test.each(Object.entries(profiles))('first visit: %s', async (name, profile) => {
    const runs: Awaited<ReturnType<typeof loaded>>[] = [];
    for (let i = 0; i < 5; i++) runs.push(await loaded(browser, program.url, profile));
    const median = (f: (r: (typeof runs)[number]) => number) => runs.map(f).sort((a, b) => a - b)[2]!;
    say(`first visit, ${name}: ${(median((r) => r.bytes) / 1024).toFixed(1)} KiB of script and style; painted ${median((r) => r.paint).toFixed(0)} ms, usable ${median((r) => r.usable).toFixed(0)} ms, interactive ${median((r) => r.interactive).toFixed(0)} ms; long tasks ${runs[0]!.long.map(([at, ms]) => `${at!.toFixed(0)}+${ms!.toFixed(0)}`).join(' ')}`);
  });

  test('two thousand messages', async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    context.setDefaultTimeout(120_000);
    const page = await context.newPage();
    Object.assign(model, { text: 'Neap tides occur at the quarter moons [1].', pace: 2 });
    const ask = async (text: string) => {
      await page.getByLabel('Your question').fill(text);
      await page.keyboard.press('Enter');
    };
    await page.goto(program.url);
    await ask('When do neap tides occur?');
    await page.locator('.answer .sources').waitFor();
    await page.waitForURL(/#\/c\//);
    const address = page.url();
    seed(program, decodeURIComponent(address.split('/c/')[1]!), 2000);
    await program.restart();
    await page.goto('about:blank');

    say('opening a conversation of 2,000 messages');
    listed(await traced(browser, page, async () => {
      await page.goto(address);
      await page.locator('.answer .sources').last().waitFor();
      await page.waitForTimeout(3000);
    }));
    expect(await page.locator('.turn').count()).toBeGreaterThan(990);

    // 50 parts a second of six letters, in Markdown of every kind, for 25 s.
    const part = '## Part\n\nSome **text** with `code`, a [1] number and more of it, so that it has lines.\n\n- one\n- two\n\n```js\nconst a = 1; // and so on\n```\n\n| a | b |\n| - | - |\n| c | d |\n\n';
    // The parts differ, because docent stops a model that repeats itself.
    model.text = Array.from({ length: Math.ceil((25 * 50 * 6) / part.length) }, (_, i) => part.replace('Part', `Part ${i}`).replace('Some', `Some, as in ${i},`)).join('');
    model.pace = 20;
    say('50 deltas/s for 25 s into 2,000 messages');
    listed(await traced(browser, page, async () => {
      await ask('Tell me everything');
      await page.locator('.answer[aria-busy] .prose').waitFor();
      await page.locator('.answer[aria-busy]').waitFor({ state: 'detached' });
      await page.waitForTimeout(1000);
    }));

    say('scrolling through 2,000 messages, 800 px at a time');
    await page.locator('.chat > .scroller').hover();
    listed(await traced(browser, page, async () => {
      for (let i = 0; i < 100; i++) {
        await page.mouse.wheel(0, -800);
        await page.evaluate(() => new Promise((ok) => requestAnimationFrame(ok)));
      }
      await page.locator('.chat > .scroller').focus();
      await page.keyboard.press('Home');
      await page.waitForTimeout(1000);
    }));
    await context.close();
  }, 300_000);
});
