// The conversation that is open: stored messages, the live turn, the socket.
import * as http from '../api/http';
import { Link, newId, type LinkState } from '../api/socket';
import type { Frame } from '../api/shapes';
import { chatAddress, router } from '../shell/router.svelte';
import { server } from '../shell/server.svelte';
import { activity } from './reasoning';
import { apply, asked, byUser, interrupt, merge, rows, running, type Asked, type Item } from './turns';

/** How long a stored question of ours may stay without any sign of life, in ms. */
const silence = 60_000;
/** Longest name given to a conversation by its first question, in characters. */
const nameLength = 60;

class Conversation {
  session = $state<string | undefined>();
  items = $state<Item[]>([]);
  link = $state<LinkState>('idle');
  loading = $state(false);
  /** Why the conversation cannot be shown; '' if it can. */
  error = $state('');
  /** What a screen reader is told. */
  spoken = $state('');
  rows = $derived(rows(this.items));
  /** The user has said nothing yet. */
  fresh = $derived(!this.items.some(byUser));
  live = $derived(this.items.findLast(running));
  /** Turns that run or wait and can be stopped, newest first. */
  stoppable = $derived(this.items.filter(running).flatMap((i) => i.turn || []).reverse());
  /** The person asked for them to stop. */
  stopping = $state(false);

  private socket: Link | null = null;
  private deltas: Frame[] = [];
  private frame = 0;
  private stale: ReturnType<typeof setTimeout> | undefined;

  /** open shows a conversation; undefined is a new one. */
  async open(session: string | undefined): Promise<void> {
    if (session === this.session && (session !== undefined || this.fresh) && !this.error) return;
    this.leave();
    this.session = session;
    if (!session) return;
    this.loading = true;
    try {
      const stored = await http.getMessages(session);
      if (this.session !== session) return;
      merge(this.items, stored);
      this.connect();
      this.socket!.open();
      this.watch();
    } catch (err) {
      if (this.session !== session) return;
      const gone = err instanceof http.ApiError && err.status === 404;
      this.error = gone ? 'This conversation does not exist any more.' : http.sentence(err);
    } finally {
      if (this.session === session) this.loading = false;
    }
  }

  /**
   * begin hears what an agent says first, if nothing is open yet. The session
   * that it makes has an address when the user speaks, and goes if they do not.
   */
  begin(): void {
    if (this.session || this.socket) return;
    this.connect();
    this.socket!.open();
  }

  /** abandon deletes a session that was begun and not used. */
  abandon(): void {
    if (this.fresh && !this.session) this.leave();
  }

  /** ask sends a question; without a connection it waits for one. */
  ask(text: string): void {
    const id = newId();
    this.items.push(asked(text, id));
    this.connect();
    this.socket!.send(text, id);
    this.named();
    this.spoken = 'Sent.';
  }

  /** again asks a question that failed once more. */
  again(item: Asked): void {
    const text = item.text;
    if (item.seq === null) this.items = this.items.filter((i) => i.key !== item.key);
    this.ask(text);
  }

  /** stop ends what runs and what waits; the newest first, or it would begin. */
  stop(): void {
    this.stopping = true;
    for (const turn of this.stoppable) this.socket?.stop(turn);
  }

  /** reconnect tries at once. */
  reconnect(): void {
    this.socket?.now();
  }

  private leave(): void {
    const unused = this.fresh && !this.session && this.socket?.session;
    this.socket?.close();
    this.socket = null;
    // Nothing is lost if it stays: it is not listed.
    if (unused) void http.deleteSession(unused).catch(() => undefined);
    this.link = 'idle';
    this.items = [];
    this.deltas = [];
    this.stopping = false;
    this.error = '';
    this.spoken = '';
    this.loading = false;
    clearTimeout(this.stale);
  }

  private connect(): void {
    if (this.socket) return;
    this.socket = new Link(
      {
        frame: (f) => this.receive(f),
        state: (s) => {
          this.link = s;
          if (s === 'lost' || s === 'refused') {
            this.stopping = false;
            this.flush();
            interrupt(this.items);
          }
        },
        resumed: () => void this.catchUp(),
      },
      { origin: location.origin, session: this.session },
    );
  }

  private receive(frame: Frame): void {
    if (frame.action === 'agent_reply_delta') {
      // Drawn once per picture, however fast they come.
      this.deltas.push(frame);
      this.frame ||= requestAnimationFrame(() => this.flush());
      return;
    }
    this.flush();
    apply(this.items, frame);
    this.watch();
    switch (frame.action) {
      case 'welcome':
        return this.named();
      case 'ack':
        return void this.entitle();
      case 'status':
        return this.say((frame.message as { phase?: string } | null)?.phase);
      case 'turn_finished':
        this.stopping = this.stopping && this.stoppable.length > 0;
        if (this.items.findLast((i) => i.kind === 'asked' && i.turn === frame.turn && i.state === 'stopped')) this.spoken = 'Stopped.';
        return void this.entitle(); // a quick turn ends before the list that its ack asked for is there
      case 'error':
        this.spoken = 'The question failed.';
        return;
      case 'agent_reply_reasoning_step':
      case 'agent_reply_task_list_update':
        return;
      default:
        if (frame.action.startsWith('agent_reply_')) this.sayReply();
    }
  }

  private flush(): void {
    if (this.frame) cancelAnimationFrame(this.frame);
    this.frame = 0;
    for (const d of this.deltas.splice(0)) apply(this.items, d);
  }

  private say(phase: string | undefined): void {
    // Each tool would be too much to listen to.
    if (phase === 'answering' || phase === 'searching' || phase === 'thinking') this.spoken = activity(phase);
  }

  private sayReply(): void {
    const last = this.items.findLast((i) => i.kind === 'replied');
    if (last?.reply.type === 'rag') this.spoken = 'Answer: ' + last.reply.rag.answer.replace(/\[(\d+)\]/g, ' (source $1)');
    else if (last?.reply.type === 'text' || last?.reply.type === 'markdown') this.spoken = last.reply.text;
    else if (last?.reply.type === 'options') this.spoken = 'Choose: ' + last.reply.labels.join(', ');
  }

  // A new session has its id from now on, so its address can be shared.
  private named(): void {
    const session = this.socket?.session;
    if (!session || session === this.session || this.fresh) return;
    this.session = session;
    if (router.route.view === 'chat') router.replace(chatAddress(session));
  }

  // A conversation without a name gets its first question as one.
  private async entitle(): Promise<void> {
    const session = this.session;
    const questions = this.items.filter(byUser);
    if (!session) return;
    await server.list();
    if (questions.length !== 1) return;
    const row = server.sessions.find((s) => s.session_id === session);
    if (row && (!row.session_name || row.session_name === session)) {
      await server.rename(session, shortened(questions[0]!.text));
    }
  }

  private async catchUp(): Promise<void> {
    const socket = this.socket;
    if (!socket?.session) return;
    try {
      const stored = await http.getMessages(socket.session);
      if (this.socket === socket) merge(this.items, stored);
    } catch {
      // The next reconnect or the live frames bring it.
    }
  }

  // A question stored before a crash may never be answered: say so in the end.
  private watch(): void {
    clearTimeout(this.stale);
    if (!this.live) return;
    this.stale = setTimeout(() => {
      for (const item of this.items) {
        if (running(item) && item.id === '') item.state = 'unanswered';
      }
    }, silence);
  }
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= nameLength) return line;
  const cut = line.slice(0, nameLength);
  return (cut.lastIndexOf(' ') > 30 ? cut.slice(0, cut.lastIndexOf(' ')) : cut) + '…';
}

export const conversation = new Conversation();
