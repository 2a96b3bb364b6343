// Finds words in the text of a document, even with many megabytes.
import type { Place } from './passage';

/** The maximum number of finds. */
export const mostFound = 2000;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const decoded = new WeakMap<Uint8Array, string>();
const encoder = new TextEncoder();

/** decode returns a text as a string, and caches it. */
function decode(bytes: Uint8Array): string {
  let text = decoded.get(bytes);
  if (text === undefined) decoded.set(bytes, (text = decoder.decode(bytes)));
  return text;
}

/** find returns the byte ranges that match a text. It ignores case and line breaks. */
export function find(bytes: Uint8Array, what: string): { found: Place[]; more: boolean } {
  const wanted = what.trim();
  if (wanted === '') return { found: [], more: false };
  const text = decode(bytes);
  const pattern = new RegExp(wanted.split(/\s+/).map((w) => w.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')).map(loose).join('\\s+'), 'giu');
  const found: Place[] = [];
  // In ASCII text, a character is a byte.
  const ascii = text.length === bytes.length;
  let at = 0;
  let byte = 0;
  const pass = (to: number) => {
    byte += ascii ? to - at : encoder.encode(text.slice(at, to)).length;
    at = to;
    return byte;
  };
  for (const m of text.matchAll(pattern)) {
    if (found.length === mostFound) return { found, more: true };
    found.push({ start: pass(m.index), end: pass(m.index + m[0].length) });
  }
  return { found, more: false };
}

/** loose matches all kinds of quotes and dashes. */
const loose = (word: string) => word.replace(/["“”„«»]/g, '["“”„«»]').replace(/['’‘]/g, "['’‘]").replace(/\\-|[–—]/g, '[-–—]');
