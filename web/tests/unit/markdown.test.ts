// Formulas, code, tables, and text that is still arriving.
import { describe, expect, test } from 'vitest';
import { coloured } from '../../src/markdown/languages';
import { dress, taken } from '../../src/markdown/dress';
import { highlight } from '../../src/markdown/highlight';
import { morph } from '../../src/markdown/morph';
import { blocks, draw } from '../../src/markdown/render';
import { mark, settled } from '../../src/markdown/signs';
import { Stream } from '../../src/markdown/stream';
import { typeset } from '../../src/markdown/typeset';
import { encode } from '../../src/api/bytes';

function render(text: string): HTMLElement {
  const out = document.createElement('div');
  for (const b of blocks(mark(text, []))) out.append(dress(draw(b, { labels: ['One', 'Two'] })));
  return out;
}

describe('formulas', () => {
  test.each([
    ['Energy is $E = mc^2$ here', ['$E = mc^2$']],
    ['$$a + b$$', ['$$a + b$$']],
    ['Before\n$$\na\n\nb\n$$\nafter', ['$$\na\n\nb\n$$']],
    ['\\(x_1\\) and \\[y * z\\]', ['\\(x_1\\)', '\\[y * z\\]']],
    ['It costs $5 and $10', []],
    ['from $5, or 10$ later', []],
    ['US$5 and C$6, $7-$8', []],
    ['`$x$` and\n\n```\n$y$\n```', []],
    ['escaped \\$x\\$', []],
    ['\\[1\\] and \\[2, 3\\]', []],
    ['$x$5', []],
    ['| $a$ | b |\n| - | - |\n| c | $d$ |', ['$a$', '$d$']],
    ['$a*b*c$ is *one*', ['$a*b*c$']],
    ['$a[1]$ says [1]', ['$a[1]$']],
  ])('of %j are %j', (text, want) => {
    expect([...render(text).querySelectorAll<HTMLElement>('.math')].map((m) => m.dataset.source)).toEqual(want);
  });

  test('a citation inside a formula stays text, and one beside it is a button', () => {
    const el = render('$a[1]$ says [1]');
    expect(el.querySelectorAll('.cite').length).toBe(1);
    expect(el.querySelector('.math')!.textContent).toBe('$a[1]$');
  });

  test('a formula becomes MathML that runs and loads nothing', async () => {
    const el = render('$\\frac{a}{b}$ and $\\href{javascript:alert(1)}{x}$ and $\\includegraphics{https://evil.example/x.png}$');
    await typeset(el);
    expect(el.querySelector('mfrac')).not.toBeNull();
    for (const node of el.querySelectorAll('.math *')) for (const { name } of node.attributes) expect(name).not.toMatch(/^(?:on|style|href|src|class|id)/);
    expect(el.querySelectorAll('a, img, script').length).toBe(0);
  });

  test('an invalid formula shows its source', async () => {
    const el = render('$\\frac{a}$ and $\\nothing{x}$');
    await typeset(el);
    expect([...el.querySelectorAll('.math')].map((m) => m.textContent)).toEqual(['$\\frac{a}$', '$\\nothing{x}$']);
  });

  test('hostile formulas stay text', async () => {
    const el = render('$<img src=x onerror=alert(1)>$ \\(<script>alert(1)</script>\\) $\\text{<svg onload=alert(1)>}$');
    await typeset(el);
    expect(el.querySelectorAll('img, script, svg').length).toBe(0);
  });

  test('a sentence that ends in a formula keeps its marks', () => {
    const text = 'So it is $a. b$ done. More.';
    const end = encode('So it is $a.').length;
    const out = document.createElement('div');
    for (const b of blocks(mark(text, [{ start: 0, end, docs: [], support: 'none' }]))) out.append(draw(b, { labels: [] }));
    expect(out.querySelector('.math')!.textContent).toBe('$a. b$');
    expect(out.querySelectorAll('.doubt').length).toBe(1);
    expect([...out.querySelectorAll('.doubtful')].map((d) => d.textContent)).toEqual(['So it is ']);
  });
});

