// A server with the part of docent's HTTP API and of docent.v1 that the page uses. It serves
// the built page with the same policy. Tests make it fail in ways that are rare on a real server.
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { WebSocketServer, type WebSocket } from 'ws';
import type { CollectionInfo, DocumentDescription, DocumentOutline, DocumentVersion, Info, Me, SessionRow, TokenRow } from '../../src/api/shapes';
import { answer, chunksOf, documents, outlineOf, renamed, results, rowOf, type MockDocument } from './corpus';
import { MockInsight } from './insight';
import { MockAgent } from './agent';
import { MockBriefs } from './brief';
import { MockLog } from './log';
import { scripts } from './scripts';
import { MockSources } from './sources';
import { MockSystem } from './system';
import { MockTurn, Stopped, type Entry } from './turn';
import { MockSettings } from './settings';
import { MockUsers } from './users';
import { MockWork } from './work';

const dist = join(import.meta.dirname, '../../dist');

export const policy = (host: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src data: blob:; connect-src 'self' ws://${host} wss://${host}; ` +
  "font-src 'self'; manifest-src 'self'; frame-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const mediaTypes: Record<string, string> = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };

interface StoredMessage {
  seq: number;
  turn: number;
  type: string;
  content: unknown;
  is_user: boolean;
  sender?: string;
  client_id?: string;
  replaces?: number;
  timestamp: string;
}

interface StoredStep {
  seq: number;
  turn: number;
  chat_id: null;
  kind: string;
  step_kind: string;
  step: number;
  summary: string;
  payload: unknown;
  timestamp: string;
}

/** A stored frame, as it is sent again. */
interface Kept {
  action: string;
  message: unknown;
  seq: number;
  turn: number;
  id?: string;
  sender?: string;
  replaces?: number;
}

interface Session {
  row: SessionRow;
  messages: StoredMessage[];
  steps: StoredStep[];
  log: Kept[];
  /** Turns that the agent keeps. */
  held: Set<number>;
  running: Map<number, MockTurn>;
  seq: number;
  turn: number;
  seen: Map<string, { seq: number; turn: number }>;
  /** What was thought of its turns last. */
  rated: Map<number, object>;
  hidden: { first: number; until: number }[];
  /** The turns with a question that has an answer now. */
  solved?: number[];
  sockets: Set<WebSocket>;
}

export class MockDocent {
  documents: MockDocument[] = documents();
  /** The queries of listed documents, and the changes of tags. */
  listings: string[] = [];
  tagged: unknown[] = [];
  moves: unknown[] = [];
  versions: DocumentVersion[] = [];
  /** The ids of the replaced documents. */
  replaced: number[] = [];
  /** The reason why documents cannot be moved, or ''. */
  moveFails = '';
  collections: CollectionInfo[] = [{ name: 'default', title: 'default', documents: 0, failed: 0, chunks: 0 }];
  sessions = new Map<string, Session>();
  extractive = false;
  /** The name of an agent that is not the built-in one; it offers choices at once. */
  agent = '';
  otherAgents: string[] = []; // names
  /** The time between two deltas, in ms. */
  pace = 2;
  /** A turn waits while its text or its next step contains this. '' holds none. */
  hold = '';
  /** The name and the password of the user; '' without sign-in. */
  login = '';
  /** The queries of suggested questions. */
  suggested: string[] = [];
  /** The outline of each document. */
  outline: Omit<DocumentOutline, 'previous' | 'next'> = { headings: [], complete: true, summary: [] };
  about: string[] = []; // the questions about each document
  description: DocumentDescription = { summary: [], questions: [] };
  /** The link with which the user sets the password; '' without one. */
  link = '';
  /** The permissions of the user. */
  scopes: Me['scopes'] = ['ask', 'ingest'];
  /** The sessions of signed-in users. */
  cookies = new Set<string>();
  /** The failed checks of the server, with their reasons. */
  failing: Record<string, string> = {};
  feedback: unknown[] = [];
  tokens: TokenRow[] = [];
  sources = new MockSources();
  users = new MockUsers();
  settings = new MockSettings();
  system = new MockSystem();
  /** The code of the first start. */
  setup = '';
  insight = new MockInsight();
  graph = new MockAgent();
  briefs = new MockBriefs();
  log = new MockLog();
  work = new MockWork();
  /** Messages received, with their ids; resends are here too. */
  received: { id: string; text: string; content: unknown }[] = [];
  url = '';
  private http: Server = createServer((req, res) => void this.serve(req, res));
  private ws = new WebSocketServer({ noServer: true });
  private down = false;
  private made = 0;

  async start(): Promise<this> {
    this.http.on('upgrade', (req, socket, head) => {
      if (this.down || !this.known(req)) return socket.destroy();
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

  /** end closes every socket with a code. */
  end(code: number): void {
    for (const c of this.ws.clients) c.close(code);
  }

  mend(): void {
    this.down = false;
  }

  // ---- WebSocket

  private connect(ws: WebSocket, url: URL): void {
    let session: Session | undefined;
    ws.on('message', (data) => {
      const frame = JSON.parse(String(data)) as { action: string; message?: unknown; id?: string };
      const m = (frame.message ?? {}) as { turn: number; message?: unknown; last_seq?: number };
      const id = frame.id ?? '';
      if (frame.action === 'hello') session = this.hello(ws, url.searchParams.get('session_id'), m.last_seq);
      else if (!session) return;
      else if (frame.action === 'stop') {
        session.running.get(m.turn)?.stop();
        this.put(ws, 'ack', { id, duplicate: false }, { id });
      }
      else if (frame.action === 'user_message') void this.ask(ws, session, frame.message, id);
      else if (frame.action === 'edit') void this.ask(ws, session, m.message, id, m.turn);
      else if (frame.action === 'regenerate') void this.ask(ws, session, session.log.find((k) => k.action === 'user_message' && k.turn === m.turn)?.message, id, m.turn);
      else if (frame.action === 'show') this.all(session, 'turns_shown', { hidden: this.show(session, m.turn) }, { id });
      else if (frame.action === 'feedback') {
        this.feedback.push(frame.message);
        session.rated.set(m.turn, frame.message as object);
        this.put(ws, 'feedback_stored', { turn: m.turn });
      }
    });
    ws.on('close', () => session?.sockets.delete(ws));
  }

  private hello(ws: WebSocket, id: string | null, last?: number): Session {
    let session = id ? this.sessions.get(id) : undefined;
    const resumed = session !== undefined;
    session ??= this.create(id ?? `s-${++this.made}`);
    this.put(ws, 'welcome', { session_id: session.row.session_id, seq: session.seq, reset_seq: 0, resumed, limits: { message_bytes: 16384 }, models: [], collections: ['default'] });
    if (last !== undefined) {
      const from = last > session.seq ? 0 : last;
      for (const k of session.log) if (k.seq > from) this.again(ws, k, true);
      for (const [turn, t] of session.running) this.put(ws, 'turn_snapshot', { turn, ...t.snapshot() });
    }
    const turns = [...[...session.running.keys()].map((turn) => ({ turn, state: 'running' })), ...[...session.held].map((turn) => ({ turn, state: 'waiting' }))];
    this.put(ws, 'synced', { seq: session.seq, turns, ...(session.hidden.length > 0 && { hidden: session.hidden }) });
    session.sockets.add(ws);
    if (resumed) return session;
    const greeting = this.agent ? 'Hello! What can I do for you?' : 'Hello! Ask me about the documents.';
    this.store(session, 'str', greeting, 0, 'agent_reply_str');
    if (this.agent) this.store(session, 'options', '{"0": "Billing", "1": "My account"}', 0, 'agent_reply_options');
    return session;
  }

  create(id: string, name: string | null = null): Session {
    const row: SessionRow = { id: this.sessions.size + 1, session_id: id, session_name: name, agent_name: this.agent || 'docent', platform_name: 'WebSocketPlatform', timestamp: new Date().toISOString(), messages: 0, pinned: false, archived: false };
    const session: Session = { row, messages: [], steps: [], log: [], held: new Set(), running: new Map(), seq: 0, turn: 0, seen: new Map(), rated: new Map(), hidden: [], sockets: new Set() };
    this.sessions.set(id, session);
    return session;
  }

  private put(ws: WebSocket, action: string, message: unknown, more: object = {}): void {
    if (ws.readyState === ws.OPEN) ws.send(JSON.stringify({ action, message, history: false, timestamp: null, ...more }));
  }

  private again(ws: WebSocket, { action, message, ...more }: Kept, history: boolean): void {
    this.put(ws, action, message, { ...more, history });
  }

  private all(s: Session, action: string, message: unknown, more: object = {}): void {
    for (const ws of s.sockets) this.put(ws, action, message, more);
  }

  private keep(s: Session, k: Omit<Kept, 'seq'>, by?: WebSocket): number {
    const kept = { ...k, seq: ++s.seq };
    s.log.push(kept);
    for (const ws of s.sockets) {
      if (ws === by) this.put(ws, 'ack', { id: k.id, seq: kept.seq, duplicate: false }, { id: k.id, turn: k.turn, ...(k.replaces && { replaces: k.replaces }) });
      else this.again(ws, kept, false);
    }
    return kept.seq;
  }

  private store(s: Session, type: string, content: unknown, turn: number, action: string): void {
    const seq = this.keep(s, { action, message: content, turn });
    this.record(s, { seq, turn, type, content, is_user: false });
  }

  private record(s: Session, m: Omit<StoredMessage, 'timestamp'>): void {
    s.messages.push({ ...m, timestamp: new Date().toISOString() });
    s.row.messages = s.messages.length;
  }

  private async ask(ws: WebSocket, s: Session, content: unknown, id: string, replaces = 0): Promise<void> {
    const text = textOf(content);
    this.received.push({ id, text, content });
    if (/lost before the ack/.test(text) && this.received.filter((r) => r.id === id).length === 1) return ws.terminate();
    const known = s.seen.get(id);
    if (known) return this.put(ws, 'ack', { id, seq: known.seq, duplicate: true }, { id, turn: known.turn });
    if (/busy/.test(text)) return this.put(ws, 'error', { code: 'busy', message: 'Too many questions at once; try again soon.', id: 'test_sentence', params: [], retryable: true }, { id });
    if (replaces) for (const [turn, t] of s.running) if (turn >= replaces) t.stop();
    const turn = ++s.turn;
    const more = { id, ...(replaces && { replaces }) };
    const seq = this.keep(s, { action: 'user_message', message: content, turn, ...more }, ws);
    this.record(s, { seq, turn, type: typeof content === 'string' ? 'str' : 'json', content, is_user: true, client_id: id, ...(replaces && { replaces }) });
    s.seen.set(id, { seq, turn });
    if (replaces) s.hidden.push({ first: replaces, until: turn });
    s.row.archived = false;
    await this.run(s, turn, text);
    if (/ask another/.test(text)) await this.hear(s, 'Bob says **42**.', 'ws://bob.example:8765/ws');
  }

  // hear receives the message of another agent.
  private async hear(s: Session, text: string, sender: string): Promise<void> {
    const turn = ++s.turn;
    const seq = this.keep(s, { action: 'user_message', message: text, turn, sender });
    this.record(s, { seq, turn, type: 'str', content: text, is_user: true, sender });
    await this.run(s, turn, 'keep this');
  }

  private async run(s: Session, turn: number, text: string): Promise<void> {
    const t = new MockTurn(text, this.pace, (action, message, n) => this.all(s, action, message, { turn, n }), (entries) => this.commit(s, turn, entries), (at) => this.hold !== '' && at.includes(this.hold));
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
    if (outcome === 'held') s.held.add(turn);
    if (outcome === 'failed') {
      t.commit();
      const apology = 'Sorry, that did not work: The model does not answer.';
      const seq = ++s.seq;
      s.log.push({ action: 'agent_reply_str', message: apology, seq, turn });
      this.record(s, { seq, turn, type: 'str', content: apology, is_user: false, client_id: 'failed' });
      this.all(s, 'error', { code: 'unavailable', message: 'The model does not answer.', retryable: true }, { turn, seq });
    }
    t.commit();
    this.all(s, 'turn_finished', { outcome }, { turn });
  }

  // quote answers like a turn without reasoning.
  private async quote(t: MockTurn): Promise<void> {
    t.status('searching');
    await t.wait(10);
    const rag = answer(t.text, this.documents);
    t.status('answering');
    const parts = rag.answer.match(/[\s\S]{1,9}/gu) ?? [];
    for (const [i, part] of parts.entries()) {
      t.delta(part);
      await t.wait();
      await t.hold(t.said);
      if (/cut/.test(t.text) && i === 12) this.cut();
    }
    t.reply('rag_answer', rag);
  }

  private commit(s: Session, turn: number, entries: Entry[]): void {
    for (const e of entries) {
      if (e.type) {
        this.store(s, e.type, e.message, turn, e.action);
        continue;
      }
      const seq = this.keep(s, { action: e.action, message: e.message, turn });
      const step = e.message as { kind?: string; step?: number; summary?: string };
      s.steps.push({
        seq, turn, chat_id: null, kind: step.kind ? 'reasoning_step' : 'task_list_update', step_kind: step.kind ?? '', step: step.step ?? 0,
        summary: step.summary ?? '', payload: e.message, timestamp: (e.at ?? new Date()).toISOString(),
      });
    }
  }

  // ---- HTTP

  private async serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url!, this.url);
    if (!url.pathname.startsWith('/api/')) return this.page(url.pathname, req, res);
    const json = (body: unknown, status = 200) => res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    const missing = () => json({ code: 'not_found', message: 'no such thing', retryable: false }, 404);
    const [, , noun, id, part] = url.pathname.split('/');
    if (noun === 'login') return void (await this.logIn(req, res));
    if (noun === 'logout') {
      this.cookies.clear();
      return void res.writeHead(204).end();
    }
    if (noun === 'password-link') {
      const { link, password } = JSON.parse(await body(req)) as { link: string; password?: string };
      if (link !== this.link) return void json({ code: 'unauthorized', message: 'this link was used', retryable: false }, 401);
      if (password === undefined) return void json({ name: 'ada' });
      this.link = '';
      this.login = `ada ${password}`;
      return void json(this.me());
    }
    if (noun === 'setup') {
      const sent = JSON.parse(await body(req)) as { code: string; name?: string; password?: string };
      if (sent.code !== this.setup) return void json({ code: 'forbidden', id: 'setup_code', params: [], message: 'this link was used or has expired', retryable: false }, 403);
      if (id === 'check') return void json({ auth: this.login !== '' });
      this.setup = '';
      if (!sent.name) return void json({ restarts: false });
      this.login = `${sent.name} ${sent.password}`;
      this.scopes = ['admin'];
      return void json({ restarts: true });
    }
    if (!this.known(req)) return void json({ code: 'unauthorized', message: 'log in first', retryable: false }, 401);
    if (noun === 'me' && id) return void (await this.users.own(req, res, id, url.pathname.split('/').at(4)));
    if (noun === 'me') return void json(this.me());
    if (noun === 'info') return void json(this.info());
    if (noun === 'ready') return void json({ checks: { database: 'ok', ...this.failing } }, Object.keys(this.failing).length ? 503 : 200);
    if (noun === 'collections') return void (await this.shelve(req, res, decodeURIComponent(id ?? '')));
    if (noun === 'tokens') return void (await this.keys(req, res, Number(id)));
    if (noun === 'search') return void json({ question: '', evidence: 1, results: results(url.searchParams.get('q')) });
    if (noun === 'sources' || noun === 'source-kinds') return void (await this.sources.serve(req, res, url));
    if (noun === 'users' || noun === 'groups' || noun === 'prompts') return void (await this.users.serve(req, res, url));
    if (noun === 'settings' || noun === 'models') return void (await this.settings.serve(req, res, url));
    if (noun === 'system') return this.system.serve(req, res, url);
    if (noun === 'admin' && id === 'log') return this.log.serve(req, res, url);
    if (noun === 'insight' || noun === 'today') return void (await this.insight.serve(req, res, url));
    if (noun === 'work' || (noun === 'documents' && (id === 'retry' || id === 'read-again'))) return void (await this.work.serve(req, res, url));
    if (noun === 'places') {
      const match = (url.searchParams.get('match') ?? '').toLowerCase();
      const named = (names: string[]) => names.filter((n) => n.includes(match)).map((name) => ({ name, documents: 2 }));
      return void json({ folders: named(['hr/leave', 'manuals']), tags: named(['leave', 'draft']) });
    }
    if (noun === 'agent' && id === 'picture') return this.graph.serve(res, this.graph.picture);
    if (noun === 'facets') return void json({ types: [{ name: 'text/markdown', documents: 2 }], languages: [{ name: 'en', documents: 2 }, { name: 'und', documents: 1 }] });
    if (noun === 'documents' && req.method === 'PUT') {
      this.replaced.push(Number(id));
      return void json({ source: '', status: 'changed', chunks: 2, document_id: Number(id) });
    }
    if (noun === 'documents' && req.method === 'PATCH') {
      const { title } = JSON.parse(await body(req)) as { title: string };
      return void json(renamed(this.documents.find((d) => d.id === Number(id))!, title));
    }
    if (noun === 'documents' && id === 'move') {
      const { ids, collection } = JSON.parse(await body(req)) as { ids: number[]; collection: string };
      this.moves.push({ ids, collection });
      if (this.moveFails) return void json({ code: 'conflict', message: this.moveFails, retryable: false }, 409);
      for (const d of this.documents) if (ids.includes(d.id)) d.collection = collection;
      return void json({ moved: ids.length });
    }
    if (noun === 'documents' && id === 'tag') return void json({ tagged: this.tagged.push(JSON.parse(await body(req))) && 1 });
    if (noun === 'briefs') return void (await this.briefs.serve(req, res));
    if (noun === 'suggestions') {
      this.suggested.push(url.search);
      return void json({ questions: this.documents.length > 0 ? ['What is “Backups” about?', 'What is docent?'] : [] });
    }
    if (noun === 'documents' && part === 'questions') return void json({ questions: this.about });
    if (noun === 'documents' && part === 'description') return void json(this.description);
    if (noun === 'documents' && part === 'versions') return void json({ versions: this.versions });
    if (noun === 'documents' && part === 'outline') return void json(outlineOf(this.outline, this.documents, Number(id)));
    if (noun === 'documents' && id === 'delete') {
      const { ids } = JSON.parse(await body(req)) as { ids: number[] };
      const before = this.documents.length;
      this.documents = this.documents.filter((d) => !ids.includes(d.id));
      return void json({ removed: before - this.documents.length });
    }
    if (noun === 'documents' && !id && req.method === 'POST') return void json(await this.upload(req));
    if (noun === 'documents' && !id) {
      this.listings.push(url.search);
      return void json(this.list(url.searchParams));
    }
    if (noun === 'documents') {
      const d = this.documents.find((x) => x.id === Number(id));
      if (!d) return void missing();
      if (req.method === 'DELETE') {
        this.documents = this.documents.filter((x) => x !== d);
        return void res.writeHead(204).end();
      }
      if (part === 'text' || part === 'file') return void res.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' }).end(d.text);
      if (part === 'pages') return void missing();
      if (part === 'chunks') return void json({ chunks: chunksOf(d) });
      return void json(rowOf(d));
    }
    if (noun !== 'sessions') return void missing();
    if (!id) return void json(this.listed((url.searchParams.get('match') ?? '').toLowerCase(), url.searchParams.get('archived') ?? 'open'));
    const session = this.sessions.get(decodeURIComponent(id));
    if (!session) return void missing();
    if (part === 'messages') return void json(url.searchParams.get('replaced') ? this.recorded(session) : this.unreplaced(session));
    if (part === 'trace') return this.graph.serve(res, this.graph.trace);
    if (part === 'solved') {
      session.row.solved = 0;
      session.solved = [];
      return void res.writeHead(204).end();
    }
    if (part === 'branch') return void json({ session_id: this.branch(session, (JSON.parse(await body(req)) as { turn: number }).turn) }, 201);
    if (part === 'export') return void res.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Disposition': 'attachment' }).end(JSON.stringify(this.unreplaced(session)));
    if (req.method === 'DELETE') this.sessions.delete(session.row.session_id);
    else Object.assign(session.row, JSON.parse(await body(req)));
    res.writeHead(204).end();
  }

  // Pinned conversations first, then the newest; only those with the searched text.
  private listed(match: string, archived: string) {
    const said = (s: Session) => [s.row.session_name ?? '', ...this.unreplaced(s).messages.map((m) => JSON.stringify(m.content))].join('\n').toLowerCase();
    const found = [...this.sessions.values()].filter((s) => (s.row.session_name || s.messages.some((m) => m.is_user)) && said(s).includes(match))
      .filter((s) => archived === 'all' || s.row.archived === (archived === 'archived')).reverse();
    const hit = (s: Session) => this.unreplaced(s).messages.findLast((m) => JSON.stringify(m.content).toLowerCase().includes(match));
    const part = (m: Session['messages'][number]) => ({
      found: { seq: m.seq, turn: m.turn, is_user: m.is_user, text: (m.content as { answer?: string }).answer ?? textOf(m.content) },
    });
    return found.map((s) => ({ ...s.row, ...this.first(s), ...(match && hit(s) && part(hit(s)!)) })).sort((a, b) => Number(b.pinned) - Number(a.pinned));
  }

  private recorded(s: Session) {
    return { messages: s.messages, steps: s.steps, feedback: [...s.rated].map(([turn, f]) => ({ ...f, turn })), seq: s.seq, reset_seq: 0, ...(s.hidden.length > 0 && { hidden: s.hidden }), ...(s.solved && { solved: s.solved }) };
  }

  private unreplaced(s: Session) {
    const there = ({ turn }: { turn: number }) => !s.hidden.some(({ first, until }) => turn >= first && turn < until);
    const all = this.recorded(s);
    return { ...all, messages: all.messages.filter(there), steps: all.steps.filter(there) };
  }

  // show shows a version of a question. A version has the turns before the next version.
  private show(s: Session, turn: number) {
    const versions: number[] = [];
    for (const m of s.messages) {
      if (!m.replaces) continue;
      if (!versions.includes(m.replaces)) versions.push(m.replaces);
      versions.push(m.turn);
    }
    s.hidden = versions.flatMap((first, i) => (first === turn ? [] : [{ first, until: versions[i + 1] ?? s.turn + 1 }]));
    return s.hidden;
  }

  private branch(s: Session, turn: number): string {
    const copy = this.create(`s-${++this.made}`, s.row.session_name);
    for (const m of this.unreplaced(s).messages) if (m.turn <= turn) this.record(copy, { ...m, seq: ++copy.seq });
    copy.turn = turn;
    return copy.row.session_id;
  }

  private async keys(req: IncomingMessage, res: ServerResponse, id: number): Promise<void> {
    if (req.method === 'DELETE') {
      this.tokens = this.tokens.filter((t) => t.id !== id);
      return void res.writeHead(204).end();
    }
    const json = (value: unknown, status = 200) => void res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
    if (req.method !== 'POST') return json(this.tokens);
    const { name, scopes, expires_at } = JSON.parse(await body(req)) as Pick<TokenRow, 'name' | 'scopes'> & { expires_at?: string };
    const row: TokenRow = { id: this.tokens.length + 1, name, scopes, created_at: new Date().toISOString(), last_used_at: null, expires_at: expires_at ?? null };
    this.tokens.push(row);
    json({ ...row, token: `dct_${row.id}` }, 201);
  }

  // shelve creates, changes, and removes collections.
  private async shelve(req: IncomingMessage, res: ServerResponse, name: string): Promise<void> {
    if (req.method === 'GET') return void res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(this.collections.map((c) => ({ ...c, right: 'manage', rights: [], restricted: false }))));
    const about = JSON.parse((await body(req)) || '{}') as Partial<CollectionInfo>;
    if (req.method === 'POST' && !name) this.collections.push({ title: about.name!, documents: 0, failed: 0, chunks: 0, ...about } as CollectionInfo);
    else if (req.method === 'PATCH') this.collections = this.collections.map((c) => (c.name === name ? { ...c, ...about, title: about.title || c.name } : c));
    else if (req.method === 'DELETE') this.collections = this.collections.filter((c) => c.name !== name);
    if (req.method === 'DELETE') return void res.writeHead(200, { 'Content-Type': 'application/json' }).end('{"removed":0}');
    res.writeHead(204).end();
  }

  private me = (): Me => ({ id: this.login && 'user:ada', name: this.login && 'ada', scopes: this.scopes, auth: this.login !== '', manages: !this.login || this.scopes.includes('admin') });

  private known(req: IncomingMessage): boolean {
    return !this.login || this.cookies.has(/docent_session=(\w+)/.exec(req.headers.cookie ?? '')?.[1] ?? '');
  }

  private async logIn(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { username, password } = JSON.parse(await body(req)) as { username: string; password: string };
    if (password === 'too often') return void res.writeHead(429, { 'Retry-After': '7' }).end();
    if (`${username} ${password}` !== this.login) return void res.writeHead(401).end();
    const cookie = `c${this.cookies.size}${Math.random().toString(36).slice(2)}`;
    this.cookies.add(cookie);
    res.writeHead(200, { 'Set-Cookie': `docent_session=${cookie}; HttpOnly; SameSite=Strict; Path=/` }).end(JSON.stringify(this.me()));
  }

  private first(s: Session): { first?: string } {
    const said = this.unreplaced(s).messages.find((m) => m.is_user && !m.sender);
    return said && !s.row.session_name ? { first: String(said.content).slice(0, 100) } : {};
  }

  private page(path: string, req: IncomingMessage, res: ServerResponse): void {
    // Most built files are compressed.
    const built = (name: string) => [`${name}.gz`, name].find((n) => existsSync(join(dist, n)));
    const name = (extname(path) && built(path)) || built('index.html');
    if (!name) return void res.writeHead(500).end('the page is not built: run npm run build');
    const packed = name.endsWith('.gz') ? { 'Content-Encoding': 'gzip' } : {};
    const type = mediaTypes[extname(name.replace(/\.gz$/, ''))] ?? 'application/octet-stream';
    res.writeHead(200, { 'Content-Type': type, 'Content-Security-Policy': policy(req.headers.host ?? ''), ...packed });
    res.end(readFileSync(join(dist, name)));
  }

  private info(): Info {
    const failed = this.documents.filter((d) => d.status === 'failed').length;
    return {
      name: 'docent', version: '0.1.0', agent: this.agent || 'docent', agents: [{ name: this.agent || 'docent', built_in: !this.agent, files: true }, ...this.otherAgents.map((name) => ({ name, built_in: false, files: false }))], built_in: !this.agent, files: true, database: 'sqlite',
      model: this.extractive
        ? { name: 'extractive', kind: 'extractive', hint: 'Set OPENAI_API_KEY, or DOCENT_MODEL_URL for a local server, to have answers written by a language model.' }
        : { name: 'gpt-4o-mini', kind: 'openai', hint: '' },
      models: [], encoders: [], embedder: { name: 'static', dimensions: 256 },
      collections: [{ ...this.collections[0]!, documents: this.documents.length, failed, chunks: this.documents.length * 7 }, ...this.collections.slice(1)],
      index: { keyword: 'bm25', vectors: 'chromem', chunks: 0 }, voice: { listens: false, speaks: false }, auth: false, public_links: false, read_conversations: false, started_at: new Date(0).toISOString(), go: 'go1.26',
      limits: { upload_bytes: 1_000_000, message_bytes: 16384, k: 4 },
    };
  }

  private list(q: URLSearchParams) {
    const match = (q.get('match') ?? '').toLowerCase();
    const status = q.get('status') ?? '';
    const found = this.documents.filter((d) => (d.title + d.source).toLowerCase().includes(match) && (!status || d.status === status));
    const sha256 = q.get('sha256');
    if (sha256) return { documents: found.filter((d) => d.sha256 === sha256).map((d) => rowOf(d)) };
    const listed = q.get('cited') === 'some' ? found.filter((d) => d.cited).sort((a, b) => b.cited! - a.cited!) : found;
    return { documents: listed.slice(0, Number(q.get('limit') ?? 1000)).map((d) => rowOf(d)) };
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

// A message may choose its collection and model.
const textOf = (message: unknown): string => String((message as { message?: unknown } | null)?.message ?? message);

async function body(req: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of req) text += String(part);
  return text;
}
