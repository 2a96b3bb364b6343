// The allowed properties of a figure. All others are removed. Numbers have limits, because
// large ones make plotly.js compute for hours. Colors and sizes have limits, because
// plotly.js writes them into the page.
import { decoded } from './saving';

export type Fields = Record<string, unknown>;

/** Budget is the remaining number of values for all lists of a figure. */
export interface Budget {
  left: number;
  cut: boolean;
}

/** Check returns the allowed part of a value, or undefined. */
type Check = (value: unknown, budget: Budget) => unknown;

/** The limits: values in a list, characters in a text, size of numbers, cells of a heat map, and bins. */
export const most = { values: 20_000, text: 500, number: 1e100, cells: 100_000, bins: 1000 };

export const fields = (v: unknown): Fields | null => (typeof v === 'object' && v !== null && !Array.isArray(v) ? (v as Fields) : null);

/** wording returns the text of a figure with only harmless markup. */
export const wording = (text: string): string =>
  text.slice(0, most.text).replace(/<(\/?)\s*(b|i|br|sub|sup|em|s|u|extra)\b[^<>]*>|<[^>]*>?/gi, (_, close: string | undefined, tag: string | undefined) => (tag ? `<${close ?? ''}${tag.toLowerCase()}>` : ''));

const num = (min: number, max: number): Check => (v) => (typeof v === 'number' && Number.isFinite(v) ? Math.min(max, Math.max(min, v)) : undefined);
const whole = (min: number, max: number): Check => (v) => (typeof v === 'number' && Number.isFinite(v) ? Math.round(Math.min(max, Math.max(min, v))) : undefined);
const flag: Check = (v) => (typeof v === 'boolean' ? v : undefined);
const like = (form: RegExp): Check => (v) => (typeof v === 'string' && form.test(v) ? v : undefined);
const oneOf = (...values: unknown[]): Check => (v) => (values.includes(v) ? v : undefined);
const words = (list: string): Check => oneOf(...list.split(' '));
const text = (characters: number): Check => (v) => (typeof v === 'string' ? wording(v).slice(0, characters) : undefined);
const either = (...checks: Check[]): Check => (v, b) => {
  for (const check of checks) {
    const made = check(v, b);
    if (made !== undefined) return made;
  }
  return undefined;
};
const object = (keys: Record<string, Check>): Check => (v, b) => {
  const given = fields(v);
  if (!given) return undefined;
  const out: Fields = {};
  for (const [key, check] of Object.entries(keys)) {
    if (!Object.hasOwn(given, key)) continue;
    const made = check(given[key], b);
    if (made !== undefined) out[key] = made;
  }
  return out;
};

// list keeps the allowed values of a list and closes the gaps.
const list = (check: Check, longest: number = most.values): Check => (v, budget) => {
  const given = Array.isArray(v) ? v : unpacked(v);
  if (!given) return undefined;
  const out: unknown[] = [];
  for (const one of given) {
    if (out.length >= longest || budget.left-- <= 0) {
      budget.cut = true;
      break;
    }
    out.push(check(one, budget) ?? null);
  }
  return out;
};

const pair = (check: Check): Check => (v, b) => {
  const made = Array.isArray(v) && v.length === 2 ? v.map((one) => check(one, b)) : [];
  return made.length === 2 && !made.includes(undefined) ? made : undefined;
};

// scalar keeps one value of the data. It drops numbers that no axis can show.
const scalar: Check = (v) => {
  if (typeof v === 'string') return /^\s*[-+]?[\d.,]+e[-+]?\d{3}/i.test(v) ? undefined : wording(v);
  if (typeof v === 'boolean') return v;
  if (typeof v !== 'number' || !(Math.abs(v) <= most.number)) return undefined;
  return Math.abs(v) < 1 / most.number ? 0 : v;
};
const number: Check = (v, b) => (typeof v === 'number' ? scalar(v, b) : undefined);
const data = list(either(scalar, list(scalar)));

