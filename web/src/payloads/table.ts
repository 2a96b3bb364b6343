// Reads tables of pandas in all orientations, as columns of values.
export type Kind = 'number' | 'date' | 'boolean' | 'text';

export interface Column {
  name: string;
  kind: Kind;
  /** One value for each row; null for missing values. */
  values: unknown[];
}

export interface Table {
  columns: Column[];
  /** The names of the rows, if they are not only positions. */
  index: string[] | null;
  rows: number;
  /** The table had more rows or columns. */
  cut: boolean;
}

/** The maximum number of rows, columns, and cells. */
const most = { rows: 100_000, columns: 500, cells: 2_000_000 };

/** The longest text to read as a table, in characters. */
const longest = 24_000_000;

type Fields = Record<string, unknown>;
const fields = (v: unknown): Fields | null => (typeof v === 'object' && v !== null && !Array.isArray(v) ? (v as Fields) : null);

// Objects sort numeric keys first. This prefix keeps the keys in their order.
const keep = '\u0001';
const name = (key: string) => (key.startsWith(keep) ? key.slice(1) : key);
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|-?\bInfinity\b|\bNaN\b/g;

function ordered(text: string): unknown {
  return JSON.parse(text.replace(tokens, (token, colon?: string) => {
    if (token[0] !== '"') return 'null';
    return colon && /^"\d/.test(token) ? `"\\u0001${token.slice(1)}` : token;
  }));
}

/** readTable reads a table, or returns null. */
export function readTable(content: unknown): Table | null {
  let value = content;
  if (typeof content === 'string') {
    if (content.length > longest) return null;
    try {
      value = ordered(content);
    } catch {
      return null;
    }
  }
  const raw = oriented(value);
  if (!raw) return null;
  const all = Math.max(0, ...raw.columns.slice(0, most.columns).map(([, values]) => values.length));
  const columns = raw.columns.slice(0, most.columns);
  const rows = Math.min(all, most.rows, Math.floor(most.cells / Math.max(1, columns.length)));
  const index = raw.index?.slice(0, rows) ?? null;
  return {
    columns: columns.map(([label, values]) => column(label, values, rows)),
    index: index?.some((label, i) => label !== String(i)) ? index : null,
    rows,
    cut: rows < all || columns.length < raw.columns.length,
  };
}

interface Raw {
  columns: [string, unknown[]][];
  index: string[] | null;
}

function oriented(value: unknown): Raw | null {
  if (Array.isArray(value)) return listed(value);
  const frame = fields(value);
  if (!frame) return null;
  if (Array.isArray(frame.columns) && Array.isArray(frame.data)) return split(frame.columns, frame.data, frame.index);
  if (fields(frame.schema) && Array.isArray(frame.data)) return listed(frame.data, fieldNames(frame.schema as Fields));
  const keys = Object.keys(frame);
  if (keys.every((key) => Array.isArray(frame[key]))) return { columns: keys.map((key) => [name(key), frame[key] as unknown[]]), index: null };
  if (!keys.every((key) => fields(frame[key]))) return null;
  const rows = new Set<string>();
  for (const key of keys.slice(0, most.columns)) for (const row of Object.keys(frame[key] as Fields)) rows.add(row);
  const index = [...rows];
  return { columns: keys.map((key) => [name(key), index.map((row) => own(frame[key] as Fields, row))]), index: index.map(name) };
}

const own = (o: Fields, key: string): unknown => (Object.hasOwn(o, key) ? o[key] : null);

// Rows are objects or lists of values.
function listed(rows: unknown[], order: string[] = []): Raw | null {
  if (rows.every(Array.isArray)) {
    const width = rows.reduce<number>((w, r) => Math.max(w, r.length), 0);
    return split(Array.from({ length: Math.min(width, most.columns + 1) }, (_, i) => i), rows, null);
  }
  if (!rows.every(fields)) return null;
  const names = new Set<string>(order);
  for (const row of rows as Fields[]) if (names.size <= most.columns) for (const key of Object.keys(row)) names.add(key);
  return { columns: [...names].map((key) => [name(key), (rows as Fields[]).map((row) => own(row, key))]), index: null };
}

function split(names: unknown[], rows: unknown[], index: unknown): Raw | null {
  if (!rows.every(Array.isArray)) return null;
  return {
    columns: names.slice(0, most.columns + 1).map((label, i) => [plain(label), (rows as unknown[][]).map((row) => row[i])]),
    index: Array.isArray(index) && index.length === rows.length ? index.map(plain) : null,
  };
}

function fieldNames(schema: Fields): string[] {
  return Array.isArray(schema.fields) ? schema.fields.flatMap((f) => (typeof fields(f)?.name === 'string' ? [String(fields(f)!.name)] : [])) : [];
}

/** plain returns a value as text for files. */
export function plain(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return String(value);
  try {
    return JSON.stringify(value)?.replaceAll('\\u0001', '') ?? '';
  } catch {
    return '…'; // the nesting is too deep
  }
}

const iso = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;
const timely = /(?:date|time|day|created|updated|joined|born|started|ended|expires|_at|when|since|until|datum|zeit|tag)\b|(?:date|time|datum|zeit)/i;

function column(label: string, values: unknown[], rows: number): Column {
  const kept = Array.from({ length: rows }, (_, i) => values[i] ?? null);
  const there = kept.filter((v) => v !== null);
  const all = (is: (v: unknown) => boolean) => there.length > 0 && there.every(is);
  let kind: Kind = 'text';
  if (all((v) => typeof v === 'boolean')) kind = 'boolean';
  else if (all((v) => typeof v === 'number')) {
    // Times are milliseconds since 1970. Only the name of the column distinguishes them
    // from amounts.
    kind = timely.test(label) && all((v) => Number.isInteger(v) && Math.abs(v as number) >= 86_400_000 && Math.abs(v as number) < 1e14) ? 'date' : 'number';
  } else if (all((v) => typeof v === 'string' && iso.test(v))) kind = 'date';
  return { name: label, kind, values: kept };
}

const moment = (value: unknown): number => (typeof value === 'number' ? value : Date.parse(String(value).replace(/^(\d{4}-\d\d-\d\d) /, '$1T')));

/** sorted sorts rows by a column. Equal values keep their order, and missing values come last in both directions. */
export function sorted(table: Table, rows: number[], by: Column | 'index', descending: boolean, language: string): number[] {
  const values: unknown[] = by === 'index' ? (table.index ?? []) : by.values;
  const kind = by === 'index' ? 'text' : by.kind;
  const sign = descending ? -1 : 1;
  const collator = new Intl.Collator(language, { numeric: true });
  const keys = values.map((v) => (v === null || v === undefined ? null : kind === 'text' ? plain(v) : kind === 'date' ? moment(v) : Number(v)));
  const compare = (a: string | number, b: string | number) => (typeof a === 'string' ? collator.compare(a, b as string) : a - (b as number));
  return [...rows].sort((i, j) => {
    const [a, b] = [keys[i] ?? null, keys[j] ?? null];
    if (a === null || b === null) return a === b ? i - j : a === null ? 1 : -1;
    return sign * compare(a, b) || i - j;
  });
}

/** written returns a function that formats the values of a column in a language. */
export function written(c: Column, language: string, words: { yes: string; no: string }): (value: unknown) => string {
  const missing = (f: (v: unknown) => string) => (v: unknown) => (v === null || v === undefined ? '' : f(v));
  switch (c.kind) {
    case 'boolean': return missing((v) => (v ? words.yes : words.no));
    case 'number': {
      // Four digits are often a year or a number, so they have no separators.
      const years = c.values.every((v) => v === null || (Number.isInteger(v) && Math.abs(v as number) < 10_000));
      const digits = new Intl.NumberFormat(language, { maximumFractionDigits: 6, useGrouping: !years });
      const small = new Intl.NumberFormat(language, { notation: 'scientific', maximumFractionDigits: 4 });
      return missing((v) => ((v as number) !== 0 && (Math.abs(v as number) < 1e-4 || Math.abs(v as number) >= 1e15) ? small : digits).format(v as number));
    }
    case 'date': {
      const days = c.values.every((v) => v === null || moment(v) % 86_400_000 === 0);
      const date = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC', ...(days ? {} : { timeStyle: 'medium' }) });
      return missing((v) => (Math.abs(moment(v)) <= 8.64e15 ? date.format(moment(v)) : plain(v)));
    }
    default: return plain;
  }
}

/** matching returns a function that finds the rows with a text in any column. */
export function matching(table: Table, shown: ((value: unknown) => string)[]): (query: string) => number[] {
  let hay: string[] | null = null;
  return (query) => {
    const all = Array.from({ length: table.rows }, (_, i) => i);
    const q = query.trim().toLowerCase();
    if (!q) return all;
    hay ??= all.map((i) =>
      [table.index?.[i] ?? '', ...table.columns.map((c, j) => (c.kind === 'text' ? plain(c.values[i]) : c.kind === 'number' ? `${plain(c.values[i])}` : `${plain(c.values[i])}\n${shown[j]!(c.values[i])}`))].join('\n').toLowerCase(),
    );
    // Users can search for a number with separators: 12,000.
    const bare = /^[-\d.,'\u00a0\u202f ]+$/.test(q) ? q.replace(/[,'\u00a0\u202f ]/g, '') : q;
    return all.filter((i) => hay![i]!.includes(q) || (bare !== q && hay![i]!.includes(bare)));
  };
}

/** csv returns a table as a file (RFC 4180) in which spreadsheets find no formulas. */
export function csv(table: Table, rows: number[], indexName: string): string {
  const head = [...(table.index ? [indexName] : []), ...table.columns.map((c) => c.name)].map(quoted);
  const lines = rows.map((i) => [...(table.index ? [quoted(table.index[i] ?? '')] : []), ...table.columns.map((c) => cell(c, c.values[i]))].join(','));
  return [head.join(','), ...lines].join('\r\n') + '\r\n';
}

function cell(c: Column, value: unknown): string {
  if (typeof value === 'number') return c.kind === 'date' && Math.abs(value) <= 8.64e15 ? new Date(value).toISOString() : String(value);
  return quoted(plain(value));
}

function quoted(text: string): string {
  const harmless = /^[-+]?\d[\d.,]*$/.test(text);
  const safe = /^[=+\-@\t\r\n]/.test(text) && !harmless ? `'${text}` : text;
  return /[",\r\n]/.test(safe) || /^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** width returns the width of a column in characters, from its name and some values. */
export function width(header: string, values: unknown[], show: (v: unknown) => string): number {
  const step = Math.max(1, Math.floor(values.length / 200));
  let longest = header.length + 3;
  for (let i = 0; i < values.length; i += step) longest = Math.max(longest, show(values[i]).length);
  return Math.min(42, Math.max(5, longest));
}
