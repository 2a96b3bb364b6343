// An answer as it is copied: its Markdown, with the sources that its numbers name.
import type { RagMessage } from '../api/shapes';
import { words } from '../words/words.svelte';
import { pageOf, title } from './evidence.svelte';

const citation = /\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]/g;

/** citedNumbers are the passages an answer cites, in the order of their numbers. */
export function citedNumbers(rag: RagMessage): number[] {
  if (rag.abstained) return []; // what is near is not evidence
  const numbers = new Set<number>();
  for (const [, list] of rag.answer.matchAll(citation)) {
    for (const n of list!.split(',')) numbers.add(Number(n));
  }
  return [...numbers].filter((n) => n >= 1 && n <= rag.docs.length).sort((a, b) => a - b);
}

const oneLine = (s: string) => s.replace(/\s+/g, ' ').trim();
/** plain keeps a name from being read as Markdown. */
const plain = (s: string) => oneLine(s).replace(/[\\`*_[\]<>]/g, '\\$&');

/** address is a source as Markdown: a link, or a name as it stands. */
function address(source: string): string {
  if (/^https?:\/\/[^\s<>]+$/.test(source)) return `<${source}>`;
  const bare = oneLine(source.replace(/^(?:upload|stdin):/, ''));
  return bare.includes('`') ? plain(bare) : `\`${bare}\``;
}

/** copied is an answer as Markdown with its [n], and a list of what they name. */
export function copied(rag: RagMessage): string {
  const answer = rag.answer.trim();
  const rows = citedNumbers(rag).map((n) => {
    const m = rag.docs[n - 1]!.metadata;
    const name = title(m);
    const where = [m.heading === name ? '' : plain(m.heading), pageOf(m)].filter(Boolean);
    return `- [${n}] ${[plain(name), ...where].join(', ')} – ${address(m.source)}`;
  });
  return rows.length === 0 ? answer : `${answer}\n\n${words.evidence.copiedSources}:\n\n${rows.join('\n')}`;
}
