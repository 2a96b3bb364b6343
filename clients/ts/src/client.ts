// A session of docent.v1. It delivers each stored frame once and in order, and
// sends each message exactly once, even if connections are lost.
import { attachment, base64, type Attachment } from './base64.ts';
import { newId, parseFrame, type ErrorBody, type ServerFrame, type Welcome } from './frames.ts';
import { Link, type Backoff, type LinkState, type SocketLike } from './link.ts';

export interface Options {
  /** The address of the server, with http(s) or ws(s). The default path is /ws. */
  url: string;
  /** The session to continue. Without it, the server creates a new one. */
  sessionId?: string | undefined;
  /**
   * The number of the last stored frame that the caller has. The server replays
   * later frames; 0 replays all. Without it, only new frames arrive.
   */
  lastSeq?: number | undefined;
  /** A token for the hello frame. */
  token?: string | undefined;
  /** A token for the handshake, as a subprotocol. */
  protocolToken?: string | undefined;
  /** The class for connections, for example of the package ws for Node.js before 22. The default is the global one. */
  WebSocket?: new (url: string, protocols: string[]) => SocketLike;
  /** The first and the longest delay before a retry in ms, or a function that returns them. The default is 500 and 15000. */
  backoff?: Backoff | (() => Backoff);
  /** The timeout for the welcome frame of a new connection, in ms. The default is 10000. */
  patience?: number;
  /**
   * Keeps waiting messages when the server refuses the connection, until the next
   * connect(), for example after a sign-in. By default, they are rejected.
   */
  keep?: boolean;
}

/** Outgoing is a message of the user that is not stored yet. */
export interface Outgoing {
  id: string;
  action: 'user_message' | 'user_file' | 'user_voice' | 'edit' | 'regenerate';
  /**
   * The content of the message; undefined for regenerate. For a recording, it is
   * the transcribed text as soon as the server has sent it.
   */
  content: unknown;
  /** The first of the turns that the message replaces. */
  replaces?: number;
}

/** Question is a message with options for agents that answer from documents. */
export interface Question {
  message: string;
  /** The collections to search. */
  collections?: string[];
  /** The ids of the documents to search, at most 100. */
  documents?: number[];
  /** The folders to search, with those below them, at most 50. */
  folders?: string[];
  /** The tags of documents to search, at most 50. */
  tags?: string[];
  /** The model that answers. */
  model?: string;
  /** The number of passages, from 1 to 50. */
  k?: number;
  /** The headings of a brief about the message, at most 8 with 200 characters each. */
  brief?: string[];
}

/** Stored is the position of a stored message. */
export interface Stored {
  id: string;
  seq: number;
  /** The turn that the message started. */
  turn: number | undefined;
  /** The message was stored before. */
  duplicate: boolean;
}

/** DocentError is a refusal by the server or by the client. */
export class DocentError extends Error {
  override name = 'DocentError';
  readonly code: string;
  readonly retryable: boolean;
  /** Names the text of the server; empty for texts of the client. */
  readonly id: string;
  readonly params: readonly unknown[];

  constructor({ code, id, params, message, retryable }: ErrorBody) {
    super(message);
    this.code = code;
    this.id = id ?? '';
    this.params = params ?? [];
    this.retryable = retryable;
  }
}

/** ClientEvent is an event of the client. A transcript is a function of these events in order. */
export type ClientEvent =
  /** A frame of the server; at is the time of its arrival in ms. */
  | { type: 'frame'; frame: ServerFrame; at?: number }
  /** A message of the user waits to be stored. */
  | { type: 'queued'; outgoing: Outgoing }
  /** A message no longer waits, and the client does not know whether it is stored. Refusals by the server are frames. */
  | { type: 'rejected'; id: string; error: ErrorBody }
  /** A new state, with the close code if one exists. With lost, tries is the number of failed attempts since the last open connection. */
  | { type: 'state'; state: LinkState; code?: number; tries?: number };

export type ClientEvents = { [T in ClientEvent['type']]: Extract<ClientEvent, { type: T }> } & { any: ClientEvent };

