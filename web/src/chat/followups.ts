// Questions that can follow an answer, from the passages that were found beside the cited ones.
import type { RagMessage } from '../api/shapes';
import { citedNumbers } from '../evidence/copied';
import type { Language } from '../words/languages';
import { question } from './suggestions';

/** The largest number of questions below an answer. */
const most = 3;

const last = (heading: string): string => heading.split(' › ').at(-1) ?? '';

/**
 * followUps returns questions about the sections of the passages that an answer does not cite. The
 * search has found these passages for the question, so they are near to it. Sections that the answer
 * cites give no question, and neither do attached files.
 */
export function followUps(rag: RagMessage, language: Language): string[] {
  const cited = new Set(citedNumbers(rag));
  if (rag.abstained || cited.size === 0) return [];
  const place = ({ title, heading }: { title: string; heading: string }) => `${title}\n${last(heading)}`.toLowerCase();
  const known = new Set([...cited].flatMap((n) => (rag.docs[n - 1] ? [place(rag.docs[n - 1]!.metadata)] : [])));
  const questions: string[] = [];
  rag.docs.forEach(({ metadata: m }, i) => {
    const section = last(m.heading);
    if (cited.has(i + 1) || m.unavailable || m.file || !section || known.has(place(m))) return;
    known.add(place(m));
    const asked = question(m.title, section.toLowerCase() === m.title.toLowerCase() ? undefined : section, language);
    if (asked && asked.toLowerCase() !== rag.question.trim().toLowerCase() && !questions.includes(asked)) questions.push(asked);
  });
  return questions.slice(0, most);
}
