import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';
import { squeeze } from './scripts/squeeze.mjs';

// docent embeds dist, and a bare clone has only the placeholder there: a build
// clears everything but that one committed file.
function clearDist(): Plugin {
  return {
    name: 'clear-dist',
    apply: 'build',
    buildStart() {
      const dist = join(import.meta.dirname, 'dist');
      for (const name of readdirSync(dist)) {
        if (name !== 'placeholder.html') rmSync(join(dist, name), { recursive: true });
      }
    },
  };
}

// What is embedded is packed, once everything is written.
function packDist(): Plugin {
  return {
    name: 'pack-dist',
    apply: 'build',
    closeBundle: { order: 'post', sequential: true, handler: () => squeeze(join(import.meta.dirname, 'dist')) },
  };
}

// Where `npm run dev` finds the API while the page is being worked on.
const server = process.env.DOCENT_URL ?? 'http://127.0.0.1:8765';

export default defineConfig({
  plugins: [svelte(), clearDist(), packDist()],
  resolve: { alias: { 'docent-client': join(import.meta.dirname, '../clients/ts/src/index.ts') } },
  build: {
    target: 'es2022',
    emptyOutDir: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    fs: { allow: ['.', '../clients/ts'] },
    proxy: {
      '/api': server,
      '/ws': { target: server, ws: true },
    },
  },
});