/** The maximum number of waiting messages and requests. */
const maxQueued = 256;

interface Waiting {
  frame: { action: string; message?: unknown; id: string };
  /** The base64 text that replaces the hole in the frame. It needs no escaping, which would take long. */
  bytes: string | Blob | undefined;
  /** The frame that completes the request; taken is an ack without seq. */
  until: 'ack' | 'taken' | 'feedback_stored' | 'turns_shown' | 'session_reset';
  /** The request concerns the present moment, so it is rejected when the connection is lost. */
  once: boolean;
  /** Its length in UTF-16 units; 0 if it was not sent on this connection. */
  sent: number;
  /** The last stored frame at the time of the request, for session_reset. */
  since: number;
  resolve(value: never): void;
  reject(err: Error): void;
}

export class DocentClient {
  /** The last welcome of the server; null before the first. */
  welcome: Welcome | null = null;
  private readonly link: Link;
  private session: string | undefined;
  private last: number | undefined;
  private synced = false;
  private gap: number | undefined; // the last seq before the last gap
  private queue: Waiting[] = [];
  private refusal: ErrorBody | null = null; // the last error of the server about the connection
  private readonly listeners = new Map<string, Set<(event: never) => void>>();
  private readonly online = () => this.link.renew();

  constructor(private readonly options: Options) {
    const Socket = options.WebSocket ?? (globalThis.WebSocket as unknown as Options['WebSocket']);
    if (!Socket) throw new Error('there is no WebSocket here: give one as an option, such as that of npm’s ws');
    if (options.protocolToken && !/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(options.protocolToken)) {
      throw new Error('protocolToken has characters that a subprotocol cannot have: use token');
    }
    this.session = options.sessionId;
    this.last = options.lastSeq;
    this.link = new Link({
      address: () => this.address(),
      open: () => this.hello(),
      message: (data) => this.receive(data),
      state: (state, code, tries) => {
        if (state !== 'open') this.synced = false;
        this.emit({ type: 'state', state, ...(code !== undefined && { code }), ...(tries !== undefined && { tries }) });
        if (state !== 'open' && state !== 'closed') for (const w of this.queue.filter((w) => w.once)) this.reject(w, unknown);
        if (state === 'refused') this.refused(code!);
      },
      WebSocket: Socket,
      backoff: options.backoff ?? [500, 15_000],
      patience: options.patience ?? 10_000,
    });
    globalThis.addEventListener?.('online', this.online);
  }

  get state(): LinkState {
    return this.link.state;
  }

  /** The id of the session; undefined before the server has created it. */
  get sessionId(): string | undefined {
    return this.session;
  }

  /** The number of the last stored frame that arrived; undefined before the first welcome. */
  get lastSeq(): number | undefined {
    return this.last;
  }

  /** on adds a listener for a type of events, and returns a function that removes it. Listeners for any run first. */
  on<T extends keyof ClientEvents>(type: T, listener: (event: ClientEvents[T]) => void): () => void {
    const all = this.listeners.get(type) ?? new Set();
    this.listeners.set(type, all.add(listener as (event: never) => void));
    return () => void all.delete(listener as (event: never) => void);
  }

  /** connect connects, or retries at once, even after a refusal. */
  connect(): void {
    this.link.connect();
  }

  /** close closes the client permanently and rejects waiting messages. Stored messages remain. */
  close(): void {
    globalThis.removeEventListener?.('online', this.online);
    this.link.close();
    for (const w of [...this.queue]) this.reject(w, closed);
  }

  /**
   * send sends text, a Question, or any other JSON. It resolves when the message is
   * stored, and waits for a connection without a time limit. If the server refuses
   * the message or the connection, it rejects with a DocentError. A message with the
   * same id is stored only once.
   */
  send(content: unknown, { id = newId() }: { id?: string } = {}): Promise<Stored> {
    return this.say({ id, action: 'user_message', content }, content);
  }

