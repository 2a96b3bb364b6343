// The sources of the mock server. A sync makes progress only when a test tells it to.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FailureRow, NewSource, SourceKind, SourceRow } from '../../src/api/sources';

const minutes = (n: number) => new Date(Date.now() + n * 60_000).toISOString();

export const kinds: SourceKind[] = [
  { kind: 'folder', local: true, options: [] },
  {
    kind: 'web',
    local: false,
    options: [
      { name: 'mode', title: 'What to read', type: 'text', secret: false, required: false, default: 'page', choices: ['page', 'crawl'] },
      { name: 'depth', title: 'Links to follow from the first page', type: 'text', secret: false, required: false, default: '3' },
      { name: 'pages', title: 'Pages at most', type: 'text', secret: false, required: false, default: '1000' },
      { name: 'sitemap', title: 'The address is a sitemap', type: 'bool', secret: false, required: false, default: 'false' },
    ],
  },
  { kind: 'feed', local: false, options: [{ name: 'linked', title: 'Read the linked pages', type: 'bool', secret: false, required: false, default: 'false' }] },
  { kind: 'git', local: false, options: [{ name: 'branch', title: 'Branch', type: 'text', secret: false, required: false, default: 'main' }, { name: 'token', title: 'Access token', type: 'text', secret: true, required: false, default: '' }] },
  {
    kind: 's3',
    local: false,
    options: [
      { name: 'region', title: 'Region', type: 'text', secret: false, required: false, default: 'us-east-1' },
      { name: 'access_key', title: 'Access key', type: 'text', secret: false, required: true, default: '' },
      { name: 'secret_key', title: 'Secret key', type: 'text', secret: true, required: true, default: '' },
    ],
  },
  { kind: 'mediawiki', local: false, options: [{ name: 'namespaces', title: 'Namespaces', type: 'list', secret: false, required: false, default: 'those with content' }, { name: 'password', title: 'Bot password', type: 'text', secret: true, required: false, default: '' }] },
  { kind: 'webdav', local: false, options: [{ name: 'user', title: 'User name', type: 'text', secret: false, required: false, default: '' }, { name: 'password', title: 'Password', type: 'text', secret: true, required: false, default: '' }] },
  { kind: 'imap', local: false, options: [{ name: 'user', title: 'User name', type: 'text', secret: false, required: true, default: '' }, { name: 'password', title: 'Password', type: 'text', secret: true, required: true, default: '' }] },
];

const row = (id: number, kind: string, name: string, location: string, more: Partial<SourceRow> = {}): SourceRow => ({
  id, name, kind, location, collection: 'default', schedule: '1h0m0s', status: 'idle', paused: false, options: {}, created_at: minutes(-5000), items: 0, failed: 0, last_sync: null, progress: null, next_sync_at: minutes(40), ...more,
});

export const samples = (): SourceRow[] => [
  row(1, 'web', 'Handbook', 'https://www.example.com/handbook/', {
    items: 412, failed: 3,
    last_sync: { started_at: minutes(-21), ended_at: minutes(-20), added: 12, changed: 4, unchanged: 393, removed: 1, failed: 3, error: '' },
  }),
  row(2, 'git', 'docs', 'https://git.example.com/team/docs.git', {
    collection: 'engineering', items: 2300, status: 'syncing', schedule: '15m', progress: { done: 640, total: 2312 },
    last_sync: { started_at: minutes(-75), ended_at: minutes(-74), added: 0, changed: 2, unchanged: 2298, removed: 0, failed: 0, error: '' },
  }),
  row(3, 'imap', 'Support mailbox', 'imaps://mail.example.com/INBOX', {
    items: 87, status: 'failed', schedule: '6h', next_sync_at: minutes(330),
    last_sync: { started_at: minutes(-30), ended_at: minutes(-30), added: 0, changed: 0, unchanged: 0, removed: 0, failed: 0, error: 'the mail server does not accept the user name or the password' },
  }),
  row(4, 'folder', 'manuals', '/srv/manuals', { items: 58, status: 'paused', paused: true, schedule: 'manual', next_sync_at: null, last_sync: { started_at: minutes(-4000), ended_at: minutes(-4000), added: 58, changed: 0, unchanged: 0, removed: 0, failed: 0, error: '' } }),
];

