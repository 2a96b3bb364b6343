import { describe, expect, test } from 'vitest';
import { encode, floorPoint, lineEnd, lineStart, slice, utf16 } from '../../src/api/bytes';

const text = 'naïve — 日本語 😀 fin';
const bytes = encode(text);
const at = (s: string) => encode(text.slice(0, text.indexOf(s))).length;

describe('byte offsets', () => {
  test('slice cuts by bytes of UTF-8', () => {
    expect(slice(bytes, at('日'), at('日') + 9)).toBe('日本語');
    expect(slice(bytes, at('😀'), at('😀') + 4)).toBe('😀');
    expect(slice(bytes, 0, bytes.length)).toBe(text);
  });

  test('an offset inside a code point moves back to its start', () => {
    expect(floorPoint(bytes, at('😀') + 2)).toBe(at('😀'));
    expect(slice(bytes, 0, at('😀') + 2) + slice(bytes, at('😀') + 2, bytes.length)).toBe(text);
  });

  test('offsets beyond the text, reversed, or negative are limited to the text', () => {
    expect(slice(bytes, -5, 3)).toBe('na');
    expect(slice(bytes, 4, 999)).toBe('ve — 日本語 😀 fin');
    expect(slice(bytes, 9, 3)).toBe('');
  });

  test('a byte order mark counts as three bytes', () => {
    expect(slice(encode('\ufeffabc'), 3, 6)).toBe('abc');
    expect(slice(encode('\ufeffabc'), 0, 4)).toBe('\ufeffa');
  });

  test('utf16 maps offsets to string indexes in any order', () => {
    const [a, b, c, d] = utf16(text, [bytes.length, at('😀'), 0, at('fin')]);
    expect([a, b, c, d]).toEqual([text.length, text.indexOf('😀'), 0, text.indexOf('fin')]);
    expect(utf16(text, [bytes.length + 1, -1])).toEqual([-1, -1]);
    expect(utf16('', [0])).toEqual([0]);
  });

  test('lines are found in both directions, within a limit', () => {
    const b = encode('one\ntwo\nthree');
    expect(lineStart(b, 6, 100)).toBe(4);
    expect(lineEnd(b, 5, 100)).toBe(8);
    expect(lineEnd(b, 9, 2)).toBe(11);
    expect(lineStart(b, 2, 100)).toBe(0);
  });
});