  /** sendFile sends a file like send. It reads the file in pieces. */
  async sendFile(file: File | Attachment, { id = newId() }: { id?: string } = {}): Promise<Stored> {
    const content = 'base64' in file ? file : await attachment(file);
    const { name, type, base64: text, blob } = content;
    return this.put('user_file', { name, type, base64: hole }, 'ack', { id, action: 'user_file', content }, blob instanceof Blob ? blob : text);
  }

  /**
   * sendVoice sends an audio file or its base64 like send. The server returns its
   * text as a user_message before it is stored, and transcripts show this text.
   */
  async sendVoice(recording: Blob | string, { id = newId() }: { id?: string } = {}): Promise<Stored> {
    const content = typeof recording === 'string' ? recording : await base64(recording);
    return this.put('user_voice', hole, 'ack', { id, action: 'user_voice', content }, content);
  }

  /** edit replaces the message of a turn. It removes this turn and later ones. */
  edit(turn: number, content: unknown, { id = newId() }: { id?: string } = {}): Promise<Stored> {
    return this.say({ id, action: 'edit', content, replaces: turn }, { turn, message: content });
  }

  /** regenerate requests a new answer to the message of a turn. It removes this turn and later ones. */
  regenerate(turn: number, { id = newId() }: { id?: string } = {}): Promise<Stored> {
    return this.say({ id, action: 'regenerate', content: undefined, replaces: turn }, { turn });
  }

  /** show shows the newest branch of the conversation with a turn: a version of a question. */
  async show(turn: number): Promise<void> {
    await this.put('show', { turn }, 'turns_shown');
  }

  /** feedback rates a turn, by default the last one. The rating is from -100 to 100, and the reason is one that the server knows. */
  feedback(feedback: { turn?: number; rating?: number; reason?: string; comment?: string }): Promise<{ turn: number }> {
    return this.put('feedback', feedback, 'feedback_stored');
  }

  /** setVariables stores variables of the session. It resolves when the server confirms them. */
  setVariables(variables: Record<string, unknown>): Promise<void> {
    return this.put('user_set_variable', variables, 'taken');
  }

  /** reset deletes all messages of the session. It resolves when the server confirms it. */
  reset(): Promise<{ seq: number }> {
    return this.put('reset', undefined, 'session_reset');
  }

  /**
   * stop stops a turn, by default the running one. It resolves when the server
   * confirms it. Without a connection, it does nothing. If the connection is lost
   * meanwhile, stop(turn) is sent again. stop() rejects, because another turn may
   * be running then.
   */
  async stop(turn?: number): Promise<void> {
    if (this.synced) await this.put('stop', turn === undefined ? {} : { turn }, 'taken');
  }

  private say(outgoing: Outgoing, message: unknown): Promise<Stored> {
    return this.put(outgoing.action, message, 'ack', outgoing);
  }

