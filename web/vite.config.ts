import { readFileSync, readdirSync, rmSync } from 'node:fs';
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

// The widget's script tag has one address for ever; what it brings is named by
// its content, as everything else.
function widgetTag(): Plugin {
  return {
    name: 'widget-tag',
    apply: 'build',
    buildStart() {
      this.emitFile({ type: 'chunk', id: join(import.meta.dirname, 'widget/main.ts'), name: 'widget', preserveSignature: 'strict' });
    },
    generateBundle(_options, bundle) {
      const main = Object.values(bundle).find((file) => file.type === 'chunk' && file.isEntry && file.name === 'widget');
      if (!main) return this.error('the widget was not built');
      const tag = readFileSync(join(import.meta.dirname, 'widget/loader.js'), 'utf8');
      this.emitFile({ type: 'asset', fileName: 'widget.js', source: tag.replace('__MAIN__', main.fileName) });
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
  // All addresses are relative, so that a proxy can serve the page below any path.
  base: './',
  plugins: [svelte(), clearDist(), widgetTag(), packDist()],
  resolve: {
    alias: {
      'docent-client': join(import.meta.dirname, '../clients/ts/src/index.ts'),
      // plotly.js brings along 80 KB of style for maps, which are not drawn.
      'maplibre-gl/dist/maplibre-gl.css': join(import.meta.dirname, 'src/payloads/nomaps.css'),
    },
  },
  build: {
    target: 'es2022',
    emptyOutDir: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // What the page and the widget share is one file, with the loader of other files, that the widget brings
        // nothing else; what parts of the page share is another, that a first
        // visit asks for few files. What only answers or the console need is not part of it.
        codeSplitting: {
          groups: [
            { name: 'client', priority: 3, test: /clients.ts.src|vite.preload-helper|src.evidence.(?:bytes|passage|said|numbers)\b|src.words.languages\b|src.markdown.formula\b/ },
            { name: 'markdown', priority: 2, test: /node_modules.(?:marked|dompurify)|src.markdown.(?:render|signs|math)/ },
            { name: 'page', priority: 1, minShareCount: 2, test: /^(?!.*src.(?:markdown.(?!plain)|evidence.rich\b|console\b|words.\w+.(?:console|log|models|plot|profile|quality|system|today|way|work)\b|api.(?:account|audit|insight|quality|settings|setup|sources|system|users|work)\b))/ },
          ],
        },
      },
    },
  },
  server: {
    fs: { allow: ['.', '../clients/ts'] },
    proxy: {
      '/api': server,
      '/logo': server,
      '/ws': { target: server, ws: true },
    },
  },
});