describe('code and tables', () => {
  test('code shows its language and is copied unchanged', () => {
    const el = render('```python title="x"\nif a < b:\n    print("&")\n```');
    expect(el.querySelector('.code > .bar span')!.textContent).toBe('python');
    expect(taken(el.querySelector('.copy')!)).toBe('if a < b:\n    print("&")');
    expect(el.querySelector('[lang]')).toBeNull();
  });

  test('the language of code is only a name', () => {
    const el = render('```"><img/src=x>\ncode\n```\n\n````a&lt;b\ncode\n````');
    expect(el.querySelectorAll('img').length).toBe(0);
    expect(el.querySelector('pre')!.textContent).toBe('code\n');
  });

  test('colors do not change the text', () => {
    const code = 'const a = "<b>&amp;</b>"; // <script>\n';
    const el = document.createElement('div');
    el.innerHTML = coloured(code, 'ts')!;
    expect(el.textContent).toBe(code);
    expect(el.querySelectorAll('script, b').length).toBe(0);
    expect(coloured(code, 'klingon')).toBeUndefined();
  });

  test('code is colored in idle time', async () => {
    const el = render('```go\nfunc main() {}\n```');
    document.body.append(el);
    el.querySelectorAll('pre').forEach(highlight);
    await expect.poll(() => el.querySelectorAll('.hljs-keyword').length).toBe(1);
    expect(el.querySelector('pre')!.textContent).toBe('func main() {}\n');
    el.remove();
  });

  test('a table is copied in a form for spreadsheets', () => {
    const el = render('| a | b |\n| - | - |\n| one [1] | `two` |\n| $x^2$ | |');
    expect(taken(el.querySelector('.copy')!)).toBe('a\tb\none\ttwo\n$x^2$\t');
  });
});

describe('text on its way', () => {
  const text = `# Title

First **paragraph** with a [1] number, and
a second line.

- one
- two

  with more
- three

1. a

2. b

\`\`\`js
const x = 1;

const y = 2;
\`\`\`

| a | b |
| - | - |
| c | d |

> quoted
> more

$$
a + b
$$

Last *words*, \`code\` and an end.`;

  const drawn = (tokens: ReturnType<typeof blocks>) => {
    const out = document.createElement('div');
    for (const t of tokens) out.append(draw(t, { labels: null }));
    return out.innerHTML;
  };

  test('is parsed like the whole text', () => {
    const stream = new Stream();
    for (let i = 1; i <= text.length; i++) {
      const raws = (tokens: ReturnType<typeof blocks>) => tokens.map((t) => t.raw);
      const [streamed, whole] = [stream.take(text.slice(0, i)), blocks(settled(text.slice(0, i)))];
      expect(raws(streamed)).toEqual(raws(whole));
      if (i % 20 === 0) expect(drawn(streamed)).toBe(drawn(whole));
    }
  });

  test('that begins again is parsed again', () => {
    const stream = new Stream();
    stream.take(text);
    expect(drawn(stream.take('Another.'))).toBe('<p>Another.</p>\n');
  });

  test('is parsed in constant time for each part', () => {
    const stream = new Stream();
    const long = Array.from({ length: 400 }, (_, i) => `Paragraph ${i} of a long answer.`).join('\n\n');
    stream.take(long);
    let first = stream.take(long + '\n\nMore')[0];
    for (let i = 0; i < 50; i++) {
      const next = stream.take(`${long}\n\nMore${' and more'.repeat(i)}`)[0];
      expect(next).toBe(first); // it is the same object as before
      first = next;
    }
  });

  test('keeps the nodes that are drawn', () => {
    const el = document.createElement('div');
    const put = (html: string) => {
      const next = document.createElement('template');
      next.innerHTML = html;
      morph(el, next.content);
    };
    put('<ul><li>one</li><li>tw</li></ul>');
    const [one, two] = el.querySelectorAll('li');
    const text = two!.firstChild;
    put('<ul><li>one</li><li>two <b>x</b></li><li>three</li></ul>');
    expect([...el.querySelectorAll('li')].slice(0, 2)).toEqual([one, two]);
    expect(two!.firstChild).toBe(text);
    expect(el.innerHTML).toBe('<ul><li>one</li><li>two <b>x</b></li><li>three</li></ul>');
    put('<p class="a">other</p>');
    expect(el.innerHTML).toBe('<p class="a">other</p>');
    put('');
    expect(el.innerHTML).toBe('');
  });
});
