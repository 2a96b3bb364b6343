// Reading the replies of agents: no content can run, and no content takes
// too long.
import { describe, expect, test } from 'vitest';
import { listen } from '../../src/payloads/audio';
import { wording } from '../../src/payloads/allowed';
import { readFigure } from '../../src/payloads/figure';
import { extension, fileKind, imageType, pixels, read } from '../../src/payloads/files';
import { disarmed, dress, harmless } from '../../src/payloads/html';
import { degrees, geo, onMap, place } from '../../src/payloads/place';
import { decoded } from '../../src/payloads/saving';
import { csv, matching, plain, readTable, sorted, written, type Table } from '../../src/payloads/table';
import { called, children, opened, shortText, sort, structure } from '../../src/payloads/tree';
import { fileReply, question } from '../../src/conversation/replies';
import { shortSource, title } from '../../src/evidence/evidence.svelte';
import { honest } from '../../src/shell/names';
import { hostile } from '../mock/corpus';
import * as sample from '../e2e/samples';

const names = (t: Table | null) => t?.columns.map((c) => c.name);
const rows = (t: Table | null) => Array.from({ length: t?.rows ?? 0 }, (_, i) => t!.columns.map((c) => c.values[i]));
/** took is the time of the processor, in ms, which others do not add to. */
const took = (f: () => void) => {
  const from = process.cpuUsage();
  f();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000;
};

describe('tables', () => {
  const want = { names: ['b', 'a'], rows: [[1, 'x'], [null, 'y']] };
  test.each([
    ['columns', '{"b":{"0":1,"1":null},"a":{"0":"x","1":"y"}}'],
    ['columns as an object', { b: { 0: 1, 1: null }, a: { 0: 'x', 1: 'y' } }],
    ['lists', '{"b":[1,null],"a":["x","y"]}'],
    ['records', '[{"b":1,"a":"x"},{"a":"y"}]'],
    ['split', '{"columns":["b","a"],"index":[0,1],"data":[[1,"x"],[NaN,"y"]]}'],
    ['table', '{"schema":{"fields":[{"name":"b"},{"name":"a"}]},"data":[{"a":"x","b":1},{"a":"y","b":null}]}'],
  ])('of the orientation %s', (_, content) => {
    const t = readTable(content);
    expect([names(t), rows(t), t?.index]).toEqual([want.names, want.rows, null]);
  });

  test('keep the order of names and rows that are numbers', () => {
    const t = readTable('{"10":{"5":"a","2":"b"},"9":{"5":"c","2":"d"}}');
    expect([names(t), t?.index, rows(t)]).toEqual([['10', '9'], ['5', '2'], [['a', 'c'], ['b', 'd']]]);
    expect(plain(readTable('{"a":{"0":{"1":2}}}')!.columns[0]!.values[0])).toBe('{"1":2}');
  });

  test.each(['[1]', '7', 'x', '{"a":1}', null, undefined, '{"a":{"0":1}', '{"columns":[1],"data":[1]}', [1, {}]])('%j is none', (content) => expect(readTable(content)).toBeNull());
  test('an empty one is one', () => expect([readTable('{}'), readTable('[]')].map((t) => [t?.rows, t?.columns.length])).toEqual([[0, 0], [0, 0]]));

  test('columns are numbers, dates, booleans or text', () => {
    const t = readTable({ n: [1, null], at_time: [Date.UTC(2026, 0, 2), null], day: ['2026-01-02', '2026-01-03'], big: [1.7e12, 2e12], b: [true, null], s: [1, 'x'], e: [null, null] })!;
    expect(t.columns.map((c) => c.kind)).toEqual(['number', 'date', 'date', 'number', 'boolean', 'text', 'text']);
    const says = t.columns.map((c) => written(c, 'en', { yes: 'yes', no: 'no' })(c.values[0]));
    expect(says).toEqual(['1', 'Jan 2, 2026', 'Jan 2, 2026', '1,700,000,000,000', 'yes', '1', '']);
    expect(written(t.columns[3]!, 'de', { yes: 'ja', no: 'nein' })(12345.5)).toBe('12.345,5');
  });

  test('are sorted by type, with equal rows in order and missing values last', () => {
    const t = readTable({ n: [10, null, 9, 9], s: ['b10', 'Ä', 'b9', null], d: ['2026-02-01', '2025-12-31', null, '2026-01-01'] })!;
    const all = [0, 1, 2, 3];
    expect(sorted(t, all, t.columns[0]!, false, 'de')).toEqual([2, 3, 0, 1]);
    expect(sorted(t, all, t.columns[0]!, true, 'de')).toEqual([0, 2, 3, 1]);
    expect(sorted(t, all, t.columns[1]!, false, 'de')).toEqual([1, 2, 0, 3]);
    expect(sorted(t, all, t.columns[2]!, true, 'de')).toEqual([0, 3, 1, 2]);
    expect(all).toEqual([0, 1, 2, 3]);
  });

  test('are searched in all columns, as written or as shown', () => {
    const t = readTable({ n: [12000, 3], s: ['Ada', 'Größe'] })!;
    const match = matching(t, t.columns.map((c) => written(c, 'en', { yes: 'yes', no: 'no' })));
    expect([match(''), match('ADA'), match('größe'), match('12,000'), match('12000'), match('zz')]).toEqual([[0, 1], [0], [1], [0], [0], []]);
  });

  test('as a file have the necessary quotes and no formulas', () => {
    const t = readTable({ 'a,b': ['=1+1', '@x', '-5', '+4.5', '-x', 'say "hi"\nthere', ' pad', null], n: [-5, 1.5, 0, 1, 2, 3, 4, 5] })!;
    expect(csv(t, [0, 1, 2, 3, 4, 5, 6, 7], 'Row')).toBe('"a,b",n\r\n\'=1+1,-5\r\n\'@x,1.5\r\n-5,0\r\n+4.5,1\r\n\'-x,2\r\n"say ""hi""\nthere",3\r\n" pad",4\r\n,5\r\n');
  });

  test('of any size are read and sorted in time', () => {
    const text = sample.people(50_000);
    let t: Table | null = null;
    expect(took(() => (t = readTable(text)))).toBeLessThan(5000);
    expect(took(() => sorted(t!, t!.columns[1]!.values.map((_, i) => i), t!.columns[0]!, false, 'en'))).toBeLessThan(10_000);
    const wide = readTable(JSON.stringify(Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`c${i}`, { 0: 1 }]))));
    expect([wide?.columns.length, wide?.cut]).toEqual([500, true]);
  });
});

