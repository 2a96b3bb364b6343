// The widget's conversation with its server: it goes on where this site's pages
// left it, and knows why it cannot if it cannot.
import { DocentClient, emptyTranscript, reduce, type Transcript } from 'docent-client';
import type { Rating } from './view';

/**
 * foreign: the server does not take this site. token: it wants another token.
 * unreachable: nothing of it answers.
 */
export type Trouble = '' | 'connecting' | 'lost' | 'unreachable' | 'foreign' | 'token' | 'refused';

// Close codes of docent.v1.
const gone = 4501;
const unauthorized = 4502;
const forbidden = 4503;

export interface SessionOptions {
  server: string;
  token: string;
  collections: string[];
  agent: string;
  changed(): void;
}

export class Session {
  transcript: Transcript = emptyTranscript;
  trouble: Trouble = '';
  /** The ratings that the user gave here, by turn. */
  readonly ratings = new Map<number, Rating>();
  private client: DocentClient | null = null;
  private opened = false;
  private forgotten = false;

  constructor(private readonly options: SessionOptions) {}

  /** connect is for when the widget is opened: before, nothing is asked of the server. */
  connect(): void {
    if (this.client && this.client.state !== 'closed') return void this.client.connect();
    const { server, token, agent } = this.options;
    const client = new DocentClient({ url: `${server}/ws${agent && `?agent=${encodeURIComponent(agent)}`}`, sessionId: this.kept(), lastSeq: 0, token: token || undefined, keep: true });
    this.client = client;
    this.trouble = 'connecting';
    client.on('any', (event) => {
      if (client !== this.client) return;
      this.transcript = reduce(this.transcript, event);
      if (event.type === 'state') this.became(event.state, event.code);
      // Only what somebody said is worth coming back to.
      if (this.transcript.entries.length > 0) this.keep(client.sessionId);
      this.options.changed();
    });
    client.connect();
  }

  /** fresh begins another conversation. */
  fresh(): void {
    this.close();
    this.keep(undefined);
    this.transcript = emptyTranscript;
    this.ratings.clear();
    this.opened = false;
    this.connect();
    this.options.changed();
  }

  send(text: string): void {
    const { collections } = this.options;
    this.connect();
    this.client!.send(collections.length > 0 ? { message: text, collections } : text).catch(() => undefined); // the transcript says so
  }

  again(turn: number): void {
    this.client?.regenerate(turn).catch(() => undefined);
  }

  /** rate shows a rating at once, and takes it back if the server refuses it. */
  rate(turn: number, given: Rating): void {
    const before = this.ratings.get(turn);
    this.ratings.set(turn, given);
    this.options.changed();
    const { rating, reason } = given;
    this.client?.feedback({ turn, rating, ...(reason && { reason }) }).catch(() => {
      if (this.ratings.get(turn) !== given) return;
      if (before) this.ratings.set(turn, before);
      else this.ratings.delete(turn);
      this.options.changed();
    });
  }

  stop(turn: number | undefined): void {
    this.client?.stop(turn).catch(() => undefined);
  }

  close(): void {
    const client = this.client;
    this.client = null; // what it still has to say is of no interest
    client?.close();
  }

  private became(state: string, code: number | undefined): void {
    if (state === 'open') {
      this.opened = true;
      this.trouble = '';
    } else if (state === 'lost') {
      this.trouble = this.opened ? 'lost' : this.trouble === 'unreachable' ? 'unreachable' : 'connecting';
      if (!this.opened) void this.ask();
    } else if (state === 'refused') this.away(code);
  }

  // A conversation that was deleted, or is somebody else's, is no reason to
  // refuse a new one.
  private away(code: number | undefined): void {
    if ((code === gone || code === forbidden) && this.kept() && !this.forgotten) {
      this.forgotten = true;
      return this.fresh();
    }
    this.trouble = code === unauthorized || code === forbidden ? 'token' : 'refused';
  }

  // A browser does not tell a page why it got no WebSocket. What any site may
  // load of the server tells whether it is there, and what only listed sites may
  // read, whether this is one of them.
  private async ask(): Promise<void> {
    const { server } = this.options;
    const client = this.client;
    const answers = (path: string) => fetch(server + path, { cache: 'no-store', credentials: 'omit' }).then(() => true, () => false);
    if (await answers('/ws')) return;
    const there = await answers('/widget.js');
    if (client !== this.client || this.opened) return;
    this.trouble = there ? 'foreign' : 'unreachable';
    if (there) this.close();
    this.options.changed();
  }

  private get key(): string {
    const { server, agent } = this.options;
    return `docent.widget ${server}${agent && ` ${agent}`}`; // each agent has its own conversations
  }

  private kept(): string | undefined {
    try {
      return localStorage.getItem(this.key) ?? undefined;
    } catch {
      return undefined; // storage may be forbidden; the conversation then lasts as long as the page
    }
  }

  private keep(id: string | undefined): void {
    try {
      if (id === undefined) localStorage.removeItem(this.key);
      else if (this.kept() !== id) localStorage.setItem(this.key, id);
    } catch {
      // As above.
    }
  }
}
