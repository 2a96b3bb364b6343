// A docent.v1 server in this process, small enough to be believed: what it
// stores is the truth that clients are compared with, and it can be killed.
import { WebSocketServer, type WebSocket } from 'ws';

interface Kept {
  action: string;
  message: unknown;
  seq: number;
  turn: number;
  id?: string;
  replaces?: number;
}

interface Running {
  n: number;
  text: string;
  steps: { action: string; message: unknown }[];
}

interface Session {
  stored: Kept[];
  seq: number;
  turn: number;
  reset: number;
  ids: Map<string, Kept>;
  sockets: Set<WebSocket>;
  waiting: number[];
  running: Map<number, Running>;
}

export class TestServer {
  sessions = new Map<string, Session>();
  /** Handshakes with tokens, and hellos: what clients brought. */
  protocols: string[] = [];
  hellos: { last_seq?: number; token?: string }[] = [];
  /** Called before each frame is sent: true ends the connection instead. */
  chaos: () => boolean = () => false;
  /** Leaves the frame of this seq out, once. */
  skip = 0;
  token = '';
  /** Its welcome's frame_bytes, if it says any; larger frames end a connection in any case. */
  frameBytes: number | undefined;
  maxPayload = 1 << 20;
  /** A token of the handshake that it does not know: it says so before any hello. */
  unknown = '';
  /** Time between the frames of a turn, in ms. */
  pace = 0;
  /** A turn that has streamed this stands still, until it is something else. */
  hold = '';
  feedback: unknown[] = [];
  files: unknown[] = [];
  variables: Record<string, unknown> = {};
  stops: (number | undefined)[] = [];
  url = '';
  private wss: WebSocketServer | undefined;
  private port = 0;
  private life = 0;

  async start(): Promise<this> {
    const wss = await this.listen();
    this.wss = wss;
    this.url = `http://127.0.0.1:${this.port}`;
    wss.on('connection', (ws, req) => {
      ws.on('error', () => undefined); // of a frame that is too large
      this.protocols.push(req.headers['sec-websocket-protocol'] ?? '');
      if (this.unknown && this.protocols.at(-1)!.includes(this.unknown)) {
        this.put(ws, 'error', { code: 'unauthorized', message: 'No such token.', retryable: false });
        return ws.close(4502);
      }
      this.serve(ws, new URL(req.url!, this.url).searchParams.get('session_id'));
    });
    return this;
  }

  /**
   * listen keeps to one port, which stays free while the server is killed: none of
   * those that the system gives to whoever connects.
   */
  private async listen(): Promise<WebSocketServer> {
    for (;;) {
      const port = this.port || 15_000 + Math.floor(Math.random() * 15_000);
      const wss = new WebSocketServer({ port, host: '127.0.0.1', maxPayload: this.maxPayload });
      const failed = await new Promise<Error | undefined>((ok) => wss.once('listening', () => ok(undefined)).once('error', ok));
      if (failed && this.port) throw failed;
      if (failed) continue;
      this.port = port;
      return wss;
    }
  }

  /** kill ends it as a crash does: only what is stored is kept. */
  async kill(): Promise<void> {
    this.life++;
    for (const s of this.sessions.values()) {
      s.running.clear();
      s.sockets.clear();
      s.waiting = [];
    }
    for (const ws of this.wss?.clients ?? []) ws.terminate();
    await new Promise((ok) => (this.wss ? this.wss.close(ok) : ok(0)));
  }

  session(id: string): Session {
    const s = this.sessions.get(id) ?? { stored: [], seq: 0, turn: 0, reset: 0, ids: new Map(), sockets: new Set(), waiting: [], running: new Map() };
    this.sessions.set(id, s);
    return s;
  }

  /** drop ends all connections of a session with a code. */
  drop(id: string, code?: number): void {
    for (const ws of this.session(id).sockets) code ? ws.close(code) : ws.terminate();
  }

  private put(ws: WebSocket, action: string, message: unknown, more: object = {}): void {
    if (ws.readyState !== ws.OPEN) return;
    if (this.chaos()) return ws.terminate();
    ws.send(JSON.stringify({ action, message, history: false, timestamp: null, ...more }));
  }

  private refuse(ws: WebSocket, id: string | undefined, code: string, message: string): void {
    this.put(ws, 'error', { code, message, id: 'test_sentence', params: [], retryable: code === 'busy' }, { id });
  }

  private all(s: Session, action: string, message: unknown, more: object = {}, but?: WebSocket): void {
    for (const ws of s.sockets) if (ws !== but) this.put(ws, action, message, more);
  }

  private serve(ws: WebSocket, id: string | null): void {
    let session: Session | undefined;
    const name = id ?? `s-${this.sessions.size + 1}`;
    ws.on('message', (data) => {
      const f = JSON.parse(String(data)) as { action: string; message?: unknown; id?: string };
      if (f.action === 'hello') session = this.hello(ws, name, f.message as { last_seq?: number; token?: string });
      else if (session) this.take(ws, session, f);
    });
    ws.on('close', () => session?.sockets.delete(ws));
  }

