// The docent.v1 client: one WebSocket per open conversation, which comes back
// by itself and delivers every message once. It knows nothing of the page.
import type { ErrorShape, Frame } from './shapes';

/** LinkState is what a person may want to know about the connection. */
export type LinkState = 'idle' | 'connecting' | 'open' | 'lost' | 'refused';

export interface LinkEvents {
  /** A frame arrived; acks and welcomes are passed on too. */
  frame(frame: Frame): void;
  state(state: LinkState): void;
  /** The connection is back: what was stored meanwhile has to be fetched. */
  resumed(): void;
}

export interface LinkOptions {
  /** Address of the page, such as http://127.0.0.1:8765. */
  origin: string;
  /** The session to continue; a new one is made without. */
  session?: string | undefined;
  /** For tests: default the browser's. */
  WebSocket?: typeof WebSocket;
  /** First and longest pause before trying again, in ms. Default 500, 15000. */
  backoff?: [number, number];
  /** How long a new connection may take to say welcome, in ms. Default 10000. */
  patience?: number;
}

interface Outgoing {
  id: string;
  text: string;
}

// Codes after which coming back cannot help: policy, too large, and the
// application's own terminal range.
const terminal = (code: number) => code === 1008 || code === 1009 || (code >= 4500 && code < 4600);

/** newId makes a message id; crypto.randomUUID needs a secure context. */
export function newId(): string {
  const b = crypto.getRandomValues(new Uint8Array(16));
  b[6] = (b[6]! & 0x0f) | 0x40;
  b[8] = (b[8]! & 0x3f) | 0x80;
  const h = Array.from(b, (x) => x.toString(16).padStart(2, '0')).join('');
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-${h.slice(12, 16)}-${h.slice(16, 20)}-${h.slice(20)}`;
}

/** parseFrame reads one frame; anything else is null and is not an error. */
export function parseFrame(data: unknown): Frame | null {
  if (typeof data !== 'string') return null;
  try {
    const f = JSON.parse(data) as unknown;
    if (typeof f !== 'object' || f === null || Array.isArray(f)) return null;
    return typeof (f as Frame).action === 'string' ? (f as Frame) : null;
  } catch {
    return null;
  }
}

export class Link {
  session: string | undefined;
  private ws: WebSocket | null = null;
  private welcomed = false;
  private before = false; // it was open at least once
  private tries = 0;
  private closed = false;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private waiting: ReturnType<typeof setTimeout> | undefined;
  private unacked: Outgoing[] = [];

  constructor(
    private readonly events: LinkEvents,
    private readonly options: LinkOptions,
  ) {
    this.session = options.session;
  }

  /** open connects unless it is connected or on the way. */
  open(): void {
    if (this.ws || this.closed) return;
    clearTimeout(this.retry);
    this.retry = undefined;
    this.events.state('connecting');
    const url = new URL('/ws', this.options.origin);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    url.searchParams.set('protocol', 'docent.v1');
    if (this.session) url.searchParams.set('session_id', this.session);
    const Socket = this.options.WebSocket ?? WebSocket;
    const ws = new Socket(url.href);
    this.ws = ws;
    this.waiting = setTimeout(() => ws.close(), this.options.patience ?? 10_000);
    ws.onopen = () => ws.send(JSON.stringify({ action: 'hello', message: {} }));
    ws.onmessage = (e: MessageEvent) => {
      if (this.ws === ws) this.receive(e.data);
    };
    ws.onclose = (e: CloseEvent) => {
      if (this.ws === ws) this.lost(e.code);
    };
  }

  /** send delivers a message once, now or when the connection is back. */
  send(text: string, id = newId()): string {
    const out = { id, text };
    this.unacked.push(out);
    if (this.welcomed) this.put(out);
    else this.open();
    return id;
  }

  /** stop ends a turn; without a connection there is nobody to tell. */
  stop(turn: number): void {
    if (this.welcomed) this.ws?.send(JSON.stringify({ action: 'stop', message: { turn } }));
  }

  /** now tries at once instead of waiting for the next try. */
  now(): void {
    if (this.ws || this.closed) return;
    this.tries = 0;
    this.open();
  }

  /** close ends it for good; nothing is called after. */
  close(): void {
    this.closed = true;
    clearTimeout(this.retry);
    clearTimeout(this.waiting);
    const ws = this.ws;
    this.ws = null;
    ws?.close();
  }

  private put(out: Outgoing): void {
    this.ws?.send(JSON.stringify({ action: 'user_message', message: out.text, id: out.id }));
  }

  private receive(data: unknown): void {
    const frame = parseFrame(data);
    if (!frame) return;
    if (frame.action === 'welcome') this.welcome(frame);
    else if (frame.action === 'ack') this.settle((frame.message as { id?: string } | null)?.id ?? frame.id);
    else if (frame.action === 'error') {
      const e = frame.message as ErrorShape | null;
      // A refused message is not sent again; one refused for now is, by the
      // person, who sees why.
      this.settle(e?.id ?? frame.id);
    }
    this.events.frame(frame);
  }

  private welcome(frame: Frame): void {
    clearTimeout(this.waiting);
    const m = frame.message as { session_id?: string } | null;
    if (m?.session_id) this.session = m.session_id;
    this.welcomed = true;
    this.tries = 0;
    this.events.state('open');
    if (this.before) this.events.resumed();
    this.before = true;
    for (const out of this.unacked) this.put(out);
  }

  private settle(id: string | undefined): void {
    if (id) this.unacked = this.unacked.filter((out) => out.id !== id);
  }

  private lost(code: number): void {
    clearTimeout(this.waiting);
    this.ws = null;
    this.welcomed = false;
    if (terminal(code)) {
      this.closed = true;
      this.events.state('refused');
      return;
    }
    const [first, longest] = this.options.backoff ?? [500, 15_000];
    const pause = Math.min(longest, first * 2 ** this.tries++) * (0.75 + Math.random() / 2);
    this.events.state('lost');
    this.retry = setTimeout(() => {
      this.retry = undefined;
      this.open();
    }, pause);
  }
}
