// Fails the build when a first visit, or a site with the widget, would load more
// than it may.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';

/** Script and style of a first load, gzipped, in bytes. */
const budget = 110 * 1024;

/** What another site loads for the widget, gzipped, in bytes. */
const widgetBudget = 60 * 1024;

const dist = join(dirname(fileURLToPath(import.meta.url)), '..', 'dist');
/** A file of the page as it is sent: most are packed already. */
const sent = (name) => (existsSync(join(dist, `${name}.gz`)) ? readFileSync(join(dist, `${name}.gz`)) : gzipSync(readFileSync(join(dist, name)), { level: 9 }));

const text = (name) => gunzipSync(sent(name)).toString();
const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`;

let over = false;
/** What is loaded at first, of a name and no more than so many bytes. */
function check(what, names, budget) {
  let total = 0;
  for (const name of names) {
    const size = sent(name).length;
    total += size;
    console.log(`  ${name}: ${kib(size)} gzipped`);
  }
  console.log(`${what}: ${kib(total)} of ${kib(budget)}`);
  if (total > budget) {
    console.error(`${what} is over its budget.`);
    over = true;
  }
}

const first = [...text('index.html').matchAll(/(?:src|href)="(?:\.?\/)?([^":]+\.(?:js|css))"/g)].map(([, name]) => name);
if (first.length === 0) throw new Error('index.html names no script');
check('first load of the page', first, budget);

// The widget's tag names one module, which imports others of the same folder.
const files = new Set(['widget.js']);
for (const name of files) {
  for (const [, found] of text(name).matchAll(name === 'widget.js' ? /'(assets\/[^']+)'/g : /(?:from|import)\s*"\.\/([^"]+)"/g)) files.add(found.startsWith('assets/') ? found : `assets/${found}`);
}
check('the widget', [...files], widgetBudget);
process.exit(over ? 1 : 0);