  private put<T>(action: string, message: unknown, until: Waiting['until'], outgoing?: Outgoing, bytes?: string | Blob): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.state === 'closed') throw new DocentError(closed);
      if (this.state === 'refused' && !this.options.keep) throw new DocentError(this.refusal ?? refusalOf(0));
      if (this.queue.length >= maxQueued) throw new DocentError({ code: 'busy', message: 'Too much waits to be sent.', retryable: true });
      const frame = { action, message, id: outgoing?.id ?? newId() };
      const once = action === 'stop' && (message as { turn?: number }).turn === undefined;
      const waiting: Waiting = { frame, bytes, until, once, sent: 0, since: this.last ?? 0, resolve, reject };
      this.queue.push(waiting);
      if (outgoing) this.emit({ type: 'queued', outgoing });
      if (this.synced) this.transmit(waiting);
      else if (this.state !== 'refused') this.connect();
    });
  }

  private transmit(w: Waiting): void {
    const text = written(w);
    const limit = this.welcome?.limits?.frame_bytes;
    if (limit && exceeds(text, limit)) {
      return this.reject(w, { code: 'invalid', message: `This is larger than the server takes, which is ${limit} bytes with all that belongs to it.`, retryable: false });
    }
    const most = this.welcome?.limits?.message_bytes;
    if (most && textExceeds(w, most)) {
      return this.reject(w, { code: 'invalid', message: `This text is longer than the server takes, which is ${most} bytes.`, retryable: false });
    }
    w.sent = typeof text === 'string' ? text.length : text.size;
    this.link.put(text);
  }

  // refused handles the refusal of the connection. If a frame was too large, it was
  // the largest of the sent ones.
  private refused(code: number): void {
    this.refusal ??= refusalOf(code);
    if (code === 1009) {
      const largest = this.queue.reduce<Waiting | undefined>((a, b) => (b.sent > (a?.sent ?? 0) ? b : a), undefined);
      if (largest) this.reject(largest, { code: 'invalid', message: 'This is larger than the server takes.', retryable: false });
    }
    for (const w of this.queue) w.sent = 0;
    if (!this.options.keep) for (const w of [...this.queue]) this.reject(w, this.refusal);
  }

  private reject(w: Waiting, error: ErrorBody): void {
    this.queue = this.queue.filter((other) => other !== w);
    this.emit({ type: 'rejected', id: w.frame.id, error });
    w.reject(new DocentError(error));
  }

  private settle(w: Waiting | undefined, value: unknown): void {
    if (!w) return;
    this.queue = this.queue.filter((other) => other !== w);
    w.resolve(value as never);
  }

  private address() {
    const url = new URL(this.options.url);
    url.protocol = url.protocol.replace('http', 'ws');
    if (url.pathname === '/') url.pathname = '/ws';
    if (this.session) url.searchParams.set('session_id', this.session);
    const { protocolToken } = this.options;
    return { url: url.href, protocols: ['docent.v1', ...(protocolToken ? [`docent.token.${protocolToken}`] : [])] };
  }

  private hello(): void {
    this.refusal = null;
    for (const w of this.queue) w.sent = 0;
    const { token } = this.options;
    const message = { ...(this.last !== undefined && this.session && { last_seq: this.last }), ...(token && { token }) };
    this.link.put(JSON.stringify({ action: 'hello', message }));
  }

  private receive(data: unknown): void {
    const frame = parseFrame(data);
    if (!frame || !this.admit(frame)) return;
    if (frame.action === 'welcome') this.welcomed(frame.message);
    this.emit({ type: 'frame', frame, at: Date.now() });
    this.settled(frame);
    if (frame.action === 'synced') {
      this.synced = true;
      this.link.ready();
      for (const w of [...this.queue]) this.transmit(w);
    }
  }

  // welcomed corrects the position: the session may have been reset, or may be in another database.
  private welcomed(m: Welcome): void {
    this.welcome = m;
    this.session = m.session_id;
    if (this.last === undefined) this.last = m.seq;
    else this.last = Math.max(m.seq < this.last ? 0 : this.last, m.reset_seq ?? 0);
    for (const w of this.queue) {
      if (w.until === 'session_reset' && (m.reset_seq ?? 0) > 0 && m.reset_seq! >= w.since) this.settle(w, { seq: m.reset_seq });
    }
  }

  // admit reports whether to deliver a frame. It skips known frames, and reconnects
  // to get missing ones.
  private admit(frame: ServerFrame): boolean {
    if (frame.action === 'session_reset') this.last = Math.max(this.last ?? 0, frame.message.seq);
    const seq = frame.action === 'ack' && !frame.message.duplicate ? frame.message.seq : frame.action === 'session_reset' || frame.action === 'ack' ? undefined : frame.seq;
    if (!seq || this.last === undefined) return true;
    if (seq <= this.last) return frame.action === 'ack';
    // If the server does not send a missing frame after a reconnect, the frame no longer exists.
    if (seq > this.last + 1 && this.gap !== this.last) {
      this.gap = this.last;
      this.link.drop();
      return false;
    }
    this.last = seq;
    return true;
  }

  private settled(frame: ServerFrame): void {
    const of = (id: string | undefined) => this.queue.find((w) => id !== undefined && w.frame.id === id);
    switch (frame.action) {
      case 'ack': {
        const { seq, duplicate } = frame.message;
        const id = frame.message.id || frame.id;
        const w = of(id);
        if (w?.until === (seq === undefined ? 'taken' : 'ack')) this.settle(w, seq === undefined ? undefined : { id, seq, turn: frame.turn, duplicate });
        return;
      }
      case 'user_message':
        if (!frame.seq) return; // the text of a recording, which is stored next
      // fallthrough
      case 'user_file': // an earlier or another connection stored it
        return this.settle(of(frame.id), { id: frame.id, seq: frame.seq, turn: frame.turn, duplicate: true });
      case 'feedback_stored':
        return this.settle(of(frame.id) ?? this.queue.find((w) => w.until === 'feedback_stored'), frame.message);
      case 'turns_shown':
        return this.settle(of(frame.id), undefined);
      case 'session_reset':
        for (const w of this.queue.filter((w) => w.until === 'session_reset')) this.settle(w, frame.message);
        return;
      case 'error': {
        const { id } = frame;
        const w = of(id);
        if (id === undefined && frame.turn == null) this.refusal = frame.message;
        if (!w) return;
        this.queue = this.queue.filter((other) => other !== w);
        w.reject(new DocentError(frame.message));
      }
    }
  }

  private emit(event: ClientEvent): void {
    for (const type of ['any', event.type]) {
      for (const listener of this.listeners.get(type) ?? []) (listener as (e: ClientEvent) => void)(event);
    }
  }
}

