// A session of docent.v1: every stored frame once and in order, every message
// stored once, over connections that come and go.
import { attachment, base64, type Attachment } from './base64.ts';
import { newId, parseFrame, type ErrorBody, type ServerFrame, type Welcome } from './frames.ts';
import { Link, type Backoff, type LinkState, type SocketLike } from './link.ts';

export interface Options {
  /** Address of the server, http(s) or ws(s); without a path, /ws is meant. */
  url: string;
  /** The session to go on with; a new one is made without. */
  sessionId?: string | undefined;
  /**
   * The number of the last stored frame that the caller has; what is stored
   * after it comes first, and 0 means everything. Without, only what is new.
   */
  lastSeq?: number | undefined;
  /** A token that is sent in hello. */
  token?: string | undefined;
  /** A token that is sent at the handshake, as a subprotocol. */
  protocolToken?: string | undefined;
  /** For Node.js before 22, such as npm's ws. Default: the global one. */
  WebSocket?: new (url: string, protocols: string[]) => SocketLike;
  /** First and longest pause before trying again, in ms, or what tells them each time. Default 500, 15000. */
  backoff?: Backoff | (() => Backoff);
  /** How long a new connection may take to say welcome, in ms. Default 10000. */
  patience?: number;
  /**
   * What waits when the server says to stay away is kept, and sent after the
   * next connect(), as for a page with a login. Default false: it is rejected.
   */
  keep?: boolean;
}

/** Outgoing is a message of the user on its way. */
export interface Outgoing {
  id: string;
  action: 'user_message' | 'user_file' | 'user_voice' | 'edit' | 'regenerate';
  /**
   * What is said; undefined for regenerate, which says the same again. Of a
   * recording it is the words, once the server has told them.
   */
  content: unknown;
  /** The turn from which on it replaces what was said. */
  replaces?: number;
}

/**
 * Question is a message with how it is to be answered, where the agent answers
 * from documents: out of these collections, by this model, with so many passages.
 */
export interface Question {
  message: string;
  collections?: string[];
  model?: string;
  /** 1 to 50. */
  k?: number;
}

/** Stored says where a message of the user is stored. */
export interface Stored {
  id: string;
  seq: number;
  /** The turn that it began. */
  turn: number | undefined;
  /** It was stored before. */
  duplicate: boolean;
}

/** DocentError is a refusal by the server, or by the client itself. */
export class DocentError extends Error {
  override name = 'DocentError';
  readonly code: string;
  readonly retryable: boolean;
  /** Names the sentence; empty if it is the client's own. */
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

/** ClientEvent is what happens, in order. A transcript is a function of these. */
export type ClientEvent =
  /** at is when it came, in ms. */
  | { type: 'frame'; frame: ServerFrame; at?: number }
  /** A message of the user waits to be stored. */
  | { type: 'queued'; outgoing: Outgoing }
  /** It waits no more, and is not known to be stored; a refusal by the server comes as a frame. */
  | { type: 'rejected'; id: string; error: ErrorBody }
  /** code is the close code, if there is one; tries, in lost, counts those in vain since it was open. */
  | { type: 'state'; state: LinkState; code?: number; tries?: number };

export type ClientEvents = { [T in ClientEvent['type']]: Extract<ClientEvent, { type: T }> } & { any: ClientEvent };

/** Messages that wait to be stored or sent. */
const maxQueued = 256;

interface Waiting {
  frame: { action: string; message?: unknown; id: string };
  /** Base64 that belongs into the frame, where hole stands: it is long, and needs no escaping. */
  bytes: string | Blob | undefined;
  /** What has to come for it to be done; taken: an ack of something that is not stored. */
  until: 'ack' | 'taken' | 'feedback_stored' | 'session_reset';
  /** It is about what is now, so it is given up with the connection. */
  once: boolean;
  /** Its length on this connection, in UTF-16 units; 0 if it was not sent there. */
  sent: number;
  /** For session_reset: what was stored when it was asked for. */
  since: number;
  resolve(value: never): void;
  reject(err: Error): void;
}

export class DocentClient {
  /** What the server said last of the session; null before. */
  welcome: Welcome | null = null;
  private readonly link: Link;
  private session: string | undefined;
  private last: number | undefined;
  private synced = false;
  private gap: number | undefined; // where the last gap was
  private queue: Waiting[] = [];
  private refusal: ErrorBody | null = null; // what the server said last of the connection
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
        if (state === 'refused') this.stay(code!);
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

