// Fails the build when a first visit would load more than it may.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

/** Script and style of a first load, gzipped, in bytes. */
const budget = 120 * 1024;

const dist = join(dirname(fileURLToPath(import.meta.url)), '..', 'dist');
const page = readFileSync(join(dist, 'index.html'), 'utf8');
let total = 0;
for (const [, name] of page.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)) {
  const size = gzipSync(readFileSync(join(dist, name)), { level: 9 }).length;
  total += size;
  console.log(`${name}: ${(size / 1024).toFixed(1)} KiB gzipped`);
}
console.log(`first load: ${(total / 1024).toFixed(1)} of ${budget / 1024} KiB`);
if (total > budget) {
  console.error('The first load is over its budget.');
  process.exit(1);
}
