// The copied form of an answer: its Markdown with the cited sources.
import { encode, slice } from '../api/bytes';
import type { RagDoc, RagMessage, RagSentence } from '../api/shapes';
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

/** whereIs returns the heading and the page of a passage. */
export const whereIs = (m: RagDoc['metadata']): string[] => [m.heading === title(m) ? '' : m.heading, pageOf(m)].filter(Boolean);

/** address returns a source as Markdown: a link, or the name that the page shows, without the directories of the server. */
function address(source: string): string {
  if (/^https?:\/\/[^\s<>]+$/.test(source)) return `<${source}>`;
  const short = oneLine(shortSource(source));
  return short.includes('`') ? plain(short) : `\`${short}\``;
}

/** Statements finds the marked sentences. It is a parameter, because it is not part of the first load. */
export type Statements = (answer: string, sentences: RagSentence[]) => RagSentence[];

/** Doubts are the sentences with one kind of missing support, as plain text. */
export interface Doubts {
  label: string;
  sentences: string[];
}

/** doubts lists the sentences that the page marks as unsupported or partially supported. */
export function doubts(rag: RagMessage, statements: Statements): Doubts[] {
  const open = rag.abstained ? [] : statements(rag.answer, rag.sentences);
  const bytes = encode(rag.answer);
  return (['weak', 'none'] as const).flatMap((support) => {
    const sentences = open.filter((s) => s.support === support).map((s) => bare(slice(bytes, s.start, s.end)).replace(/^\s*(?:[-*+]|\d{1,9}[.)]|>)\s+/, ''));
    return sentences.length === 0 ? [] : [{ label: words.evidence.copiedDoubts[support], sentences }];
  });
}

/** copied returns an answer as Markdown with its citations, their sources, and the unsupported sentences. */
export function copied(rag: RagMessage, statements: Statements): string {
  const answer = rag.answer.trim();
  const rows = citedNumbers(rag).map((n) => {
    const m = rag.docs[n - 1]!.metadata;
    return `- [${n}] ${[title(m), ...whereIs(m)].map(plain).join(', ')} – ${address(m.source)}`;
  });
  return [answer, ...(rows.length === 0 ? [] : [`${words.evidence.copiedSources}:\n\n${rows.join('\n')}`]), ...doubts(rag, statements).map((d) => `${d.label}:\n\n${d.sentences.map((said) => `- ${plain(said)}`).join('\n')}`)].join('\n\n');
}
