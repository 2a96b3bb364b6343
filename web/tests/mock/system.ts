// The system and the backups of the mock server.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BackupList, BackupRun, DigestState, System } from '../../src/api/system';

export class MockSystem {
  /** The failed checks, with their reasons. */
  failing: Record<string, string> = {};
  replicas: System['replicas'] = [];
  folder = '/var/backups/docent';
  /** A backup is made until the test ends it. */
  running = false;
  next: string | undefined;
  runs: BackupRun[] = [
    { timestamp: '2026-05-03T02:00:09Z', name: 'docent-20260503-020000.backup', path: '/var/backups/docent/docent-20260503-020000.backup', size: 12_300_000, state: 'kept' },
    { timestamp: '2026-05-02T02:00:01Z', name: 'docent-20260502-020000.backup', path: '/var/backups/docent/docent-20260502-020000.backup', size: 0, state: 'failed', problem: 'no space left on device' },
    { timestamp: '2026-05-01T12:00:00Z', name: 'before upgrade.backup', path: '/home/ada/before upgrade.backup', size: 11_000_000, state: 'missing' },
  ];

  /** The address that refuses mail. */
  refusing = 'ann@example.com';
  sent: DigestState['sent'] = [];

  /** finish ends the backup that is made. */
  finish(): void {
    this.running = false;
    this.runs.unshift({ timestamp: '2026-05-03T09:00:00Z', name: 'docent-20260503-090000.backup', path: '/var/backups/docent/docent-20260503-090000.backup', size: 12_400_000, state: 'kept' });
  }

  serve(req: IncomingMessage, res: ServerResponse, url: URL): void {
    const json = (value: unknown, status = 200) => void res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
    if (url.pathname === '/api/system') return json(this.system());
    if (url.pathname === '/api/system/digest') {
      if (req.method === 'POST') this.sent = ['ops@example.com', this.refusing].map((recipient) => ({ recipient, timestamp: new Date().toISOString(), ...(recipient === this.refusing && { problem: { id: 'digest_refused', params: ['550 no such user'], message: 'the mail server did not take the digest: 550 no such user' } }) }));
      const state: DigestState = { mail: true, recipients: 2, next: '2026-05-04T07:00:00Z', subject: 'docent: 3 things to do', text: 'docent on May 3, 2026\n\nTO DO\n', sent: this.sent };
      return json(state);
    }
    if (req.method === 'GET') {
      const list: BackupList = { folder: this.folder, encrypted: false, running: this.running, zone: 'UTC', runs: this.runs, ...(this.next && { next: this.next }) };
      return json(list);
    }
    if (this.running) return json({ code: 'conflict', id: 'backup_running', params: [], message: 'a backup is already being made; wait until it is complete', retryable: false }, 409);
    this.running = true;
    res.writeHead(202).end();
  }

  private system(): System {
    const found: Record<string, string> = { data: '/var/lib/docent can be written', database: 'sqlite, schema 75, 2 documents', embedder: 'builtin, 256 dimensions' };
    return {
      version: '1.2.3', reader: 'docent/6', started_at: '2026-05-03T08:00:00Z', checked_at: '2026-05-03T09:00:00Z',
      checks: Object.entries(found).map(([name, text]) => {
        const problem = this.failing[name];
        return problem ? { name, ok: false, problem: { id: 'other_error', params: [problem], message: problem }, remedy: 'choose another folder' } : { name, ok: true, found: text };
      }),
      database: { kind: 'sqlite', bytes: 48_000_000, schema: 75 }, documents: 2, failed: 1, passages: 1200,
      vectors: [{ model: 'builtin', done: 1200, total: 1200 }, { model: 'all-MiniLM-L6-v2', done: 300, total: 900 }],
      disk: { free: 40_000_000_000, total: 250_000_000_000 }, replicas: this.replicas,
    };
  }
}
