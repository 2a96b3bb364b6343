// npm run perf -- FILE: how fast the page is on the program that DOCENT_BIN
// names, by default into ./perf.txt. What is measured is in tests/e2e/speed.test.ts.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

if (!process.env.DOCENT_BIN) {
  console.error('DOCENT_BIN names the program that is measured.');
  process.exit(2);
}
const file = resolve(process.argv[2] ?? 'perf.txt');
const { status } = spawnSync('npx', ['vitest', 'run', '--config', 'vitest.e2e.config.ts', 'speed'], {
  stdio: 'inherit',
  env: { ...process.env, PERF: file },
});
console.log(`measured into ${file}`);
process.exit(status ?? 1);
