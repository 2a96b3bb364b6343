// Finds a cited passage in its document, even after the document has changed.
import { encode, lineEnd, lineStart, slice } from '../api/bytes';

/** Place is a byte range in the text of a document. */
export interface Place {
  start: number;
  end: number;
}

/** Found is the place of a passage, and whether the document still contains it. */
export interface Found extends Place {
  /** exact: at its offsets. moved: at another place. gone: no longer in the text. */
  how: 'exact' | 'moved' | 'gone';
}

const plain = (s: string) => s.replace(/\s+/g, ' ').trim();

/** locate finds a passage with this content near its expected place. */
export function locate(bytes: Uint8Array, place: Place, content: string): Found {
  const here = plain(slice(bytes, place.start, place.end));
  const plainContent = plain(content);
  if (plainContent === '' || here === plainContent || (here !== '' && (here.includes(plainContent) || plainContent.includes(here)))) {
    return { start: place.start, end: Math.min(place.end, bytes.length), how: 'exact' };
  }
  const at = indexOf(bytes, encode(content.trim()));
  if (at >= 0) return { start: at, end: at + encode(content.trim()).length, how: 'moved' };
  return { start: 0, end: 0, how: 'gone' };
}

/** indexOf finds a sequence of bytes; -1 without a find. */
export function indexOf(hay: Uint8Array, needle: Uint8Array): number {
  if (needle.length === 0 || needle.length > hay.length) return -1;
  const first = needle[0]!;
  for (let i = hay.indexOf(first); i >= 0 && i + needle.length <= hay.length; i = hay.indexOf(first, i + 1)) {
    let k = 1;
    while (k < needle.length && hay[i + k] === needle[k]) k++;
    if (k === needle.length) return i;
  }
  return -1;
}

/** Piece is a range of text with the same marks. */
export interface Piece {
  text: string;
  /** The indexes of its marks; empty for plain text. */
  marks: number[];
}

/** pieces splits [from, to) of a text at the starts and ends of marks. */
export function pieces(bytes: Uint8Array, from: number, to: number, marks: Place[]): Piece[] {
  const cuts = new Set([from, to]);
  for (const m of marks) {
    for (const at of [m.start, m.end]) if (at > from && at < to) cuts.add(at);
  }
  const order = [...cuts].sort((a, b) => a - b);
  const out: Piece[] = [];
  for (let i = 0; i + 1 < order.length; i++) {
    const [a, b] = [order[i]!, order[i + 1]!];
    const under = marks.flatMap((m, n) => (m.start <= a && m.end >= b && m.end > m.start ? [n] : []));
    out.push({ text: slice(bytes, a, b), marks: under });
  }
  return out;
}

/** around returns the part of a text to show at first: whole lines near a place. */
export function around(bytes: Uint8Array, place: Place, reach: number): Place {
  return {
    start: lineStart(bytes, Math.max(0, place.start - reach), 4096),
    end: lineEnd(bytes, Math.min(bytes.length, place.end + reach), 4096),
  };
}
