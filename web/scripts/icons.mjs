// node scripts/icons.mjs: makes public/icon-*.png of public/favicon.svg, drawn by
// Chromium and packed with 16 colours, which the few of them need no more than.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { chromium } from 'playwright-core';

const folder = join(import.meta.dirname, '../public');
const svg = readFileSync(join(folder, 'favicon.svg'), 'utf8');
// Whatever shape a system cuts out of it, four fifths across are left.
const maskable = svg.replace(' rx="8"', '').replace('<path', '<g transform="translate(3.2 3.2) scale(.8)"><path').replace('</svg>', '</g></svg>');

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] });
const page = await browser.newPage();
for (const [name, source, size] of [['icon-192', svg, 192], ['icon-512', svg, 512], ['icon-maskable', maskable, 512]]) {
  const pixels = await page.evaluate(async ([source, size]) => {
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(source.replace('<svg', `<svg width="${size}" height="${size}"`))}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = size;
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0, size, size);
    return [...context.getImageData(0, 0, size, size).data];
  }, [source, size]);
  writeFileSync(join(folder, `${name}.png`), png(pixels, size));
}
await browser.close();

/** png packs RGBA pixels as an image of 16 colours. */
function png(pixels, size) {
  const counts = new Map();
  const colour = (i) => pixels.slice(4 * i, 4 * i + 4).join();
  for (let i = 0; i < size * size; i++) counts.set(colour(i), (counts.get(colour(i)) ?? 0) + 1);
  // The most frequent one, then always the one that is furthest from those there are.
  const all = [...counts].sort((a, b) => b[1] - a[1]).map(([c]) => c.split(',').map(Number));
  const distance = (a, b) => a.reduce((d, v, i) => d + (v - b[i]) ** 2, 0);
  const palette = [all[0]];
  while (palette.length < Math.min(16, all.length)) {
    const far = (c) => Math.min(...palette.map((p) => distance(c, p)));
    palette.push(all.reduce((a, b) => (far(b) > far(a) ? b : a)));
  }
  const nearest = new Map(all.map((c) => [c.join(), palette.reduce((best, p, i) => (distance(c, p) < distance(c, palette[best]) ? i : best), 0)]));
  const rows = [];
  for (let y = 0; y < size; y++) {
    const row = Buffer.alloc(1 + size / 2);
    for (let x = 0; x < size; x++) row[1 + (x >> 1)] |= nearest.get(colour(y * size + x)) << (x % 2 ? 0 : 4);
    rows.push(row);
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  head.set([4, 3, 0, 0, 0], 8); // 4 bits a pixel, by palette
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(palette.flatMap((c) => c.slice(0, 3)))),
    chunk('tRNS', Buffer.from(palette.map((c) => c[3]))),
    chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
