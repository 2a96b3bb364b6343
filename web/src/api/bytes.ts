// Converts between offsets in bytes of UTF-8, which the API uses, and indexes of JavaScript
// strings.

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

export const encode = (text: string): Uint8Array => encoder.encode(text);

/** inside reports whether byte i continues a code point. */
const inside = (bytes: Uint8Array, i: number) => i < bytes.length && (bytes[i]! & 0xc0) === 0x80;

/** floorPoint moves an offset back to the start of its code point. */
export function floorPoint(bytes: Uint8Array, at: number): number {
  let i = Math.max(0, Math.min(at, bytes.length));
  while (i > 0 && inside(bytes, i)) i--;
  return i;
}

/** slice decodes [start, end). It moves both offsets back to whole code points. */
export function slice(bytes: Uint8Array, start: number, end: number): string {
  const a = floorPoint(bytes, start);
  return decoder.decode(bytes.subarray(a, Math.max(a, floorPoint(bytes, end))));
}

/** utf16 converts byte offsets of a text to indexes of the string; -1 for offsets outside of it. */
export function utf16(text: string, offsets: number[]): number[] {
  const order = offsets.map((at, i) => ({ at, i })).sort((x, y) => x.at - y.at);
  const out = offsets.map(() => -1);
  let byte = 0;
  let k = 0;
  for (let i = 0; i <= text.length; ) {
    while (k < order.length && order[k]!.at <= byte) {
      if (order[k]!.at >= 0) out[order[k]!.i] = i;
      k++;
    }
    if (k === order.length || i === text.length) break;
    const c = text.codePointAt(i)!;
    byte += c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    i += c > 0xffff ? 2 : 1;
  }
  return out;
}

/** lineStart moves an offset back to the start of its line, by at most reach bytes. */
export function lineStart(bytes: Uint8Array, at: number, reach: number): number {
  const stop = Math.max(0, at - reach);
  for (let i = at; i > stop; i--) if (bytes[i - 1] === 10) return i;
  return floorPoint(bytes, stop);
}

/** lineEnd moves an offset past the end of its line, by at most reach bytes. */
export function lineEnd(bytes: Uint8Array, at: number, reach: number): number {
  const stop = Math.min(bytes.length, at + reach);
  for (let i = at; i < stop; i++) if (bytes[i] === 10) return i + 1;
  return floorPoint(bytes, stop);
}
