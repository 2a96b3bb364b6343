// The copied form of an answer: its Markdown with the cited sources.
import { encode, slice } from '../api/bytes';
import type { RagMessage, RagSentence } from '../api/shapes';
import { bare } from '../markdown/plain';
import { words } from '../words/words.svelte';
import { pageOf, shortSource, title } from './evidence.svelte';

const citation = /\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]/g;

/** citedNumbers returns the cited passages in the order of their numbers. */
export function citedNumbers(rag: RagMessage): number[] {
  if (rag.abstained) return []; // the nearest passages are no evidence
  const numbers = new Set<number>();
  for (const [, list] of rag.answer.matchAll(citation)) {
    for (const n of list!.split(',')) numbers.add(Number(n));
  }
  return [...numbers].filter((n) => n >= 1 && n <= rag.docs.length).sort((a, b) => a - b);
}

const oneLine = (s: string) => s.replace(/\s+/g, ' ').trim();
/** plain escapes the signs of Markdown in a name. */
const plain = (s: string) => oneLine(s).replace(/[\\`*_[\]<>]/g, '\\$&');

/** address returns a source as Markdown: a link, or the name that the page shows, without the directories of the server. */
function address(source: string): string {
  if (/^https?:\/\/[^\s<>]+$/.test(source)) return `<${source}>`;
  const short = oneLine(shortSource(source));
  return short.includes('`') ? plain(short) : `\`${short}\``;
}

/** Statements finds the marked sentences. It is a parameter, because it is not part of the first load. */
type Statements = (answer: string, sentences: RagSentence[]) => RagSentence[];

// doubts lists the sentences that the page marks as unsupported or partially supported.
function doubts(rag: RagMessage, statements: Statements): string[] {
  const open = rag.abstained ? [] : statements(rag.answer, rag.sentences);
  const bytes = encode(rag.answer);
  return (['weak', 'none'] as const).flatMap((support) => {
    const said = open.filter((s) => s.support === support).map((s) => `- ${plain(bare(slice(bytes, s.start, s.end)).replace(/^\s*(?:[-*+]|\d{1,9}[.)]|>)\s+/, ''))}`);
    return said.length === 0 ? [] : [`${words.evidence.copiedDoubts[support]}:\n\n${said.join('\n')}`];
  });
}

/** copied returns an answer as Markdown with its citations, their sources, and the unsupported sentences. */
export function copied(rag: RagMessage, statements: Statements): string {
  const answer = rag.answer.trim();
  const rows = citedNumbers(rag).map((n) => {
    const m = rag.docs[n - 1]!.metadata;
    const name = title(m);
    const where = [m.heading === name ? '' : plain(m.heading), pageOf(m)].filter(Boolean);
    return `- [${n}] ${[plain(name), ...where].join(', ')} – ${address(m.source)}`;
  });
  return [answer, ...(rows.length === 0 ? [] : [`${words.evidence.copiedSources}:\n\n${rows.join('\n')}`]), ...doubts(rag, statements)].join('\n\n');
}
