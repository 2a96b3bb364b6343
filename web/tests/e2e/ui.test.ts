// How the program serves the page: headers, installation, and serve --no-ui.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DocentClient } from 'docent-client';
import { launch, watch } from './browser';
import { sharedProgram, startProgram, type Program, type Shared } from './program';
import { WebSocket as NodeSocket } from 'ws';

describe('the served page', () => {
  let browser: Browser;
  let program: Shared;

  beforeAll(async () => {
    [browser, program] = await Promise.all([launch(), sharedProgram()]);
  });

  test('can be installed', async () => {
    const { page, check } = await watch(browser, program.url);
    await page.goto(program.url);
    await page.getByLabel('Your question').waitFor();
    const cdp = await page.context().newCDPSession(page);
    const { url, errors } = (await cdp.send('Page.getAppManifest')) as { url: string; errors: unknown[] };
    expect(url).toBe(`${program.url}/manifest.webmanifest`);
    expect(errors).toEqual([]);
    const { installabilityErrors } = (await cdp.send('Page.getInstallabilityErrors')) as { installabilityErrors: { errorId: string }[] };
    // The tests' windows are private ones, in which nothing is installed.
    expect(installabilityErrors.map((e) => e.errorId).filter((id) => id !== 'in-incognito')).toEqual([]);
    const manifest = (await (await page.request.get(url)).json()) as { icons: { src: string; sizes: string; purpose?: string }[] };
    for (const { src, sizes } of manifest.icons) {
      const image = await page.evaluate(async (src) => {
        const image = new Image();
        image.src = src;
        await image.decode();
        return `${image.naturalWidth}x${image.naturalHeight}`;
      }, src);
      if (sizes !== 'any') expect(image).toBe(sizes);
    }
    expect(manifest.icons.some((i) => i.purpose === 'maskable')).toBe(true);
    await check();
  });

  test('has a policy without exceptions, and may use the microphone', async () => {
    const res = await fetch(program.url);
    const policy = res.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain('media-src data: blob:');
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(res.headers.get('permissions-policy')).toBe('camera=(), geolocation=(), microphone=(self)');
    expect(res.headers.get('x-frame-options')).toBe('DENY');
    expect(res.headers.get('x-content-type-options')).toBe('nosniff');
    expect(res.headers.get('access-control-allow-origin')).toBe(null);
  });

  test('is compressed and cached', async () => {
    const html = await (await fetch(program.url)).text();
    const files = [...html.matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g)].map(([, name]) => name!);
    expect(files.length).toBeGreaterThan(1);
    for (const name of ['/', '/widget.js', ...files]) {
      const res = await fetch(program.url + name, { headers: { 'Accept-Encoding': 'gzip' } });
      expect([name, res.status]).toEqual([name, 200]);
      expect(res.headers.get('cache-control')).toBe(name.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache');
      const text = await res.text();
      const again = await fetch(program.url + name, { headers: { 'Accept-Encoding': 'gzip', 'If-None-Match': res.headers.get('etag')! } });
      expect([name, again.status]).toEqual([name, 304]);
      const plain = await fetch(program.url + name, { headers: { 'Accept-Encoding': 'identity' } });
      expect(plain.headers.get('content-encoding')).toBe(null);
      await expect.poll(() => plain.text()).toBe(text);
    }
  });
});

describe('serve --no-ui', () => {
  let program: Program;

  beforeAll(async () => {
    program = await startProgram({ options: ['--no-ui'] });
  });
  afterAll(() => program?.stop());

  test('serves nothing of the page or the widget', async () => {
    for (const path of ['/', '/index.html', '/widget.js', '/theme.js', '/manifest.webmanifest', '/icon-192.png', '/favicon.svg', '/favicon.ico', '/c/anything', '/assets/index.js']) {
      const res = await fetch(program.url + path, { headers: { Accept: 'text/html' } });
      expect([path, res.status]).toEqual([path, 404]);
      expect(res.headers.get('content-type')).toContain('json');
      expect((await res.json()) as object).toMatchObject({ code: 'not_found', retryable: false });
    }
  });

  test('serves everything else', async () => {
    for (const path of ['/api/info', '/api/ready', '/api/documents', '/api/sessions', '/openapi.json', '/metrics']) {
      expect([path, (await fetch(program.url + path)).status]).toEqual([path, 200]);
    }
    const client = new DocentClient({ url: program.url, WebSocket: NodeSocket as never });
    const answered = new Promise<unknown>((ok) => client.on('frame', ({ frame }) => frame.action === 'agent_reply_rag' && ok(frame.message)));
    client.connect();
    await client.send('When do neap tides occur?');
    expect(JSON.stringify(await answered)).toContain('quarter moons');
    client.close();
  });
});
