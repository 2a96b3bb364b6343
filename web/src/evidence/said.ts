// Which words of a passage an answer's sentence repeats, so that the eye is led
// to them and not only to the passage.
import { encode } from './bytes';
import type { Place } from './passage';

/** A run of repeated words counts from this many on … */
const fewest = 5;
/** … if it is at least this share of the sentence. */
const share = 0.6;
/** Finds with no more than a space between them are one, in bytes. */
const gap = 2;
/** Longest sentence and passage compared, in words. */
const mostSaid = 120;
const mostWords = 4000;

interface Word {
  text: string;
  start: number;
  end: number;
}

/**
 * words are runs of letters and digits, folded, with the byte offsets of what
 * stands there without a space: their quotes, brackets and stops too.
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

/** said finds where passage repeats sentence; byte offsets in passage. */
export function said(passage: Word[], sentence: string): Place | null {
  // Citations are ours; the words of a link or of code are the document's.
  const want = words(sentence.replace(/\[\d{1,3}(?:\s*,\s*\d{1,3})*\]/g, ' '), mostSaid);
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
  const enough = Math.min(fewest, want.length);
  if (best.length < enough || best.length < share * want.length) return null;
  return { start: passage[best.end - best.length + 1]!.start, end: passage[best.end]!.end };
}

/** repeated finds all that sentences repeat of a passage, in its order. */
export function repeated(passage: string, sentences: string[]): Place[] {
  const all = words(passage, mostWords);
  const found = sentences.flatMap((s) => said(all, s) ?? []).sort((a, b) => a.start - b.start);
  const out: Place[] = [];
  for (const p of found) {
    const last = out.at(-1);
    if (last && p.start <= last.end + gap) last.end = Math.max(last.end, p.end);
    else out.push({ ...p });
  }
  return out;
}
