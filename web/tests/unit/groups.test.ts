// Conversations, grouped by the time of their last use.
import { expect, test } from 'vitest';
import type { SessionRow } from '../../src/api/shapes';
import { grouped, repeated } from '../../src/sidebar/groups';

const row = (session_id: string, at: Date, pinned = false): SessionRow => ({
  id: 1, session_id, agent_name: 'docent', session_name: null, platform_name: '', timestamp: at.toISOString(), messages: 1, pinned,
});

test('today, yesterday, the week before, and older begin at midnight; pinned conversations have no age', () => {
  const now = new Date(2026, 2, 29, 0, 30); // the night in which the clocks change in Europe
  const at = (day: number, hour: number, minute = 0) => new Date(2026, 2, day, hour, minute);
  const rows = [
    row('p', at(1, 9), true), row('a', at(29, 0, 10)), row('b', at(28, 23, 59)), row('c', at(28, 0)), row('d', at(27, 23, 59)), row('e', at(22, 0)), row('f', at(21, 23, 59)),
  ];
  expect(grouped(rows, now).map((g) => [g.age, g.rows.map((r) => r.session_id).join('')])).toEqual([
    ['pinned', 'p'], ['today', 'a'], ['yesterday', 'bc'], ['week', 'de'], ['older', 'f'],
  ]);
  expect(grouped([], now)).toEqual([]);
});

test('folders come after pinned conversations, by name', () => {
  const now = new Date(2026, 2, 29, 12);
  const filed = (id: string, folder: string, pinned = false) => ({ ...row(id, now, pinned), folder });
  const groups = grouped([filed('a', 'Trips', true), filed('b', 'Trips'), row('c', now), filed('d', 'Pumps'), filed('e', 'Trips')], now);
  expect(groups.map((g) => [g.folder ?? g.age, g.rows.map((r) => r.session_id).join('')])).toEqual([['pinned', 'a'], ['Pumps', 'd'], ['Trips', 'be'], ['today', 'c']]);
});

test('names with several conversations are found', () => {
  expect([...repeated(['a', 'b', 'a', 'c', 'b', 'a'])].sort()).toEqual(['a', 'b']);
  expect(repeated(['a', 'b']).size).toBe(0);
});
