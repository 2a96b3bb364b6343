// The conversation that is open: its transcript, and the client that feeds it.
import { attachment, base64, DocentClient, emptyTranscript, reduce, type Attachment, type LinkState, type Outgoing, type ServerFrame, type Transcript, type TranscriptEvent } from 'docent-client';
import * as http from '../api/http';
import { alike, choices, optionsOf, said, sensible, type AskOptions } from '../input/choice';
import { who } from '../input/kept';
import { remember } from '../input/recall';
import { keep, keepable, kept } from '../input/unsent';
import { plain } from '../markdown/plain';
import { account } from '../shell/account.svelte';
import { chatAddress, router } from '../shell/router.svelte';
import { notices } from '../shell/notices.svelte';
import { server } from '../shell/server.svelte';
import { words } from '../words/words.svelte';
import { activity } from './reasoning';
import { byUser, rows, running, view, type Asked, type Item } from './turns';

/** How long nothing is heard of a turn that waits before it is called held, in ms. */
const calmness = 1500;
/** Frames after which it is too early to call anything held. */
const calming = ['synced', 'ack', 'user_message', 'turn_finished', 'status'];

/** Who looks at the page waits no longer than this for the connection to be tried again; in ms. */
const pauses = (): [number, number] => [500, document.visibilityState === 'visible' ? 3000 : 15_000];

/** Feedback is what the user thinks of a turn. */
export interface Feedback {
  /** 0 if it is only a comment. */
  rating: number;
  comment: string;
}

/** The largest frame of a server that does not say, in bytes; and what of a frame is not its file. */
const usualFrame = 32 << 20;
const envelope = 4096;

class Conversation {
  session = $state<string | undefined>();
  items = $state.raw<Item[]>([]);
  link = $state<LinkState>('idle');
  /** The code the connection was closed with last; 0 if with none. */
  code = $state(0);
  loading = $state(false);
  /** Why the conversation cannot be shown; '' if it can. */
  error = $state('');
  /** There is no such conversation, or it is somebody else's: nothing can be said in it. */
  gone = $state(false);
  /** What a screen reader is told. */
  spoken = $state('');
  rows = $derived(rows(this.items));
  /** The user has said nothing yet. */
  fresh = $derived(!this.items.some(byUser));
  /** Turns that run or wait and can be stopped, newest first. */
  stoppable = $derived(this.items.filter(running).flatMap((i) => i.turn || []).reverse());
  /** The person asked for them to stop. */
  stopping = $state(false);
  /** What was thought of turns. */
  feedback = $state<Record<number, Feedback>>({});
  /** Counts how often another conversation was opened, or a new one begun. */
  opened = $state(0);
  /** How questions of this conversation are answered, where that is to be other than usual. */
  choice = $state.raw<AskOptions>({});
  /** Replies that came while nobody looked at the page. */
  unseen = $state(0);

