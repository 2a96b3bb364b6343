// One WebSocket that comes back by itself. It knows nothing of frames.

/**
 * LinkState is what a person may want to know of the connection. connecting:
 * for the first time. lost: it was there, or could not be had, and is being
 * tried again. refused: the server said to stay away; connect tries again.
 */
export type LinkState = 'idle' | 'connecting' | 'open' | 'lost' | 'refused' | 'closed';

/** stays reports that a close code says to stay away: policy, size, or the terminal range of our own. */
export const stays = (code: number): boolean => code === 1000 || code === 1008 || code === 1009 || (code >= 4500 && code < 4600);

/** SocketLike is what is used of a WebSocket; the browser's and npm's ws have it. */
export interface SocketLike {
  onopen: ((e: never) => unknown) | null;
  onmessage: ((e: never) => unknown) | null;
  onclose: ((e: never) => unknown) | null;
  onerror: ((e: never) => unknown) | null;
  /** A Blob is only given where there is a FileReader, as in browsers. */
  send(data: string | Blob): void;
  close(): void;
}

/** Backoff is the first and the longest pause before trying again, in ms. */
export type Backoff = readonly [number, number];

/** Tries in vain after which the pause is the longest. */
const patient = 5;

export interface LinkOptions {
  /** Where to connect; asked before each try. */
  address(): { url: string; protocols: string[] };
  open(): void;
  message(data: unknown): void;
  /** tries, in lost, counts those in vain since it was open. */
  state(state: LinkState, code?: number, tries?: number): void;
  WebSocket: new (url: string, protocols: string[]) => SocketLike;
  backoff: Backoff | (() => Backoff);
  /** How long a new connection may take until ready is called, in ms. */
  patience: number;
}

export class Link {
  state: LinkState = 'idle';
  private socket: SocketLike | null = null;
  private tries = 0;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private waiting: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: LinkOptions) {}

  /** connect tries at once, unless it is connected or on the way. */
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
    socket.onerror = () => undefined; // a close follows, which says as much
  }

  /** put sends text, or the same in bytes, if there is a connection. */
  put(text: string | Blob): void {
    this.socket?.send(text);
  }

  /** ready says that the connection is of use. */
  ready(): void {
    clearTimeout(this.waiting);
    this.tries = 0;
    this.become('open');
  }

  /** drop leaves the connection and comes back. */
  drop(socket = this.socket): void {
    if (!socket || socket !== this.socket) return;
    this.lost(1006);
    socket.close();
  }

  /** renew connects anew at once: what there is may be dead without anybody having said so. */
  renew(): void {
    if (this.state === 'idle' || this.state === 'refused') return;
    this.drop();
    this.connect();
  }

  /** close ends it for good. */
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
    const pause = this.tries >= patient ? longest : Math.min(longest, first * 2 ** Math.max(0, this.tries - 1));
    this.retry = setTimeout(() => this.connect(), pause * (0.5 + Math.random() / 2));
    this.become('lost', code, this.tries);
  }

  private become(state: LinkState, code?: number, tries?: number): void {
    if (this.state === state && code === undefined) return;
    this.state = state;
    this.options.state(state, code, tries);
  }
}