describe('figures', () => {
  test('keep their data and lose scripts and requests', () => {
    const f = readFigure(sample.figure('bar'))!;
    expect([f.title, f.kind, f.values, f.data.length, f.undrawn, f.cut]).toEqual(['Revenue by quarter', 'bar', 8, 2, [], false]);
    const text = JSON.stringify([f.data, f.layout]);
    expect(text).not.toMatch(/evil\.|<a|href|images|updatemenus|template|config/);
    expect(text).toContain('Quarter evil'.slice(0, 7));
    expect(names(f.table)).toEqual(['series', 'x', 'y']);
  });

  test('forbidden keys are removed at any depth', () => {
    const f = readFigure({ data: [{ type: 'bar', y: [1], marker: { color: 'red', images: [{ source: 'https://evil.example' }], pattern: { path: 'M0' } }, onclick: 'x', _private: 1, uirevision: 1 }], layout: { xaxis: { title: { text: 'x', font: { family: 'evil' } } }, mapbox: {}, geo: {}, dragmode: 'select' } })!;
    expect(f.data[0]).toEqual({ type: 'bar', y: [1], marker: { color: 'red', pattern: {} } });
    expect(f.layout).toEqual({ xaxis: { title: { text: 'x', font: {} } } });
  });

  test('packed numbers, other types, and invalid figures', () => {
    const line = readFigure(sample.figure('line'))!;
    expect(line.data[1]).toMatchObject({ x: [1, 2, 3], y: [1, 2, 3] });
    expect(readFigure({ data: [{ z: { dtype: 'u1', bdata: 'AQIDBA==', shape: '2, 2' }, type: 'heatmap' }] })!.data[0]!.z).toEqual([[1, 2], [3, 4]]);
    const other = readFigure(sample.figure('scatter3d'))!;
    expect([other.data, other.undrawn, rows(other.table)]).toEqual([[], ['scatter3d'], [[1, 2, 3]]]);
    expect(readFigure({ data: [{ type: 'scattergl', mode: 'markers', y: [1] }] })!.kind).toBe('scatter');
    for (const none of ['x', '[]', null, {}, { data: 1 }]) expect(readFigure(none)).toBeNull();
    expect(readFigure('{"data":[{"y":[NaN,-Infinity,"NaN"]}]}')!.data[0]!.y).toEqual([null, null, 'NaN']);
  });

  test('of any size are cut', () => {
    const y = Array.from({ length: 100_000 }, (_, i) => i);
    const f = readFigure({ data: Array.from({ length: 100 }, () => ({ type: 'scatter', y })) })!;
    expect([f.data.length, f.cut]).toEqual([60, true]);
    expect(f.values).toBeLessThanOrEqual(100_000);
    expect(wording('<b onclick=x>a</b><a href=x>b</a><span style="x">c</span><')).toBe('<b>a</b>bc');
  });
});

