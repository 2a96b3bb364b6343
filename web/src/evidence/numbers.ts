// The visible numbers of passages. Cited passages come first, in the order of their first
// citation. Stored answers number passages in the order of retrieval, so the only cited
// passage could have number 2.
import { encode, slice } from '../api/bytes';
import type { RagMessage } from '../api/shapes';
import { formula } from '../markdown/formula';

// Code, formulas, and escaped brackets are not citations.
const fence = '^[ \\t]*(`{3,}|~{3,})[\\s\\S]*?(?:\\n[ \\t]*\\1[`~]*[ \\t]*$|(?![\\s\\S]))';
const code = '(`+)(?!`)(?:(?!\\n\\n)[\\s\\S]){0,4096}?[^`]\\2(?!`)|`+';
const parts = new RegExp([fence, code, formula.source, '\\\\[^\\n]', '\\[(\\d{1,3}(?:\\s*,\\s*\\d{1,3})*)\\]'].join('|'), 'gm');

const numbersIn = (list: string): number[] => list.split(',').map(Number);
const renumber = (marker: string, to: (n: number) => number): string => marker.replace(/\d+/g, (n) => String(to(Number(n))));

/** numbered returns an answer with passages in the order of citation. It changes the numbers and offsets accordingly. */
export function numbered<M extends Pick<RagMessage, 'answer' | 'docs' | 'sentences' | 'abstained'>>(m: M): M {
  const markers = m.abstained ? [] : [...m.answer.matchAll(parts)].filter((p) => p[3] !== undefined);
  const cited = [...new Set(markers.flatMap((p) => numbersIn(p[3]!)))].filter((n) => n >= 1 && n <= m.docs.length);
  if (cited.every((n, i) => n === i + 1)) return m;
  const order = [...new Set([...cited, ...m.docs.map((_, i) => i + 1)])];
  const place = new Map(order.map((n, i) => [n, i + 1]));
  const to = (n: number) => place.get(n) ?? n;
  let answer = '';
  let at = 0;
  let bytes = 0;
  let by = 0;
  const moves: [number, number][] = []; // after a byte, by this length
  for (const p of markers) {
    const end = p.index + p[0].length;
    const made = renumber(p[0], to);
    bytes += encode(m.answer.slice(at, end)).length;
    by += made.length - p[0].length;
    moves.push([bytes, by]);
    answer += m.answer.slice(at, p.index) + made;
    at = end;
  }
  const moved = (byte: number) => byte + (moves.findLast(([behind]) => behind <= byte)?.[1] ?? 0);
  return {
    ...m,
    answer: answer + m.answer.slice(at),
    docs: order.map((n) => m.docs[n - 1]!),
    sentences: m.sentences.map((s) => ({ ...s, start: moved(s.start), end: moved(s.end), docs: (s.docs ?? []).map(to) })),
  };
}

/** citingAt returns the sentence with the nth citation of a passage, from 0; undefined without one. */
export function citingAt(rag: Pick<RagMessage, 'answer' | 'sentences'>, number: number, nth: number): string | undefined {
  let seen = 0;
  for (const p of rag.answer.matchAll(parts)) {
    if (p[3] === undefined) continue;
    seen += numbersIn(p[3]).filter((n) => n === number).length;
    if (seen <= nth) continue;
    const at = encode(rag.answer.slice(0, p.index)).length;
    const sentence = rag.sentences.find((s) => s.start <= at && at < s.end && s.docs.includes(number));
    return sentence && slice(encode(rag.answer), sentence.start, sentence.end);
  }
  return undefined;
}

/**
 * counted numbers the citations of a running answer as far as they are known. It ignores
 * numbers above the number of passages, and hides an incomplete citation at the end.
 */
export function counted(text: string, most = Infinity): string {
  const place = new Map<number, number>();
  const to = (n: number) => {
    if (n < 1 || n > most) return n;
    if (!place.has(n)) place.set(n, place.size + 1);
    return place.get(n)!;
  };
  return text.replace(/\[\d{0,3}(?:\s*,\s*\d{0,3})*$/, '').replace(parts, (all: string, ...groups: (string | undefined)[]) => (groups[2] === undefined ? all : renumber(all, to)));
}
