// A server that speaks docent's HTTP API and docent.v1 as far as the page uses
// them, serves the built page under the same policy, and misbehaves on demand:
// what a real docent does rarely, the page has to survive every time.
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { WebSocketServer, type WebSocket } from 'ws';
import type { DocumentRow, Info, SessionRow, StoredMessage, StoredStep } from '../../src/api/shapes';
import { answer, documents, type MockDocument } from './corpus';
import { scripts } from './scripts';
import { MockTurn, Stopped, type Entry } from './turn';

const dist = join(import.meta.dirname, '../../dist');

export const policy = (host: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self' ws://${host} wss://${host}; ` +
  "font-src 'self'; manifest-src 'self'; frame-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const mediaTypes: Record<string, string> = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };

interface Session {
  row: SessionRow;
  messages: StoredMessage[];
  steps: StoredStep[];
  running: Map<number, MockTurn>;
  seq: number;
  turn: number;
  seen: Map<string, number>;
  sockets: Set<WebSocket>;
}

export class MockDocent {
  documents: MockDocument[] = documents();
  sessions = new Map<string, Session>();
  extractive = false;
  /** The name of an agent that is not the built-in one; it offers choices at once. */
  agent = '';
  /** Time between two deltas, in ms. */
  pace = 8;
  /** Messages received, with their ids; resends are here too. */
  received: { id: string; text: string }[] = [];
  url = '';
  private http: Server = createServer((req, res) => void this.serve(req, res));
  private ws = new WebSocketServer({ noServer: true });
  private down = false;
  private made = 0;

  async start(): Promise<this> {
    if (!existsSync(join(dist, 'index.html'))) throw new Error('the page is not built: run npm run build');
    this.http.on('upgrade', (req, socket, head) => {
      if (this.down) return socket.destroy();
      this.ws.handleUpgrade(req, socket, head, (ws) => this.connect(ws, new URL(req.url!, this.url)));
    });
    await new Promise<void>((ok) => this.http.listen(0, '127.0.0.1', ok));
    this.url = `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    for (const c of this.ws.clients) c.terminate();
    this.http.closeAllConnections();
    await new Promise((ok) => this.http.close(ok));
  }

  /** cut closes every socket and refuses new ones until mend is called. */
  cut(): void {
    this.down = true;
    for (const c of this.ws.clients) c.terminate();
  }

  mend(): void {
    this.down = false;
  }

  // ---- WebSocket

  private connect(ws: WebSocket, url: URL): void {
    let session: Session | undefined;
    ws.on('message', (data) => {
      const frame = JSON.parse(String(data)) as { action: string; message: unknown; id?: string };
      if (frame.action === 'hello') session = this.hello(ws, url.searchParams.get('session_id'));
      else if (frame.action === 'stop' && session) session.running.get((frame.message as { turn: number }).turn)?.stop();
      else if (frame.action === 'user_message' && session) void this.ask(ws, session, String(frame.message), frame.id ?? '');
    });
    ws.on('close', () => session?.sockets.delete(ws));
  }

  private hello(ws: WebSocket, id: string | null): Session {
    let session = id ? this.sessions.get(id) : undefined;
    const resumed = session !== undefined;
    session ??= this.create(id ?? `s-${++this.made}`);
    session.sockets.add(ws);
    this.put(ws, 'welcome', { session_id: session.row.session_id, seq: session.seq, resumed, limits: { message_bytes: 16384 }, models: [], collections: ['default'] });
    if (resumed) return session;
    const greeting = this.agent ? 'Hello! What can I do for you?' : 'Hello! Ask me about the documents.';
    this.store(session, 'str', greeting, false, 0, 'agent_reply_str');
    if (this.agent) this.store(session, 'options', '{"0": "Billing", "1": "My account"}', false, 0, 'agent_reply_options');
    return session;
  }

  create(id: string, name: string | null = null): Session {
    const row: SessionRow = { id: this.sessions.size + 1, session_id: id, session_name: name, platform_name: 'WebSocketPlatform', timestamp: new Date().toISOString(), messages: 0 };
    const session: Session = { row, messages: [], steps: [], running: new Map(), seq: 0, turn: 0, seen: new Map(), sockets: new Set() };
    this.sessions.set(id, session);
    return session;
  }

  private put(ws: WebSocket, action: string, message: unknown, more: object = {}): void {
    if (ws.readyState === ws.OPEN) ws.send(JSON.stringify({ action, message, history: false, timestamp: null, ...more }));
  }

  private all(s: Session, action: string, message: unknown, more: object = {}): void {
    for (const ws of s.sockets) this.put(ws, action, message, more);
  }

  private store(s: Session, type: string, content: unknown, is_user: boolean, turn: number, action?: string, sender?: string): number {
    const seq = ++s.seq;
    s.messages.push({ seq, turn, type, content, is_user, timestamp: new Date().toISOString(), ...(sender && { sender }) });
    s.row.messages = s.messages.length;
    if (action) this.all(s, action, content, { seq, turn });
    return seq;
  }

  private async ask(ws: WebSocket, s: Session, text: string, id: string): Promise<void> {
    this.received.push({ id, text });
    if (/lost before the ack/.test(text) && this.received.filter((r) => r.id === id).length === 1) return ws.terminate();
    const known = s.seen.get(id);
    if (known) return this.put(ws, 'ack', { id, seq: known, duplicate: true }, { id });
    if (/busy/.test(text)) return this.put(ws, 'error', { code: 'busy', message: 'Too many questions at once; try again soon.', retryable: true, id }, { id });
    const turn = ++s.turn;
    const seq = this.store(s, 'str', text, true, turn);
    s.seen.set(id, seq);
    this.put(ws, 'ack', { id, seq, duplicate: false }, { id, seq, turn });
    for (const other of s.sockets) if (other !== ws) this.put(other, 'user_message', text, { id, seq, turn });
    await this.run(s, turn, text);
    if (/ask another/.test(text)) await this.hear(s, 'Bob says **42**.', 'ws://bob.example:8765/ws');
  }

  // hear takes what another agent says.
  private async hear(s: Session, text: string, sender: string): Promise<void> {
    const turn = ++s.turn;
    const seq = this.store(s, 'str', text, true, turn, undefined, sender);
    this.all(s, 'user_message', text, { seq, turn, sender });
    await this.run(s, turn, 'keep this');
  }

  private async run(s: Session, turn: number, text: string): Promise<void> {
    const t = new MockTurn(text, this.pace, (action, message, n) => this.all(s, action, message, { turn, n }), (entries) => this.commit(s, turn, entries));
    s.running.set(turn, t);
    let outcome = 'done';
    try {
      const script = scripts.find(([pattern]) => pattern.test(text));
      outcome = (await (script ? script[1](t) : this.quote(t))) ?? 'done';
    } catch (err) {
      if (!(err instanceof Stopped)) throw err;
      outcome = 'stopped';
      if (t.said) t.reply('markdown', `${t.said.trim()}\n\n*Stopped.*`);
      else if (!t.replied) t.reply('str', 'Stopped.');
    }
    s.running.delete(turn);
    if (outcome === 'failed') {
      t.commit();
      const seq = this.store(s, 'str', 'Sorry, that did not work: the model does not answer.', false, turn);
      this.all(s, 'error', { code: 'unavailable', message: 'The model does not answer.', retryable: true }, { turn, seq });
    }
    t.commit();
    this.all(s, 'turn_finished', { outcome }, { turn });
  }

  // quote answers as a turn without reasoning does.
  private async quote(t: MockTurn): Promise<void> {
    t.status('searching');
    await t.wait(10);
    const rag = answer(t.text, this.documents);
    t.status('answering');
    const parts = rag.answer.match(/[\s\S]{1,9}/gu) ?? [];
    for (const [i, part] of parts.entries()) {
      t.delta(part);
      await t.wait();
      if (/cut/.test(t.text) && i === 12) this.cut();
    }
    t.reply('rag_answer', rag);
  }

  private commit(s: Session, turn: number, entries: Entry[]): void {
    for (const e of entries) {
      if (e.type) {
        this.store(s, e.type, e.message, false, turn, e.action);
        continue;
      }
      const seq = ++s.seq;
      const step = e.message as { kind?: string; step?: number; summary?: string };
      s.steps.push({
        seq, turn, chat_id: null, kind: step.kind ? 'reasoning_step' : 'task_list_update', step_kind: step.kind ?? '', step: step.step ?? 0,
        summary: step.summary ?? '', payload: e.message, timestamp: new Date().toISOString(),
      });
      this.all(s, e.action, e.message, { seq, turn });
    }
  }

  // ---- HTTP

  private async serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url!, this.url);
    if (!url.pathname.startsWith('/api/')) return this.page(url.pathname, req, res);
    const json = (body: unknown, status = 200) => res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    const missing = () => json({ code: 'not_found', message: 'no such thing', retryable: false }, 404);
    const [, , noun, id, part] = url.pathname.split('/');
    if (noun === 'info') return void json(this.info());
    if (noun === 'search') return void json({ question: '', evidence: 1, results: [] });
    if (noun === 'ask') return void json(answer('backup', this.documents));
    if (noun === 'documents' && !id && req.method === 'POST') return void json(await this.upload(req));
    if (noun === 'documents' && !id) return void json(this.list(url.searchParams));
    if (noun === 'documents') {
      const d = this.documents.find((x) => x.id === Number(id));
      if (!d) return void missing();
      if (req.method === 'DELETE') {
        this.documents = this.documents.filter((x) => x !== d);
        return void res.writeHead(204).end();
      }
      if (part === 'text' || part === 'file') return void res.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' }).end(d.text);
      return void json(this.row(d));
    }
    if (noun !== 'sessions') return void missing();
    if (!id) return void json([...this.sessions.values()].filter((s) => s.row.session_name || s.messages.some((m) => m.is_user)).map((s) => ({ ...s.row, ...this.first(s) })).reverse());
    const session = this.sessions.get(decodeURIComponent(id));
    if (!session) return void missing();
    if (part === 'messages') return void json({ messages: session.messages, steps: session.steps });
    if (req.method === 'DELETE') this.sessions.delete(session.row.session_id);
    else session.row.session_name = (JSON.parse(await body(req)) as { session_name: string }).session_name;
    res.writeHead(204).end();
  }

  private first(s: Session): { first?: string } {
    const said = s.messages.find((m) => m.is_user && !m.sender);
    return said && !s.row.session_name ? { first: String(said.content).slice(0, 100) } : {};
  }

  private page(path: string, req: IncomingMessage, res: ServerResponse): void {
    const file = join(dist, path);
    const name = extname(path) && existsSync(file) ? file : join(dist, 'index.html');
    res.writeHead(200, { 'Content-Type': mediaTypes[extname(name)] ?? 'application/octet-stream', 'Content-Security-Policy': policy(req.headers.host ?? '') });
    res.end(readFileSync(name));
  }

  private info(): Info {
    const failed = this.documents.filter((d) => d.status === 'failed').length;
    return {
      name: 'docent', version: '0.1.0', agent: this.agent || 'docent', built_in: !this.agent, database: 'sqlite',
      model: this.extractive
        ? { name: 'extractive', kind: 'extractive', hint: 'Set OPENAI_API_KEY, or DOCENT_MODEL_URL for a local server, to have answers written by a language model.' }
        : { name: 'gpt-4o-mini', kind: 'openai', hint: '' },
      models: [], embedder: { name: 'static', dimensions: 256 },
      collections: [{ name: 'default', documents: this.documents.length, failed, chunks: this.documents.length * 7 }],
      limits: { upload_bytes: 1_000_000, message_bytes: 16384, k: 4 },
    };
  }

  private row(d: MockDocument): DocumentRow {
    const { text, ...rest } = d;
    return { ...rest, collection: 'default', language: 'en', size: Buffer.byteLength(text), sha256: String(d.id), chunks: d.status === 'failed' ? 0 : 7, created_at: '2026-03-01T10:00:00Z', updated_at: '2026-03-02T10:00:00Z' };
  }

  private list(q: URLSearchParams) {
    const match = (q.get('match') ?? '').toLowerCase();
    const status = q.get('status') ?? '';
    const found = this.documents.filter((d) => (d.title + d.source).toLowerCase().includes(match) && (!status || d.status === status));
    return { documents: found.map((d) => this.row(d)) };
  }

  private async upload(req: IncomingMessage) {
    const form = await body(req);
    const name = /filename="([^"]+)"/.exec(form)?.[1] ?? 'file';
    if (/broken/.test(name)) return { results: [{ source: `upload:${name}`, status: 'failed', chunks: 0, reason: 'The PDF is truncated.' }] };
    const id = Math.max(0, ...this.documents.map((d) => d.id)) + 1;
    this.documents.push({ id, source: `upload:${name}`, title: name.replace(/\.\w+$/, ''), media_type: 'text/plain', text: 'uploaded', status: 'ready' });
    return { results: [{ source: `upload:${name}`, status: 'added', chunks: 3, document_id: id }] };
  }
}

async function body(req: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of req) text += String(part);
  return text;
}