  /** The session's id; undefined until there is one. */
  get sessionId(): string | undefined {
    return this.session;
  }

  /** The number of the last stored frame that came; undefined before the first welcome. */
  get lastSeq(): number | undefined {
    return this.last;
  }

  /** on calls a listener at each event of a type, or at any, whose listeners come first; it returns what ends that. */
  on<T extends keyof ClientEvents>(type: T, listener: (event: ClientEvents[T]) => void): () => void {
    const all = this.listeners.get(type) ?? new Set();
    this.listeners.set(type, all.add(listener as (event: never) => void));
    return () => void all.delete(listener as (event: never) => void);
  }

  /** connect connects, or tries again at once, also after a refusal. */
  connect(): void {
    this.link.connect();
  }

  /** close ends it for good. What waits is rejected; what is stored stays. */
  close(): void {
    globalThis.removeEventListener?.('online', this.online);
    this.link.close();
    for (const w of [...this.queue]) this.reject(w, closed);
  }

  /**
   * send says something: text, a Question, or any other JSON. It resolves when that is stored, and
   * waits for a connection for as long as it takes; a refusal, of it or of the
   * connection, rejects with a DocentError. Sending again with the same id
   * stores nothing twice.
   */
  send(content: unknown, { id = newId() }: { id?: string } = {}): Promise<Stored> {
    return this.say({ id, action: 'user_message', content }, content);
  }

  /** sendFile is send of a file, which is read in pieces: nothing waits long for that. */
  async sendFile(file: File | Attachment, { id = newId() }: { id?: string } = {}): Promise<Stored> {
    const content = 'base64' in file ? file : await attachment(file);
    const { name, type, base64: text, blob } = content;
    return this.put('user_file', { name, type, base64: hole }, 'ack', { id, action: 'user_file', content }, blob instanceof Blob ? blob : text);
  }

  /**
   * sendVoice is send of a recording, an audio file or its base64. Its words
   * come as a user_message before it is stored; transcripts show them.
   */
  async sendVoice(recording: Blob | string, { id = newId() }: { id?: string } = {}): Promise<Stored> {
    const content = typeof recording === 'string' ? recording : await base64(recording);
    return this.put('user_voice', hole, 'ack', { id, action: 'user_voice', content }, content);
  }

  /** edit says something else in the place of a turn's message; that turn and those after it are gone. */
  edit(turn: number, content: unknown, { id = newId() }: { id?: string } = {}): Promise<Stored> {
    return this.say({ id, action: 'edit', content, replaces: turn }, { turn, message: content });
  }

  /** regenerate has a turn's message answered anew; that turn and those after it are gone. */
  regenerate(turn: number, { id = newId() }: { id?: string } = {}): Promise<Stored> {
    return this.say({ id, action: 'regenerate', content: undefined, replaces: turn }, { turn });
  }

  /** feedback tells what the user thinks of a turn, or of the last one; rating is from -100 to 100. */
  feedback(feedback: { turn?: number; rating?: number; comment?: string }): Promise<{ turn: number }> {
    return this.put('feedback', feedback, 'feedback_stored');
  }

  /** setVariables stores variables of the session; it resolves when the server has taken them. */
  setVariables(variables: Record<string, unknown>): Promise<void> {
    return this.put('user_set_variable', variables, 'taken');
  }

  /** reset empties the session; it resolves when that is done. */
  reset(): Promise<{ seq: number }> {
    return this.put('reset', undefined, 'session_reset');
  }

