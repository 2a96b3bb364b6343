// Finds the words of a passage that a sentence of an answer repeats. If it repeats none, finds the
// nearest sentence of the passage.
import { encode } from '../api/bytes';
import type { Place } from './passage';

/** The minimum number of words in a repeated run … */
const minWords = 5;
/** … and the minimum part of the sentence. */
const share = 0.6;
/** Finds with at most this distance are joined, in bytes. */
const gap = 2;
/** The maximum length of the compared sentence and passage, in words. */
const mostSaid = 120;
const mostWords = 4000;

const citation = /\[\d{1,3}(?:\s*,\s*\d{1,3})*\]/g;

interface Word {
  text: string;
  start: number;
  end: number;
}

/**
 * words returns the folded runs of letters and digits, with the byte offsets of the text
 * around them up to the next space. Quotes, brackets, and punctuation belong to it.
 */
export function words(text: string, most: number): Word[] {
  const out: Word[] = [];
  let byte = 0;
  let index = 0;
  const pass = (to: number) => {
    byte += encode(text.slice(index, to)).length;
    index = to;
    return byte;
  };
  for (const m of text.matchAll(/([^\s\p{L}\p{N}]*)([\p{L}\p{N}]+)((?:[^\s\p{L}\p{N}]+(?=\s|$))?)/gu)) {
    if (out.length === most) break;
    out.push({ text: m[2]!.toLowerCase(), start: pass(m.index), end: pass(m.index + m[0].length) });
  }
  return out;
}

/** said finds the parts of a passage that repeat a sentence. It returns byte offsets in the passage. */
export function said(passage: Word[], sentence: string): Place | null {
  // Remove citations, but not the text of links and code.
  const want = words(sentence.replace(citation, ' '), mostSaid);
  if (want.length === 0) return null;
  let best = { length: 0, end: 0 };
  let row = new Uint16Array(want.length + 1);
  for (let i = 0; i < passage.length; i++) {
    const next = new Uint16Array(want.length + 1);
    for (let k = 0; k < want.length; k++) {
      if (passage[i]!.text !== want[k]!.text) continue;
      next[k + 1] = row[k]! + 1;
      if (next[k + 1]! > best.length) best = { length: next[k + 1]!, end: i };
    }
    row = next;
  }
  const enough = Math.min(minWords, want.length);
  if (best.length < enough || best.length < share * want.length) return null;
  return { start: passage[best.end - best.length + 1]!.start, end: passage[best.end]!.end };
}

/** The end of a sentence: punctuation with its closing signs, an empty line, or a line that stands alone. */
const stop = /[.!?…]["'”’»)\]]*(?=\s+["'“„«([]*[\p{Lu}\p{N}])|[。！？]["”’」』)）]*|\n\s*\n|\n(?=\s*(?:#{1,6}\s|[-*+•]\s|\d{1,9}[.)]\s))|(?<=(?:^|\n)\s*#{1,6}\s[^\n]*)\n/gu;
/** The nearest sentence has at least this part of the words. */
const minCommonShare = 0.25;
/** Shorter words occur in most sentences. */
const minWordLength = 3;
const telling = (word: string) => word.length >= minWordLength || /\p{N}/u.test(word);

/** Sentence is a sentence of a passage with its words. */
interface Sentence extends Place {
  words: Set<string>;
}

/** sentencesOf splits a passage into sentences, in bytes. */
function sentencesOf(passage: string, all: Word[]): Sentence[] {
  const out: Sentence[] = [];
  let byte = 0;
  let index = 0;
  let next = 0;
  for (const end of [...[...passage.matchAll(stop)].map((m) => m.index + m[0].length), passage.length]) {
    byte += encode(passage.slice(index, end)).length;
    index = end;
    const first = next;
    while (next < all.length && all[next]!.start < byte) next++;
    const own = all.slice(first, next);
    if (own.length > 0) out.push({ start: own[0]!.start, end: own.at(-1)!.end, words: new Set(own.map((w) => w.text).filter(telling)) });
  }
  return out;
}

/**
 * nearest finds the sentence of a passage that shares most words with a sentence. Words in
 * fewer sentences of the passage count more, because they distinguish similar sentences.
 */
function nearest(sentences: Sentence[], sentence: string): Place | null {
  const want = new Set(words(sentence.replace(citation, ' '), mostSaid).map((w) => w.text).filter(telling));
  const weight = new Map([...want].map((w) => [w, 1 / Math.max(1, sentences.filter((s) => s.words.has(w)).length)]));
  let best: Sentence | undefined;
  let most = 0;
  for (const s of sentences) {
    const shared = [...want].filter((w) => s.words.has(w));
    const score = shared.reduce((n, w) => n + weight.get(w)!, 0);
    if (shared.length > 1 && shared.length >= minCommonShare * want.size && score > most) [best, most] = [s, score];
  }
  return best ? { start: best.start, end: best.end } : null;
}

/** repeated finds the repeated parts of a passage in its order. For sentences that repeat nothing, it returns the nearest sentence. */
export function repeated(passage: string, sentences: string[]): Place[] {
  const all = words(passage, mostWords);
  let cut: Sentence[] | undefined;
  const found = sentences.flatMap((s) => said(all, s) ?? nearest((cut ??= sentencesOf(passage, all)), s) ?? []).sort((a, b) => a.start - b.start);
  const out: Place[] = [];
  for (const p of found) {
    const last = out.at(-1);
    if (last && p.start <= last.end + gap) last.end = Math.max(last.end, p.end);
    else out.push({ ...p });
  }
  return out;
}
