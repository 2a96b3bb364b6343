// The input on the real program, with a slow language model and a speech server of the tests.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page, WebSocketRoute } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MockModel } from '../mock/model';
import { accessible, launch, watch, type Watched } from './browser';
import { startProgram, type Program } from './program';

/** Speech understands each recording as the same words. */
class Speech {
  url = '';
  words = 'When do neap tides occur?';
  /** What came: how the recordings begin. */
  heard: string[] = [];
  private http: Server | undefined;

  async start(): Promise<this> {
    this.http = createServer((req, res) => {
      const pieces: Buffer[] = [];
      req.on('data', (b: Buffer) => pieces.push(b));
      req.on('end', () => {
        const body = Buffer.concat(pieces);
        this.heard.push(body.includes(Buffer.from([0x1a, 0x45, 0xdf, 0xa3])) ? 'webm' : body.toString('latin1', 0, 400));
        res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ text: this.words }));
      });
    });
    await new Promise<void>((ok) => this.http!.listen(0, '127.0.0.1', ok));
    this.url = `http://127.0.0.1:${(this.http.address() as AddressInfo).port}/v1`;
    return this;
  }

  async stop(): Promise<void> {
    this.http?.closeAllConnections();
    await new Promise((ok) => (this.http ? this.http.close(ok) : ok(0)));
  }
}

const greenhouse = '# Greenhouse\n\nThe greenhouse of Merle is heated to nineteen degrees with wood pellets from October on.\n';