  private hello(ws: WebSocket, id: string, hello: { last_seq?: number; token?: string }): Session | undefined {
    this.hellos.push(hello);
    if (this.token && hello.token !== this.token) {
      this.put(ws, 'error', { code: 'unauthorized', message: 'Say who you are.', retryable: false });
      ws.close(4502);
      return undefined;
    }
    const resumed = this.sessions.has(id);
    const s = this.session(id);
    this.put(ws, 'welcome', { session_id: id, seq: s.seq, reset_seq: s.reset, resumed, limits: { message_bytes: 16384, ...(this.frameBytes && { frame_bytes: this.frameBytes }) }, models: [], collections: [] });
    if (hello.last_seq !== undefined) {
      const from = hello.last_seq > s.seq ? 0 : hello.last_seq;
      for (const k of s.stored) if (k.seq > from) this.send(ws, k, true);
      for (const [turn, r] of s.running) this.put(ws, 'turn_snapshot', { turn, ...r });
    }
    const owed = s.stored.filter((k) => k.action === 'user_message' && !s.stored.some((o) => o.action === 'agent_reply_str' && o.turn === k.turn)).map((k) => k.turn);
    this.put(ws, 'synced', { seq: s.seq, turns: owed.map((turn) => ({ turn, state: s.running.has(turn) ? 'running' : 'waiting' })) });
    s.sockets.add(ws);
    if (!resumed) this.store(s, 'agent_reply_str', 'Hello', 0);
    for (const turn of owed) if (!s.running.has(turn) && !s.waiting.includes(turn)) this.enqueue(s, turn);
    return s;
  }

  private send(ws: WebSocket, k: Kept, history: boolean): void {
    const { action, message, ...more } = k;
    this.put(ws, action, message, { ...more, history });
  }

  private store(s: Session, action: string, message: unknown, turn: number, more: { id?: string; replaces?: number } = {}, by?: WebSocket): Kept {
    const k: Kept = { action, message, seq: ++s.seq, turn, ...more };
    s.stored.push(k);
    for (const ws of s.sockets) {
      if (this.skip === k.seq) this.skip = 0;
      else if (ws === by) this.put(ws, 'ack', { id: k.id, seq: k.seq, duplicate: false }, { id: k.id, turn, ...(k.replaces && { replaces: k.replaces }) });
      else this.send(ws, k, false);
    }
    return k;
  }

  private take(ws: WebSocket, s: Session, f: { action: string; message?: unknown; id?: string }): void {
    const m = f.message as { turn: number; message?: unknown };
    const id = f.id ?? '';
    const known = s.ids.get(id);
    if (known) return this.put(ws, 'ack', { id, seq: known.seq, duplicate: true }, { id, turn: known.turn });
    const ask = (message: unknown, replaces?: number) => {
      if (message === 'busy') return this.refuse(ws, id, 'busy', 'Later.');
      const k = this.store(s, 'user_message', message, ++s.turn, { id, ...(replaces && { replaces }) }, ws);
      s.ids.set(id, k);
      this.enqueue(s, k.turn);
    };
    if (f.action === 'user_message') ask(f.message);
    else if (f.action === 'user_file') {
      this.files.push(f.message);
      ask((f.message as { name: string }).name);
    } else if (f.action === 'user_voice') {
      const words = `heard ${atob(f.message as string)}`;
      this.put(ws, 'user_message', words, { id, history: true });
      ask(words);
    }
    else if (f.action === 'edit') ask(m.message, m.turn);
    else if (f.action === 'regenerate') ask(s.stored.find((k) => k.action === 'user_message' && k.turn === m.turn)?.message, m.turn);
    else if (f.action === 'stop' && m.turn === 0) this.refuse(ws, id, 'invalid', 'There is no such turn.');
    else if (f.action === 'user_set_variable' && 'prev_state' in m) this.refuse(ws, id, 'invalid', 'prev_state is reserved.');
    else if (f.action === 'user_set_variable' || f.action === 'stop') {
      if (f.action === 'stop') this.stops.push(m.turn);
      else Object.assign(this.variables, m);
      this.put(ws, 'ack', { id, duplicate: false }, { id });
    }
    else if (f.action === 'feedback' && m.turn === 0) this.refuse(ws, id, 'invalid', 'There is no such turn.');
    else if (f.action === 'feedback') {
      this.feedback.push(f.message);
      this.put(ws, 'feedback_stored', { turn: m.turn ?? s.turn });
    } else if (f.action === 'reset') {
      s.stored = [];
      s.reset = s.seq;
      s.ids.clear();
      this.put(ws, 'ack', { id, duplicate: false }, { id });
      this.all(s, 'session_reset', { seq: s.seq });
    }
  }

  private enqueue(s: Session, turn: number): void {
    s.waiting.push(turn);
    if (s.waiting.length === 1) void this.work(s, this.life);
  }

  private pause = async (text = '') => {
    do await new Promise<void>((ok) => (this.pace ? setTimeout(ok, this.pace) : setImmediate(ok)));
    while (this.hold && text === this.hold);
  };

  // One turn at a time: a status, deltas, a step, what is stored of it, the end.
  private async work(s: Session, life: number): Promise<void> {
    for (let turn = s.waiting[0]; turn !== undefined; turn = s.waiting[0]) {
      const r: Running = { n: 0, text: '', steps: [] };
      s.running.set(turn, r);
      const show = async (action: string, message: unknown) => {
        this.all(s, action, message, { turn, n: ++r.n });
        await this.pause(r.text);
        return life === this.life;
      };
      if (!(await show('status', { phase: 'answering' }))) return;
      const step = { kind: 'note', step: 0, summary: `looked at ${turn}`, details: {} };
      r.steps.push({ action: 'agent_reply_reasoning_step', message: step });
      if (!(await show('agent_reply_reasoning_step', step))) return;
      for (const text of ['An', 'swer ', String(turn)]) {
        r.text += text;
        if (!(await show('agent_reply_delta', { text }))) return;
      }
      s.running.delete(turn);
      this.store(s, 'agent_reply_reasoning_step', step, turn);
      this.store(s, 'agent_reply_str', `Answer ${turn}`, turn);
      this.all(s, 'turn_finished', { outcome: 'done' }, { turn });
      await this.pause();
      if (life !== this.life) return;
      s.waiting.shift(); // not before: what is queued in the pause would find nobody at work
    }
  }
}
