// Samples of each kind of reply.

const json = JSON.stringify;

/** A picture of one pixel. */
export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** bomb says that it has 50,000 by 50,000 pixels. */
export const bomb = (() => {
  const b = Buffer.from(png, 'base64');
  b.writeUInt32BE(50_000, 16);
  b.writeUInt32BE(50_000, 20);
  return b.toString('base64');
})();

/** photo is a GIF of two colors, large enough to see. */
export const photo = (() => {
  const [w, h] = [96, 54];
  const head = Buffer.from([0x47, 0x49, 0x46, 0x38, 0x39, 0x61, w, 0, h, 0, 0x80, 0, 0, 0x0b, 0x6b, 0x57, 0xe2, 0xc0, 0x6a, 0x2c, 0, 0, 0, 0, w, 0, h, 0, 0, 2]);
  // Codes of three bits, cleared after every second pixel, so that the codes stay short.
  const bits: number[] = [];
  const code = (c: number) => bits.push(c & 1, (c >> 1) & 1, (c >> 2) & 1);
  for (let i = 0; i < w * h; i++) {
    if (i % 2 === 0) code(4);
    const [x, y] = [i % w, Math.floor(i / w)];
    code((x - 48) ** 2 + (y - 27) ** 2 < 400 ? 1 : 0);
  }
  code(5);
  const data = Buffer.from(Array.from({ length: Math.ceil(bits.length / 8) }, (_, i) => bits.slice(i * 8, i * 8 + 8).reduce((n, bit, j) => n | (bit << j), 0)));
  const blocks: Buffer[] = [];
  for (let i = 0; i < data.length; i += 255) blocks.push(Buffer.from([Math.min(255, data.length - i)]), data.subarray(i, i + 255));
  return Buffer.concat([head, ...blocks, Buffer.from([0, 0x3b])]).toString('base64');
})();

export const file = (name: string, content: string | Buffer) => ({ name, type: 'file', base64: Buffer.from(content).toString('base64') });

/** pdf is a PDF with a line on each page. */
export function pdf(...pages: string[]): Buffer {
  const objects = ['<< /Type /Catalog /Pages 2 0 R >>', `<< /Type /Pages /Kids [${pages.map((_, i) => `${4 + 2 * i} 0 R`).join(' ')}] /Count ${pages.length} >>`, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'];
  pages.forEach((text, i) => {
    const content = `BT /F1 28 Tf 60 320 Td (${text}) Tj ET`;
    objects.push(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 500 400] /Contents ${5 + 2 * i} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`, `<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
  });
  let out = '%PDF-1.4\n';
  const at = objects.map((body, i) => {
    const offset = out.length;
    out += `${i + 1} 0 obj\n${body}\nendobj\n`;
    return offset;
  });
  const xref = out.length;
  out += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${at.map((n) => `${String(n).padStart(10, '0')} 00000 n \n`).join('')}trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${xref}\n%%EOF\n`;
  return Buffer.from(out);
}

export const html = `<h2>Quarter</h2><p>Revenue <strong>grew</strong>, see <a href="https://example.org/report">the report</a>.</p>
<table border="1"><tr><th>Region</th><th>Revenue</th></tr><tr><td style="background: #dcf0dc; padding: 6px">North</td><td>12</td></tr><tr><td>South</td><td>9</td></tr></table>
<p class="tint">Tinted by a style sheet. <img alt="dot" width="12" height="12" src="data:image/png;base64,${png}"></p>`;

const byRow = (values: unknown[]) => Object.fromEntries(values.map((v, i) => [i, v]));

/** people is a table as pandas writes it. */
export function people(n: number): string {
  const rows = Array.from({ length: n }, (_, i) => i);
  const names = ['Zoe', 'Alan', 'Émile', 'Bob', 'Ärger'];
  return json({
    name: byRow(rows.map((i) => `${names[i % 5]} ${i}`)),
    score: byRow(rows.map((i) => ((i * 7919) % n) - Math.floor(n / 2))),
    joined: byRow(rows.map((i) => Date.UTC(2020, 0, 1 + ((i * 31) % 2000)))),
    active: byRow(rows.map((i) => i % 3 === 0)),
  });
}

/** figure is a plotly figure of a type, with what nobody wants to have in it. */
export function figure(type: string): string {
  const quarters = ['Q1', 'Q2', 'Q3', 'Q4'];
  const data = {
    bar: [{ type: 'bar', name: '2025', x: quarters, y: [12, 14, 11, 18] }, { type: 'bar', name: '2026', x: quarters, y: [13, 17, 15, 21] }],
    line: [{ type: 'scatter', mode: 'lines+markers', name: 'Visits', x: ['2026-01-01', '2026-02-01', '2026-03-01', '2026-04-01'], y: [1200, 1900, 1700, 2600] }, { type: 'scatter', name: 'Packed', x: { dtype: 'i1', bdata: 'AQID' }, y: { dtype: 'f8', bdata: 'AAAAAAAA8D8AAAAAAAAAQAAAAAAAAAhA' }, visible: 'legendonly' }],
    pie: [{ type: 'pie', labels: quarters, values: [12, 14, 11, 18] }],
    heatmap: [{ type: 'heatmap', x: quarters, y: ['A', 'B'], z: [[1, 2, 3, 4], [4, 3, 2, 1]] }],
    box: [{ type: 'box', name: 'A', y: [1, 2, 3, 4, 9] }, { type: 'histogram', x: [1, 1, 2, 3] }],
    scatter3d: [{ type: 'scatter3d', x: [1], y: [2], z: [3] }],
  }[type];
  return json({
    data,
    layout: {
      title: { text: `Revenue by quarter <a href="https://evil.example/">here</a>`.replace(/ <a.*$/, '') }, xaxis: { title: { text: 'Quarter <a href="https://evil.example/">evil</a>' } }, yaxis: { title: 'Million €' },
      images: [{ source: 'https://evil.example/logo.png', x: 0, y: 1, sizex: 1, sizey: 1 }], updatemenus: [{ buttons: [{ label: 'x', method: 'restyle', args: [] }] }], template: { layout: { paper_bgcolor: 'white' } },
    },
    config: { plotlyServerURL: 'https://evil.example', showLink: true },
  });
}

/** tone is a tone of some seconds, with one channel or two. */
export function tone(seconds: number, channels: 1 | 2) {
  const [rate, n] = [8000, seconds * 8000];
  const wave = (i: number) => 0.4 * Math.sin((2 * Math.PI * 440 * i) / rate);
  const samples = channels === 1 ? Float32Array.from({ length: n }, (_, i) => wave(i)) : Int16Array.from({ length: 2 * n }, (_, i) => 32767 * wave(i >> 1));
  return {
    audio_data_base64: Buffer.from(samples.buffer).toString('base64'),
    metadata: { sample_rate: rate, dtype: channels === 1 ? 'float32' : 'int16', shape: channels === 1 ? [n] : [n, 2] },
  };
}

export const gui = {
  name: 'Booking',
  description: 'Where to and when',
  modules: [{ name: 'Travel', screens: [{ name: 'Main screen', components: [{ type: 'input', label: 'City', required: true }, { type: 'button', label: 'Book', enabled: false, width: 120 }] }] }],
};

/** nested is a list in a list, so deep. */
export function nested(depth: number): unknown {
  let value: unknown = 'bottom';
  for (let i = 0; i < depth; i++) value = [value];
  return value;
}