const unknown: ErrorBody = { code: 'unavailable', message: 'The connection was lost: what was asked for may not have been done.', retryable: true };
const closed: ErrorBody = { code: 'canceled', message: 'The client was closed.', retryable: false };

/** refusalOf returns the error for a close code if the server sent none. */
function refusalOf(code: number): ErrorBody {
  switch (code) {
    case 1009:
      return { code: 'unavailable', message: 'The connection was closed, as a frame was too large; this was not it.', retryable: true };
    case 4501:
      return { code: 'not_found', message: 'The conversation was deleted.', retryable: false };
    case 4502:
      return { code: 'unauthorized', message: 'The server does not know who you are: the token is missing, wrong or expired.', retryable: false };
    case 1008:
    case 4503:
      return { code: 'forbidden', message: 'You may not do this here.', retryable: false };
  }
  return { code: 'conflict', message: 'The server has closed the connection for good.', retryable: false };
}

/** The placeholder for base64 text in a frame. */
const hole = '\0';

/** written returns the text of a frame. The server accepts it in a binary message too. */
function written({ frame, bytes }: Waiting): string | Blob {
  const text = JSON.stringify(frame);
  if (bytes === undefined) return text;
  const mark = JSON.stringify(hole); // names and ids have no control characters
  const at = text.indexOf(mark) + 1;
  const [before, after] = [text.slice(0, at), text.slice(at + mark.length - 2)];
  return typeof bytes === 'string' ? before + bytes + after : new Blob([before, bytes, after]);
}

/**
 * textExceeds reports whether the text of a message has more than a number of
 * bytes. In an object, or in a string with a JSON object, the text is the key message.
 */
function textExceeds({ frame: { action, message } }: Waiting, bytes: number): boolean {
  const content = action === 'edit' ? (message as { message: unknown }).message : action === 'user_message' ? message : '';
  let text = typeof content === 'string' ? content : (JSON.stringify(content) ?? '');
  if (text.length * 3 > bytes && text.trimStart().startsWith('{')) {
    try {
      const said = (JSON.parse(text) as { message?: unknown }).message;
      if (typeof said === 'string') text = said;
    } catch {
      // The text is not an object.
    }
  }
  return exceeds(text, bytes);
}

/** exceeds reports whether text has more than a number of bytes. */
function exceeds(text: string | Blob, bytes: number): boolean {
  if (typeof text !== 'string') return text.size > bytes;
  if (text.length * 3 <= bytes) return false; // avoids a copy
  return text.length > bytes || new TextEncoder().encode(text).length > bytes;
}
