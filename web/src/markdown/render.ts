// Converts the Markdown of an answer to DOM. The result never contains scripts, external
// images, or forms, and its links open in a new tab.
import DOMPurify from 'dompurify';
import { Marked, type Token, type Tokens } from 'marked';
import { formulas, place } from './math';
import { CITE, CITED, END, MATH, MATHED, NONE, PAUSE, WEAK } from './signs';

/** Sources are the targets of citations in a text. */
export interface Sources {
  /** The labels of the passages in order, for the names of the buttons; null while the answer is running and the passages are unknown. */
  labels: string[] | null;
  /** The highest citation number while the passages are unknown; unlimited without it. */
  most?: number;
  /** The names of the signs; English without it. */
  says?: Says;
}

/** Says are the names of signs for screen readers. */
export interface Says {
  source: (n: number, label: string) => string;
  table: string;
  weak: string;
  none: string;
}

const english: Says = {
  source: (n, label) => `Source ${n}: ${label}`,
  table: 'Table',
  weak: 'The cited passage supports only part of this sentence.',
  none: 'No source supports this sentence.',
};

const escape = (s: string) =>
  s.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

/** safeLink returns the address of an allowed link, or ''. */
export function safeLink(href: string): string {
  try {
    const url = new URL(href); // fails for relative addresses, which would lead to this server
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : '';
  } catch {
    return '';
  }
}

