// Anything that JSON can write, as a tree that is drawn as far as it is opened.
import { parsed } from '../conversation/replies';

/** What a value is, as it is drawn. */
export type Sort = 'object' | 'list' | 'text' | 'number' | 'boolean' | 'nothing';

export const sort = (value: unknown): Sort =>
  value === null || value === undefined ? 'nothing'
  : Array.isArray(value) ? 'list'
  : typeof value === 'object' ? 'object'
  : typeof value === 'number' ? 'number'
  : typeof value === 'boolean' ? 'boolean'
  : 'text';

/** Children that are drawn at once; the rest is asked for. */
export const batch = 50;

/** A long text's beginning, in characters. */
export const shortText = 300;

/** Depth below which nothing is drawn. */
export const deepest = 100;

/** children are the parts of a value, from one to the one before another. */
export function children(value: unknown, to: number): [string, unknown][] {
  if (Array.isArray(value)) return value.slice(0, to).map((v, i) => [String(i + 1), v]);
  return Object.keys(value as object).slice(0, to).map((key) => [key, (value as Record<string, unknown>)[key]]);
}

export const size = (value: unknown): number => (Array.isArray(value) ? value.length : Object.keys(value as object).length);

// By what people tell parts of a model apart, first come first served.
const naming = ['name', 'title', 'label', 'text', 'id'];

/** called is what an object calls itself: its name and what it is one of. */
export function called(value: unknown): { name: string; type: string } {
  const o = (sort(value) === 'object' ? value : {}) as Record<string, unknown>;
  const own = (key: string) => (Object.hasOwn(o, key) && typeof o[key] === 'string' ? (o[key] as string).trim().slice(0, 80) : '');
  const name = naming.map(own).find(Boolean) ?? '';
  return { name, type: own('type') || own('kind') };
}

/** opened counts how many levels are open at first, so that about so many lines are drawn. */
export function opened(value: unknown, lines = 24): number {
  let level: unknown[] = [value];
  let drawn = 0;
  for (let depth = 0; depth < 4; depth++) {
    const next: unknown[] = [];
    for (const v of level) {
      if (sort(v) !== 'object' && sort(v) !== 'list') continue;
      const n = size(v);
      drawn += Math.min(n, batch);
      if (drawn > lines) return depth;
      for (const [, child] of children(v, batch)) next.push(child);
    }
    if (next.length === 0) return depth;
    level = next;
  }
  return 4;
}

/** Longest text that is read as JSON, in characters. */
const longest = 8_000_000;

/** structure is what a payload holds, with JSON in strings read. */
export const structure = (content: unknown): unknown =>
  typeof content === 'string' && (content.length > longest || !/^\s{0,100}[{[]/.test(content)) ? content : parsed(content);

/** written is a value as JSON for a file. */
export function written(value: unknown): string {
  try {
    return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
  } catch {
    return '';
  }
}
