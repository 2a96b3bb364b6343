// npm run shots [-- FOLDER]: pictures of every view of the page on the program
// of DOCENT_BIN, by default ../bin/docent, into ../docs/screenshots.
// npm run states [-- FOLDER]: pictures of its rare states, on the mock, into ./shots.
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';

const [what, to] = process.argv.slice(2);
const web = join(import.meta.dirname, '..');
const states = what === 'states';
const folder = resolve(to ?? (states ? 'shots' : join(web, '../docs/screenshots')));
const { status } = spawnSync('npx', ['vitest', 'run', '--config', 'vitest.e2e.config.ts', states ? 'states' : 'views'], {
  cwd: web,
  stdio: 'inherit',
  env: { DOCENT_BIN: join(web, '../bin/docent'), ...process.env, [states ? 'STATES' : 'VIEWS']: folder },
});
console.log(`pictures in ${folder}`);
process.exit(status ?? 1);
