// An answer as formatted text for mail and word processors, and the clipboard.
import type { RagMessage } from '../api/shapes';
import { blocks, draw } from '../markdown/render';
import { words } from '../words/words.svelte';
import { citedNumbers, copied, doubts, whereIs, type Statements } from './copied';
import { shortSource, title } from './evidence.svelte';

/** Copy is a text in the two forms of the clipboard. */
export interface Copy {
  markdown: string;
  html: string;
}

/** copyOf returns an answer with its sources as footnotes. */
export function copyOf(rag: RagMessage, statements: Statements): Copy {
  const markdown = copied(rag, statements);
  const cited = citedNumbers(rag);
  const out = formatted(rag.answer, rag.docs.map((d) => title(d.metadata)));
  if (cited.length > 0) out.append(heading(words.evidence.copiedSources), ...cited.map((n) => footnote(rag, n)));
  for (const { label, sentences } of doubts(rag, statements)) {
    const list = document.createElement('ul');
    list.append(...sentences.map((textContent) => Object.assign(document.createElement('li'), { textContent })));
    out.append(heading(label), list);
  }
  return { markdown, html: out.innerHTML };
}

/** copyOfMarkdown returns a text of a model. */
export const copyOfMarkdown = (markdown: string): Copy => ({ markdown, html: formatted(markdown, []).innerHTML });

/** copyOfText returns text without marks. */
export function copyOfText(text: string): Copy {
  const p = document.createElement('p');
  text.split('\n').forEach((line, i) => p.append(...(i > 0 ? [document.createElement('br')] : []), line));
  return { markdown: text, html: p.outerHTML };
}

/** toClipboard writes both forms. A browser without rich text gets Markdown. */
export async function toClipboard(copies: Copy[]): Promise<void> {
  const markdown = copies.map((c) => c.markdown).join('\n\n');
  if (typeof ClipboardItem === 'undefined') return navigator.clipboard.writeText(markdown);
  const html = copies.map((c) => c.html).join('\n');
  await navigator.clipboard.write([new ClipboardItem({ 'text/html': new Blob([html], { type: 'text/html' }), 'text/plain': new Blob([markdown], { type: 'text/plain' }) })]);
}

function heading(textContent: string): HTMLElement {
  const p = document.createElement('p');
  p.append(Object.assign(document.createElement('strong'), { textContent }));
  return p;
}

function footnote(rag: RagMessage, n: number): HTMLElement {
  const m = rag.docs[n - 1]!.metadata;
  const p = document.createElement('p');
  const name = title(m);
  const linked = /^https?:\/\/[^\s<>]+$/.test(m.source);
  const named = linked ? Object.assign(document.createElement('a'), { href: m.source, textContent: name }) : name;
  const more = [...whereIs(m), ...(linked || shortSource(m.source) === name ? [] : [shortSource(m.source)])];
  p.append(`[${n}] `, named, ...more.map((part) => `, ${part}`));
  return p;
}

// formatted draws Markdown without the controls of the page. Mail programs have no styles
// for tables, so tables bring their own.
function formatted(markdown: string, labels: string[]): HTMLElement {
  const out = document.createElement('div');
  for (const block of blocks(markdown)) out.append(draw(block, { labels }));
  for (const cite of out.querySelectorAll('.cite')) cite.replaceWith(Object.assign(document.createElement('sup'), { textContent: `[${cite.textContent}]` }));
  for (const math of out.querySelectorAll<HTMLElement>('.math')) math.replaceWith(math.dataset.source ?? '');
  for (const frame of out.querySelectorAll('.held, .scroller')) frame.replaceWith(...frame.childNodes);
  for (const table of out.querySelectorAll('table')) table.style.borderCollapse = 'collapse';
  for (const cell of out.querySelectorAll<HTMLElement>('th, td')) Object.assign(cell.style, { border: '1px solid #999999', padding: '3px 8px' });
  for (const pre of out.querySelectorAll('pre')) pre.removeAttribute('tabindex');
  const texts = document.createTreeWalker(out, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) texts.currentNode.nodeValue = texts.currentNode.nodeValue!.replace(/\u2060/g, '').replace(/\u00a0$/, '');
  return out;
}
