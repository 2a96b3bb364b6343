// The audit log of the mock server.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuditRecord } from '../../src/api/audit';

const act = (id: number, actor: string, action: string, object = ''): AuditRecord => ({ id, timestamp: `2026-05-03T09:0${id}:00Z`, actor, address: actor === 'operator' || actor === 'server' ? '' : '10.0.0.7', action, object });

export class MockLog {
  records: AuditRecord[] = [
    act(7, 'server', 'log.expired', '12'),
    act(6, 'user:ada', 'user.invited', 'user:cleo'),
    act(5, 'operator', 'conversations.deleted', 'user:old'),
    act(4, 'user:ben', 'later.action', 'x'),
    act(3, 'user:ada', 'setting.changed', 'k'),
    act(2, '', 'documents.added', 'default'),
    act(1, 'user:ada', 'user.signed_in'),
  ];
  limit = 50;
  /** The queries of the lists. */
  asked: string[] = [];

  serve(_: IncomingMessage, res: ServerResponse, url: URL): void {
    const q = url.searchParams;
    this.asked.push(url.search);
    const kinds = q.getAll('action');
    const before = Number(q.get('before') ?? 100);
    const found = this.records.filter((r) => r.id < before && r.actor.includes(q.get('actor') ?? '') && (!kinds.length || kinds.includes(r.action.split('.')[0]!)));
    const records = found.slice(0, this.limit);
    res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ records, ...(found.length > this.limit && { before: records.at(-1)!.id }) }));
  }
}
