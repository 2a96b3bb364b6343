import { describe, expect, test } from 'vitest';
import { encode, slice } from '../../src/api/bytes';
import { around, indexOf, locate, pieces } from '../../src/evidence/passage';

const text = encode('Überschrift\n\nDer erste Satz. 😀 Der zweite Satz.\n\nEnde.');
const place = (s: string) => {
  const start = indexOf(text, encode(s));
  return { start, end: start + encode(s).length };
};

describe('locate', () => {
  test('a passage at its offsets', () => {
    expect(locate(text, place('Der erste Satz.'), ' Der  erste\nSatz. ')).toEqual({ ...place('Der erste Satz.'), how: 'exact' });
  });
  test('a passage that has moved', () => {
    expect(locate(text, { start: 0, end: 9 }, 'Der zweite Satz.')).toEqual({ ...place('Der zweite Satz.'), how: 'moved' });
  });
  test('a passage that is gone', () => {
    expect(locate(text, { start: 0, end: 9 }, 'Etwas ganz anderes.').how).toBe('gone');
    expect(locate(encode(''), { start: 5, end: 9 }, 'Etwas').how).toBe('gone');
  });
});

describe('pieces', () => {
  test('overlapping marks cut the text, and nothing is lost', () => {
    const marks = [place('erste Satz. 😀 Der'), place('Der zweite')];
    const got = pieces(text, 0, text.length, marks);
    expect(got.map((p) => p.text).join('')).toBe(slice(text, 0, text.length));
    expect(got.map((p) => p.marks)).toEqual([[], [0], [0, 1], [1], []]);
    expect(got[2]!.text).toBe('Der');
  });
  test('marks outside what is shown, or empty, do nothing', () => {
    expect(pieces(text, 0, 5, [{ start: 20, end: 30 }, { start: 2, end: 2 }]).every((p) => p.marks.length === 0)).toBe(true);
  });
});

test('around returns whole lines around a passage', () => {
  const { start, end } = around(text, place('zweite'), 3);
  expect(slice(text, start, end)).toBe('Der erste Satz. 😀 Der zweite Satz.\n');
});
