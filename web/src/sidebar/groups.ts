// Conversations grouped by the day of their latest use.
import type { SessionRow } from '../api/shapes';

export const ages = ['pinned', 'today', 'yesterday', 'week', 'older'] as const;
export type Age = (typeof ages)[number];

const day = 24 * 60 * 60 * 1000;

function age(row: SessionRow, midnight: number): Age {
  if (row.pinned) return 'pinned';
  const time = Date.parse(row.timestamp);
  if (time >= midnight) return 'today';
  // Half a day before midnight is yesterday, even if the clocks change.
  if (time >= new Date(midnight - day / 2).setHours(0, 0, 0, 0)) return 'yesterday';
  return time >= new Date(midnight - 6.5 * day).setHours(0, 0, 0, 0) ? 'week' : 'older';
}

/** repeated returns the names that occur more than once. */
export function repeated(names: readonly string[]): Set<string> {
  const once = new Set<string>();
  return new Set(names.filter((name) => once.has(name) || !once.add(name)));
}

/** grouped groups conversations by age and keeps their order. It omits empty groups. */
export function grouped(rows: readonly SessionRow[], now = new Date()): { age: Age; rows: SessionRow[] }[] {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const byAge = new Map<Age, SessionRow[]>();
  for (const row of rows) {
    const a = age(row, midnight);
    const there = byAge.get(a);
    if (there) there.push(row);
    else byAge.set(a, [row]);
  }
  return ages.flatMap((a) => (byAge.has(a) ? [{ age: a, rows: byAge.get(a)! }] : []));
}