// A color as text. plotly.js ignores unknown names.
const colour = like(/^(?:#[\da-f]{3,8}|[a-z]{3,24}|(?:rgb|hsl)a?\([\d\s.,%/+-]{3,60}\))$/i);
const colours = either(colour, number, list(either(colour, number)));
const scale = either(like(/^[a-z_]{2,24}$/i), list(either(pair(either(num(0, 1), colour)), colour), 50));
const dash = words('solid dot dash longdash dashdot longdashdot');
const share = num(0, 1);
const shares = pair(share);
// The format of numbers. Formats with a large width could produce very long texts.
const format = like(/^(?!.*\d{3})[\w%$,.~+\-:/ ()#{}|&;]{1,40}$/);
const template: Check = (v) => (typeof v === 'string' && !/\{[^}]*:[^}]*\d{3}/.test(v) ? wording(v) : undefined);
const templates = either(template, list(template));
const texts = either(text(most.text), list(either(scalar, list(scalar, 20))));
const font = object({ size: num(6, 40), color: colour });
const title = either(text(200), object({ text: text(200), font, standoff: num(0, 60) }));
const axisName = like(/^[xy](?:[2-9]|1\d|20)?$/);
const reference = either(axisName, words('paper free'), like(/^[xy](?:[2-9]|1\d|20)? domain$/));
const numbers = either(number, list(number));
const bar = object({ title, tickprefix: text(20), ticksuffix: text(20), tickformat: format, tickvals: list(scalar, 50), ticktext: list(text(60), 50), orientation: words('v h') });
const coloured = { colorscale: scale, reversescale: flag, showscale: flag, colorbar: bar, coloraxis: like(/^coloraxis\d?$/), cauto: flag, cmin: number, cmax: number, cmid: number };
const line = object({ color: colours, width: either(num(0, 20), list(num(0, 20))), dash, shape: words('linear spline hv vh hvh vhv'), smoothing: num(0, 1.3) });
const symbol = either(like(/^[a-z-]{1,30}$/), whole(0, 52));
const errors = object({ type: words('percent constant sqrt data'), array: list(number), arrayminus: list(number), value: num(0, 1e9), valueminus: num(0, 1e9), symmetric: flag, visible: flag, color: colour, thickness: num(0, 10), width: num(0, 20) });
const bins = object({ start: scalar, end: scalar, size: either(num(0, most.number), like(/^M[1-9]\d?$/)) });

const marker: Check = (v, b) => {
  const made = object({
    color: colours, colors: list(colour), size: either(num(0, 100), list(num(0, 1e12))), sizeref: num(0, 1e12), sizemin: num(0, 30), sizemode: words('diameter area'),
    symbol: either(symbol, list(symbol)), opacity: either(share, list(share)), line, pattern: object({ shape: oneOf('', '/', '\\', 'x', '-', '|', '+', '.') }), ...coloured,
  })(v, b) as Fields | undefined;
  if (!made || !Array.isArray(made.size)) return made;
  // No bubble is wider than 100 pixels.
  const largest = made.size.reduce<number>((n, size) => Math.max(n, Number(size)), 0);
  const least = made.sizemode === 'area' ? largest / 5000 : largest / 100;
  if (least > 0) made.sizeref = Math.max(least, typeof made.sizeref === 'number' && made.sizeref > 0 ? made.sizeref : 1);
  return made;
};

const said = object({
  name: text(200), mode: like(/^[a-z+]{1,30}$/), orientation: words('v h'), x: data, y: data, z: data, labels: data, values: data, x0: scalar, y0: scalar, dx: number, dy: number,
  text: texts, hovertext: texts, hovertemplate: templates, texttemplate: templates, customdata: data,
  textposition: either(like(/^[a-z ]{1,20}$/), list(like(/^[a-z ]{1,20}$/))), textinfo: like(/^[a-z+]{1,40}$/), hoverinfo: like(/^[a-z+]{1,40}$/), textfont: font, insidetextorientation: words('horizontal radial tangential auto'),
  marker, line, fill: words('none tozeroy tozerox tonexty tonextx toself tonext'), fillcolor: colour, opacity: share, stackgroup: text(60), groupnorm: oneOf('', 'fraction', 'percent'),
  width: numbers, offset: numbers, base: either(scalar, list(scalar)), offsetgroup: text(60), alignmentgroup: text(60), error_x: errors, error_y: errors,
  hole: num(0, 0.9), pull: either(num(0, 0.5), list(num(0, 0.5))), rotation: num(-360, 360), sort: flag, direction: words('clockwise counterclockwise'), domain: object({ x: shares, y: shares, row: whole(0, 19), column: whole(0, 19) }),
  colorscale: scale, reversescale: flag, showscale: flag, colorbar: bar, coloraxis: coloured.coloraxis, zmin: number, zmax: number, zmid: number, zauto: flag, zsmooth: oneOf(false, 'fast', 'best'), xgap: num(0, 20), ygap: num(0, 20), transpose: flag, connectgaps: flag,
  nbinsx: whole(1, 500), nbinsy: whole(1, 500), xbins: bins, ybins: bins, histnorm: oneOf('', 'percent', 'probability', 'density', 'probability density'), histfunc: words('count sum avg min max'), cumulative: object({ enabled: flag, direction: words('increasing decreasing'), currentbin: words('include exclude half') }),
  boxpoints: oneOf('all', 'outliers', 'suspectedoutliers', false), boxmean: oneOf(true, 'sd', false), jitter: share, pointpos: num(-2, 2), notched: flag, whiskerwidth: share, quartilemethod: words('linear exclusive inclusive'),
  q1: data, median: data, q3: data, lowerfence: data, upperfence: data, mean: data, sd: data,
  xaxis: axisName, yaxis: axisName, showlegend: flag, legendgroup: text(60), legendrank: whole(0, 10_000), visible: oneOf(true, false, 'legendonly'), automargin: flag, xhoverformat: format, yhoverformat: format, zhoverformat: format,
});

/** trace returns the allowed part of a trace that is drawn. */
export function trace(type: string, raw: Fields, budget: Budget): Fields {
  const out = said(raw, budget) as Fields;
  if (type !== 'bar' && type !== 'box') delete out.width;
  if (type === 'heatmap') cells(out, budget);
  return { type, ...out };
}

/** listed returns the lists of another trace, for the table. */
export function listed(type: string, raw: Fields, budget: Budget): Fields {
  const out: Fields = { type };
  for (const [key, value] of Object.entries(raw).slice(0, 50)) {
    if (key === 'name') out.name = text(200)(value, budget);
    else if (/^[a-z]\w{0,30}$/i.test(key) && key !== 'type' && key !== 'constructor' && !/ids?$|src$|url/i.test(key)) {
      const made = data(value, budget);
      if (made !== undefined) out[key] = made;
    }
  }
  return out;
}

// cells limits heat maps. Lists of coordinates have as many cells as different positions.
function cells(t: Fields, budget: Budget): void {
  if (!Array.isArray(t.z)) return;
  let drawn: number;
  if (t.z.some(Array.isArray)) {
    let widest = 1;
    let rows = 0;
    for (const row of t.z) {
      const wide = Math.max(widest, Array.isArray(row) ? row.length : 0);
      if (wide * (rows + 1) > most.cells) break;
      [widest, rows] = [wide, rows + 1];
    }
    if (rows < t.z.length) {
      t.z = t.z.slice(0, rows);
      budget.cut = true;
    }
    drawn = widest * rows;
  } else {
    const places = (key: string) => (Array.isArray(t[key]) ? new Set(t[key]).size : 1);
    if (places('x') * places('y') > most.cells) {
      for (const key of ['x', 'y', 'z']) if (Array.isArray(t[key])) t[key] = t[key].slice(0, 300);
      budget.cut = true;
    }
    drawn = places('x') * places('y');
  }
  if (drawn > 900) for (const key of ['texttemplate', 'connectgaps', 'text', 'hovertext']) delete t[key];
}

/** counted removes the bins of histograms with too many of them. Histograms on one axis share their bins. */
export function counted(traces: Fields[]): void {
  const histograms = traces.filter((t) => t.type === 'histogram');
  for (const axis of ['x', 'y']) {
    const times = histograms.flatMap((t) => (Array.isArray(t[axis]) ? (t[axis] as unknown[]).filter((v) => v !== null) : [])).map(amount);
    for (const t of histograms) {
      const given = fields(t[`${axis}bins`]);
      if (!given) continue;
      const ends = [given.start, given.end].filter((v) => v !== undefined).map(amount);
      const size = typeof given.size === 'string' ? Number(given.size.slice(1)) * 28 * 86_400_000 : Number(given.size);
      const [from, to] = [...times, ...ends].reduce<[number, number]>(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]);
      if (!(size > 0) || !((to - from) / size <= most.bins)) delete t[`${axis}bins`];
    }
  }
}

const amount = (v: unknown): number => (typeof v === 'number' ? v : typeof v === 'string' && v.trim() !== '' && Number.isFinite(Number(v)) ? Number(v) : Date.parse(String(v)));

const axisSaid = object({
  title, type: words('- linear log date category multicategory'), autorange: oneOf(true, false, 'reversed'), range: pair(scalar), rangemode: words('normal tozero nonnegative'),
  tickvals: list(scalar, 100), ticktext: list(text(80), 100), tickformat: format, hoverformat: format, tickprefix: text(20), ticksuffix: text(20), tickangle: num(-90, 90), ticks: oneOf('', 'inside', 'outside'), showticklabels: flag, separatethousands: flag,
  showgrid: flag, zeroline: flag, showline: flag, visible: flag, side: words('top bottom left right'), anchor: either(axisName, words('free')), overlaying: axisName, matches: axisName, scaleanchor: axisName, scaleratio: num(0.01, 100), constrain: words('range domain'),
  domain: shares, position: share, categoryorder: like(/^[a-z ]{1,30}$/), categoryarray: list(scalar, 1000),
});

const axis: Check = (v, b) => {
  const made = axisSaid(v, b) as Fields | undefined;
  // Keep only ranges that are not empty, too small, or longer than all days.
  const [from, to] = (made?.range ?? []) as [unknown, unknown];
  if (made && typeof from === 'number' && typeof to === 'number') {
    const widest = Math.max(Math.abs(from), Math.abs(to));
    const bound = made.type === 'log' ? 100 : made.type === 'date' ? 2e14 : most.number;
    if (widest > bound || !(Math.abs(to - from) > 1e-9 * widest)) delete made.range;
  } else if (made?.range && (typeof from !== 'string' || typeof to !== 'string')) delete made.range;
  return made;
};

const subplot = like(/^(?:[xy](?:[2-9]|1\d|20)?){0,2}$/);
const grid = object({ rows: whole(1, 20), columns: whole(1, 20), pattern: words('independent coupled'), roworder: oneOf('top to bottom', 'bottom to top'), xgap: num(0, 0.9), ygap: num(0, 0.9), subplots: list(list(subplot, 20), 20), xaxes: list(subplot, 20), yaxes: list(subplot, 20) });
const shape = object({ type: words('line rect circle'), x0: scalar, x1: scalar, y0: scalar, y1: scalar, xref: reference, yref: reference, line, fillcolor: colour, opacity: share, layer: words('above below between'), visible: flag });
const annotation = object({
  text: text(most.text), x: scalar, y: scalar, xref: reference, yref: reference, xanchor: words('auto left center right'), yanchor: words('auto top middle bottom'), xshift: num(-300, 300), yshift: num(-300, 300), ax: num(-300, 300), ay: num(-300, 300),
  showarrow: flag, arrowhead: whole(0, 8), arrowsize: num(0.3, 3), arrowwidth: num(0.3, 6), arrowcolor: colour, align: words('left center right'), textangle: num(-180, 180), font, bgcolor: colour, bordercolor: colour, borderwidth: num(0, 6), borderpad: num(0, 20), opacity: share, visible: flag,
});
const shown = (check: Check): Check => (v, b) => (Array.isArray(v) ? v.slice(0, 40).flatMap((one) => check(one, b) ?? []) : undefined);

const layoutSaid: Record<string, Check> = {
  barmode: words('stack group overlay relative'), barnorm: oneOf('', 'fraction', 'percent'), bargap: share, bargroupgap: share, boxmode: words('group overlay'), boxgap: share, boxgroupgap: share,
  showlegend: flag, legend: object({ title: object({ text: text(200) }), traceorder: words('normal reversed grouped reversed+grouped') }), hovermode: oneOf(false, 'x', 'y', 'closest', 'x unified', 'y unified'),
  coloraxis: object(coloured), colorscale: object({ sequential: scale, sequentialminus: scale, diverging: scale }), piecolorway: list(colour, 60), hiddenlabels: list(scalar, 200), grid, shapes: shown(shape), annotations: shown(annotation),
};

/** arranged returns the allowed part of a layout. */
export function arranged(raw: Fields): Fields {
  const budget: Budget = { left: most.values, cut: false };
  const out: Fields = {};
  for (const [key, value] of Object.entries(raw)) {
    const check = Object.hasOwn(layoutSaid, key) ? layoutSaid[key] : /^[xy]axis(?:[2-9]|1\d|20)?$/.test(key) ? axis : /^coloraxis[2-9]$/.test(key) ? layoutSaid.coloraxis : undefined;
    const made = check?.(value, budget);
    if (made !== undefined) out[key] = made;
  }
  return out;
}

// unpacked reads the packed numbers of newer Python versions.
function unpacked(value: unknown): unknown[] | null {
  const o = fields(value);
  if (!o || typeof o.bdata !== 'string' || typeof o.dtype !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(o.bdata)) return null;
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