// A bare address is a link. The punctuation after it is not part of it.
function url(src: string): Tokens.Link | undefined {
  let raw = /^https?:\/\/[^\s<>"`|[\]\u1cc0-\u1cc7]+/i.exec(src)?.[0] ?? '';
  for (let before = ''; before !== raw; ) {
    before = raw;
    raw = raw.replace(/[.,;:!?…'’”»*_~。，、）]+$/, '');
    if (raw.endsWith(')') && raw.split(')').length > raw.split('(').length) raw = raw.slice(0, -1);
  }
  if (!/^https?:\/\/[^/?#]/i.test(raw)) return undefined;
  return { type: 'link', raw, href: raw, text: raw, title: null, tokens: [{ type: 'text', raw, text: raw, escaped: false }] };
}

const marked = new Marked({
  gfm: true,
  tokenizer: {
    // [1]: https://… would turn citation 1 into a link.
    def: () => undefined,
    url,
  },
  renderer: {
    html: ({ text }) => escape(text),
    code: ({ text, lang }) => `<pre><code lang="${escape(/^[\w+#.-]{1,24}/.exec(lang ?? '')?.[0] ?? '')}">${escape(text)}\n</code></pre>`,
    image: ({ text }) => (text ? `<em>[${escape(text)}]</em>` : ''),
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    heading({ tokens, depth }) {
      // The page itself uses h1 and h2.
      const level = Math.min(6, depth + 2);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
    },
    link({ href, tokens }) {
      const inner = this.parser.parseInline(tokens);
      const to = safeLink(href);
      if (!to) return inner;
      return `<a href="${escape(to)}" target="_blank" rel="noopener noreferrer nofollow">${inner}</a>`;
    },
  },
  extensions: [
    ...formulas,
    {
      name: 'citation',
      level: 'inline',
      start: (src) => src.search(/\[\d{1,3}/),
      tokenizer(src) {
        const m = /^\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]/.exec(src);
        return m ? { type: 'citation', raw: m[0], numbers: m[1]!.split(/\s*,\s*/) } : undefined;
      },
      renderer: (token) => (token.numbers as string[]).map((n) => CITE + n + CITED).join(''),
    },
  ],
});

const allowed = {
  ALLOWED_TAGS: (
    'p br hr strong em del code pre blockquote ul ol li h3 h4 h5 h6 table thead tbody tr th td a sub sup'
  ).split(' '),
  ALLOWED_ATTR: ['href', 'target', 'rel', 'start', 'align', 'lang'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ADD_URI_SAFE_ATTR: ['lang', 'start', 'align', 'rel', 'target'],
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  RETURN_DOM_FRAGMENT: true as const,
};

/** lex splits Markdown into blocks and the spaces between them. */
export const lex = (text: string): Token[] => marked.lexer(text);

/** blocks splits Markdown into blocks that can be drawn separately. */
export const blocks = (text: string): Token[] => lex(text).filter((t) => t.type !== 'space');

/** draw makes the DOM of a block: it parses and sanitizes it, and adds the buttons. */
export function draw(block: Token, sources: Sources): DocumentFragment {
  const html = marked.parser([block as Tokens.Generic]);
  const out = DOMPurify.sanitize(html, allowed);
  addSigns(out, sources);
  for (const table of out.querySelectorAll('table')) {
    const scroller = document.createElement('div');
    scroller.className = 'scroller';
    scroller.tabIndex = 0; // users of the keyboard must be able to scroll
    scroller.setAttribute('role', 'group');
    scroller.setAttribute('aria-label', (sources.says ?? english).table);
    table.replaceWith(scroller);
    scroller.append(table);
  }
  for (const code of out.querySelectorAll<HTMLElement>('[lang]')) {
    const pre = code.closest('pre');
    if (pre && code.lang) pre.dataset.language = code.lang;
    code.removeAttribute('lang');
  }
  for (const pre of out.querySelectorAll('pre')) pre.tabIndex = 0;
  return out;
}

// Browsers report violations of the content security policy even for HTML that they only
// parse. quiet avoids these reports. The sanitizer makes the HTML safe.
const quiet = (html: string): string =>
  html.replace(/<[^>]*>?/g, (tag) => tag.replace(/^<(\/?)(?:style|base)\b/i, '<$1template').replace(/([\s"'/])(?:on\w+|style)\s*=/gi, '$1data-off='));

/** plainHtml makes DOM from the HTML of an agent. It keeps only text and structure. */
export function plainHtml(html: string): DocumentFragment {
  const out = DOMPurify.sanitize(quiet(html), { ...allowed, ALLOWED_TAGS: [...allowed.ALLOWED_TAGS, 'b', 'i', 'u', 'div', 'h1', 'h2', 'dl', 'dt', 'dd'], ALLOWED_ATTR: ['href'] });
  for (const h of out.querySelectorAll('h1, h2')) {
    const lower = document.createElement('h3'); // the page itself uses h1 and h2
    lower.append(...h.childNodes);
    h.replaceWith(lower);
  }
  for (const a of out.querySelectorAll('a')) {
    const to = safeLink(a.getAttribute('href') ?? '');
    if (!to) a.replaceWith(...a.childNodes);
    else Object.assign(a, { href: to, target: '_blank', rel: 'noopener noreferrer nofollow' });
  }
  return out;
}

const anySign = /([\u1cc0-\u1cc7])/;

/** Elements in which text would not be visible, or states nothing. */
const unmarked = 'tr, thead, tbody, table, ul, ol, h3, h4, h5, h6, th, code';

// addSigns replaces the signs in text nodes, in reading order.
function addSigns(root: DocumentFragment, sources: Sources): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode()) nodes.push(walker.currentNode as Text);
  let support: Support = '';
  let worst: Support = ''; // the worst support in a mark
  let number: string | null = null;
  let formula: string | null = null;
  for (const node of nodes) {
    if (support === '' && number === null && formula === null && !anySign.test(node.data)) continue;
    const parent = node.parentElement;
    const plain = parent !== null && (parent.matches(unmarked) || parent.closest('h3, h4, h5, h6, th, code') !== null);
    const out: Node[] = [];
    for (const part of node.data.split(anySign)) {
      if (part === WEAK) [support, worst] = ['weak', worst || 'weak'];
      else if (part === NONE) worst = support = 'none';
      else if (part === END) {
        if (worst && !plain) holdMark(out, doubt(worst, sources.says ?? english));
        worst = support = '';
      } else if (part === PAUSE) support = '';
      else if (part === CITE) number = '';
      else if (part === CITED) {
        const cite = citation(number ?? '', sources);
        if (cite instanceof HTMLElement) holdCite(out, cite);
        else out.push(cite);
        number = null;
      } else if (part === MATH) formula = '';
      else if (part === MATHED) {
        if (formula) out.push(place(formula));
        formula = null;
      } else if (formula !== null) formula += part;
      else if (number !== null) number += part;
      else if (part) {
        const rest = part.slice(holdStop(part, out));
        if (rest) out.push(support && !plain && rest.trim() ? underlined(rest, support) : document.createTextNode(rest));
      }
    }
    node.replaceWith(...out);
  }
}

type Support = 'weak' | 'none' | '';

/** held joins nodes without a line break. A no-break space in it keeps it with the word before. */
function held(...nodes: (Node | string)[]): HTMLElement {
  const span = document.createElement('span');
  span.className = 'held';
  span.append(...nodes);
  return span;
}

const lastHeld = (out: Node[]): HTMLElement | null => {
  const last = out.at(-1);
  return last instanceof HTMLElement && last.className === 'held' ? last : null;
};

// A number never begins a line. The space before the first of several numbers is joined
// with it.
function holdCite(out: Node[], number: HTMLElement): void {
  const last = out.at(-1);
  const text = last?.nodeType === Node.TEXT_NODE ? last : last instanceof HTMLElement && last.className === 'doubtful' ? last.firstChild! : null;
  const before = text?.nodeValue ?? '';
  const bare = before.replace(/ +$/, '');
  const space = text === null ? '' : bare === before ? '\u2060' : '\u00a0';
  if (text !== null) text.nodeValue = bare;
  if (text !== null && bare === '') out.pop();
  const span = lastHeld(out);
  if (span) span.append(space, number);
  else out.push(held(space, number));
}

// Punctuation after a number never begins a line. It is not underlined by itself.
function holdStop(text: string, out: Node[]): number {
  const span = lastHeld(out);
  if (!(span?.lastChild instanceof HTMLElement)) return 0;
  const stop = /^[.,;:!?…)\]»”’"'。，、；：！？）」]+/.exec(text)?.[0] ?? '';
  if (stop) span.append(stop);
  return stop.length;
}

// A mark is joined with the word before it.
function holdMark(out: Node[], sign: HTMLElement): void {
  const span = lastHeld(out);
  if (span) span.append('\u00a0', sign);
  else out.push(held('\u00a0', sign));
}

function citation(number: string, sources: Sources): HTMLElement | Text {
  const n = Number(number);
  if (sources.labels === null && n >= 1 && n <= (sources.most ?? Infinity)) return chip(document.createElement('span'), n);
  const label = sources.labels?.[n - 1];
  if (label === undefined) return document.createTextNode(`[${number}]`);
  const b = chip(document.createElement('button'), n);
  b.type = 'button';
  b.dataset.cite = String(n);
  b.setAttribute('aria-label', (sources.says ?? english).source(n, label));
  return b;
}

function chip<E extends HTMLElement>(el: E, n: number): E {
  el.className = 'cite';
  el.textContent = String(n);
  return el;
}

function underlined(text: string, support: 'weak' | 'none'): Node {
  const s = document.createElement('span');
  s.className = 'doubtful';
  s.dataset.support = support;
  s.textContent = text;
  return s;
}

function doubt(support: 'weak' | 'none', says: Says): HTMLElement {
  const b = document.createElement('button');
  b.type = 'button';
  b.className = 'doubt';
  b.dataset.support = support;
  b.textContent = '?';
  b.setAttribute('aria-label', says[support]);
  return b;
}
