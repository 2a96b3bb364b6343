import { svelte } from '@sveltejs/vite-plugin-svelte';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const clients = join(import.meta.dirname, '../clients/ts');
const require = createRequire(import.meta.url);
const ws = join(require.resolve('ws/package.json'), '../wrapper.mjs');

/** Loading jsdom and the modules took most of the time of short files, so the files of a project share them. */
const shared = { isolate: false, setupFiles: [join(import.meta.dirname, 'tests/fresh.ts')] };

// The client's tests are run from here: what they need is installed here.
export default defineConfig({
  plugins: [svelte()],
  resolve: {
    conditions: ['browser'],
    alias: { 'docent-client': join(clients, 'src/index.ts') },
  },
  test: {
    projects: [
      { extends: true, resolve: { alias: { ws } }, test: { ...shared, name: 'component', environment: 'jsdom', include: ['tests/component/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 30_000, interval: 10 } } } },
      { extends: true, test: { ...shared, name: 'page', environment: 'jsdom', include: ['tests/unit/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 30_000 } } } },
      {
        resolve: { alias: { ws, vitest: import.meta.resolve('vitest').replace('file://', '') } },
        server: { fs: { allow: ['..'] } },
        test: { name: 'client', environment: 'node', root: clients, include: ['tests/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 60_000 },
      },
    ],
  },
});