  private client: DocentClient | null = null;
  private transcript: Transcript = emptyTranscript;
  private calm = false;
  private picture = 0;
  private recovered = false;
  private calming: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    addEventListener('visibilitychange', () => {
      if (document.visibilityState !== 'visible') return;
      this.unseen = 0;
      this.reconnect();
    });
    // What a tab cannot keep would be lost without a word.
    addEventListener('beforeunload', (e) => {
      if (this.transcript.pending.some((p) => !p.error && !keepable(p))) e.preventDefault();
    });
  }

  /** What a file can have at most to be sent, in bytes. */
  get fileBytes(): number {
    const frame = this.client?.welcome?.limits.frame_bytes ?? usualFrame;
    return Math.floor((frame - envelope) / 4) * 3;
  }

  /** open shows a conversation; undefined is a new one. */
  async open(session: string | undefined): Promise<void> {
    if (session === this.session && (session !== undefined || this.fresh) && !this.error) return;
    this.leave();
    this.session = session;
    this.opened++;
    this.recovered = false;
    this.choice = (session && choices.get(session)) || {};
    if (!session) return;
    this.loading = true;
    try {
      const loaded = await http.getMessages(session);
      if (this.session !== session) return;
      for (const { turn, rating = 0, comment = '' } of loaded.feedback) this.feedback[turn] = { rating, comment };
      this.take({ type: 'loaded', loaded });
      this.connect(loaded.seq).connect();
    } catch (err) {
      if (this.session !== session) return;
      this.gone = err instanceof http.ApiError && err.status === 404;
      this.error = this.gone ? words.input.gone : http.sentence(err);
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

  /**
   * recover takes up what this browser knows of the conversation, once it is
   * known who is there: what was not stored is sent again, which stores nothing
   * twice.
   */
  recover(): void {
    if (who() === undefined || this.loading || this.error) return;
    const session = this.session ?? '';
    if (session) this.choice = choices.get(session) ?? this.choice;
    this.recovered = true;
    const { entries, pending } = this.transcript;
    const known = new Set([...entries, ...pending].map((e) => e.id));
    for (const o of kept(session)) if (!known.has(o.id)) void this.resend(o);
  }

  /** choose says how questions are answered from now on. */
  choose(options: AskOptions): void {
    this.choice = sensible(options, server.info);
    if (this.session) choices.set(this.session, Object.keys(this.choice).length > 0 ? this.choice : undefined);
  }

  /** ask says something; without a connection it waits for one. */
  ask(text: string, options: AskOptions = this.choice): void {
    // A refusal is part of the transcript.
    void this.connect().send(said(text, sensible(options, server.info))).catch(() => undefined);
    remember(text);
    this.named();
    this.spoken = words.input.sent;
  }

  /** sendFile resolves when a file was read and waits to be stored; it fails if it cannot be read. */
  async sendFile(file: File): Promise<void> {
    const client = this.connect();
    const content = await attachment(file);
    if (client !== this.client) return notices.say(words.input.left);
    void client.sendFile(content).catch(() => undefined);
    this.named();
    this.spoken = words.input.sent;
  }

  /** sendVoice says something by a recording. */
  async sendVoice(recording: Blob): Promise<void> {
    const client = this.connect();
    const content = await base64(recording);
    if (client !== this.client) return notices.say(words.input.left);
    void client.sendVoice(content).catch(() => undefined);
    this.named();
    this.spoken = words.input.sent;
  }

  /** edit says something else in the place of a question. */
  edit(item: Asked, text: string, options: AskOptions = this.choice): void {
    if (item.turn === null) return;
    void this.connect().edit(item.turn, said(text, sensible(options, server.info))).catch((err: unknown) => this.refused(err));
    remember(text);
    this.spoken = words.input.sent;
  }

  /** again has a question answered anew, as it is to be answered now, or sent again if it was refused. */
  again(item: Asked): void {
    if (item.seq === null) {
      const pending = this.transcript.pending.find((p) => p.id === item.id);
      if (pending) void this.resend(pending);
    } else if (item.turn !== null) {
      const entry = this.transcript.entries.find((e) => e.seq === item.seq);
      const now = sensible(this.choice, server.info);
      const text = entry?.type === 'str' || entry?.type === 'json';
      if (server.info?.built_in && text && !alike(sensible(optionsOf(entry.content), server.info), now)) this.edit(item, item.text, now);
      else void this.connect().regenerate(item.turn).catch((err: unknown) => this.refused(err));
    }
    this.spoken = words.input.sent;
  }

  /** reset empties the conversation: it begins anew. */
  async reset(): Promise<void> {
    if (!this.session) return;
    try {
      await this.connect().reset();
      this.feedback = {};
      this.spoken = words.input.emptied;
    } catch (err) {
      this.refused(err);
    }
    void server.list();
  }

  /** rate tells what the user thinks of a turn. */
  async rate(turn: number, feedback: Feedback): Promise<void> {
    const before = this.feedback[turn];
    this.feedback[turn] = feedback;
    try {
      await this.connect().feedback({ turn, rating: feedback.rating, ...(feedback.comment && { comment: feedback.comment }) });
      this.spoken = words.input.thanks;
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
    if (code !== 'canceled') notices.say(err instanceof Error ? words.server(err) : words.input.refused);
  }

  // What an earlier load of the page left is not forgotten before it is sent.
  private keep(): void {
    const session = this.session ?? '';
    const { pending } = this.transcript;
    const left = this.recovered ? [] : kept(session).filter((o) => !pending.some((p) => p.id === o.id));
    keep(session, [...left.map((o) => ({ ...o, error: null })), ...pending]);
  }

  private async resend({ id, action, content, replaces }: Outgoing): Promise<void> {
    const client = this.connect();
    try {
      if (action === 'user_file') await client.sendFile(content as Attachment, { id });
      else if (action === 'user_voice') await client.sendVoice(content as string, { id });
      else if (action === 'edit' && replaces) await client.edit(replaces, content, { id });
      else if (action === 'regenerate' && replaces) await client.regenerate(replaces, { id });
      else await client.send(content, { id });
    } catch {
      // It is part of the transcript.
    }
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
    this.gone = false;
    this.spoken = '';
    this.loading = false;
    this.calm = false;
    clearTimeout(this.calming);
    this.draw();
  }

  private connect(lastSeq?: number): DocentClient {
    if (this.client) return this.client;
    const client = new DocentClient({ url: location.origin, sessionId: this.session, lastSeq, keep: true, backoff: pauses });
    this.client = client;
    client.on('any', (e) => {
      if (this.client === client) this.take(e);
    });
    return client;
  }

  private take(e: TranscriptEvent): void {
    const { pending } = this.transcript;
    this.transcript = reduce(this.transcript, e);
    if (this.transcript.pending !== pending) this.keep();
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
        if (frame.message.outcome === 'stopped') this.spoken = words.input.stopped;
        return void server.list(); // a quick turn ends before the list that its ack asked for is there
      case 'error':
        this.spoken = words.input.failed;
        return;
      case 'agent_reply_reasoning_step':
      case 'agent_reply_task_list_update':
        return;
      default:
        if (!frame.action.startsWith('agent_reply_')) return;
        if (document.visibilityState === 'hidden' && frame.seq && !this.fresh) this.unseen++;
        this.sayReply();
    }
  }

  private say(phase: string | undefined): void {
    // Each tool would be too much to listen to.
    if (phase === 'answering' || phase === 'searching' || phase === 'thinking') this.spoken = activity(phase);
  }

  private sayReply(): void {
    const last = this.items.findLast((i) => i.kind === 'replied');
    if (last?.reply.type === 'rag') this.spoken = words.input.answer(plain(words.server({ message: last.reply.rag.answer, ...last.reply.sentence })).replace(/\[(\d+)\]/g, (_, n: string) => words.input.source(n)));
    else if (last?.reply.type === 'text' || last?.reply.type === 'markdown') this.spoken = plain(words.server({ message: last.reply.text, ...last.reply.sentence }));
    else if (last?.reply.type === 'options') this.spoken = words.input.choose(last.reply.labels.join(', '));
  }

  // A new session has its id from now on, so its address can be shared.
  private named(): void {
    const session = this.client?.sessionId;
    if (!session || session === this.session || this.fresh) return;
    keep('', []);
    this.session = session;
    keep(session, this.transcript.pending);
    if (Object.keys(this.choice).length > 0) choices.set(session, this.choice);
    if (router.route.view === 'chat') router.replace(chatAddress(session));
  }
}

export const conversation = new Conversation();