describe('figures that would take too long', () => {
  const layout = (of: object) => readFigure({ data: [{ type: 'scatter', x: [1, 2], y: [1, 2] }], layout: of })!.layout;
  const data = (...traces: object[]) => readFigure({ data: traces })!;

  test('docent sets the ticks, and their names are limited', () => {
    expect(layout({ xaxis: { dtick: 1e-9, tick0: 5, nticks: 1e9, tickmode: 'linear', minor: { dtick: 1e-9 }, range: [0, 1] } })).toEqual({ xaxis: { range: [0, 1] } });
    expect(layout({ xaxis: { type: 'date', dtick: 1, rangebreaks: [{ dvalue: 1 }], rangeslider: {} } })).toEqual({ xaxis: { type: 'date' } });
    const many = layout({ yaxis: { tickvals: Array(5000).fill(1), ticktext: Array(5000).fill('x'.repeat(400)) } }).yaxis as { tickvals: unknown[]; ticktext: string[] };
    expect([many.tickvals.length, many.ticktext.length, many.ticktext[0]!.length]).toEqual([100, 100, 80]);
    expect((data({ type: 'heatmap', z: [[1]], colorbar: { dtick: 1e-9, nticks: 1e9, len: 1e9, ticksuffix: '%' } }).data[0]!).colorbar).toEqual({ ticksuffix: '%' });
  });

  test.each([[[0, 1e300]], [[0, 1e-300]], [[1, 1 + 1e-15]], [[3, 3]], [[null, 1]], [[0, Infinity]], [['2026-01-01', 5]], ['x'], [[0, 1, 2]]])('the range %j is none', (range) => expect(layout({ xaxis: { range } })).toEqual({ xaxis: {} }));
  test('ranges of dates and logarithms are bounded', () => {
    expect(layout({ xaxis: { type: 'log', range: [0, 400] }, yaxis: { type: 'date', range: [0, 1e16] }, xaxis2: { range: ['2026-01-01', '2026-02-01'] } })).toEqual({ xaxis: { type: 'log' }, yaxis: { type: 'date' }, xaxis2: { range: ['2026-01-01', '2026-02-01'] } });
  });

  test('a grid has twenty rows, and there are so many axes', () => {
    expect(layout({ grid: { rows: 1e8, columns: 1e8, subplots: Array(1e4).fill(Array(1e4).fill('xy')), xaxes: ['x', 'url(x)'] } }).grid).toEqual({ rows: 20, columns: 20, subplots: Array(20).fill(Array(20).fill('xy')), xaxes: ['x', null] });
    expect(Object.keys(layout(Object.fromEntries(Array.from({ length: 99 }, (_, i) => [`xaxis${i + 2}`, {}])))).length).toBe(19);
    expect(data({ y: [1], xaxis: 'x999', yaxis: 'y2' }).data[0]).toEqual({ type: 'scatter', y: [1], yaxis: 'y2' });
  });

  test('shapes and annotations are few and small', () => {
    const made = layout({ shapes: Array(999).fill({ type: 'path', path: 'M0 0'.repeat(1e4), line: { width: 1e9, color: 'url(x)' } }), annotations: Array(999).fill({ text: 'a'.repeat(9999), ax: 1e9, arrowsize: 1e9, font: { size: 1e9, family: 'url(x)', color: 'red;x' } }) });
    expect((made.shapes as unknown[]).length).toBe(40);
    expect((made.shapes as unknown[])[0]).toEqual({ line: { width: 20 } });
    expect((made.annotations as unknown[]).length).toBe(40);
    expect((made.annotations as unknown[])[0]).toEqual({ text: 'a'.repeat(500), ax: 300, arrowsize: 3, font: { size: 40 } });
  });

  test('the number of bins is limited', () => {
    const bins = (...traces: object[]) => data(...traces.map((t) => ({ type: 'histogram', ...t }))).data.map((t) => [t.xbins, t.nbinsx]);
    expect(bins({ x: [0, 1e9], xbins: { start: 0, end: 1e9, size: 0.001 } }, { x: [0, 1], nbinsx: 1e9 })).toEqual([[undefined, undefined], [undefined, 500]]);
    expect(bins({ x: [0, 10], xbins: { start: 0, end: 10, size: 1 } })).toEqual([[{ start: 0, end: 10, size: 1 }, undefined]]);
    expect(bins({ x: [0, 1], xbins: { size: 0.1 } }, { x: [1e9] })[0]).toEqual([undefined, undefined]); // traces on one axis share the bins
    expect(bins({ x: ['2000-01-01', '2026-01-01'], xbins: { size: 'M1' } }, { x: ['2001-01-01'], xbins: { size: 86_400_000 } }).map((b) => b[0])).toEqual([{ size: 'M1' }, undefined]);
    expect(bins({ x: [1], xbins: { start: -1e99, end: 1e99, size: 1 } }, { x: [1], xbins: { size: 0 } }, { x: [1], xbins: { size: 'M0' } }).map((b) => b[0])).toEqual([undefined, undefined, undefined]);
  });

  test('heat maps are not larger than their data', () => {
    const wide = data({ type: 'heatmap', z: [Array(5000).fill(1), ...Array(5000).fill([])] });
    expect([(wide.data[0]!.z as unknown[]).length, wide.cut]).toEqual([20, true]);
    const apart = data({ type: 'heatmap', x: Array.from({ length: 5000 }, (_, i) => i), y: Array.from({ length: 5000 }, (_, i) => i), z: Array(5000).fill(1) });
    expect([(apart.data[0]!.z as unknown[]).length, apart.cut]).toEqual([300, true]);
    expect(data({ type: 'heatmap', z: Array(40).fill(Array(40).fill(1)), texttemplate: '%{z}', connectgaps: true }).data[0]).not.toHaveProperty('texttemplate');
  });

  test('sizes, colors, fonts, and formats are valid', () => {
    const t = data({ y: [1e300, 1e-300, NaN, '1e999', '2026-01-01', 5], marker: { color: ['red', 'url(x)', 7, {}], size: [1, 1e9], symbol: 'url(x)', line: { width: 1e9 } }, line: { color: 'red;background:url(x)', dash: '9'.repeat(99) }, fillcolor: 'url(x)', opacity: 7, hovertemplate: '%{y:999999999d}', texttemplate: ['%{y:.2f}', '%{x:0999d}'], textfont: { size: 1e9, family: 'x' }, hoverinfo: { x: 1 } }).data[0]!;
    expect(t).toEqual({ type: 'scatter', y: [null, 0, null, null, '2026-01-01', 5], marker: { color: ['red', null, 7, null], size: [1, 1e9], sizeref: 1e7, line: { width: 20 } }, line: {}, opacity: 1, texttemplate: ['%{y:.2f}', null], textfont: { size: 40 } });
    expect(layout({ xaxis: { tickformat: '999999999d' }, yaxis: { tickformat: '%b %Y' }, margin: { l: 1e9 }, paper_bgcolor: 'url(x)', font: { size: 1e9 }, constructor: {}, width: 1e9 })).toEqual({ xaxis: {}, yaxis: { tickformat: '%b %Y' } });
  });
});

