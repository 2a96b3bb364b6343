// Settings on the real program: DOCENT_BIN=…/docent npm run e2e.
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Info } from '../../src/api/shapes';
import { accessible, launch, watch, type Watched } from './browser';
import { sharedProgram, startProgram, type Program, type Shared } from './program';

let browser: Browser;
let program: Shared;
let watched: Watched;
let page: Page;

const open = async () => {
  await page.goto(`${program.url}/#/settings`);
  await page.getByRole('heading', { name: 'Status' }).waitFor();
};
const radio = (name: string) => page.getByRole('region', { name: /^(?:Appearance and input|Darstellung und Eingabe)$/ }).getByRole('radio', { name, exact: true });
const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);

describe('settings', () => {
  beforeAll(async () => {
    [browser, program] = await Promise.all([launch(), sharedProgram()]);
  });
  beforeEach(async () => {
    watched = await watch(browser, program.url, { colorScheme: 'light', permissions: ['clipboard-read', 'clipboard-write'] });
    page = watched.page;
  });
  afterEach(() => watched.check());

  test('are reached from the sidebar; a theme stays, before the first paint', async () => {
    await page.goto(program.url);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await expect.poll(() => page.title()).toMatch(/^Settings · /);
    await expect.poll(() => radio('System').isChecked()).toBe(true);
    await expect.poll(paper).toBe('rgb(250, 249, 247)');
    await radio('Dark').check();
    await expect.poll(paper).toBe('rgb(23, 22, 20)');
    await accessible(page);
    await page.route('**/assets/*.js', (r) => r.abort()); // without the page, its first paint
    await page.reload();
    await expect.poll(paper).toBe('rgb(23, 22, 20)');
    await page.unroute('**/assets/*.js');
    await page.reload();
    await expect.poll(() => radio('Dark').isChecked()).toBe(true);
    await radio('System').check();
    await expect.poll(() => page.evaluate(() => localStorage.getItem('docent.theme'))).toBeNull();
  });

  test('the text has four sizes', async () => {
    await open();
    const size = () => page.getByRole('heading', { name: 'Status' }).evaluate((el) => parseFloat(getComputedStyle(el).fontSize));
    const normal = await size();
    const seen: number[] = [];
    for (const name of ['Small', 'Normal', 'Large', 'Very large']) {
      const before = await size();
      await radio(name).check();
      await expect.poll(size).not.toBe(before);
      seen.push(await size());
    }
    expect(seen[1]).toBe(normal);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(new Set(seen).size).toBe(4);
    await page.reload();
    await expect.poll(size).toBe(seen[3]);
    await page.setViewportSize({ width: 320, height: 640 });
    await expect.poll(() => page.evaluate(() => innerWidth === 320 && document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await accessible(page);
  });

  test('German applies at once and stays, without English texts of the page; and back', async () => {
    await page.goto(program.url);
    await page.getByLabel('Your question').fill('What is Old Margery?');
    await page.keyboard.press('Enter');
    await page.locator('.answer:not([aria-busy]) .sources').waitFor();
    await open();
    await radio('Deutsch').check();
    await page.getByRole('heading', { name: 'Einstellungen' }).waitFor();
    await expect.poll(() => page.evaluate(() => document.documentElement.lang)).toBe('de');
    await expect.poll(() => page.title()).toMatch(/^Einstellungen · /);
    // The page's own visible and announced texts.
    const said = () =>
      page.evaluate(() => {
        const foreign = '.conversation a, bdi, [dir=auto], .hint, option, kbd, [lang=en], .sum [href], style, script';
        const texts: string[] = [];
        const walk = (el: Element) => {
          if (el.matches(foreign) || el.closest('[popover]:not(:popover-open)')) return;
          for (const name of ['aria-label', 'title', 'placeholder']) if (el.hasAttribute(name) && !el.querySelector('[dir=auto]')) texts.push(el.getAttribute(name)!);
          for (const node of el.childNodes) {
            if (node.nodeType === Node.TEXT_NODE && node.textContent?.trim()) texts.push(node.textContent.trim());
            if (node instanceof Element) walk(node);
          }
        };
        walk(document.body);
        return texts.filter((t) => /\p{L}{3}/u.test(t));
      });
    const english = /\b(?:the|and|of|new|chat with|settings|documents|conversations?|search|delete|rename|pin|theme|language|status|refresh|copy|ready|close|add|folder|files|upload|title|size|changed|passages?|from|none|model|database|started|limits|keyboard|menu|undo|today|question|your)\b/i;
    const german = ['Sammlung', 'Status'];
    const left = async () => (await said()).filter((t) => english.test(t) && !german.includes(t) && !/[„“]/.test(t));
    await page.getByText('Bereit', { exact: true }).waitFor();
    await expect.poll(() => left()).toEqual([]);
    await accessible(page);
    await page.getByRole('link', { name: 'Dokumente' }).click();
    await page.locator('.row').first().waitFor();
    await expect.poll(() => left()).toEqual([]);
    await page.getByRole('radio', { name: 'Inhalten' }).check();
    await page.getByText('Geben Sie eine Frage oder ein paar Wörter ein').waitFor();
    await expect.poll(() => left()).toEqual([]);
    await page.reload();
    await page.getByRole('heading', { name: 'Dokumente', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Einstellungen' }).click();
    await radio('English').check();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await page.getByRole('link', { name: 'New chat' }).first().waitFor();
    await expect.poll(() => page.evaluate(() => document.documentElement.lang)).toBe('en');
  });

  test('messages of the server are in the language of the page, too', async () => {
    await page.addInitScript(() => localStorage.setItem('docent.language', 'de'));
    await page.goto(program.url);
    const ask = async (text: string) => {
      await page.locator('textarea').first().fill(text);
      await page.keyboard.press('Enter');
    };
    await ask('hello');
    await page.locator('.answer', { hasText: 'Hallo! Was möchten Sie aus Ihren Dokumenten wissen?' }).waitFor();
    await ask('Who won the 1987 chess championship of Paraguay?');
    await page.locator('.answer.abstained', { hasText: /Das weiß ich nicht\. In 4 Dokumenten aus der Sammlung default habe ich nichts gefunden, was die Frage beantwortet\./ }).waitFor();
    await accessible(page);
    await expect.poll(() => page.locator('.answer').allTextContents().then((all) => all.join(' '))).not.toMatch(/I don't know|Hello/);
    await page.goto(`${program.url}/#/documents`);
    await page.locator('input[type=file]:not(.folder)').setInputFiles([{ name: 'b.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 broken') }]);
    await page.locator('.uploads li.failed', { hasText: 'Das PDF lässt sich nicht öffnen' }).waitFor();
    await page.locator('.row .failed', { hasText: 'Beschädigt' }).waitFor();
  });

  test('the status comes from the server, and is copied without secrets', async () => {
    await open();
    await page.getByText('Ready', { exact: true }).waitFor();
    const info = (await (await page.request.get(`${program.url}/api/info`)).json()) as Info;
    const row = async (name: string) => (await page.locator('dl div', { has: page.getByText(name, { exact: true }) }).locator('dd').textContent()) ?? '';
    await expect.poll(() => row('Version')).toBe(`${info.name} ${info.version}`);
    await expect.poll(() => row('Built with')).toBe(info.go);
    expect(info.go).toMatch(/^go1\.\d+/);
    expect(Date.parse(info.started_at)).not.toBeNaN();
    await expect.poll(() => row('Started')).toContain(String(new Date(info.started_at).getFullYear()));
    await expect.poll(() => row('Database')).toBe(info.database);
    expect(info.database).toMatch(/postgres/);
    await expect.poll(() => row('Model')).toContain(info.model.hint);
    await expect.poll(() => row('Embedder')).toContain(`${info.embedder.name}, ${info.embedder.dimensions.toLocaleString('en')} dimensions`);
    for (const e of info.encoders ?? []) await expect.poll(() => row('Embedder')).toContain(e.model);
    await expect.poll(() => row('Index')).toBe(`${info.index.keyword} + ${info.index.vectors}`);
    expect(info.index.chunks).toBeGreaterThan(0);
    await expect.poll(() => row('Passages in the index')).toBe(String(info.index.chunks));
    await expect.poll(() => row('Collections')).toContain(`default: ${info.collections[0]!.documents} documents`);
    await expect.poll(() => row('Limits')).toContain(`${info.limits.k} passages per answer`);
    await expect.poll(() => row('Sign-in')).toContain('not required');
    await page.getByRole('button', { name: 'Copy as text' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    expect(text).toContain('Status: Ready');
    expect(text).toContain(`Version: ${info.name} ${info.version}`);
    expect(text).not.toMatch(/postgres(?:ql)?:\/\/|password|docent_session/i);
    await accessible(page);
    // The page reports a server that is not ready.
    await page.route('**/api/ready', (r) => r.fulfill({ status: 503, json: { status: 'unavailable', checks: { database: 'it does not answer', models: 'ok' } } }));
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('Not ready').waitFor();
    await page.getByText('database: it does not answer').waitFor();
  });
});

describe('settings with sign-in', () => {
  let own: Program;

  beforeAll(async () => {
    own = await startProgram({ user: ['ada', 'correct horse battery'] });
    program = own;
    browser = await launch();
  });
  afterAll(() => own?.stop());

  test('a token is created, used, listed, and revoked, and the page asks to sign in after a sign-out', async () => {
    watched = await watch(browser, program.url, { permissions: ['clipboard-read', 'clipboard-write'] });
    page = watched.page;
    await page.goto(`${program.url}/#/settings`);
    const login = page.getByRole('dialog', { name: 'Sign in' });
    await login.getByLabel('Name').fill('ada');
    await login.getByLabel('Password').fill('correct horse battery');
    await page.keyboard.press('Enter');
    await page.getByText('Signed in as ada. Permissions: ask.').waitFor();
    await page.getByText('There are no tokens yet.').waitFor();
    await accessible(page);

    await page.getByRole('button', { name: 'New token' }).click();
    const name = page.locator('form').getByLabel('Name', { exact: true }).and(page.locator(':not([autocomplete=username])'));
    await name.and(page.locator(':focus')).waitFor();
    await name.fill('nightly report');
    await page.getByText('A space becomes a hyphen').waitFor();
    await expect.poll(() => page.getByRole('checkbox').count()).toBe(1); // users cannot grant scopes that they lack
    await page.getByLabel('Valid for').selectOption('30 days');
    await accessible(page);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const secret = page.getByLabel('Token “nightly-report”');
    await secret.waitFor();
    await page.getByText('docent does not show it again').waitFor();
    await accessible(page);
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const token = await secret.inputValue();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(token);
    await page.getByRole('button', { name: 'Done' }).click();
    await expect.poll(() => page.locator('main').textContent()).toContain('nightly-report');
    await expect.poll(() => page.content()).not.toContain(token);

    const use = async () => (await fetch(`${program.url}/api/search?q=tides`, { headers: { Authorization: `Bearer ${token}` } })).status;
    await expect.poll(() => use()).toBe(200);
    expect((await fetch(`${program.url}/api/documents/1`, { method: 'DELETE', headers: { Authorization: `Bearer ${token}` } })).status).toBe(403);
    await page.reload();
    const row = page.locator('li', { hasText: 'nightly-report' });
    await row.getByText('expires').waitFor();

    await page.getByRole('button', { name: 'Revoke “nightly-report”' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => use()).toBe(200);
    await page.getByRole('button', { name: 'Revoke “nightly-report”' }).click();
    await page.getByRole('dialog').waitFor();
    await page.getByRole('button', { name: 'Revoke “nightly-report”', includeHidden: true }).evaluate((el: HTMLElement) => {
      const shown = document.querySelector<HTMLDialogElement>('dialog[open]')!;
      const ended = new Promise((ok) => shown.addEventListener('close', ok, { once: true }));
      shown.close();
      el.click(); // opens the dialog again before the close event
      return ended.then(() => undefined);
    });
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('There are no tokens yet.').waitFor();
    await expect.poll(use).toBe(401);

    await page.locator('main').getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('dialog', { name: 'Sign in' }).waitFor();
    await watched.check();
  });

  test('an administrator gives and takes rights; a user sees only readable collections', async () => {
    program.run(['user', 'create', 'root', '--scopes', 'admin', '--password-stdin'], 'correct horse battery');
    watched = await watch(browser, program.url);
    page = watched.page;
    await page.goto(`${program.url}/#/settings`);
    const login = page.getByRole('dialog', { name: 'Sign in' });
    const signIn = async (name: string) => {
      await login.getByLabel('Name').fill(name);
      await login.getByLabel('Password').fill('correct horse battery');
      await page.keyboard.press('Enter');
      await login.waitFor({ state: 'detached' });
      await page.goto(`${program.url}/#/settings`);
      await page.getByText(`Signed in as ${name}.`).waitFor();
    };
    await signIn('root');
    await page.getByText('There are no groups yet.').waitFor();
    await page.getByLabel('Name of the group').fill('staff');
    await page.getByRole('button', { name: 'Add group' }).click();
    const newcomer = page.getByLabel('New member of staff');
    await newcomer.fill('nobody-here');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('There is no user:nobody-here').waitFor();
    await newcomer.fill('root');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name: 'Remove root from staff' }).waitFor();
    await page.getByText('Everybody may use it').waitFor();
    await page.getByLabel('User or group').fill('group:staff');
    await page.getByRole('button', { name: 'Give right' }).click();
    await page.getByLabel('Right of group:staff on default').selectOption('manage');
    await expect.poll(() => program.run(['collection', 'ls'])).toContain('group:staff manage');
    await accessible(page);

    await page.locator('main').getByRole('button', { name: 'Sign out' }).click();
    await signIn('ada');
    await expect.poll(() => page.getByRole('heading', { name: 'Rights on collections' }).count()).toBe(0);
    await expect.poll(() => page.getByRole('heading', { name: 'Groups' }).count()).toBe(0);
    await page.goto(`${program.url}/#/documents`);
    await expect.poll(() => page.locator('main').textContent()).not.toContain('Tides');

    program.run(['collection', 'open', 'default']);
    await page.reload();
    await expect.poll(() => page.locator('main').textContent()).toContain('Tides');
    await watched.check();
  });
});
