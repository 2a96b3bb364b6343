import { expect, test } from 'vitest';
import { all, filterQuery, parseFilter, request } from '../../src/documents/filter';

test('a filter survives the address', () => {
  const filter = { ...all, match: 'a&b=c?', collection: 'hr', folder: 'a/b', tag: 'é', type: 'text/html', days: 7, uncited: true, sort: 'title' as const, descending: true };
  expect(parseFilter(filterQuery(filter))).toEqual(filter);
  expect(filterQuery(all)).toBe('');
  expect(filterQuery({ ...all, sort: 'title', descending: false })).toBe('sort=title');
});

test('an unknown filter lists all documents', () => {
  expect(parseFilter('status=lost&days=3&sort=random&x=1&origin=')).toEqual(all);
  expect(parseFilter('%E0%A4%A')).toEqual(all);
});

test('days become a time', () => {
  expect(request({ ...all, days: 1 }, Date.UTC(2026, 0, 2)).since).toBe('2026-01-01T00:00:00.000Z');
});
