// The work on documents of the mock server.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FailureGroup, WorkItem } from '../../src/api/work';

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

const item = (id: number, kind: WorkItem['kind'], state: WorkItem['state'], name: string, more: Partial<WorkItem> = {}): WorkItem => ({
  id, kind, state, name, stage: state === 'queued' ? 'waiting' : 'reading', collection: 'default', done: 0, total: 1, size: 0, created_at: ago(id), ...(state !== 'running' && state !== 'queued' && { ended_at: ago(id) }), ...more,
});

export class MockWork {
  items: WorkItem[] = [
    item(1, 'sync', 'running', 'wiki', { done: 12, total: 48 }),
    item(2, 'upload', 'running', 'manual.pdf', { stage: 'receiving', size: 3_400_000, by: 'user:ada' }),
    item(3, 'read_again', 'queued', 'Pump', { document_id: 1, by: 'user:ada', size: 90_000 }),
    item(4, 'retry', 'failed', 'scan', { document_id: 4, reason: { id: 'pdf_scanned', params: [], message: 'no text: its pages are pictures; install tesseract to read them, or add a PDF with text' } }),
    item(5, 'ingest', 'done', 'manuals', { total: 120, done: 120, failed: 2 }),
    item(6, 'upload', 'canceled', 'film.mov', { by: 'user:ben' }),
  ];
  failures: FailureGroup[] = [
    { reason: { id: 'pdf_scanned', params: [], message: 'no text: its pages are pictures; install tesseract to read them, or add a PDF with text' }, count: 7, again: 5, latest: ago(9), document_id: 4, title: 'scan', collection: 'default' },
    { reason: { id: 'document_empty', params: [], message: 'empty: it contains no text' }, count: 1, again: 1, latest: ago(90), document_id: 5, title: 'notes', collection: 'default' },
  ];
  /** The bodies of wishes to read documents again. */
  asked: { path: string; body: unknown }[] = [];
  /** The answer to such a wish. */
  answer = { queued: 1, syncs: 0, left_out: 0 } as { queued: number; syncs: number; left_out: number; reason?: FailureGroup['reason'] };

  async serve(req: IncomingMessage, res: ServerResponse, url: URL): Promise<void> {
    const json = (value: unknown, status = 200) => void res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
    const [noun, id, act] = url.pathname.split('/').slice(2);
    if (noun === 'documents') {
      let body = '';
      for await (const piece of req) body += String(piece);
      this.asked.push({ path: url.pathname, body: JSON.parse(body) });
      return json(this.answer, 202);
    }
    if (act === 'cancel') {
      this.items = this.items.map((w) => (w.id === Number(id) ? { ...w, ...(w.state === 'running' ? { stopping: true } : { state: 'canceled', ended_at: ago(0) }) } : w));
      return void res.writeHead(204).end();
    }
    json({ items: this.items, queued: this.items.filter((w) => w.state === 'queued').length, failures: this.failures });
  }
}
