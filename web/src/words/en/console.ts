// The console of operators.
import { plural } from '../plural';

export const console = {
  navigation: 'Console',
  back: 'Back to the chat',
  loading: 'Loading…',
  denied: 'Only administrators can open the console.',
  views: { system: 'System' },

  system: {
    lead: 'The state of this server.',
    ready: 'Ready',
    notReady: 'Not ready',
    checking: 'Checking…',
    refresh: 'Refresh',
    checks: 'Checks',
    ok: 'ok',
    server: 'Server',
    search: 'Search',
    documents: 'Documents',
    rows: {
      version: 'Version', started: 'Started', database: 'Database', agent: 'Agent', model: 'Model', embedder: 'Embedder', index: 'Index', passages: 'Passages in the index',
      login: 'Sign-in',
    },
    quotes: 'none: docent quotes the documents',
    dimensions: (n: number) => plural(n, 'dimension', 'dimensions'),
    encoding: (model: string, done: string, total: string) => `${model}: ${done} of ${total} passages encoded`,
    needed: 'required',
    notNeeded: 'not required: everyone who can reach docent is an administrator',
    collection: 'Collection',
    failed: 'Failed',
    count: 'Documents',
    chunks: 'Passages',
    total: 'Total',
    none: 'There are no documents yet.',
  },
};

/** Console is the type of these texts in one language. */
export type Console = typeof console;
