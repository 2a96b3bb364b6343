// The plain line before the quotes of an unsure answer.
import { utf16 } from '../api/bytes';
import type { RagMessage, RagSentence } from '../api/shapes';

/** The empty line between the lead and the quotes, in bytes. */
const gap = 2;

/** divided returns the lead and the quotes of an answer, with the sentences of the quotes. */
export function divided(m: Pick<RagMessage, 'answer' | 'sentences' | 'lead'>): { lead: string; quotes: string; sentences: RagSentence[] } {
  const [at = -1] = m.lead ? utf16(m.answer, [m.lead]) : [];
  if (at <= 0) return { lead: '', quotes: m.answer, sentences: m.sentences };
  const by = m.lead! + gap;
  return {
    lead: m.answer.slice(0, at),
    quotes: m.answer.slice(at + gap),
    sentences: m.sentences.map((s) => ({ ...s, start: s.start - by, end: s.end - by })),
  };
}
