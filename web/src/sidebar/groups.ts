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

/** Group has the conversations of one age, or of the folder. */
export interface Group {
  age: Age | 'folder';
  /** The name of the folder. */
  folder?: string;
  rows: SessionRow[];
}

/**
 * grouped groups conversations by folder, and the others by age. It keeps their order and omits
 * empty groups. Pinned conversations come first, in a group of their own.
 */
export function grouped(rows: readonly SessionRow[], now = new Date()): Group[] {
  const inFolder = (row: SessionRow) => (!row.pinned && row.folder) || '';
  const folders = [...new Set(rows.map(inFolder).filter(Boolean))].sort((a, b) => a.localeCompare(b));
  const filed: Group[] = folders.map((folder) => ({ age: 'folder', folder, rows: rows.filter((row) => inFolder(row) === folder) }));
  const aged = byAge(rows.filter((row) => !inFolder(row)), now);
  const pinned = aged.filter((group) => group.age === 'pinned');
  return [...pinned, ...filed, ...aged.filter((group) => group.age !== 'pinned')];
}

function byAge(rows: readonly SessionRow[], now: Date): Group[] {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const groups = new Map<Age, SessionRow[]>();
  for (const row of rows) {
    const a = age(row, midnight);
    const there = groups.get(a);
    if (there) there.push(row);
    else groups.set(a, [row]);
  }
  return ages.flatMap((a) => (groups.has(a) ? [{ age: a, rows: groups.get(a)! }] : []));
}
