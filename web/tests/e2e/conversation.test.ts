// A conversation on the real program, with a language model that the tests control: streamed
// answers, their actions, and a conversation of two thousand messages.
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hostile } from '../mock/corpus';
import { hold, MockModel } from '../mock/model';
import { accessible, launch, stopClock, watch, wheel, type Watched } from './browser';
import { startProgram, type Program } from './program';
import { seed } from './seed';

const answer = `First **finished** paragraph [1].

\`\`\`python title="tides"
def neap(day):
    return day % 15 == 7  # the quarter moons
\`\`\`

| Tide | Range |
| --- | --- |
| spring | 120 % [1] |
| neap | 80 % |

The range is $r_0^2$, and it costs $5 and $10.

$$\\frac{a}{b}$$

- [x] done
- [ ] to do
${hold}
Last **words**, ${hold}with a picture ![of a tide](https://evil.example/tide.png) and an end.`;

const german = `# Nipptiden

Nipptiden entstehen bei Halbmond, wenn die Anziehung der Sonne gegen die des Mondes wirkt. Über Nipptiden sollte man wissen, dass ihr Hub etwa zwanzig Prozent kleiner ist als im Mittel.
`;

describe('a conversation', () => {
  let browser: Browser;
  let model: MockModel;
  let program: Program;
  let watched: Watched;
  let page: Page;

  beforeAll(async () => {
    model = await new MockModel().start();
    [browser, program] = await Promise.all([launch(), startProgram({ model: model.url, files: { 'gezeiten.md': german } })]);
  });
  afterAll(async () => {
    await program?.stop();
    await model?.stop();
  });
  beforeEach(async () => {
    Object.assign(model, { text: '', pace: 10, words: 40 });
    watched = await watch(browser, program.url, { permissions: ['clipboard-read', 'clipboard-write'] });
    page = watched.page;
    await page.goto(program.url);
  });
  afterEach(() => watched.check(80));

  const ask = async (text: string) => {
    await page.getByLabel('Your question').fill(text);
    await page.keyboard.press('Enter');
  };
  const partial = () => page.locator('.answer[aria-busy] .prose');
  const answers = () => page.locator('.answer:not([aria-busy]):has(.sources)');
  const answered = (n = 1) => expect.poll(() => answers().count(), { timeout: 60_000 }).toBe(n);
  const scroller = () => page.locator('.chat > .scroller');
  const top = () => scroller().evaluate((el) => el.scrollTop);
  const left = () => scroller().evaluate((el) => el.scrollHeight - el.clientHeight - el.scrollTop);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());

  test('streams without flicker: complete blocks keep their nodes', async () => {
    model.text = answer;
    await ask('When do neap tides occur?');
    await partial().locator('p').first().waitFor();
    // From now on, the page records removed nodes of the first blocks.
    await page.evaluate(() => {
      const gone: string[] = ((window as unknown as { gone: string[] }).gone = []);
      const prose = document.querySelector('.answer[aria-busy] .prose')!;
      new MutationObserver((all) => {
        for (const m of all) for (const n of m.removedNodes) gone.push(`${n.nodeName} ${n.textContent ?? ''}`);
      }).observe(prose, { childList: true, subtree: true });
    });
    await partial().locator('li').nth(1).waitFor();
    const kept = await partial().evaluate((el) => {
      const nodes = [...el.querySelectorAll('p, pre, table')].slice(0, 4);
      (window as unknown as { kept: Element[] }).kept = nodes;
      return nodes.length;
    });
    expect(kept).toBe(4);
    await partial().locator('.hljs-keyword').first().waitFor();
    await partial().locator('math').first().waitFor();
    model.go();
    await partial().getByText('Last').waitFor();
    await expect.poll(() => page.evaluate(() => (window as unknown as { kept: Element[] }).kept.every((n) => n.isConnected))).toBe(true);
    model.go();
    // Code was colored and formulas were set once. Nothing else was removed,
    // except text that became the beginning of an element.
    const gone = await page.evaluate(() => (window as unknown as { gone: string[] }).gone);
    expect(gone.filter((g) => /First|finished|spring|120/.test(g))).toEqual([]);
    expect(gone.filter((g) => /^(?:TABLE|PRE|UL)/.test(g))).toEqual([]);
    await answered();
    await accessible(page);
  });

  test('has colored code, tables, formulas, and tasks, and no pictures of other sites', async () => {
    model.text = answer.replaceAll(hold, '');
    await ask('When do neap tides occur?');
    await answered();
    const said = answers().locator('.prose').first();
    await expect.poll(() => said.locator('.code .bar span').textContent()).toBe('python');
    await said.locator('.hljs-keyword').first().waitFor();
    await expect.poll(() => said.locator('pre').textContent()).toBe('def neap(day):\n    return day % 15 == 7  # the quarter moons\n');
    await expect.poll(() => said.locator('math').count()).toBe(2);
    await expect.poll(() => said.textContent()).toContain('it costs $5 and $10.');
    expect((await said.locator('li').allTextContents()).map((t) => t.replace(/[\s\u2060]*\?$/, ''))).toEqual(['☑ done', '☐ to do']);
    await expect.poll(() => said.locator('img').count()).toBe(0);
    await expect.poll(() => said.textContent()).toContain('with a picture');
    await stopClock(page); // the button says so for two seconds
    await button('Copy this code').click();
    await button('Copied').waitFor();
    await page.clock.resume();
    await expect.poll(() => clipboard()).toBe('def neap(day):\n    return day % 15 == 7  # the quarter moons');
    await expect.poll(() => page.locator('[aria-live]').textContent()).toBe('Copied');
    await button('Copy this table').click();
    await expect.poll(clipboard).toBe('Tide\tRange\nspring\t120 %\nneap\t80 %');
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await accessible(page);
    }
    await page.setViewportSize({ width: 320, height: 640 });
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
  });

  test('is stopped, answered again, edited, rated, and copied with its sources', async () => {
    model.text = `Begun ${hold} never said.`;
    await ask('When do neap tides occur?');
    await partial().getByText('Begun').waitFor();
    await button('Stop').click();
    await page.getByText('Stopped.').first().waitFor();
    model.text = 'Said again [1].';
    await button('Answer again').click();
    await answered();
    await answers().getByText('Said again').waitFor();
    await button('Edit this message').focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Edit your message').fill('And spring tides?');
    model.text = 'They occur at new moon [1].';
    await page.keyboard.press('Enter');
    await answers().getByText('They occur at new moon').waitFor();
    await expect.poll(() => page.locator('.question').count()).toBe(1);
    await button('Copy this answer with its sources').click();
    await expect.poll(clipboard).toMatch(/^They occur at new moon \[1\]\.\n\n[\s\S]*\[1\].*tides/i);
    await expect.poll(() => page.locator('[aria-live]').textContent()).toBe('Copied');
    await button('Good answer').click();
    await page.getByLabel('Comment on this answer').fill('Short.');
    await page.keyboard.press('Enter');
    await page.getByText('Thank you.').first().waitFor();
    await expect.poll(() => button('Good answer').getAttribute('aria-pressed')).toBe('true');
  });

  test('follows the answer, except for a reader who has scrolled away', async () => {
    const many = (name: string) => Array.from({ length: 30 }, (_, i) => `${name} paragraph ${i} which is long enough to have a line or two of its own in any window [1].`).join('\n\n');
    model.text = `${many('One')}\n\n${hold}${many('Two')}\n\n${hold}${many('Three')}`;
    model.pace = 2;
    await ask('When do neap tides occur?');
    await partial().getByText('One paragraph 29').waitFor();
    // The reader of a long answer starts at the question.
    const question = page.locator('.question');
    await expect.poll(async () => (await question.boundingBox())!.y).toBeGreaterThanOrEqual(0);
    // At the end, the view follows the answer.
    await button('Go to the end').click();
    await expect.poll(left).toBeLessThan(3);
    model.go();
    await partial().getByText('Two paragraph 29').waitFor();
    await expect.poll(left).toBeLessThan(3);
    // Elsewhere, the view does not move.
    await wheel(scroller(), -900);
    await expect.poll(left).toBeGreaterThan(500);
    const before = await top();
    model.go();
    await page.locator('.answer').getByText('Three paragraph 29').waitFor();
    await answered();
    await expect.poll(async () => Math.abs((await top()) - before)).toBeLessThan(2);
  });

  test('a new question moves to the top at once, and stays there with its answer in view', async () => {
    // Long enough to scroll.
    model.text = Array.from({ length: 8 }, (_, i) => `Paragraph ${i} which is long enough to have a line or two of its own in any window, and says little [1].`).join('\n\n');
    model.pace = 2;
    await ask('When do neap tides occur?');
    await answered();
    await expect.poll(() => page.locator('.turn.blank').count()).toBe(0);
    for (const n of [2, 3]) {
      // Positions in each frame after the question appears.
      await page.evaluate((n) => {
        const seen: { at: number; answer: number; room: number }[] = ((window as unknown as { seen: unknown[] }).seen = []) as never;
        const box = document.querySelector('.chat > .scroller')!;
        const look = () => {
          const questions = box.querySelectorAll('.question');
          const question = questions[n - 1];
          if (question) {
            const from = box.getBoundingClientRect();
            const answer = question.closest('.turn')!.querySelector('.answer');
            seen.push({ at: Math.round(question.getBoundingClientRect().top - from.top), answer: answer ? answer.getBoundingClientRect().top - from.top : -1, room: from.height });
          }
          requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }, n);
      await ask(n === 2 ? 'When do spring tides occur?' : 'And when are there none?');
      await answered(n);
      const looks = () => page.evaluate(() => (window as unknown as { seen: { at: number; answer: number; room: number }[] }).seen);
      await expect.poll(async () => (await looks()).length).toBeGreaterThan(5);
      const seen = await looks();
      const places = seen.slice(1).map((s) => s.at);
      expect(Math.max(...places) - Math.min(...places)).toBeLessThanOrEqual(2);
      expect(Math.min(...places)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...places)).toBeLessThan(80);
      expect(seen.filter((s) => s.answer > s.room - 20)).toEqual([]);
      await expect.poll(() => page.locator('.turn.blank').count()).toBe(0);
    }
  });

  test('the end of an answer keeps the streamed text', async () => {
    model.text = `The **first** paragraph [1].\n\nThe second one.\n\n${hold}The last one [1].`;
    await ask('When do neap tides occur?');
    await partial().getByText('The second one.').waitFor();
    await partial().evaluate((el) => ((window as unknown as { kept: Element[] }).kept = [el, ...el.querySelectorAll('p, strong')]));
    model.go();
    await answered();
    await expect.poll(() => page.evaluate(() => (window as unknown as { kept: Element[] }).kept.map((el) => el.isConnected))).toEqual([true, true, true, true]);
    await expect.poll(() => answers().locator('.prose button.cite').count()).toBe(2);
  });

  test('a new conversation has no gaps', async () => {
    await ask('When do neap tides occur?');
    await answered();
    await expect.poll(() => page.locator('.turn.blank').count()).toBe(0);
    await expect.poll(async () => (await page.locator('.question').boundingBox())!.y - (await scroller().boundingBox())!.y).toBeLessThan(200);
  });

  test('an answer to a hidden page is drawn, and the title says so', async () => {
    await ask('When do neap tides occur?');
    await answered();
    const look = (state: 'hidden' | 'visible') =>
      page.evaluate((state) => {
        const w = window as unknown as { frames0: typeof requestAnimationFrame; frames1: FrameRequestCallback[] };
        Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
        Object.defineProperty(document, 'hidden', { value: state === 'hidden', configurable: true });
        // A hidden page gets no animation frames.
        if (state === 'hidden') {
          w.frames0 = window.requestAnimationFrame.bind(window);
          w.frames1 = [];
          window.requestAnimationFrame = (f) => w.frames1.push(f);
        } else {
          window.requestAnimationFrame = w.frames0;
          w.frames1.forEach((f) => requestAnimationFrame(f));
        }
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
      }, state);
    model.text = `They occur ${hold}at new moon [1].`;
    await ask('When do spring tides occur?');
    await partial().getByText('They occur').waitFor();
    await look('hidden');
    model.go();
    await expect.poll(() => page.title(), { timeout: 60_000 }).toMatch(/^\(1\) /);
    await look('visible');
    await answered(2);
    await expect.poll(() => page.title()).not.toMatch(/^\(/);
  });

  test('an unreachable server is reported, and a question waits and is answered once', async () => {
    await ask('When do neap tides occur?');
    await answered();
    await program.restart(async () => {
      await page.getByText('Connection lost').waitFor();
      await ask('And the compost?');
      await page.getByText('Will be sent when the connection is back.').waitFor();
      await accessible(page);
    });
    await answered(2);
    await expect.poll(() => page.getByText('Connection lost').count()).toBe(0);
    await expect.poll(() => page.locator('.question').count()).toBe(2);
  });

  test('hostile content in an answer runs and loads nothing, and cannot imitate the page', async () => {
    model.text = `${hostile}\n\n$\\href{javascript:window.__pwned=1}{x}$ $<img src=x onerror=window.__pwned=2>$\n\n\`\`\`html onmouseover=alert(1)\n${hostile}\n\`\`\`\n\n\`\`\`"><script>\nx\n\`\`\`\n\n| <img src=//evil.example/t.png> |\n| - |\n| [x](javascript:window.__pwned=3) |\n\n<https://evil.example/auto> https://evil.example/bare [1]`;
    model.pace = 1;
    await ask('When do neap tides occur?');
    await answered();
    await page.locator('.hljs-tag').first().waitFor();
    for (const link of await page.locator('.prose a').all()) {
      await expect.poll(() => link.getAttribute('href')).toMatch(/^https:/);
      await expect.poll(() => link.getAttribute('rel')).toContain('noopener');
    }
    await expect.poll(() => page.locator('.answer :is(img, script, iframe, form, input, style, object, embed, base, meta)').count()).toBe(0);
    await page.waitForLoadState('networkidle');
  });

  test('a long question is shortened', async () => {
    await ask(`When do neap tides occur? ${'Please be very exact about it. '.repeat(80)}`);
    await answered();
    const height = async () => (await page.locator('.question .bubble').boundingBox())!.height;
    await expect.poll(() => height()).toBeLessThan(300);
    await button('Show all').click();
    await expect.poll(() => height()).toBeGreaterThan(400);
    await button('Show less').click();
    await expect.poll(() => height()).toBeLessThan(300);
  });

  test('in German the page speaks German', async () => {
    await page.evaluate(() => localStorage.setItem('docent.language', 'de'));
    await page.reload();
    await page.getByRole('heading', { name: 'Was möchten Sie wissen?' }).waitFor();
    await expect.poll(() => page.locator('.start').innerText()).toMatch(/docent antwortet aus/);
    const first = page.getByRole('list', { name: 'Vorgeschlagene Fragen' }).getByRole('button').first();
    await expect.poll(() => first.textContent()).toMatch(/^Was (?:ist|steht) /);
    await first.click();
    await answered();
    await button('Neu beantworten').waitFor();
  });

  describe('of two thousand messages', () => {
    let address: string;

    beforeAll(async () => {
      const { page, check } = await watch(browser, program.url);
      Object.assign(model, { text: 'Neap tides occur at the quarter moons [1].', pace: 2 });
      await page.goto(program.url);
      await page.getByLabel('Your question').fill('When do neap tides occur?');
      await page.keyboard.press('Enter');
      await page.locator('.answer .sources').waitFor();
      await page.waitForURL(/#\/c\//);
      address = page.url();
      await check();
      seed(program, decodeURIComponent(address.split('/c/')[1]!), 2000);
      await program.restart();
    });

    const open = async () => {
      await page.goto(address);
      await page.locator('.answer .sources').last().waitFor();
    };
    const last = () => page.locator('.question').last();
    /** sight is the first text in sight, and where it is. */
    const sight = () =>
      scroller().evaluate((el) => {
        const box = el.getBoundingClientRect();
        const found = [...el.querySelectorAll<HTMLElement>('.question .bubble')].find((q) => q.getBoundingClientRect().top > box.top);
        return { text: found?.textContent?.trim() ?? '', at: found ? found.getBoundingClientRect().top : 0 };
      });
    const still = () => page.evaluate(() => new Promise<void>((ok) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => ok())))));
    /** settled is sight() once it stays the same. */
    const settled = async () => {
      let now = await sight();
      await expect
        .poll(async () => {
          const before = now;
          await still();
          now = await sight();
          return now.text.includes('Question number') && now.text === before.text && now.at === before.at;
        })
        .toBe(true);
      return now;
    };

    test('opens at its end, and draws only visible blocks', async () => {
      await open();
      await expect.poll(() => last().textContent()).toContain('Question number 99');
      await expect.poll(left).toBeLessThan(3);
      await expect.poll(() => page.locator('.turn').count()).toBeGreaterThan(990);
      await expect.poll(() => page.locator('.turn:not(.blank)').count()).toBeGreaterThan(1);
      await expect.poll(() => page.locator('.turn:not(.blank)').count()).toBeLessThan(60);
      await accessible(page);
    });

    test('scrolls up to its beginning, and the text in view does not move', async () => {
      await open();
      await expect.poll(left).toBeLessThan(3);
      for (let i = 0; i < 25; i++) {
        await wheel(scroller(), -700);
        const before = await sight();
        await still();
        await still();
        const after = await sight();
        if (before.text && after.text === before.text) expect(Math.abs(after.at - before.at), `step ${i}`).toBeLessThan(3);
      }
      // Only blocks that were in view are drawn.
      const drawn = await page.locator('.turn:not(.blank)').count();
      expect(drawn).toBeGreaterThan(15);
      expect(drawn).toBeLessThan(400);
      await scroller().focus();
      await page.keyboard.press('Home');
      await page.locator('.question').first().getByText('When do neap tides occur?').waitFor();
      await expect.poll(top).toBe(0);
      await page.keyboard.press('End');
      await expect.poll(left).toBeLessThan(3);
    });

    test('continues like any other, and a reader in its middle stays there', async () => {
      model.text = `Begun.\n\n${hold}${Array.from({ length: 60 }, (_, i) => `More of it in part ${i}, at some length, so that it grows. `).join('')}\n\nIts end [1].`;
      model.pace = 1;
      await open();
      await ask('And the compost?');
      await partial().getByText('Begun.').waitFor();
      await expect.poll(left).toBeLessThan(120);
      await wheel(scroller(), -(await top()) / 2);
      await expect.poll(left).toBeGreaterThan(1000);
      const before = await settled();
      model.go();
      await expect.poll(() => page.locator('.answer[aria-busy]').count()).toBe(0);
      const after = await sight();
      expect(after.text).toBe(before.text);
      expect(Math.abs(after.at - before.at)).toBeLessThan(3);
      await button('Go to the end').click();
      await page.locator('.answer').getByText('Its end').waitFor();
    });
  });
});
