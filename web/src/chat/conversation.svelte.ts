// The conversation that is open: its transcript, and the client that feeds it.
import { DocentClient, emptyTranscript, reduce, type LinkState, type ServerFrame, type Transcript, type TranscriptEvent } from 'docent-client';
import * as http from '../api/http';
import { account } from '../shell/account.svelte';
import { chatAddress, router } from '../shell/router.svelte';
import { notices } from '../shell/notices.svelte';
import { server } from '../shell/server.svelte';
import { activity } from './reasoning';
import { byUser, rows, running, view, type Asked, type Item } from './turns';

/** How long nothing is heard of a turn that waits before it is called held, in ms. */
const calmness = 1500;
/** Frames after which it is too early to call anything held. */
const calming = ['synced', 'ack', 'user_message', 'turn_finished', 'status'];

/** Feedback is what the user thinks of a turn. */
export interface Feedback {
  rating: number;
  comment: string;
}

class Conversation {
  session = $state<string | undefined>();
  items = $state.raw<Item[]>([]);
  link = $state<LinkState>('idle');
  /** The code the connection was closed with last; 0 if with none. */
  code = $state(0);
  loading = $state(false);
  /** Why the conversation cannot be shown; '' if it can. */
  error = $state('');
  /** What a screen reader is told. */
  spoken = $state('');
  rows = $derived(rows(this.items));
  /** The user has said nothing yet. */
  fresh = $derived(!this.items.some(byUser));
  /** Turns that run or wait and can be stopped, newest first. */
  stoppable = $derived(this.items.filter(running).flatMap((i) => i.turn || []).reverse());
  /** The person asked for them to stop. */
  stopping = $state(false);
  /** What was thought of turns while the page is open. */
  feedback = $state<Record<number, Feedback>>({});

  private client: DocentClient | null = null;
  private transcript: Transcript = emptyTranscript;
  private calm = false;
  private picture = 0;
  private calming: ReturnType<typeof setTimeout> | undefined;

  /** open shows a conversation; undefined is a new one. */
  async open(session: string | undefined): Promise<void> {
    if (session === this.session && (session !== undefined || this.fresh) && !this.error) return;
    this.leave();
    this.session = session;
    if (!session) return;
    this.loading = true;
    try {
      const loaded = await http.getMessages(session);
      if (this.session !== session) return;
      this.take({ type: 'loaded', loaded });
      this.connect(loaded.seq).connect();
    } catch (err) {
      if (this.session !== session) return;
      const gone = err instanceof http.ApiError && err.status === 404;
      this.error = gone ? 'This conversation does not exist any more.' : http.sentence(err);
    }
    if (this.session === session) this.loading = false;
  }

  /**
   * begin hears what an agent says first, if nothing is open yet. The session
   * that it makes has an address when the user speaks, and goes if they do not.
   */
  begin(): void {
    if (this.session || this.client) return;
    this.connect().connect();
  }

  /** abandon deletes a session that was begun and not used. */
  abandon(): void {
    if (this.fresh && !this.session) this.leave();
  }

  /** ask says something; without a connection it waits for one. */
  ask(text: string): void {
    // A refusal is part of the transcript.
    void this.connect().send(text).catch(() => undefined);
    this.named();
    this.spoken = 'Sent.';
  }

  /** edit says something else in the place of a question. */
  edit(item: Asked, text: string): void {
    if (item.turn === null) return;
    void this.connect().edit(item.turn, text).catch((err: unknown) => this.refused(err));
    this.spoken = 'Sent.';
  }

  /** again has a question answered anew, or sent again if it was refused. */
  again(item: Asked): void {
    if (item.seq === null) void this.client?.send(item.text, { id: item.id }).catch(() => undefined);
    else if (item.turn !== null) void this.connect().regenerate(item.turn).catch((err: unknown) => this.refused(err));
    this.spoken = 'Sent.';
  }

  /** rate tells what the user thinks of a turn. */
  async rate(turn: number, feedback: Feedback): Promise<void> {
    const before = this.feedback[turn];
    this.feedback[turn] = feedback;
    try {
      await this.connect().feedback({ turn, rating: feedback.rating, ...(feedback.comment && { comment: feedback.comment }) });
      this.spoken = 'Thank you.';
    } catch (err) {
      if (before) this.feedback[turn] = before;
      else delete this.feedback[turn];
      this.refused(err);
    }
  }