describe('messages of the user', () => {
  let browser: Browser;
  let program: Program;
  let model: MockModel;
  let speech: Speech;
  let watched: Watched;
  let page: Page;

  beforeAll(async () => {
    [model, speech] = await Promise.all([new MockModel().start(), new Speech().start()]);
    model.words = 6;
    [browser, program] = await Promise.all([
      launch(),
      startProgram({
        model: model.url,
        files: { 'greenhouse.txt': greenhouse },
        env: { DOCENT_TRANSCRIPTION_MODEL: 'whisper', DOCENT_SPEECH_URL: speech.url, DOCENT_SPEECH_KEY: 'key' },
      }),
    ]);
    const form = new FormData();
    form.append('collection', 'gardens');
    form.append('file', new File([greenhouse.replaceAll('Merle', 'Odile')], 'odile.txt'));
    const put = await fetch(`${program.url}/api/documents`, { method: 'POST', body: form });
    expect(put.status).toBe(200);
  });
  afterAll(async () => {
    await program?.stop();
    await model?.stop();
    await speech?.stop();
  });
  beforeEach(async () => {
    watched = await watch(browser, program.url);
    page = watched.page;
    await page.goto(program.url);
    await page.getByRole('heading', { level: 1 }).waitFor();
  });
  afterEach(() => watched.check(60));

  const box = () => page.getByLabel('Your question');
  const value = () => box().inputValue();
  const say = async (text: string) => {
    await box().fill(text);
    await page.keyboard.press('Enter');
  };
  const answered = (n: number) => expect.poll(() => page.locator('.answer:not([aria-busy]) .sources').count()).toBe(n);
  const questions = async () => (await page.locator('.question .bubble').allTextContents()).map((t) => t.trim());
  const stored = async () => {
    const id = decodeURIComponent(page.url().split('#/c/')[1] ?? '');
    const { messages } = (await (await page.request.get(`${program.url}/api/sessions/${id}/messages`)).json()) as { messages: { type: string; content: unknown; is_user: boolean }[] };
    return messages.map((m) => ({ ...m, content: m.type === 'file' && typeof m.content === 'string' ? (JSON.parse(m.content) as unknown) : m.content }));
  };
  const attach = (...files: { name: string; mimeType: string; buffer: Buffer }[]) => page.setInputFiles('.composer input[type=file]', files);
  const text = (name: string, content: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });

  test('the arrow keys recall earlier messages, and the draft comes back', async () => {
    await say('When do spring tides occur?');
    await answered(1);
    await say('What is Old Margery?');
    await answered(2);
    await page.getByRole('link', { name: 'New chat' }).first().click();
    await expect.poll(() => page.locator('.question').count()).toBe(0); // the text box now belongs to the new conversation
    await box().focus();
    await page.keyboard.press('ArrowUp');
    await expect.poll(value).toBe('What is Old Margery?');
    await page.keyboard.press('ArrowUp');
    await expect.poll(value).toBe('When do spring tides occur?');
    await page.keyboard.press('ArrowDown');
    await expect.poll(value).toBe('What is Old Margery?');
    await page.keyboard.press('Escape');
    await expect.poll(value).toBe('');
    // The page keeps the text that the user is writing.
    await box().fill('one\ntwo');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => value()).toBe('one\ntwo');
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Backspace');
    await page.reload();
    await box().focus();
    await expect.poll(async () => {
      await page.keyboard.press('ArrowUp');
      return value();
    }).toMatch(/Margery|spring/);
  });

  test('messages from before the sign-in are recalled in the next conversation', async () => {
    let go!: () => void;
    const held = new Promise<void>((ok) => (go = ok));
    await page.route('**/api/me', (r) => held.then(() => r.continue()));
    await page.reload();
    await say('When do spring tides occur?');
    await answered(1);
    go();
    await expect.poll(() => page.evaluate(() => localStorage.getItem('docent.said'))).toContain('spring tides');
    await page.getByRole('link', { name: 'New chat' }).first().click();
    await expect.poll(() => page.locator('.question').count()).toBe(0);
    await box().focus();
    await page.keyboard.press('ArrowUp');
    await expect.poll(value).toBe('When do spring tides occur?');
  });

  test('a draft stays with its conversation after reloads and visits to others', async () => {
    await say('When do spring tides occur?');
    await answered(1);
    const address = page.url();
    await box().fill('and then\nmore');
    await page.reload();
    await expect.poll(value).toBe('and then\nmore');
    await page.getByRole('link', { name: 'New chat' }).first().click();
    await expect.poll(value).toBe('');
    await box().fill('something new');
    await page.goto(`${program.url}/#/documents`);
    await page.locator('.row').first().waitFor();
    await page.goto(address);
    await expect.poll(value).toBe('and then\nmore');
    await page.goto(`${program.url}/#/`);
    await expect.poll(value).toBe('something new');
    await box().fill('');
  });

  test('Enter or Ctrl+Enter sends, as chosen in the settings', async () => {
    await box().pressSequentially('one');
    await page.keyboard.press('Shift+Enter');
    await box().pressSequentially('two');
    await expect.poll(() => value()).toBe('one\ntwo');
    await page.evaluate(() => localStorage.setItem('docent.send', 'ctrl-enter'));
    await page.reload();
    await page.getByText('Ctrl+Enter sends, Enter starts a new line').waitFor();
    await expect.poll(value).toBe('one\ntwo');
    await box().focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Enter');
    await expect.poll(value).toBe('one\ntwo\n');
    await expect.poll(() => questions()).toEqual([]);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+Enter');
    await expect.poll(questions).toEqual(['one\ntwo']);
    await answered(1);
  });

  test('a message that is not stored survives a reload, and is stored once', async () => {
    let online = true;
    const open: WebSocketRoute[] = [];
    await page.routeWebSocket(/\/ws/, (ws) => {
      if (!online) return void ws.close();
      ws.connectToServer();
      open.push(ws);
    });
    await page.reload();
    await say('When do spring tides occur?');
    await answered(1);
    online = false;
    for (const ws of open) await ws.close({ code: 1012 }).catch(() => undefined);
    await page.getByText('Reconnecting').waitFor();
    await say('What is Old Margery?');
    await page.getByText('Will be sent when the connection is back.').waitFor();
    await page.reload();
    await page.getByText('Will be sent when the connection is back.').waitFor();
    await expect.poll(() => questions()).toEqual(['When do spring tides occur?', 'What is Old Margery?']);
    online = true;
    await page.getByRole('button', { name: 'Try now' }).click({ timeout: 2000 }).catch(() => undefined); // it may have reconnected by itself
    await expect.poll(async () => (await stored()).filter((m) => m.type === 'rag_answer').length).toBe(2);
    await page.reload();
    await expect.poll(() => page.locator('.answer:not([aria-busy]) .sources').count()).toBeGreaterThan(0);
    expect((await stored()).filter((m) => m.is_user).map((m) => m.content)).toEqual(['When do spring tides occur?', 'What is Old Margery?']);
  });

  test('files are dropped and pasted, and text is pasted as text', async () => {
    const give = (type: string, files: string[], plain = '') =>
      page.evaluate(
        ([type, files, plain]) => {
          const data = new DataTransfer();
          for (const name of files) data.items.add(new File(['x'.repeat(1234)], name, { type: 'text/plain' }));
          if (plain) data.setData('text/plain', plain);
          const at = document.querySelector('textarea')!;
          const init = { bubbles: true, cancelable: true };
          at.dispatchEvent(type === 'paste' ? new ClipboardEvent('paste', { ...init, clipboardData: data }) : new DragEvent(type, { ...init, dataTransfer: data }));
        },
        [type, files, plain] as const,
      );
    const names = page.locator('.composer .files .name');
    await give('dragover', ['one.txt']);
    await page.getByText('Drop files here').waitFor();
    await give('drop', ['one.txt']);
    await expect.poll(() => names.allTextContents()).toEqual(['one.txt']);
    await expect.poll(() => page.getByText('Drop files here').count()).toBe(0);
    await give('paste', ['two.txt', 'three.txt']);
    await expect.poll(() => names.allTextContents()).toEqual(['one.txt', 'two.txt', 'three.txt']);
    await give('paste', ['picture.txt'], 'the text of it');
    await expect.poll(() => names.count()).toBe(3);
    await page.locator('.files').getByText('1.2 KB').first().waitFor();
  });

  test('a question after a file is answered from the file', async () => {
    await attach(text('ferry.txt', 'The ferry Calliope leaves Quelmouth at 06:40 and at 17:15 on weekdays.\n'));
    await say('When does the ferry Calliope leave?');
    await answered(1);
    await expect.poll(() => page.locator('.composer .files').count()).toBe(0);
    await expect.poll(() => questions()).toEqual(['ferry.txt (71 bytes)', 'When does the ferry Calliope leave?']);
    await expect.poll(() => page.locator('.sources').first().textContent()).toMatch(/ferry/i);
  });

  test('a file that is no document is reported, and blocks nothing', async () => {
    await attach(text('tide.txt', 'The tide of Quelmouth.\n'), { name: 'blob.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 1, 2, 3, 0, 255, 254, 0, 7]) });
    await say('When do spring tides occur?');
    await page.getByText(/it is binary/).first().waitFor();
    await answered(1);
    await accessible(page);
  });

  test('a recording has a level and a time, becomes text, and is answered', async () => {
    await page.getByRole('button', { name: 'Record a message' }).click();
    const meter = page.getByRole('meter', { name: 'Microphone level' });
    await meter.waitFor();
    // The device of the browser beeps once a second.
    await expect.poll(async () => Number(await meter.getAttribute('aria-valuenow')), { interval: 20 }).toBeGreaterThan(20);
    await page.getByText('at most 10 minutes').waitFor();
    await expect.poll(() => page.getByRole('timer').textContent()).toMatch(/^(?!0:00)\d+:\d\d/);
    await accessible(page);
    await page.getByRole('button', { name: 'Send the recording' }).click();
    await answered(1);
    await expect.poll(() => questions()).toEqual([speech.words]);
    expect(speech.heard).toEqual(['webm']);
    expect((await stored()).filter((m) => m.is_user)).toMatchObject([{ type: 'str', content: speech.words }]);
    // A recording canceled by key or by navigation is not sent.
    await page.getByRole('button', { name: 'Record a message' }).click();
    await meter.waitFor();
    await page.keyboard.press('Escape');
    await box().waitFor();
    await page.getByRole('button', { name: 'Record a message' }).click();
    await meter.waitFor();
    await page.getByRole('link', { name: 'New chat' }).first().click();
    await expect.poll(() => meter.count()).toBe(0);
    await box().waitFor();
    expect(speech.heard.length).toBe(1);
  });

  test.each([
    ['NotAllowedError', /^The browser blocks the microphone/],
    ['NotFoundError', /^No microphone found/],
  ])('without a microphone (%s) it is said why', async (name, said) => {
    await page.evaluate((name) => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', name));
    }, name);
    await page.getByRole('button', { name: 'Record a message' }).click();
    await page.getByText(said).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await box().waitFor();
  });

  test('a command is chosen by keys', async () => {
    await box().pressSequentially('/');
    const list = page.getByRole('listbox', { name: 'Commands' });
    await list.waitFor();
    const selected = () => list.getByRole('option', { selected: true }).textContent();
    await expect.poll(() => page.getByRole('textbox', { name: 'Your question' }).getAttribute('aria-activedescendant')).toBe('composer-commands-new');
    await page.keyboard.press('ArrowDown');
    await expect.poll(selected).toContain('/reset');
    await expect.poll(() => page.evaluate(() => document.getElementById(document.querySelector('textarea')!.getAttribute('aria-activedescendant')!)?.textContent)).toContain('/reset');
    await accessible(page);
    await page.keyboard.press('Escape');
    await expect.poll(() => list.count()).toBe(0);
    await expect.poll(() => value()).toBe('/');
    await box().pressSequentially('the');
    await expect.poll(selected).toContain('/theme');
    await page.keyboard.press('Tab');
    await expect.poll(value).toBe('/theme ');
    await box().pressSequentially('dark');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark');
    await expect.poll(value).toBe('');
    await say('/help');
    await page.getByRole('dialog', { name: 'Commands and keys' }).waitFor();
    await accessible(page);
    await page.keyboard.press('Escape');
    await say('/language de');
    await page.getByLabel('Ihre Frage').waitFor();
    await page.getByLabel('Ihre Frage').fill('/language en');
    await page.keyboard.press('Enter');
    await box().waitFor();
    await say('/search wood pellets');
    await expect.poll(() => page.url()).toContain('#/documents/search/wood%20pellets');
    await page.getByText('heated to nineteen degrees').first().waitFor();
  });

  test('text that is no command is not lost', async () => {
    await say('/nonsense and more');
    await page.getByText('There is no command /nonsense.').waitFor();
    await expect.poll(() => value()).toBe('/nonsense and more');
    await page.keyboard.press('Enter');
    await expect.poll(questions).toEqual(['/nonsense and more']);
    await say('//help is a command');
    await expect.poll(questions).toEqual(['/nonsense and more', '/help is a command']);
    await say('/k 99');
    await page.getByText('“99” does not exist.').waitFor();
    await expect.poll(() => value()).toBe('/k 99');
    await say('/k'); // sending completes the command
    await expect.poll(value).toBe('/k ');
    await page.keyboard.press('Enter');
    await page.getByText('An argument is missing: /k N').waitFor();
    await say('/model nobody');
    await page.getByText('“nobody” does not exist.').waitFor();
    await box().fill('');
  });

  test('commands of a conversation: retry, edit, copy, export, stop, reset, new', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await say('/retry');
    await page.getByText('No results yet.').waitFor();
    await say('When do spring tides occur?');
    await answered(1);
    const before = await page.locator('.answer .prose').last().textContent();
    await say('/retry');
    await expect.poll(() => page.locator('.answer:not([aria-busy]) .prose').last().textContent()).not.toBe(before);
    await answered(1);
    await say('/edit');
    await expect.poll(value).toBe('When do spring tides occur?');
    await page.getByText('You are editing your last question').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(value).toBe('');
    await say('/edit');
    await expect.poll(value).toBe('When do spring tides occur?');
    await box().fill('When do neap tides occur?');
    await page.keyboard.press('Enter');
    await expect.poll(questions).toEqual(['When do neap tides occur?']);
    await answered(1);
    await say('/copy');
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/\[1\][^]*Sources[^]*\[1\] Tides/);
    const download = page.waitForEvent('download');
    await say('/export json');
    expect((await download).suggestedFilename()).toMatch(/\.json$/);
    model.words = 400;
    try {
      await say('What is Old Margery?');
      await page.getByRole('button', { name: 'Stop' }).waitFor();
      await say('/stop');
      await expect.poll(() => page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
    } finally {
      model.words = 6;
    }
    await say('/reset');
    await page.getByRole('button', { name: 'Clear' }).click();
    await expect.poll(questions).toEqual([]);
    await say('/new');
    await expect.poll(() => page.url()).not.toContain('#/c/');
  });

  test('a question is answered from the chosen collection, by the chosen model, with the chosen number of passages', async () => {
    await page.getByRole('button', { name: /^Answer options: All collections · mock · \d+ passages/ }).click();
    const options = page.getByRole('dialog', { name: 'Answer options' });
    await options.getByRole('checkbox', { name: 'gardens' }).check();
    await options.getByRole('combobox', { name: 'Model' }).selectOption('extractive');
    await options.getByRole('spinbutton').fill('2');
    await options.getByRole('spinbutton').blur();
    await accessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Answer options: gardens · Quotes, without a model · 2 passages' }).waitFor();
    const calls = model.calls;
    await say('To how many degrees is the greenhouse heated?');
    await answered(1);
    await expect.poll(() => page.locator('.answer').last().textContent()).toContain('Odile');
    await expect.poll(() => page.locator('.answer').last().textContent()).not.toContain('Merle');
    expect(model.calls).toBe(calls);
    const rag = (await stored()).at(-1)!.content as { llm_name: string; docs: unknown[] };
    expect([rag.llm_name, rag.docs.length]).toEqual(['extractive', 1]);
    expect((await stored()).find((m) => m.is_user)!.content).toEqual({ message: 'To how many degrees is the greenhouse heated?', collections: ['gardens'], model: 'extractive', k: 2 });
    // The choice is remembered, and a retry uses the new choice.
    await page.reload();
    await page.getByRole('button', { name: 'Answer options: gardens · Quotes, without a model · 2 passages' }).waitFor();
    await page.getByRole('button', { name: 'Restore defaults' }).click();
    await say('/collection default');
    await say('/k 1');
    await page.getByRole('button', { name: 'Answer options: default · mock · 1 passage', exact: true }).waitFor();
    await page.locator('.actions').last().hover();
    await page.getByRole('button', { name: 'Answer again' }).last().click();
    await expect.poll(async () => ((await stored()).at(-1)!.content as { llm_name?: string }).llm_name).toBe('mock');
    const again = (await stored()).at(-1)!.content as { docs: { content: string }[] };
    expect(again.docs.length).toBe(1);
    expect(again.docs[0]!.content).toContain('Merle');
    await expect.poll(() => questions()).toEqual(['To how many degrees is the greenhouse heated?']);
  });

  test.each([
    ['320 px', { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true }, 'ltr'],
    ['from right to left, dark', { viewport: { width: 900, height: 700 }, colorScheme: 'dark' }, 'rtl'],
  ] as const)('accessible and in its place: %s', async (_, options, dir) => {
    const other = await watch(browser, program.url, options);
    page = other.page;
    await page.goto(program.url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.evaluate((dir) => (document.documentElement.dir = dir), dir);
    const fits = async () => {
      await accessible(page);
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
    };
    await attach(text('a very long name of a file that nobody would ever want to read to its very end.txt', 'x'), text('b.txt', 'y'));
    await page.locator('.files li').nth(1).waitFor();
    await fits();
    for (const [open, name] of [['/help', 'Commands and keys'], ['', 'Answer options']] as const) {
      if (open) await say(open);
      else await page.getByRole('button', { name: /^Answer options/ }).click();
      const box = (await page.getByRole('dialog', { name }).boundingBox())!;
      expect(box.y).toBeGreaterThanOrEqual(0);
      expect(box.x).toBeGreaterThanOrEqual(0);
      await fits();
      await page.keyboard.press('Escape');
    }
    await page.getByRole('button', { name: 'Record a message' }).click();
    await page.getByRole('meter').waitFor();
    await fits();
    await other.check();
  });
});
