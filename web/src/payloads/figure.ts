// Reduces a plotly figure to the supported part. It requests nothing from other hosts,
// needs little time, and has no links.
import { arranged, counted as binned, fields, listed, trace, wording, type Budget, type Fields } from './allowed';
import type { Column, Table } from './table';
import { readTable } from './table';

export interface Figure {
  /** The drawn traces. */
  data: Fields[];
  layout: Fields;
  /** The title, or ''. */
  title: string;
  kind: 'scatter' | 'line' | 'bar' | 'pie' | 'heatmap' | 'histogram' | 'box' | 'mixed';
  /** The number of drawn values. */
  values: number;
  cut: boolean;
  /** The types of traces that are not drawn. */
  undrawn: string[];
  /** The data of all traces. */
  table: Table | null;
}

/** The limits: traces, values, rows of the table, and characters of a figure. */
const most = { traces: 60, values: 100_000, rows: 20_000, figure: 16_000_000 };

const drawn = ['scatter', 'bar', 'pie', 'heatmap', 'histogram', 'box'];

/** readFigure reads a figure, or returns null. */
export function readFigure(content: unknown): Figure | null {
  let value = content;
  if (typeof content === 'string') {
    if (content.length > most.figure) return null;
    try {
      value = JSON.parse(content.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\bInfinity\b|\bNaN\b/g, (t) => (t[0] === '"' ? t : 'null')));
    } catch {
      return null;
    }
  }
  const raw = fields(value);
  if (!raw || !Array.isArray(raw.data)) return null;
  const budget: Budget = { left: most.values, cut: raw.data.length > most.traces };
  const traces = raw.data.slice(0, most.traces).flatMap((t) => (fields(t) ? [read(t as Fields, budget)] : []));
  const data = traces.filter((t) => drawn.includes(t.type as string));
  binned(data);
  const layout = arranged(fields(raw.layout) ?? {});
  const kinds = new Set(data.map(kindOf));
  return {
    data, layout,
    title: titleOf(raw.layout),
    kind: kinds.size === 1 ? [...kinds][0]! : 'mixed',
    values: data.reduce((n, t) => n + counted(t), 0),
    cut: budget.cut,
    undrawn: [...new Set(traces.map((t) => String(t.type)).filter((t) => !drawn.includes(t)))],
    table: tabled(traces),
  };
}

function read(raw: Fields, budget: Budget): Fields {
  const given = typeof raw.type === 'string' ? raw.type.slice(0, 40) : 'scatter';
  const type = given === 'scattergl' ? 'scatter' : given === 'heatmapgl' ? 'heatmap' : given;
  return drawn.includes(type) ? trace(type, raw, budget) : listed(type, raw, budget);
}

function titleOf(layout: unknown): string {
  const title = fields(layout)?.title;
  const text = typeof title === 'string' ? title : fields(title)?.text;
  return typeof text === 'string' ? wording(text).replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ').trim() : '';
}

function kindOf(t: Fields): Figure['kind'] {
  if (t.type !== 'scatter') return t.type as Figure['kind'];
  return typeof t.mode === 'string' && !t.mode.includes('lines') ? 'scatter' : 'line';
}

const length = (v: unknown): number => (Array.isArray(v) ? (Array.isArray(v[0]) ? v.reduce<number>((n, row) => n + (Array.isArray(row) ? row.length : 0), 0) : v.length) : 0);
const counted = (t: Fields): number => Math.max(0, ...['x', 'y', 'z', 'values', 'labels', 'q1'].map((key) => length(t[key])));

// tabled returns the data as a table with one row for each value.
function tabled(traces: Fields[]): Table | null {
  const rows: Fields[] = [];
  const several = traces.length > 1;
  traces.forEach((t, i) => {
    const series: Fields = several ? { series: typeof t.name === 'string' && t.name ? t.name : String(i + 1) } : {};
    if (Array.isArray(t.z) && Array.isArray(t.z[0])) {
      (t.z as unknown[][]).forEach((row, r) => row.forEach?.((z, c) => rows.push({ ...series, x: at(t.x, c) ?? c + 1, y: at(t.y, r) ?? r + 1, z })));
      return;
    }
    const lists = Object.entries(t).filter(([key, v]) => Array.isArray(v) && v.length > 0 && !Array.isArray(v[0]) && !['customdata'].includes(key));
    const n = Math.max(0, ...lists.map(([, v]) => (v as unknown[]).length));
    for (let r = 0; r < n; r++) rows.push({ ...series, ...Object.fromEntries(lists.map(([key, v]) => [key, (v as unknown[])[r] ?? null])) });
  });
  return rows.length > 0 ? readTable(rows.slice(0, most.rows)) : null;
}

const at = (list: unknown, i: number): unknown => (Array.isArray(list) ? list[i] : undefined);

/** headed returns a table whose first column has the name for series. */
export function headed(table: Table, series: string): Table {
  return { ...table, columns: table.columns.map((c: Column) => (c.name === 'series' ? { ...c, name: series } : c)) };
}