  /** stop ends what runs and what waits; the newest first, or it would begin. */
  stop(): void {
    this.stopping = true;
    for (const turn of this.stoppable) void this.client?.stop(turn).catch((err: unknown) => this.refused(err));
  }

  /** reconnect tries at once. */
  reconnect(): void {
    if (this.link === 'lost') this.client?.connect();
  }

  /** return comes back to where the server said to stay away, as somebody it knows. */
  async return(): Promise<void> {
    const { client } = this;
    await account.check();
    if (client === this.client) client?.connect();
  }

  private refused(err: unknown): void {
    const code = (err as { code?: string }).code;
    if (code !== 'canceled') notices.say(err instanceof Error ? err.message : 'That was refused.');
  }

  private leave(): void {
    const unused = this.fresh && !this.session && this.client?.sessionId;
    const { client } = this;
    this.client = null;
    client?.close();
    // Nothing is lost if it stays: it is not listed.
    if (unused) void http.deleteSession(unused).catch(() => undefined);
    this.link = 'idle';
    this.transcript = emptyTranscript;
    this.feedback = {};
    this.stopping = false;
    this.error = '';
    this.spoken = '';
    this.loading = false;
    this.calm = false;
    clearTimeout(this.calming);
    this.draw();
  }

  private connect(lastSeq?: number): DocentClient {
    if (this.client) return this.client;
    const client = new DocentClient({ url: location.origin, sessionId: this.session, lastSeq, keep: true });
    this.client = client;
    client.on('any', (e) => {
      if (this.client === client) this.take(e);
    });
    return client;
  }

  private take(e: TranscriptEvent): void {
    this.transcript = reduce(this.transcript, e);
    if (e.type === 'state') this.linked(e.state, e.code);
    if (e.type === 'frame' && calming.includes(e.frame.action)) this.calm = false;
    if (e.type === 'frame' && e.frame.action === 'agent_reply_delta') {
      // Drawn once per picture, however fast they come.
      this.picture ||= requestAnimationFrame(() => this.draw());
      return;
    }
    // What was missed is drawn when all of it is there.
    if (e.type === 'frame' && !this.transcript.synced) return;
    this.draw();
    if (e.type === 'frame') this.heard(e.frame);
  }

  private draw(): void {
    if (this.picture) cancelAnimationFrame(this.picture);
    this.picture = 0;
    this.items = view(this.transcript, this.calm, this.items);
    clearTimeout(this.calming);
    if (!this.calm && this.transcript.synced) {
      this.calming = setTimeout(() => {
        this.calm = true;
        this.draw();
      }, calmness);
    }
  }

  private linked(state: LinkState, code = 0): void {
    this.link = state;
    this.code = code;
    if (state === 'refused') void server.list(); // what was deleted goes from it
    if (state === 'open') return;
    this.calm = false;
    this.stopping = false;
    if ((state === 'lost' || state === 'refused') && account.me?.auth !== false && !account.needed) void this.identify();
  }

  // A login that ended looks like any refusal at the handshake: the question
  // who is logged in tells, and brings up the form.
  private async identify(): Promise<void> {
    const { client } = this;
    const before = account.logins;
    await account.check();
    if (client === this.client && account.logins !== before) client?.connect();
  }

  private heard(frame: ServerFrame): void {
    switch (frame.action) {
      case 'synced':
        return this.named();
      case 'ack':
        this.named();
        return void server.list();
      case 'status':
        return this.say(frame.message.phase);
      case 'turn_finished':
        this.stopping = this.stopping && this.stoppable.length > 0;
        if (frame.message.outcome === 'stopped') this.spoken = 'Stopped.';
        return void server.list(); // a quick turn ends before the list that its ack asked for is there
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
    const session = this.client?.sessionId;
    if (!session || session === this.session || this.fresh) return;
    this.session = session;
    if (router.route.view === 'chat') router.replace(chatAddress(session));
  }
}

export const conversation = new Conversation();
