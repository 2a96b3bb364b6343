// JSON values as a tree. Only open parts are drawn.
import { parsed } from '../conversation/replies';

/** The kind of a value. */
export type Sort = 'object' | 'list' | 'text' | 'number' | 'boolean' | 'nothing';

export const sort = (value: unknown): Sort =>
  value === null || value === undefined ? 'nothing'
  : Array.isArray(value) ? 'list'
  : typeof value === 'object' ? 'object'
  : typeof value === 'number' ? 'number'
  : typeof value === 'boolean' ? 'boolean'
  : 'text';

/** The number of children to draw at a time. */
export const batch = 50;

/** The length of the shown beginning of a text, in characters. */
export const shortText = 300;

/** The maximum depth. */
export const deepest = 100;

/** children returns the first parts of a value, up to but excluding index to. */
export function children(value: unknown, to: number): [string, unknown][] {
  if (Array.isArray(value)) return value.slice(0, to).map((v, i) => [String(i + 1), v]);
  return Object.keys(value as object).slice(0, to).map((key) => [key, (value as Record<string, unknown>)[key]]);
}

export const size = (value: unknown): number => (Array.isArray(value) ? value.length : Object.keys(value as object).length);

// Keys that name an object, in the order of preference.
const naming = ['name', 'title', 'label', 'text', 'id'];

/** called returns the name and the type of an object. */
export function called(value: unknown): { name: string; type: string } {
  const o = (sort(value) === 'object' ? value : {}) as Record<string, unknown>;
  const own = (key: string) => (Object.hasOwn(o, key) && typeof o[key] === 'string' ? (o[key] as string).trim().slice(0, 80) : '');
  const name = naming.map(own).find(Boolean) ?? '';
  return { name, type: own('type') || own('kind') };
}

/** opened returns the number of levels to open at first, for about this number of lines. */
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

/** The longest text to read as JSON, in characters. */
const longest = 8_000_000;

/** structure returns the content of a payload, and parses JSON in strings. */
export const structure = (content: unknown): unknown =>
  typeof content === 'string' && (content.length > longest || !/^\s{0,100}[{[]/.test(content)) ? content : parsed(content);

/** written returns a value as JSON for a file. */
export function written(value: unknown): string {
  try {
    return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
  } catch {
    return '';
  }
}
