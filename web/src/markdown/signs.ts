// Marks sentences and citations in the Markdown of an answer. Single characters that no
// text contains carry these marks through the Markdown parser. They are Sundanese
// punctuation: the parser treats them as punctuation, so emphasis beside them works.
import { utf16 } from '../api/bytes';
import type { RagSentence } from '../api/shapes';
import { bare, cellsOf, introduces, linesOf, says, type Line } from './statements';

export const WEAK = '\u1cc0';
export const NONE = '\u1cc1';
/** Ends a mark. */
export const END = '\u1cc2';
/** Ends a part of a mark that continues in the next line, cell, or sentence. */
export const PAUSE = '\u1cc3';
/** Surround the number of a citation. */
export const CITE = '\u1cc4';
export const CITED = '\u1cc5';
/** Surround the source of a formula. */
export const MATH = '\u1cc6';
export const MATHED = '\u1cc7';

const signs = /[\u1cc0-\u1cc7]/g;

/** clean replaces these signs in the text of an answer and keeps its length. */
export const clean = (text: string): string => text.replace(signs, '\ufffd');

interface Statement {
  sentence: RagSentence;
  /** The parts of the text to mark, by line and cell. */
  runs: [number, number][];
  first: Line;
  last: Line;
}

// doubtful returns the unsupported statements in order.
function doubtful(answer: string, text: string, sentences: RagSentence[]): Statement[] {
  const open = sentences.filter((s) => s.support !== 'strong' && s.end > s.start).sort((a, b) => a.start - b.start);
  if (open.length === 0) return [];
  const at = utf16(answer, open.flatMap((s) => [s.start, s.end]));
  const lines = linesOf(text);
  const words = bare(text);
  let line = 0;
  return open.flatMap((sentence, i) => {
    const [from, to] = [at[2 * i]!, at[2 * i + 1]!];
    if (from < 0 || to < 0 || introduces(text.slice(from, to))) return [];
    while (lines[line + 1] && lines[line + 1]!.start <= from) line++;
    const over = lines.slice(line).filter((l) => l.start < to && l.kind !== 'off');
    const found = over.flatMap((l) => runsOf(text, words, l, from, to).map((run) => ({ run, l })));
    return found.length === 0 ? [] : [{ sentence, runs: found.map((f) => f.run), first: found[0]!.l, last: found.at(-1)!.l }];
  });
}

// Signs follow the start of a block, because a sign before it would end the block.
function runsOf(text: string, words: string, line: Line, from: number, to: number): [number, number][] {
  if (line.kind === 'row') {
    const cells = cellsOf(text, line).map(([a, b]): [number, number] => [Math.max(a, from), Math.min(b, to)]).filter(([a, b]) => b > a);
    const worded = cells.filter(([a, b]) => /\p{L}/u.test(words.slice(a, b)));
    return worded.length > 0 ? worded : cells.length > 1 ? cells.filter(([a, b]) => says(words.slice(a, b))) : [];
  }
  const body = text.slice(Math.max(line.body, from), Math.min(line.end, to));
  const a = Math.max(line.body, from) + body.length - body.trimStart().length;
  const b = a + body.trim().length;
  return b > a && says(words.slice(a, b)) ? [[a, b]] : [];
}

/** statements returns the sentences that state something without full support. */
export const statements = (answer: string, sentences: RagSentence[]): RagSentence[] =>
  doubtful(answer, clean(answer), sentences).map((s) => s.sentence);

/** mark surrounds the statements without full support with signs. */
export function mark(answer: string, sentences: RagSentence[]): string {
  const text = clean(answer);
  const all = doubtful(answer, text, sentences);
  let out = '';
  let done = 0;
  const put = (at: number, sign: string) => {
    if (at < done) return;
    out += text.slice(done, at) + sign;
    done = at;
  };
  all.forEach((s, i) => {
    const end = onward(text, s, all[i + 1]) ? PAUSE : END;
    s.runs.forEach(([a, b], k) => {
      put(a, s.sentence.support === 'weak' ? WEAK : NONE);
      put(b, k === s.runs.length - 1 ? end : PAUSE);
    });
  });
  return out + text.slice(done);
}

// One mark is enough for an item, a row, or consecutive sentences.
function onward(text: string, s: Statement, next: Statement | undefined): boolean {
  if (!next || next.first.unit !== s.last.unit) return false;
  if (s.last.kind !== 'text') return true;
  return s.sentence.support === next.sentence.support && text.slice(s.runs.at(-1)![1], next.runs[0]![0]).trim() === '';
}

/** settled prepares streamed text. It hides incomplete citations and closes open emphasis and code, so nothing flickers. */
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
