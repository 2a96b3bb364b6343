// npm run shots -- FOLDER: pictures of the built page, by default in ./shots.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const folder = resolve(process.argv[2] ?? 'shots');
const { status } = spawnSync('npx', ['vitest', 'run', '--config', 'vitest.e2e.config.ts', 'shots'], {
  stdio: 'inherit',
  env: { ...process.env, SHOTS: folder },
});
console.log(`pictures in ${folder}`);
process.exit(status ?? 1);
