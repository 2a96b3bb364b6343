// Finds formulas in Markdown. typeset.ts draws them.
import type { RendererExtension, TokenizerExtension, Tokens } from 'marked';
import { END, MATH, MATHED, NONE, PAUSE, WEAK } from './signs';

const supports = new RegExp(`[${WEAK}${NONE}${END}${PAUSE}]`, 'g');

// The delimiters of formulas. No space follows the opening dollar or precedes the closing
// one, and no digit follows it, because "$5 and $10" is money.
const inline = /^(?:\$\$([^$]+?)\$\$|\$(?![\s$])((?:\\.|[^\\$\n])*?(?:\\.|[^\\$\s]))\$(?![\d$\w])|\\\(([\s\S]+?)\\\)|\\\[(?!\d[\d,\s]*\\\])([\s\S]+?)\\\])/;
const block = /^ {0,3}(?:\$\$([\s\S]+?)\$\$|\\\[(?!\d[\d,\s]*\\\])([\s\S]+?)\\\])[^\S\n]*(?:\n+|$)/;

// An amount with words has no signs of a formula.
const money = (tex: string) => /^\d/.test(tex) && /\s/.test(tex) && !/[\\^_={}]/.test(tex);

const escape = (s: string) => s.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

// The marks of a sentence that ends inside a formula follow the formula.
const renderer = (token: Tokens.Generic): string =>
  MATH + escape((token.source as string).replace(supports, '')) + MATHED + ((token.source as string).match(supports) ?? []).join('');

/** formulas extends the Markdown parser. */
export const formulas: (TokenizerExtension & RendererExtension)[] = [
  {
    name: 'formula',
    level: 'inline',
    start: (src) => src.search(/(?<![\w$\\])\$(?!\s)|(?<!\\)\\[([]/),
    tokenizer(src) {
      const m = inline.exec(src);
      if (!m || (m[2] !== undefined && money(m[2]))) return undefined;
      return { type: 'formula', raw: m[0], source: m[0] };
    },
    renderer,
  },
  {
    name: 'formulas',
    level: 'block',
    start: (src) => src.search(/(?:^|\n) {0,3}(?:\$\$|\\\[)/),
    tokenizer(src) {
      const m = block.exec(src);
      return m ? { type: 'formulas', raw: m[0], source: m[0].trim() } : undefined;
    },
    renderer: (token) => `<p>${renderer(token)}</p>`,
  },
];

/** place returns an element for a formula. It shows the source until the formula is drawn. */
export function place(source: string): HTMLElement {
  const el = document.createElement('span');
  el.className = /^(?:\$\$|\\\[)/.test(source) ? 'math display' : 'math';
  el.textContent = source;
  el.dataset.source = source;
  return el;
}