  /**
   * stop ends a turn, or the one that runs; it resolves when the server has taken
   * it. Without a connection nothing is done. If it is lost meanwhile, that of a
   * turn is asked for again, and the other rejects: what runs then may be another.
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
    if (most && says(w, most)) {
      return this.reject(w, { code: 'invalid', message: `This text is longer than the server takes, which is ${most} bytes.`, retryable: false });
    }
    w.sent = typeof text === 'string' ? text.length : text.size;
    this.link.put(text);
  }

  // The server said to stay away. If a frame was too large it was the largest
  // of those on their way.
  private stay(code: number): void {
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

  // The session may have been emptied meanwhile, or be of another database.
  private welcomed(m: Welcome): void {
    this.welcome = m;
    this.session = m.session_id;
    if (this.last === undefined) this.last = m.seq;
    else this.last = Math.max(m.seq < this.last ? 0 : this.last, m.reset_seq ?? 0);
    for (const w of this.queue) {
      if (w.until === 'session_reset' && (m.reset_seq ?? 0) > 0 && m.reset_seq! >= w.since) this.settle(w, { seq: m.reset_seq });
    }
  }

  // admit keeps the order: what is known is passed over, and where something is
  // missing the client comes back to get it.
  private admit(frame: ServerFrame): boolean {
    if (frame.action === 'session_reset') this.last = Math.max(this.last ?? 0, frame.message.seq);
    const seq = frame.action === 'ack' && !frame.message.duplicate ? frame.message.seq : frame.action === 'session_reset' || frame.action === 'ack' ? undefined : frame.seq;
    if (!seq || this.last === undefined) return true;
    if (seq <= this.last) return frame.action === 'ack';
    // Asked for once more and not given, it is not there any more.
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
        if (!frame.seq) return; // the words of a recording, which is stored next
      // fallthrough
      case 'user_file': // another connection, or the one before, stored it
        return this.settle(of(frame.id), { id: frame.id, seq: frame.seq, turn: frame.turn, duplicate: true });
      case 'feedback_stored':
        return this.settle(of(frame.id) ?? this.queue.find((w) => w.until === 'feedback_stored'), frame.message);
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

/** refusalOf says what a close code means, where the server did not say it in words. */
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

/** Stands in a frame for base64, which would be long to escape. */
const hole = '\0';

/** written is a frame as it is sent; a binary one is as good. */
function written({ frame, bytes }: Waiting): string | Blob {
  const text = JSON.stringify(frame);
  if (bytes === undefined) return text;
  const mark = JSON.stringify(hole); // nothing else is called that, as names and ids have no control characters
  const at = text.indexOf(mark) + 1;
  const [before, after] = [text.slice(0, at), text.slice(at + mark.length - 2)];
  return typeof bytes === 'string' ? before + bytes + after : new Blob([before, bytes, after]);
}

/**
 * says reports whether the text of a user's message has more than so many bytes:
 * that of an object, or of a string that holds one, is its message, if it has one.
 */
function says({ frame: { action, message } }: Waiting, bytes: number): boolean {
  const content = action === 'edit' ? (message as { message: unknown }).message : action === 'user_message' ? message : '';
  let text = typeof content === 'string' ? content : (JSON.stringify(content) ?? '');
  if (text.length * 3 > bytes && text.trimStart().startsWith('{')) {
    try {
      const said = (JSON.parse(text) as { message?: unknown }).message;
      if (typeof said === 'string') text = said;
    } catch {
      // it is no object
    }
  }
  return exceeds(text, bytes);
}

/** exceeds reports whether a frame has more than so many bytes. */
function exceeds(text: string | Blob, bytes: number): boolean {
  if (typeof text !== 'string') return text.size > bytes;
  if (text.length * 3 <= bytes) return false; // without a copy of it
  return text.length > bytes || new TextEncoder().encode(text).length > bytes;
}
