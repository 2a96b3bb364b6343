// Fails the build when a first visit would load more than it may.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';

/** Script and style of a first load, gzipped, in bytes. */
const budget = 120 * 1024;

const dist = join(dirname(fileURLToPath(import.meta.url)), '..', 'dist');
/** A file of the page as it is sent: most are packed already. */
const sent = (name) => (existsSync(join(dist, `${name}.gz`)) ? readFileSync(join(dist, `${name}.gz`)) : gzipSync(readFileSync(join(dist, name)), { level: 9 }));

const page = gunzipSync(sent('index.html')).toString();
let total = 0;
for (const [, name] of page.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)) {
  const size = sent(name).length;
  total += size;
  console.log(`${name}: ${(size / 1024).toFixed(1)} KiB gzipped`);
}
console.log(`first load: ${(total / 1024).toFixed(1)} of ${budget / 1024} KiB`);
if (total > budget) {
  console.error('The first load is over its budget.');
  process.exit(1);
}
