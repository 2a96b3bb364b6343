// A plotly figure, cut down to what is drawn here: nothing of it asks another
// host for anything, runs for long, or leads anywhere.
import type { Column, Table } from './table';
import { readTable } from './table';
import { decoded } from './saving';

type Fields = Record<string, unknown>;

export interface Figure {
  /** Traces that are drawn. */
  data: Fields[];
  layout: Fields;
  /** What it is called; '' if nothing. */
  title: string;
  kind: 'scatter' | 'line' | 'bar' | 'pie' | 'heatmap' | 'histogram' | 'box' | 'mixed';
  /** Values that are drawn. */
  values: number;
  cut: boolean;
  /** Types of traces that are not drawn. */
  undrawn: string[];
  /** The data of all traces. */
  table: Table | null;
}

/** Bounds: traces, values of all, characters of a text, of a whole figure, depth. */
const most = { traces: 60, values: 20_000, text: 500, figure: 16_000_000, depth: 9 };

const drawn = ['scatter', 'bar', 'pie', 'heatmap', 'histogram', 'box'];

const fields = (v: unknown): Fields | null => (typeof v === 'object' && v !== null && !Array.isArray(v) ? (v as Fields) : null);

/** readFigure reads a figure; null if it is none. */
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
  const budget: Budget = { left: 5 * most.values, cut: raw.data.length > most.traces };
  const traces = raw.data.slice(0, most.traces).flatMap((t) => (fields(t) ? [trace(t as Fields, budget)] : []));
  const data = traces.filter((t) => drawn.includes(t.type as string));
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

/** Budget is what all lists of a figure may hold together. */
interface Budget {
  left: number;
  cut: boolean;
}

// What a trace may say, beside its data. Anything that is not here is looks that
// are rarely used, or something that acts.
const sayings = new Set((
  'type mode name orientation x y z x0 dx y0 dy labels values text hovertext hovertemplate texttemplate textposition textinfo hoverinfo customdata marker line fill fillcolor ' +
  'stackgroup groupnorm opacity width offset offsetgroup base error_x error_y hole pull rotation sort direction colorscale reversescale zmin zmax zmid zauto showscale colorbar ' +
  'coloraxis xaxis yaxis nbinsx nbinsy histnorm histfunc cumulative xbins ybins boxpoints boxmean jitter pointpos notched q1 median q3 lowerfence upperfence mean sd ' +
  'showlegend legendgroup legendrank visible connectgaps xgap ygap domain title connector quartilemethod whiskerwidth textfont automargin bingroup alignmentgroup xhoverformat yhoverformat zhoverformat transpose zsmooth line_shape'
).split(' '));

function trace(raw: Fields, budget: Budget): Fields {
  const type = typeof raw.type === 'string' ? raw.type.slice(0, 40) : 'scatter';
  const out: Fields = { type: type === 'scattergl' ? 'scatter' : type };
  for (const [key, value] of Object.entries(raw)) {
    if (key === 'type' || (!sayings.has(key) && drawn.includes(out.type as string)) || key.startsWith('_')) continue;
    const made = safe(value, budget, 0);
    if (made !== undefined) out[key] = made;
  }
  return out;
}

// Keys that make something act or ask for something, wherever they stand.
const forbidden = /^(?:_|__proto__$|constructor$|prototype$|images?$|source$|src$|href$|url|config$|frames$|updatemenus$|sliders$|template$|geo|map|scene|polar|ternary|smith|uirevision$|meta$|family$|ids?$|selections?$|newshape|modebar$|clickmode$|dragmode$|activeshape|transition$|path$)/i;

function safe(value: unknown, budget: Budget, depth: number): unknown {
  if (typeof value === 'string') return wording(value);
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  if (depth > most.depth || typeof value !== 'object') return undefined;
  if (Array.isArray(value)) return list(value, budget, depth);
  const packed = unpacked(value as Fields);
  if (packed) return list(packed, budget, depth);
  const out: Fields = {};
  for (const [key, v] of Object.entries(value).slice(0, 300)) {
    if (forbidden.test(key)) continue;
    const made = safe(v, budget, depth + 1);
    if (made !== undefined) out[key] = made;
  }
  return out;
}

function list(values: readonly unknown[], budget: Budget, depth: number): unknown[] {
  const out: unknown[] = [];
  for (const v of values) {
    if (out.length >= most.values || budget.left-- <= 0) {
      budget.cut = true;
      break;
    }
    out.push(safe(v, budget, depth + 1) ?? null);
  }
  return out;
}

// Numbers as newer Pythons pack them.
function unpacked(o: Fields): unknown[] | null {
  if (typeof o.bdata !== 'string' || typeof o.dtype !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(o.bdata)) return null;
  const bytes = decoded(o.bdata);
  const view = new DataView(bytes.buffer);
  const read: Record<string, [number, (at: number) => number]> = {
    f8: [8, (i) => view.getFloat64(i, true)], f4: [4, (i) => view.getFloat32(i, true)], i4: [4, (i) => view.getInt32(i, true)], u4: [4, (i) => view.getUint32(i, true)],
    i2: [2, (i) => view.getInt16(i, true)], u2: [2, (i) => view.getUint16(i, true)], i1: [1, (i) => view.getInt8(i)], u1: [1, (i) => view.getUint8(i)],
  };
  const [size, at] = Object.hasOwn(read, o.dtype) ? read[o.dtype]! : [0, () => 0];
  if (size === 0) return null;
  const all = Array.from({ length: Math.min(Math.floor(bytes.length / size), most.values) }, (_, i) => at(i * size)).map((n) => (Number.isFinite(n) ? n : null));
  const columns = typeof o.shape === 'string' ? Number(o.shape.split(',')[1]) : 0;
  if (!(columns > 0)) return all;
  return Array.from({ length: Math.floor(all.length / columns) }, (_, i) => all.slice(i * columns, (i + 1) * columns));
}

/** wording is text of a figure: of its markup is left what only looks. */
export const wording = (text: string): string =>
  text.slice(0, most.text).replace(/<(\/?)\s*(b|i|br|sub|sup|em|s|u|extra)\b[^<>]*>|<[^>]*>?/gi, (_, close: string | undefined, tag: string | undefined) => (tag ? `<${close ?? ''}${tag.toLowerCase()}>` : ''));

const layoutSayings = /^(?:title|[xy]axis\d{0,2}|barmode|barnorm|bargap|bargroupgap|boxmode|boxgap|boxgroupgap|legend\d?|showlegend|annotations|shapes|grid|coloraxis\d?|colorscale|piecolorway|hiddenlabels|margin|hovermode|funnelmode)$/;

function arranged(raw: Fields): Fields {
  const budget: Budget = { left: 5 * most.values, cut: false };
  const out: Fields = {};
  for (const [key, value] of Object.entries(raw)) {
    if (!layoutSayings.test(key)) continue;
    const made = safe(Array.isArray(value) ? value.slice(0, 100) : value, budget, 0);
    if (made !== undefined) out[key] = made;
  }
  return out;
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

// The data as a table: each value with its series.
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
  return rows.length > 0 ? readTable(rows.slice(0, most.values)) : null;
}

const at = (list: unknown, i: number): unknown => (Array.isArray(list) ? list[i] : undefined);

/** headed is a figure's table with its first column under the name for series. */
export function headed(table: Table, series: string): Table {
  return { ...table, columns: table.columns.map((c: Column) => (c.name === 'series' ? { ...c, name: series } : c)) };
}