const failures: FailureRow[] = [
  { key: 'handbook/scan.pdf', address: 'https://www.example.com/handbook/scan.pdf', reason: 'no text: its pages are pictures, and text in pictures is not recognised', tries: 2, at: minutes(-20) },
  { key: 'handbook/plan.pdf', address: 'https://www.example.com/handbook/plan.pdf', reason: 'encrypted: it opens only with a password', tries: 1, at: minutes(-20) },
  { key: 'handbook/old/', address: '', reason: 'the server answered with status 500', tries: 5, at: minutes(-20) },
];

export class MockSources {
  rows: SourceRow[] = [];
  failures = failures;
  /** Every request that changes something: its method, path, and body. */
  asked: { method: string; path: string; body: unknown }[] = [];
  /** The error that the next change is answered with. */
  refuse = '';
  /** Nobody may manage sources. */
  forbidden = false;

  /** start begins a sync. */
  start(id: number): void {
    this.rows = this.rows.map((r) => (r.id === id ? { ...r, status: 'syncing' as const, progress: { done: 0, total: 0 } } : r));
  }

  /** advance moves a running sync on. */
  advance(id: number, done: number, total: number): void {
    this.rows = this.rows.map((r) => (r.id === id ? { ...r, progress: { done, total } } : r));
  }

  /** finish ends a running sync. */
  finish(id: number, added: number, failed = 0): void {
    const last = { started_at: minutes(-1), ended_at: minutes(0), added, changed: 0, unchanged: 0, removed: 0, failed, error: '' };
    this.rows = this.rows.map((r) => (r.id === id ? { ...r, status: 'idle' as const, progress: null, items: r.items + added, failed, last_sync: last } : r));
  }

  async serve(req: IncomingMessage, res: ServerResponse, url: URL): Promise<void> {
    const json = (body: unknown, status = 200) => void res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    const fail = (status: number, code: string, message: string) => json({ code, message, retryable: false }, status);
    if (this.forbidden) return fail(403, 'forbidden', 'this needs the scope admin');
    if (url.pathname === '/api/source-kinds') return json({ kinds });
    const [, , , id, part] = url.pathname.split('/');
    const method = req.method ?? 'GET';
    if (method !== 'GET') {
      let body = '';
      for await (const piece of req) body += String(piece);
      this.asked.push({ method, path: url.pathname + url.search, body: body ? (JSON.parse(body) as unknown) : null });
      if (this.refuse) {
        const message = this.refuse;
        this.refuse = '';
        return fail(422, 'invalid', message);
      }
    }
    if (!id) return method === 'POST' ? json(this.add(this.asked.at(-1)!.body as NewSource), 201) : json({ sources: this.rows });
    const found = this.rows.find((r) => r.id === Number(id));
    if (!found) return fail(404, 'not_found', 'there is no such source');
    if (part === 'failures') return json({ failures: this.failures.slice(0, found.failed) });
    const change = (more: Partial<SourceRow>) => {
      this.rows = this.rows.map((r) => (r === found ? { ...r, ...more } : r));
      return { ...found, ...more };
    };
    if (part) return json(change({ status: 'syncing', progress: { done: 0, total: 0 } }), 202);
    if (method === 'DELETE') {
      this.rows = this.rows.filter((r) => r !== found);
      return void res.writeHead(204).end();
    }
    if (method !== 'PATCH') return json(found);
    const { paused, ...more } = this.asked.at(-1)!.body as { paused?: boolean; schedule?: string };
    json(change({ ...more, ...(paused !== undefined && { paused, status: paused ? ('paused' as const) : ('idle' as const) }) }));
  }

  private add(source: NewSource): SourceRow {
    const id = Math.max(0, ...this.rows.map((r) => r.id)) + 1;
    const added = row(id, source.kind, source.name ?? source.location, source.location, { collection: source.collection ?? 'default', schedule: source.schedule ?? '1h' });
    this.rows = [...this.rows, added];
    return added;
  }
}
