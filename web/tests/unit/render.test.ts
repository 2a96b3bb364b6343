import { describe, expect, test } from 'vitest';
import { encode } from '../../src/api/bytes';
import { blocks, draw, safeLink } from '../../src/markdown/render';
import { mark, settled } from '../../src/markdown/signs';
import type { RagSentence, Support } from '../../src/api/shapes';
import { hostile } from '../mock/corpus';

function render(text: string, labels: string[] = ['One', 'Two'], sentences: RagSentence[] = []): HTMLElement {
  const out = document.createElement('div');
  for (const b of blocks(mark(text, sentences))) out.append(draw(b, { labels }));
  return out;
}

function sentence(answer: string, text: string, support: Support): RagSentence {
  const start = encode(answer.slice(0, answer.indexOf(text))).length;
  return { start, end: start + encode(text).length, docs: [], support };
}

describe('citations', () => {
  test('known numbers become buttons, others stay text', () => {
    const el = render('Yes [1], [2, 1] and [7]. [0]');
    expect([...el.querySelectorAll('button.cite')].map((b) => b.textContent)).toEqual(['1', '2', '1']);
    expect(el.textContent).toContain('[7]. [0]');
    expect(el.querySelector('button')!.getAttribute('aria-label')).toBe('Source 1: One');
  });
  test('numbers of an unfinished answer are no links', () => {
    const el = document.createElement('div');
    for (const b of blocks(settled('Yes [1]. No [9'))) el.append(draw(b, { labels: null }));
    expect([...el.querySelectorAll('span.cite')].map((b) => b.textContent)).toEqual(['1']);
    expect(el.querySelectorAll('button').length).toBe(0);
  });
  test('code keeps its brackets', () => {
    const el = render('`a[1]` [1]\n\n```\nb[2]\n```');
    expect(el.querySelectorAll('.cite').length).toBe(1);
    expect(el.querySelector('pre')!.textContent).toContain('b[2]');
  });
  test('a citation cannot be made into a link', () => {
    const el = render('Yes [1](https://evil.example/x) and [2][1].\n\n[1]: https://evil.example/');
    expect(el.querySelectorAll('a .cite, .cite a').length).toBe(0);
    for (const a of el.querySelectorAll('a')) expect(a.textContent).toBe(a.getAttribute('href')); // it hides no text
    expect(el.querySelectorAll('.cite').length).toBe(4);
  });
  test('the marks around citations cannot be forged', () => {
    const el = render('\u1cc41\u1cc5 \u1cc0doubt\u1cc2');
    expect(el.querySelectorAll('button, .doubtful').length).toBe(0);
  });
});

describe('text at a citation', () => {
  test.each([
    ['Yes [1]. No', '_1.'],
    ['Yes [1] [2], no', '_1_2,'],
    ['Yes[1][2]. No', '12.'],
    ['(see [1]). No', '_1).'],
    ['**Yes** [1] no', '_1'],
  ])('the stop in %j does not leave it', (text, want) => {
    const all = [...render(text).querySelectorAll('.held')].map((h) => h.textContent!.replace(/\u00a0/g, '_').replace(/\u2060/g, ''));
    expect(all).toEqual([want]);
  });
  test('the underline ends before the citation, and the mark stays', () => {
    const a = 'The moon is cheese [1]. Yes.';
    const el = render(a, undefined, [sentence(a, 'The moon is cheese [1].', 'none')]);
    expect([...el.querySelectorAll('.doubtful')].map((d) => d.textContent)).toEqual(['The moon is cheese']);
    expect(el.querySelector('.held')!.textContent).toBe('\u00a01.\u00a0?');
    expect(el.textContent).toBe('The moon is cheese\u00a01.\u00a0? Yes.\n');
  });
});

