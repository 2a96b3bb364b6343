// A WebSocket that reconnects by itself. It does not read frames.

/**
 * LinkState is the state of the connection.
 *
 * - connecting: the first attempt is running
 * - lost: the connection ended or failed, and the link tries again
 * - refused: the server refused the connection, and only connect tries again
 */
export type LinkState = 'idle' | 'connecting' | 'open' | 'lost' | 'refused' | 'closed';

/** stays reports whether a close code forbids to reconnect: policy, size, or docent's range of final codes. */
export const stays = (code: number): boolean => code === 1000 || code === 1008 || code === 1009 || (code >= 4500 && code < 4600);

/** SocketLike is the used part of a WebSocket. Browsers and the package ws implement it. */
export interface SocketLike {
  onopen: ((e: never) => unknown) | null;
  onmessage: ((e: never) => unknown) | null;
  onclose: ((e: never) => unknown) | null;
  onerror: ((e: never) => unknown) | null;
  /** Sends a Blob only in environments with FileReader, such as browsers. */
  send(data: string | Blob): void;
  close(): void;
}

/** Backoff is the first and the longest delay before a retry, in ms. */
export type Backoff = readonly [number, number];

/** After this number of failed attempts, the delay is the longest. */
const maxFastTries = 5;

export interface LinkOptions {
  /** Returns the address for the next attempt. */
  address(): { url: string; protocols: string[] };
  open(): void;
  message(data: unknown): void;
  /** Receives each state. With lost, tries is the number of failed attempts since the last open connection. */
  state(state: LinkState, code?: number, tries?: number): void;
  WebSocket: new (url: string, protocols: string[]) => SocketLike;
  backoff: Backoff | (() => Backoff);
  /** The timeout from connecting to the call of ready, in ms. */
  patience: number;
}

export class Link {
  state: LinkState = 'idle';
  private socket: SocketLike | null = null;
  private tries = 0;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private waiting: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: LinkOptions) {}

  /** connect tries at once, unless a connection exists or is being made. */
  connect(): void {
    if (this.socket || this.state === 'closed') return;
    clearTimeout(this.retry);
    if (this.state !== 'lost') this.become('connecting');
    const { url, protocols } = this.options.address();
    const socket = new this.options.WebSocket(url, protocols);
    this.socket = socket;
    this.waiting = setTimeout(() => this.drop(socket), this.options.patience);
    const mine = (f: (e: { data: unknown; code: number }) => void) => (e: never) => {
      if (this.socket === socket) f(e);
    };
    socket.onopen = mine(() => this.options.open());
    socket.onmessage = mine((e) => this.options.message(e.data));
    socket.onclose = mine((e) => this.lost(e.code));
    socket.onerror = () => undefined; // a close event follows
  }

  /** put sends text, or its bytes. Without a connection, it does nothing. */
  put(text: string | Blob): void {
    this.socket?.send(text);
  }

  /** ready marks the connection as open. */
  ready(): void {
    clearTimeout(this.waiting);
    this.tries = 0;
    this.become('open');
  }

  /** drop closes the connection and reconnects after a delay. */
  drop(socket = this.socket): void {
    if (!socket || socket !== this.socket) return;
    this.lost(1006);
    socket.close();
  }

  /** renew reconnects at once, because the present connection can be dead without a close event. */
  renew(): void {
    if (this.state === 'idle' || this.state === 'refused') return;
    this.drop();
    this.connect();
  }

  /** close closes the link permanently. */
  close(): void {
    clearTimeout(this.retry);
    clearTimeout(this.waiting);
    const socket = this.socket;
    this.socket = null;
    socket?.close();
    this.become('closed');
  }

  private lost(code: number): void {
    clearTimeout(this.waiting);
    this.socket = null;
    if (stays(code)) return this.become('refused', code);
    const { backoff } = this.options;
    const [first, longest] = typeof backoff === 'function' ? backoff() : backoff;
    if (this.state !== 'open') this.tries++;
    const pause = this.tries >= maxFastTries ? longest : Math.min(longest, first * 2 ** Math.max(0, this.tries - 1));
    this.retry = setTimeout(() => this.connect(), pause * (0.5 + Math.random() / 2));
    this.become('lost', code, this.tries);
  }

  private become(state: LinkState, code?: number, tries?: number): void {
    if (this.state === state && code === undefined) return;
    this.state = state;
    this.options.state(state, code, tries);
  }
}