test('names cannot imitate other names', () => {
  const file = fileReply({ name: 'report\u202egpj.exe', base64: 'TVo=' })!;
  expect([file.name, extension(file.name), extension('a.exe\ufffd'), extension('b.pdf. '), extension('c')]).toEqual(['report\ufffdgpj.exe', 'EXE', 'EXE', 'PDF', '']);
  expect(question('user_file', { name: 'x\u2066y.txt', size: 5 })).toBe('x\ufffdy.txt (5 bytes)');
  expect(title({ title: 'a\u202db', source: '' })).toBe('a\ufffdb');
  expect(shortSource('upload:a\u200fb.md')).toBe('a\ufffdb.md');
  expect(honest('\u061c\u200e\u200f\u202a\u202e\u2066\u2069 شكرا é\u200d')).toBe('\ufffd'.repeat(7) + ' شكرا é\u200d');
});

describe('HTML', () => {
  const shown = (html: string) => {
    const el = document.createElement('div');
    el.append(harmless(html).content);
    return el;
  };
  test('keeps its text and style', () => {
    const el = shown(sample.html);
    dress(el);
    expect(el.querySelector('h2')!.textContent).toBe('Quarter');
    expect(el.querySelector('td')!.style.backgroundColor).toBe('rgb(220, 240, 220)');
    expect(el.querySelector('img')!.src).toMatch(/^data:image\/png/);
    const a = el.querySelector('a')!;
    expect([a.target, a.rel]).toEqual(['_blank', 'noopener noreferrer nofollow']);
  });

  test('loses scripts, requests, and overlays', () => {
    const el = shown(`${hostile}<p style="position:fixed;background:url(https://evil.example);color:red" onmouseover=x>a</p><img src="https://evil.example/x"><img src="data:image/svg+xml;base64,AA=="><form action=x><input><button>b</button></form><video src=x></video>`);
    dress(el);
    expect(el.querySelectorAll('script, style, svg, iframe, object, embed, form, input, button, link, meta, base, video, img, template').length).toBe(0);
    expect([...el.querySelectorAll('*')].flatMap((e) => [...e.attributes]).filter((a) => /^on|^srcset|^data-|^form|^target$/.test(a.name) && a.ownerElement?.tagName !== 'A')).toEqual([]);
    expect(el.innerHTML).not.toMatch(/position|url\(|evil\.example\/x/);
  });

  test('parsing causes no errors', () => {
    expect(disarmed('<p title=">" style="a" ONCLICK=b x=\'style="c"\'>style="d" <b/style=e>')).toBe('<p title=">" data-look="a" data-off=b x=\'style="c"\'>style="d" <b/data-look=e>');
    expect(disarmed('<STYLE>a</STYLE><base href=x><ba')).toBe('<template>a</template><template href=x><ba');
    expect(disarmed('1 < 2 <3 </ >')).toBe('1 < 2 <3 </ >');
  });

  test('of any size is shown in time', () => {
    expect(took(() => disarmed('<p '.repeat(300_000)))).toBeLessThan(5000);
    expect(took(() => disarmed('<p a="'.repeat(100_000)))).toBeLessThan(5000);
    expect(harmless('x'.repeat(2_000_000)).cut).toBe(true);
  });
});

describe('sound', () => {
  const header = (b: Uint8Array) => {
    const v = new DataView(b.buffer);
    return [String.fromCharCode(...b.subarray(0, 4)), v.getUint16(22, true), v.getUint32(24, true), v.getUint32(40, true)];
  };
  const pcm = (data: ArrayBufferView, dtype: string, shape: number[], sample_rate = 8000) =>
    listen({ audio_data_base64: Buffer.from(data.buffer).toString('base64'), metadata: { sample_rate, dtype, shape } });

  test('of each form becomes a WAV file', () => {
    expect([header(listen(sample.tone(2, 1))!.bytes), listen(sample.tone(2, 1))!.seconds]).toEqual([['RIFF', 1, 8000, 32_000], 2]);
    expect(header(listen(sample.tone(1, 2))!.bytes)).toEqual(['RIFF', 2, 8000, 32_000]);
    const at = (s: ReturnType<typeof listen>, i: number) => new DataView(s!.bytes.buffer).getInt16(44 + 2 * i, true);
    const loud = pcm(Float32Array.of(2, -2, NaN, 0.5), 'float32', [4]);
    expect([0, 1, 2, 3].map((i) => at(loud, i))).toEqual([32767, -32767, 0, 16384]);
    const planar = pcm(Int16Array.from({ length: 40 }, (_, i) => (i < 20 ? 16384 : -16384)), 'int16', [2, 20]);
    expect([header(planar!.bytes)[1], at(planar, 0), at(planar, 1)]).toEqual([2, 16384, -16383]);
    expect(pcm(Float64Array.of(0.5), 'float64', [1])!.bytes.length).toBe(46);
  });
  test.each([null, 'x', {}, { audio_data_base64: '' }, { audio_data_base64: 'AAAA', metadata: { sample_rate: 0 } }, { audio_data_base64: 'AAAA', metadata: { sample_rate: 8000, dtype: 'complex64' } }, { audio_data_base64: 'AAAA' }])('%j is none', (c) => expect(listen(c)).toBeNull());
  test('a file of it is taken as it is', () => {
    const wav = Buffer.from(listen(sample.tone(1, 1))!.bytes).toString('base64');
    expect(listen(wav)).toMatchObject({ type: 'audio/wav', seconds: 0 });
  });
});

test('the type of a file comes from its content', () => {
  const bytes = (s: string | number[]) => (typeof s === 'string' ? new TextEncoder().encode(s) : Uint8Array.from(s));
  expect(['a b', '%PDF-1.7', '', [0, 1], [0xe4, 0x62], [0xff, 0xfe, 0x61, 0]].map((b) => fileKind(bytes(b)))).toEqual(['text', 'pdf', 'other', 'other', 'text', 'text']);
  expect([read(bytes([0xe4, 0x62])), read(bytes([0xff, 0xfe, 0x61, 0]))]).toEqual(['äb', 'a']);
  expect(read(bytes('ä'.repeat(100_001)))!.length).toBe(50_000); // no half of a character
  expect([imageType(decoded(sample.png)), pixels(decoded(sample.png)), pixels(decoded(sample.bomb)), pixels(decoded(sample.photo))]).toEqual(['image/png', 1, 2.5e9, 96 * 54]);
  expect(pixels(Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 17, 8, 0, 20, 0, 30, 3, 0, 0]))).toBe(600);
  expect(fileKind(bytes('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toBe('text');
});

test('a place is one on Earth', () => {
  const p = place('{"latitude":49.6116211,"longitude":-6}')!;
  expect([degrees(p.latitude, 'N', 'S'), degrees(p.longitude, 'E', 'W'), geo(p)]).toEqual(['49.61162° N', '6° W', 'geo:49.611621,-6']);
  expect(onMap(p)).toBe('https://www.openstreetmap.org/?mlat=49.611621&mlon=-6#map=15/49.611621/-6');
  for (const none of [{ latitude: 91, longitude: 0 }, { latitude: 'a' }, null, 7, '{"latitude":null}']) expect(place(none)).toBeNull();
});

describe('trees', () => {
  test('name their parts', () => {
    expect(called({ type: 'button', label: 'Book' })).toEqual({ name: 'Book', type: 'button' });
    expect([called([1]), called(null), called({ name: 7 })]).toEqual(Array(3).fill({ name: '', type: '' }));
    expect([null, [], {}, 1, true, 'x'].map(sort)).toEqual(['nothing', 'list', 'object', 'number', 'boolean', 'text']);
    expect(children(['a', 'b', 'c'], 2)).toEqual([['1', 'a'], ['2', 'b']]);
    expect(structure('{"a":1}')).toEqual({ a: 1 });
    expect(structure('5')).toBe('5');
    expect(shortText).toBeGreaterThan(0);
  });
  test('are open as far as a page holds', () => {
    expect([opened(sample.gui), opened({ a: 1 }), opened(Array(100).fill(1)), opened({ a: Array(100).fill({}) }), opened(7)]).toEqual([4, 1, 0, 1, 0]);
    expect(opened(sample.nested(1000))).toBe(4);
  });
});
