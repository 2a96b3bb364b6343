import { expect, test } from 'vitest';
import { ratio, targetsOn, widthFor, zoomed, type Target } from '../../src/evidence/pages';

const target = (kind: Target['kind'], page: number): Target => ({ kind, page, n: 1, start: page * 100, end: page * 100 + 50 });

test('a passage can continue on the next page, and cited text is drawn last', () => {
  const all = [target('said', 1), target('active', 1), target('other', 0), target('other', 2)];
  expect(targetsOn(1, all).map((t) => `${t.kind} ${t.page}`)).toEqual(['other 0', 'active 1', 'said 1']);
  expect(targetsOn(3, all).map((t) => t.page)).toEqual([2]);
  expect(targetsOn(7, all)).toEqual([]);
});

test('pages are drawn in few widths, none too large', () => {
  expect([widthFor(0, 1), widthFor(340, 2), widthFor(511, 1), widthFor(512, 1), widthFor(5000, 2)]).toEqual([0, 800, 600, 600, 2400]);
});

test('sizes go by steps, and end', () => {
  expect([zoomed(1, 1), zoomed(1, -1), zoomed(0.5, -1), zoomed(4, 1)]).toEqual([1.25, 0.75, 0.5, 4]);
});

test('a page that is not known yet is A4', () => {
  expect(Number(ratio(undefined))).toBeCloseTo(0.707, 3);
  expect(ratio({ page: 0, pages: 1, label: null, width: 200, height: 100, marks: [] })).toBe('2');
});
