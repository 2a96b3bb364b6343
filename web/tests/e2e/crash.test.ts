// The page on the real program with a slow language model: reloads and crashes during answers,
// several tabs, and sign-in.
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hold, MockModel } from '../mock/model';
import { launch, watch, type Watched } from './browser';
import { startProgram, type Program } from './program';

describe('slow answers', () => {
  let browser: Browser;
  let model: MockModel;
  let program: Program;
  let watched: Watched;
  let page: Page;

  beforeAll(async () => {
    model = await new MockModel().start();
    [browser, program] = await Promise.all([launch(), startProgram({ model: model.url })]);
  });
  afterAll(async () => {
    await program?.stop();
    await model?.stop();
  });
  beforeEach(async () => {
    model.text = '';
    watched = await watch(browser, program.url);
    page = watched.page;
    await page.goto(program.url);
  });
  afterEach(() => watched.check(60));

  const ask = async (text: string, on = page) => {
    await on.getByLabel('Your question').fill(text);
    await on.keyboard.press('Enter');
  };
  const partial = (on = page) => on.locator('.answer[aria-busy] .prose');
  const answered = (n = 1, on = page) => expect.poll(() => on.locator('.answer:not([aria-busy]) .sources').count(), { timeout: 60_000 }).toBe(n);
  const questions = (on = page) => on.locator('.question .bubble').allInnerTexts();
  const button = (name: string, on = page) => on.getByRole('button', { name, exact: true });
  const most = 40;
  /** pausing has answers wait for model.go() after some of their words. */
  const pausing = (...after: number[]) => {
    const words = Array.from({ length: most }, (_, i) => `word${i + 1} ${after.includes(i + 1) ? hold : ''}`);
    model.text = `It is said: ${words.join('')}end [1].`;
  };
  /** whole reports that an answer has all its words, once and in order. */
  const whole = async (on = page) => {
    const words = ((await on.locator('.answer .prose').last().textContent()) ?? '').match(/word\d+/g) ?? [];
    expect(words).toEqual(Array.from({ length: most }, (_, i) => `word${i + 1}`));
  };
  const prose = () => page.locator('.answer:not([aria-busy]) .prose').last().textContent();

  test('a reload during an answer shows its beginning, and the answer continues', async () => {
    pausing(10, 20);
    await ask('When do neap tides occur?');
    await partial().getByText('word8 ').waitFor();
    await page.reload();
    await partial().getByText('word8 ').waitFor();
    await expect.poll(() => partial().textContent()).toMatch(/^It is said: word1 word2/);
    model.go();
    await partial().getByText('word12 ').waitFor();
    await expect.poll(() => partial().textContent()).toMatch(/^It is said: word1 word2/);
    model.go();
    await answered();
    await whole();
    await expect.poll(() => questions()).toEqual(['When do neap tides occur?']);
  });

  test('after a crash during an answer, the question is answered once', async () => {
    pausing(10);
    await ask('When do spring tides occur?');
    await partial().getByText('word8 ').waitFor();
    await program.restart(async () => pausing());
    await answered();
    await whole();
    await expect.poll(() => questions()).toEqual(['When do spring tides occur?']);
    await page.reload();
    await answered();
    await whole();
    await expect.poll(() => page.locator('.question').count()).toBe(1);
  });

  test('two tabs show the same, and a question during a crash is asked once', async () => {
    pausing();
    await ask('When do neap tides occur?');
    await answered();
    const other = await watch(browser, program.url);
    await other.page.goto(page.url());
    await answered(1, other.page);
    pausing(10);
    await ask('How often are the roses pruned?', other.page);
    await partial().getByText('word5 ').waitFor();
    await program.restart(async () => {
      pausing();
      await ask('And the compost?');
      await page.locator('.question', { hasText: 'And the compost?' }).waitFor();
    });
    for (const p of [page, other.page]) {
      await answered(3, p);
      await whole(p);
      await expect.poll(() => questions(p)).toEqual(['When do neap tides occur?', 'How often are the roses pruned?', 'And the compost?']);
    }
    await other.check(60);
  });

  test('a question is edited, its answer asked for again and rated', async () => {
    await ask('When do neap tides occur?');
    await answered();
    const first = await prose();
    await button('Edit this message').focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Edit your message').fill('When do spring tides occur?');
    await page.keyboard.press('Enter');
    await expect.poll(prose).not.toBe(first);
    await answered();
    await expect.poll(() => questions()).toEqual(['When do spring tides occur?']);
    const before = await prose();
    await button('Answer again').click();
    await expect.poll(prose).not.toBe(before);
    await answered();
    await expect.poll(() => questions()).toEqual(['When do spring tides occur?']);
    await button('Bad answer').click();
    await page.getByLabel('Comment on this answer').fill('Too many words.');
    await page.keyboard.press('Enter');
    await page.getByText('Thank you.').first().waitFor();
    await page.reload();
    await answered();
    await expect.poll(() => questions()).toEqual(['When do spring tides occur?']);
  });

  test('an edit replaces a running answer', async () => {
    pausing(10);
    await ask('When do neap tides occur?');
    await partial().getByText('word8 ').waitFor();
    pausing();
    await button('Edit this message').focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Edit your message').fill('When do spring tides occur?');
    await page.keyboard.press('Enter');
    await answered();
    await whole();
    await expect.poll(() => questions()).toEqual(['When do spring tides occur?']);
    await expect.poll(() => page.locator('.answer').count()).toBe(2);
  });
});

describe('with authentication', () => {
  let browser: Browser;
  let program: Program;

  beforeAll(async () => {
    [browser, program] = await Promise.all([launch(), startProgram({ user: ['ada', 'correct horse battery'] })]);
  });
  afterAll(async () => {
    await program?.stop();
  });

  test('a user signs in, asks, keeps or loses the login at a restart, and signs out', async () => {
    const { page, check } = await watch(browser, program.url);
    const logIn = async (password: string) => {
      await page.getByLabel('Name').fill('ada');
      await page.getByLabel('Password').fill(password);
      await page.keyboard.press('Enter');
    };
    await page.goto(program.url);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await logIn('wrong');
    await page.getByText('The name or password is wrong').waitFor();
    await logIn('correct horse battery');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
    await page.getByLabel('Your question').fill('When do neap tides occur?');
    await page.keyboard.press('Enter');
    await page.locator('.answer .sources').waitFor();
    await program.restart();
    await page.getByLabel('Your question').fill('When do spring tides occur?');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.answer .sources').count(), { timeout: 60_000 }).toBe(2);
    await page.getByLabel('Your question').fill('And slack water?');
    // The browser loses the login.
    await page.context().clearCookies();
    // A late request of the page may have opened the dialog by now, which covers the link.
    await page.getByRole('link', { name: 'Documents', includeHidden: true }).dispatchEvent('click');
    await page.getByRole('heading', { name: 'Sign in to continue' }).waitFor();
    await page.getByLabel('Password').fill('correct horse battery');
    await page.keyboard.press('Enter');
    await page.locator('.row').first().waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expect.poll(() => page.locator('.question').count()).toBe(0);
    await check(60);
  });
});