describe('support', () => {
  test('weak and unsupported sentences are underlined and explained', () => {
    const a = 'Größe 😀 stimmt [1]. Das **hier** nicht [2]. Und das gar nicht.';
    const el = render(a, undefined, [
      sentence(a, 'Größe 😀 stimmt [1].', 'strong'),
      sentence(a, 'Das **hier** nicht [2].', 'weak'),
      sentence(a, 'Und das gar nicht.', 'none'),
    ]);
    const text = (s: string) => [...el.querySelectorAll(`.doubtful[data-support=${s}]`)].map((e) => e.textContent).join('');
    expect(text('weak').replace(/\s/g, ' ')).toBe('Das hier nicht');
    expect(text('none')).toBe('Und das gar nicht.');
    expect(el.querySelectorAll('.doubt').length).toBe(2);
    expect(el.querySelector('strong')!.textContent).toBe('hier');
  });
  test.each([
    ['- one point\n- another', 'ul li', 2],
    ['# Title\n\ntext', 'h3', 1],
    ['1. first\n2. second', 'ol li', 2],
    ['> quoted', 'blockquote', 1],
    ['| a | b |\n| - | - |\n| c | d |', 'td', 2],
    ['**Bold.** Rest', 'strong', 1],
    ['"**Quoted.**" Rest', 'strong', 1],
    ['```\ncode\n```', 'pre', 1],
  ])('marks leave the structure of %j alone', (a, selector, n) => {
    const el = render(a, undefined, [{ start: 0, end: encode(a).length, docs: [], support: 'none' }]);
    expect(el.querySelectorAll(selector).length).toBe(n);
    expect(el.textContent).not.toMatch(/[\u1cc0-\u1cc7]/);
  });
  test('offsets outside the answer are ignored', () => {
    expect(render('Text.', undefined, [{ start: 3, end: 99, docs: [], support: 'none' }]).textContent!.trim()).toBe('Text.');
  });
});

describe('foreign content', () => {
  test('hostile text runs, loads, and submits nothing', () => {
    const el = render(hostile + '\n\n' + hostile.replace(/\n/g, '\n\n'));
    expect(el.querySelectorAll('script, img, svg, iframe, form, input, style, base, meta, math, object, link').length).toBe(0);
    for (const node of el.querySelectorAll('*')) {
      for (const { name } of node.attributes) expect(name).not.toMatch(/^on|^src|^style|^action/);
    }
    for (const a of el.querySelectorAll('a')) {
      expect(a.href).toMatch(/^https?:/);
      expect(a.rel).toContain('noopener');
      expect(a.target).toBe('_blank');
    }
    expect(el.textContent).toContain("window.__pwned = 'script'");
  });
  test.each([
    ['https://example.org/a?b=c#d', 'https://example.org/a?b=c#d'],
    ['mailto:a@example.org', 'mailto:a@example.org'],
    ['javascript:alert(1)', ''],
    ['java\nscript:alert(1)', ''],
    [' javascript:alert(1)', ''],
    ['data:text/html,x', ''],
    ['/api/sessions', ''],
    ['//evil.example/x', ''],
    ['file:///etc/passwd', ''],
  ])('link %j leads to %j', (href, to) => expect(safeLink(href)).toBe(to));
  test.each([
    ['See https://example.org/a.', 'https://example.org/a'],
    ['(https://example.org/a_(b)), too', 'https://example.org/a_(b)'],
    ['**http://example.org/?q=1#x**!', 'http://example.org/?q=1#x'],
    ['„https://example.org/ä“?', 'https://example.org/%C3%A4“'],
    ['https://example.org/a[1] says so', 'https://example.org/a'],
    ['| https://example.org/a | b |\n| - | - |', 'https://example.org/a'],
  ])('a bare address in %j leads to it', (text, to) => {
    const a = render(text).querySelectorAll('a');
    expect([...a].map((l) => decodeURI(l.href))).toEqual([decodeURI(to)]);
    expect(a[0]!.rel).toContain('noopener');
  });
  test.each(['https:// x', 'javascript:alert(1)', 'www.example.org', 'ftp://example.org', 'a@example.org', '`https://example.org`', '![x](https://evil.example/x.png)', 'https://[1]'])('%j is no link', (text) =>
    expect(render(text).querySelectorAll('a, img').length).toBe(0));
  test('images are named, never loaded', () => {
    const el = render('![a chart](https://evil.example/p.png)');
    expect(el.innerHTML.trim()).toBe('<p><em>[a chart]</em></p>');
  });
});

describe('text on its way', () => {
  test.each([
    ['see [1', 'see '],
    ['see [12, ', 'see '],
    ['see [', 'see '],
    ['a **bold', 'a **bold**'],
    ['a *', 'a '],
    ['run `docent', 'run `docent`'],
    ['```\nlet **x', '```\nlet **x'],
  ])('%j is shown as %j', (from, to) => expect(settled(from)).toBe(to));
  test('complete blocks keep their text while more arrives', () => {
    const a = blocks(settled('First.\n\n- one\n- two\n\nThi')).map((t) => t.raw);
    const b = blocks(settled('First.\n\n- one\n- two\n\nThird one')).map((t) => t.raw);
    expect(b.slice(0, 2)).toEqual(a.slice(0, 2));
  });
});
