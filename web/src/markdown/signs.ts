// An answer is Markdown in which byte ranges are sentences and [n] are
// citations. Both have to survive the Markdown parser, so they travel through
// it as single characters that no text has: Sundanese punctuation, which the
// parser takes for punctuation (so that emphasis beside it still works).
import { utf16 } from '../evidence/bytes';
import type { RagSentence } from '../api/shapes';

export const WEAK = '\u1cc0';
export const NONE = '\u1cc1';
/** Ends a marked run. */
export const END = '\u1cc2';
/** Ends a marked run whose sentence goes on in the next line. */
export const PAUSE = '\u1cc3';
/** Stand about the number of a citation. */
export const CITE = '\u1cc4';
export const CITED = '\u1cc5';
/** Stand about the source of a formula. */
export const MATH = '\u1cc6';
export const MATHED = '\u1cc7';

const signs = /[\u1cc0-\u1cc7]/g;

/** clean takes the signs out of foreign text, keeping its length. */
export const clean = (text: string): string => text.replace(signs, '\ufffd');

// What opens a block: a sign in front of it would make it a paragraph.
const opening = /^(?:\s|>|\||#{1,6}\s|[-*+]\s|\d{1,9}[.)]\s|\[[ xX]\]\s)*/;
const closing = /[\s|]*$/;

/** mark puts signs about the sentences that the passages do not carry. */
export function mark(answer: string, sentences: RagSentence[]): string {
  const text = clean(answer);
  const doubtful = sentences.filter((s) => s.support !== 'strong' && s.end > s.start);
  if (doubtful.length === 0) return text;
  const at = utf16(answer, doubtful.flatMap((s) => [s.start, s.end]));
  const puts: { at: number; sign: string }[] = [];
  doubtful.forEach((s, i) => {
    const [from, to] = [at[2 * i]!, at[2 * i + 1]!];
    if (from < 0 || to < 0) return;
    puts.push(...signsFor(text, from, to, s.support === 'weak' ? WEAK : NONE));
  });
  let out = '';
  let done = 0;
  for (const p of puts) {
    if (p.at < done) continue;
    out += text.slice(done, p.at) + p.sign;
    done = p.at;
  }
  return out + text.slice(done);
}

function signsFor(text: string, from: number, to: number, open: string) {
  const runs: [number, number][] = [];
  for (let line = from; line < to; ) {
    const brk = text.indexOf('\n', line);
    const end = brk < 0 || brk > to ? to : brk;
    const first = line === 0 || text[line - 1] === '\n';
    const body = text.slice(line, end);
    const skip = first ? opening.exec(body)![0].length : body.length - body.trimStart().length;
    const a = line + skip;
    const b = end - closing.exec(body)![0].length;
    if (b > a && /[\p{L}\p{N}]/u.test(text.slice(a, b)) && !/^(```|~~~)/.test(body.trimStart())) runs.push([a, b]);
    line = end + 1;
  }
  return runs.flatMap(([a, b], i) => [
    { at: a, sign: open },
    { at: b, sign: i === runs.length - 1 ? END : PAUSE },
  ]);
}

/**
 * settled prepares text that is still arriving: half a citation is held back,
 * and emphasis or code that is open is closed, so that nothing flickers.
 */
export function settled(text: string): string {
  let out = clean(text).replace(/\[\d{0,3}(?:\s*,\s*\d{0,3})*$/, '').replace(/\*{1,2}$/, '');
  const fences = out.match(/^\s*(?:```|~~~)/gm)?.length ?? 0;
  if (fences % 2 === 1) return out;
  const last = out.slice(out.lastIndexOf('\n\n') + 1);
  if (count(last, '`') % 2 === 1) out += '`';
  else if (count(last, '**') % 2 === 1 && !/\*\*\s*$/.test(last)) out = out.trimEnd() + '**';
  return out;
}

const count = (s: string, what: string) => s.split(what).length - 1;
