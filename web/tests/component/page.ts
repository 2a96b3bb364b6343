// The page mounted in jsdom, on the mock server. It has no layout: sizes, scrolling, and colors
// are tested in the browser.
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { expect, onTestFinished, vi } from 'vitest';
import { WebSocket as NodeSocket } from 'ws';
import { MockDocent } from '../mock/server';
import { fillIn } from './jsdom';
import { press, Scope } from './locator';

const nodeFetch = globalThis.fetch;

/** Page is the mounted page. It has the methods of Playwright's page that the tests use. */
export class Page extends Scope {
  readonly keyboard = {
    press: (keys: string) => press(this.user, keys),
    type: (text: string) => this.user.keyboard(text.replace(/[[{]/g, '$&$&')),
  };
  /** Calls of these addresses fail. */
  unreachable: RegExp | undefined;
  /** The WebSockets that the page has opened since it was loaded. */
  sockets = 0;
  private cookie = '';
  private leave: (() => Promise<void>) | undefined;

  constructor(private readonly mock: MockDocent) {
    super(userEvent.setup({ delay: null, pointerEventsCheck: 0 }), () => [document.body]);
  }

  /** goto opens an address, which begins with #. */
  async goto(hash: string): Promise<void> {
    if (this.leave) {
      location.hash = hash;
      return;
    }
    history.replaceState(null, '', hash);
    await this.reload();
  }

  /** reload leaves the page, and loads all of its modules again. */
  async reload(): Promise<void> {
    await this.close();
    const { url } = this.mock;
    const page = this;
    let gone = false;
    const sockets = new Set<NodeSocket>();
    this.sockets = 0;
    class Socket extends NodeSocket {
      constructor(address: string, protocols: string[]) {
        super(gone ? 'ws://127.0.0.1:9' : address.replace(/^ws:\/\/[^/]*/, url.replace('http', 'ws')), protocols, { headers: { Cookie: page.cookie } });
        this.on('error', () => undefined);
        sockets.add(this);
        page.sockets++;
      }
    }
    const fetched = async (path: string, { signal, ...init }: RequestInit = {}): Promise<Response> => {
      if (gone) return new Promise(() => undefined);
      if (page.unreachable?.test(path)) throw new TypeError('fetch failed');
      const canceled = new Promise<never>((_, fail) => signal?.addEventListener('abort', () => fail(new DOMException('canceled', 'AbortError'))));
      const called = nodeFetch(url + path, { ...init, headers: { ...(init.headers as Record<string, string>), Cookie: page.cookie } });
      const res = await Promise.race([called, canceled]);
      page.cookie = res.headers.get('set-cookie')?.split(';')[0] ?? page.cookie;
      return res;
    };
    vi.stubGlobal('WebSocket', Socket);
    vi.stubGlobal('fetch', fetched);
    const deafen = recordListeners();
    vi.resetModules();
    const [{ mount, unmount }, { default: App }, { conversation }, { account }, { server }, { words }] = await Promise.all([
      import('svelte'), import('../../src/App.svelte'), import('../../src/conversation/conversation.svelte'),
      import('../../src/shell/account.svelte'), import('../../src/shell/server.svelte'), import('../../src/words/words.svelte'),
    ]);
    void Promise.all([account.check(), server.refresh()]).then(() => server.list());
    await words.start();
    const app = mount(App, { target: document.body });
    this.leave = async () => {
      dispatchEvent(new Event('pagehide'));
      gone = true;
      await unmount(app);
      conversation['leave'](); // otherwise its client connects again and again
      for (const s of sockets) s.terminate();
      deafen();
      document.body.replaceChildren();
    };
  }

  title = async () => document.title;
  url = () => location.href;
  evaluate = async <T>(f: () => T) => f();

  async close(): Promise<void> {
    await this.leave?.();
    this.leave = undefined;
  }
}

/** recordListeners returns a function that removes the listeners that the window and the document get from now on. */
function recordListeners(): () => void {
  const removals: (() => void)[] = [];
  for (const target of [globalThis, document] as EventTarget[]) {
    const add = target.addEventListener;
    target.addEventListener = (...of: Parameters<typeof add>) => {
      removals.push(() => target.removeEventListener(...of));
      add.apply(target, of);
    };
    removals.push(() => void (target.addEventListener = add));
  }
  return () => removals.forEach((remove) => remove());
}

/** start starts a mock server, and returns it with a page that is not open yet. */
export async function start(): Promise<{ mock: MockDocent; page: Page }> {
  fillIn();
  localStorage.clear();
  sessionStorage.clear();
  const mock = await new MockDocent().start();
  const page = new Page(mock);
  onTestFinished(async () => {
    await page.close();
    await mock.stop();
    vi.unstubAllGlobals();
  });
  return { mock, page };
}

/** accessible fails on violations of the rules of axe that need no layout. */
export async function accessible(): Promise<void> {
  const { violations } = await axe.run(document.body, { rules: { 'color-contrast': { enabled: false }, region: { enabled: false } } });
  expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(' ')}`)).toEqual([]);
}
