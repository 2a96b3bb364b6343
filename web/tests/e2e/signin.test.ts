// The sign-in with an OpenID Connect provider, by the button: the page of the provider, the way back,
// refused sign-ins, and the groups of the user.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { accessible, accessibleInThemes, launch, watch, type Watched } from './browser';
import { startProgram, type Program } from './program';
import { Provider } from './provider';

const password = 'correct horse battery';
let browser: Browser;
let program: Program;
let provider: Provider;
let watched: Watched;
let page: Page;

beforeAll(async () => {
  [browser, program, provider] = await Promise.all([launch(), startProgram({ user: ['ada', password] }), Provider.start('docent', 'hush-hush')]);
  program.run(['config', 'set', 'sign-in.client-secret', '-'], 'hush-hush');
  await set({ issuer: provider.url, 'client-id': 'docent', 'create-users': 'true' });
  // Only the group of staff may read the documents.
  program.run(['group', 'add', 'staff']);
  program.run(['collection', 'grant', 'default', 'group:staff', 'read']);
});
let label = '';

/** set changes settings, and waits until the server has them: it reads the label at the same time. */
async function set(settings: Record<string, string>) {
  label = label === 'Example' ? 'Example Ltd' : 'Example';
  for (const [key, value] of Object.entries({ ...settings, label })) program.run(['config', 'set', `sign-in.${key}`, value]);
  await vi.waitFor(async () => expect(((await (await fetch(`${program.url}/api/sign-in`)).json()) as { label?: string }).label).toBe(label), { timeout: 60_000, interval: 100 });
}
afterAll(async () => {
  await program?.stop();
  await provider?.stop();
});
beforeEach(() => void (provider.claims = { sub: '1', preferred_username: 'Eva', groups: ['staff'] }));
afterEach(async () => {
  // The pages of the provider are the only ones of another host.
  expect(watched.foreign.filter((address) => !address.startsWith(`${provider.url}/`))).toEqual([]);
  watched.foreign.length = 0;
  await watched.check();
  expect(provider.wrong).toEqual([]);
});

async function visit(hash = '', options: BrowserContextOptions = {}, language = 'en') {
  watched = await watch(browser, program.url, options);
  page = watched.page;
  await page.context().addInitScript((language) => localStorage.setItem('docent.language', language), language);
  await page.goto(`${program.url}/${hash}`);
}

const button = () => page.getByRole('button', { name: /^Sign in with Example/ });

/** goAndCome goes to the provider by the button, and comes back by a link there. */
async function goAndCome(link: 'Continue' | 'Refuse') {
  await button().click();
  await page.getByRole('heading', { name: provider.claims.preferred_username! }).waitFor();
  expect(page.url()).toContain(`${provider.url}/authorize?`);
  await page.getByRole('link', { name: link }).click();
}

const rows = () => page.locator('.row');

async function signOut() {
  await page.goto(`${program.url}/#/settings`);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await button().waitFor();
}

test('a user signs in at the provider, and comes back to the same place', async () => {
  await visit('#/documents');
  await goAndCome('Continue');
  await rows().first().waitFor();
  expect(page.url()).toBe(`${program.url}/#/documents`);
  expect(await (await page.request.get(`${program.url}/api/me`)).json()).toMatchObject({ id: 'user:eva', name: 'eva', scopes: ['ask'] });
  await page.reload();
  await rows().first().waitFor();
  await page.goto(`${program.url}/#/settings`);
  await page.getByText('eva', { exact: true }).first().waitFor();
  await accessible(page);
});

test('groups follow the provider at each new sign-in', async () => {
  await visit('#/documents');
  for (const groups of [['staff'], ['guests'], ['guests', 'staff']]) {
    provider.claims = { ...provider.claims, groups };
    await goAndCome('Continue');
    await button().waitFor({ state: 'hidden' });
    await page.goto(`${program.url}/#/documents`);
    const may = groups.includes('staff');
    if (may) await rows().first().waitFor();
    const { documents } = (await (await page.request.get(`${program.url}/api/documents`)).json()) as { documents: unknown[] };
    expect([groups, documents.length > 0]).toEqual([groups, may]);
    if (!may) await expect.poll(() => rows().count()).toBe(0);
    await signOut();
    await page.goto(`${program.url}/#/documents`);
  }
});

test('a refused sign-in says so, and can be repeated', async () => {
  await visit();
  await goAndCome('Refuse');
  await page.getByRole('alert').getByText('The provider did not sign you in').waitFor();
  expect(page.url()).toBe(`${program.url}/`);
  await accessible(page);
  expect((await page.request.get(`${program.url}/api/me`)).status()).toBe(401);
  await goAndCome('Continue');
  await page.getByLabel('Your question').waitFor();
});

test('an unknown user needs an invitation', async () => {
  await set({ 'create-users': 'false' });
  provider.claims = { sub: '9', preferred_username: 'Mallory', groups: ['staff'] };
  await visit();
  await goAndCome('Continue');
  await page.getByRole('alert').getByText('There is no account for you here').waitFor();
  expect((await page.request.get(`${program.url}/api/me`)).status()).toBe(401);
  await set({ 'create-users': 'true' });
});

for (const [name, options, language, label] of [
  ['light and dark', {}, 'en', /^Sign in with Example/],
  ['390 px, in German', { viewport: { width: 390, height: 700 }, hasTouch: true }, 'de', /^Mit Example/],
] as const) {
  test(`the form: ${name}`, async () => {
    await visit('?sign-in=sign_in_canceled', options, language);
    await page.getByRole('button', { name: label }).waitFor();
    await page.locator('dialog [role=alert]').waitFor();
    await accessibleInThemes(page);
    if (process.env.SIGNIN_SHOTS) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: `${process.env.SIGNIN_SHOTS}/signin-${language}-${colorScheme}.png` });
      }
    }
  });
}
