// The open conversation: its transcript, and the client that feeds it.
import { attachment, base64, DocentClient, emptyTranscript, reduce, versions, type Attachment, type LinkState, type Outgoing, type ServerFrame, type Transcript, type TranscriptEvent } from 'docent-client';
import { base } from '../api/base';
import * as http from '../api/http';
import { account } from '../shell/account.svelte';
import { announcer } from '../shell/announcer.svelte';
import { notices } from '../shell/notices.svelte';
import { chatAddress, readAddress, router } from '../shell/router.svelte';
import { server } from '../shell/server.svelte';
import { words } from '../words/words.svelte';
import { announcePhase, announceReply } from './announcements';
import { choices, optionsOf, questionContent, sameOptions, sensible, type AskOptions, type Chosen } from './choice';
import { browser, userKey } from './kept';
import { Ratings, type Feedback } from './ratings.svelte';
import { remember } from './recall';
import { byUser, rows, running, view, type Asked, type Item } from './turns';
import { keepable, storedUnsent, storeUnsent } from './unsent';

/** A waiting turn is shown as held after this silence, in ms. */
const silenceBeforeHeld = 1500;
/** Frames that start the silence again. */
const endSilence = ['synced', 'ack', 'user_message', 'turn_finished', 'status'];

/** The shortest and longest pauses between attempts to reconnect, in ms. They are shorter while the page is visible. */
const reconnectPauses = (): [number, number] => [500, document.visibilityState === 'visible' ? 3000 : 15_000];

/** The largest frame, in bytes, of servers that announce no limit. */
const defaultFrameBytes = 32 << 20;
/** The part of a frame that is not its file, in bytes. */
const envelopeBytes = 4096;

/** The kept name of the agent for new conversations. */
const agentKept = 'docent.agent';
const isText = (v: unknown): v is string => typeof v === 'string';

class Conversation {
  session = $state<string | undefined>();
  items = $state.raw<Item[]>([]);
  link = $state<LinkState>('idle');
  /** The last close code of the connection; 0 without one. */
  code = $state(0);
  loading = $state(false);
  /** The reason why the conversation cannot be shown, or ''. */
  error = $state('');
  /** The conversation does not exist or belongs to another user. */
  gone = $state(false);
  /** The conversation of another user that an administrator reads. Nothing in it can be changed. */
  reading = $state<string | undefined>();
  /** The owner of that conversation, or ''. */
  owner = $state('');
  rows = $derived(rows(this.items));
  /** The user has not written anything yet. */
  fresh = $derived(!this.items.some(byUser));
  /** Turns that run or wait and can be stopped, newest first. */
  stoppable = $derived(this.items.filter(running).flatMap((i) => i.turn || []).reverse());
  /** The user asked to stop the running turns. */
  stopping = $state(false);
  /** The number of conversations opened or begun so far. */
  opened = $state(0);
  /** The answer options of this conversation, without defaults. */
  choice = $state.raw<AskOptions>({});
  /** The number of replies that arrived while the page was hidden. */
  unseen = $state(0);

  /** The turns of all versions of a question, oldest first, by each of these turns. */
  versions = $state.raw<ReadonlyMap<number, readonly number[]>>(new Map());
  /** The version that the user chose last, and the direction. */
  turned = $state.raw<{ turn: number; by: 1 | -1 } | undefined>();

  /** The turns with a question that had no answer, and has one now. */
  solved = $state.raw<ReadonlySet<number>>(new Set());

  readonly ratings = new Ratings();

  private client: DocentClient | null = null;
  private transcript: Transcript = emptyTranscript;
  private compared: Transcript['entries'] = [];
  private silent = false;
  private nextDraw = 0;
  private recovered = false;
  private silenceTimer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    addEventListener('visibilitychange', () => {
      if (document.visibilityState !== 'visible') return;
      this.unseen = 0;
      this.reconnect();
    });
    // Warn about messages that the tab cannot keep.
    addEventListener('beforeunload', (e) => {
      if (this.transcript.pending.some((p) => !p.error && !keepable(p))) e.preventDefault();
    });
  }

  /** The maximum size of a file to send, in bytes. */
  get fileBytes(): number {
    const frame = this.client?.welcome?.limits.frame_bytes ?? defaultFrameBytes;
    return Math.floor((frame - envelopeBytes) / 4) * 3;
  }

  /** open shows a conversation; undefined is a new one. */
  async open(session: string | undefined): Promise<void> {
    if (!this.reading && session === this.session && (session !== undefined || this.fresh) && !this.error) return;
    this.leave();
    this.session = session;
    this.opened++;
    this.recovered = false;
    this.choice = (session && choices.get(session)) || {};
    server.bound = session && '';
    if (!session) return;
    this.loading = true;
    try {
      const loaded = await http.getMessages(session);
      if (this.session !== session) return;
      this.ratings.load(loaded.feedback);
      this.solved = new Set(loaded.solved);
      server.bound = loaded.agent_name ?? '';
      this.take({ type: 'loaded', loaded });
      this.connect(loaded.seq).connect();
    } catch (err) {
      if (this.session !== session) return;
      this.gone = err instanceof http.ApiError && err.status === 404;
      this.error = this.gone ? words.input.gone : http.sentence(err);
    }
    if (this.session === session) this.loading = false;
  }

  /** read shows a conversation of another user, without a connection. */
  async read(session: string): Promise<void> {
    if (session === this.reading && !this.error) return;
    this.leave();
    this.session = undefined;
    this.reading = session;
    this.opened++;
    this.choice = {};
    this.loading = true;
    try {
      const loaded = await http.readOthers(session);
      if (this.reading !== session) return;
      this.owner = loaded.owner_name ?? '';
      this.take({ type: 'loaded', loaded });
    } catch (err) {
      if (this.reading !== session) return;
      this.error = http.sentence(err);
    }
    this.loading = false;
  }

  /**
   * begin connects for the greeting of an agent if no conversation is open. The new
   * session gets an address with the first message. Without one, it is deleted.
   */
  begin(): void {
    if (this.session || this.client || this.reading) return;
    this.connect().connect();
  }

  /** prefer chooses the remembered agent for a new conversation. */
  prefer(): void {
    if (!this.client) server.chosen = browser.read(agentKept, isText) ?? server.chosen;
  }

  /** use begins a new conversation with an agent, and remembers the agent for the next ones. */
  use(agent: string): void {
    this.leave();
    this.opened++;
    browser.write(agentKept, agent);
    server.chosen = agent;
    if (server.other) this.begin();
  }

  /** abandon deletes an unused session. */
  abandon(): void {
    if (this.fresh && !this.session) this.leave();
  }

  /**
   * recover restores the options and unstored messages that this browser keeps for
   * the user. Messages are sent again with the same ids, so none is stored twice.
   */
  recover(): void {
    if (userKey() === undefined || this.reading || this.loading || this.error) return;
    const session = this.session ?? '';
    if (session) this.choice = choices.get(session) ?? this.choice;
    this.recovered = true;
    const { entries, pending } = this.transcript;
    const known = new Set([...entries, ...pending].map((e) => e.id));
    for (const o of storedUnsent(session)) if (!known.has(o.id)) void this.resend(o);
  }

  /** A message is not stored yet, or a turn is running. */
  get busy(): boolean {
    return this.stoppable.length > 0 || this.transcript.pending.some((p) => !p.error);
  }

  /** choose sets the answer options for the next questions. */
  choose(options: AskOptions): void {
    this.choice = sensible(options, server.present);
    if (this.session) choices.set(this.session, Object.keys(this.choice).length > 0 ? this.choice : undefined);
  }

  /** about begins a new conversation about some documents. */
  about(documents: Chosen[]): void {
    void this.open(undefined);
    this.choose({ documents });
  }

  /** ask sends a message. Without a connection, it waits for one. */
  ask(text: string, options: AskOptions = this.choice): void {
    // The transcript shows refusals.
    void this.connect().send(questionContent(text, sensible(options, server.present))).catch(() => undefined);
    this.remember(text);
    this.named();
    announcer.say(words.input.sent);
  }

  /** write asks for a brief, instead of the question item if there is one. onrefused is called if that question stays. */
  write(task: string, brief: string[], item?: Asked, onrefused?: () => void): void {
    const content = questionContent(task, { ...sensible(item ? this.askedWith(item) : this.choice, server.present), brief });
    if (item?.turn == null) void this.connect().send(content).catch(() => undefined);
    else {
      void this.connect().edit(item.turn, content).catch((err: unknown) => {
        onrefused?.();
        this.refused(err);
      });
    }
    this.remember(task);
    this.named();
    announcer.say(words.input.sent);
  }

  /** askedWith returns the options of a question. */
  askedWith = (item: Asked): AskOptions => optionsOf(this.transcript.entries.find((e) => e.seq === item.seq)?.content);

  /** briefOf returns the headings of a question for a brief. */
  private briefOf(item: Asked): AskOptions {
    const { brief } = this.askedWith(item);
    return brief ? { brief } : {};
  }

  /** sendFile resolves when the file is read and queued. It fails if the file cannot be read. */
  async sendFile(file: File): Promise<void> {
    const client = this.connect();
    const content = await attachment(file);
    if (client !== this.client) return notices.say(words.input.left);
    void client.sendFile(content).catch(() => undefined);
    this.named();
    announcer.say(words.input.sent);
  }

  /** sendVoice sends a recording. */
  async sendVoice(recording: Blob): Promise<void> {
    const client = this.connect();
    const content = await base64(recording);
    if (client !== this.client) return notices.say(words.input.left);
    void client.sendVoice(content).catch(() => undefined);
    this.named();
    announcer.say(words.input.sent);
  }

  /** edit replaces a question. */
  edit(item: Asked, text: string, options: AskOptions = this.choice): void {
    if (item.turn === null) return;
    void this.connect().edit(item.turn, questionContent(text, { ...sensible(options, server.present), ...this.briefOf(item) })).catch((err: unknown) => this.refused(err));
    this.remember(text);
    announcer.say(words.input.sent);
  }

  /** turnTo shows the version before or after a question, and the messages that followed it. */
  async turnTo(item: Asked, by: 1 | -1): Promise<void> {
    const all = this.versions.get(item.turn ?? 0) ?? [];
    const at = all.indexOf(item.turn ?? 0) + by;
    const turn = all[at];
    if (turn === undefined || this.busy) return;
    this.turned = { turn, by };
    try {
      await this.connect().show(turn);
      announcer.say(words.chat.version(at + 1, all.length));
    } catch (err) {
      this.refused(err);
    }
    void server.list(); // the first question may be another one
  }

  /** branch opens a new conversation with the messages up to a turn. */
  async branch(turn: number): Promise<void> {
    if (!this.session) return;
    try {
      const session = await http.branchSession(this.session, turn);
      router.go(chatAddress(session));
      announcer.say(words.chat.branched);
    } catch (err) {
      notices.failed(words.chat.notBranched, err);
    }
    void server.list();
  }

  /** again repeats a question with the current options, or sends a refused question again. */
  again(item: Asked): void {
    if (item.seq === null) {
      const pending = this.transcript.pending.find((p) => p.id === item.id);
      if (pending) void this.resend(pending);
    } else if (item.turn !== null) {
      const entry = this.transcript.entries.find((e) => e.seq === item.seq);
      const now = sensible(this.choice, server.present);
      const text = entry?.type === 'str' || entry?.type === 'json';
      if (server.builtIn && text && !sameOptions(sensible(optionsOf(entry.content), server.present), now)) this.edit(item, item.text, now);
      else void this.connect().regenerate(item.turn).catch((err: unknown) => this.refused(err));
    }
    announcer.say(words.input.sent);
  }

  /** reset deletes all messages of the conversation. */
  async reset(): Promise<void> {
    if (!this.session) return;
    try {
      await this.connect().reset();
      this.ratings.clear();
      announcer.say(words.input.emptied);
    } catch (err) {
      this.refused(err);
    }
    void server.list();
  }

  /** rate stores the user's rating of a turn. */
  async rate(turn: number, feedback: Feedback): Promise<void> {
    const { rating, reason, comment } = feedback;
    try {
      await this.ratings.rate(turn, feedback, () => this.connect().feedback({ turn, rating, ...(reason && { reason }), ...(comment && { comment }) }));
      announcer.say(words.input.thanks);
    } catch (err) {
      this.refused(err);
    }
  }

  /** see tells the server that the user has seen that a question has an answer now. */
  async see(turn: number): Promise<void> {
    if (!this.session) return;
    const { session } = this;
    // After a failure, the notice is there at the next visit, too.
    await http.seeSolved(session, turn).then(() => server.saw(session), () => undefined);
  }

  /** stop stops all running and waiting turns. It stops the newest first, because a waiting turn starts when another ends. */
  stop(): void {
    this.stopping = true;
    for (const turn of this.stoppable) void this.client?.stop(turn).catch((err: unknown) => this.refused(err));
  }

  /** reconnect tries to connect immediately. */
  reconnect(): void {
    if (this.link === 'lost') this.client?.connect();
  }

  /** return checks the sign-in and connects again after a refusal. */
  async return(): Promise<void> {
    const { client } = this;
    await account.check();
    if (client === this.client) client?.connect();
  }

  // Stored messages belong to a user, so remember waits until the page knows the user.
  private remember(text: string): void {
    void account.checked.then(() => remember(text));
  }

  private refused(err: unknown): void {
    const code = (err as { code?: string }).code;
    if (code !== 'canceled') notices.say(err instanceof Error ? words.server(err) : words.input.refused);
  }

  // Before recover runs, the messages of an earlier load of the page are kept too.
  private storeUnsent(): void {
    const session = this.session ?? '';
    const { pending } = this.transcript;
    const earlier = this.recovered ? [] : storedUnsent(session).filter((o) => !pending.some((p) => p.id === o.id));
    storeUnsent(session, [...earlier.map((o) => ({ ...o, error: null })), ...pending]);
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
      // The transcript shows the error.
    }
  }

  private leave(): void {
    this.reading = undefined;
    this.owner = '';
    const unused = this.fresh && !this.session && this.client?.sessionId;
    const { client } = this;
    this.client = null;
    client?.close();
    // A failure loses nothing: the session is unlisted.
    if (unused) void http.deleteSession(unused).catch(() => undefined);
    this.link = 'idle';
    this.transcript = emptyTranscript;
    this.ratings.clear();
    this.solved = new Set();
    this.stopping = false;
    this.error = '';
    this.gone = false;
    announcer.say('');
    this.loading = false;
    this.silent = false;
    clearTimeout(this.silenceTimer);
    this.draw();
  }

  private connect(lastSeq?: number): DocentClient {
    if (this.client) return this.client;
    const client = new DocentClient({ url: `${location.origin}${base}/ws${server.using && '?agent=' + encodeURIComponent(server.using)}`, sessionId: this.session, lastSeq, keep: true, backoff: reconnectPauses });
    this.client = client;
    client.on('any', (event) => {
      if (this.client === client) this.take(event);
    });
    return client;
  }

  private take(event: TranscriptEvent): void {
    const { pending } = this.transcript;
    this.transcript = reduce(this.transcript, event);
    if (this.transcript.pending !== pending && !this.reading) this.storeUnsent();
    if (event.type === 'state') this.linked(event.state, event.code);
    if (event.type === 'frame' && endSilence.includes(event.frame.action)) this.silent = false;
    if (event.type === 'frame' && event.frame.action === 'agent_reply_delta') {
      // Draw at most once per animation frame.
      this.nextDraw ||= requestAnimationFrame(() => this.draw());
      return;
    }
    // Missed frames are drawn together after synced.
    if (event.type === 'frame' && !this.transcript.synced) return;
    this.draw();
    if (event.type === 'frame') this.heard(event.frame);
  }

  private draw(): void {
    if (this.nextDraw) cancelAnimationFrame(this.nextDraw);
    this.nextDraw = 0;
    this.items = view(this.transcript, this.silent, this.items);
    if (this.transcript.entries !== this.compared) this.versions = versions(this.transcript);
    this.compared = this.transcript.entries;
    clearTimeout(this.silenceTimer);
    if (!this.silent && this.transcript.synced) {
      this.silenceTimer = setTimeout(() => {
        this.silent = true;
        this.draw();
      }, silenceBeforeHeld);
    }
  }

  private linked(state: LinkState, code = 0): void {
    this.link = state;
    this.code = code;
    if (state === 'refused') void server.list(); // the conversation may have been deleted
    if (state === 'open') return;
    this.silent = false;
    this.stopping = false;
    if ((state === 'lost' || state === 'refused') && account.me?.auth !== false && !account.needed) void this.identify();
  }

  // An expired sign-in looks like any refused handshake. The check detects it and
  // shows the sign-in form.
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
        return announcePhase(frame.message.phase);
      case 'turn_finished':
        this.stopping = this.stopping && this.stoppable.length > 0;
        if (frame.message.outcome === 'stopped') announcer.say(words.input.stopped);
        return void server.list(); // a quick turn can end before the list requested by its ack arrives
      case 'error':
        announcer.say(words.input.failed);
        return;
      case 'agent_reply_reasoning_step':
      case 'agent_reply_task_list_update':
        return;
      default:
        if (!frame.action.startsWith('agent_reply_')) return;
        if (document.visibilityState === 'hidden' && frame.seq && !this.fresh) this.unseen++;
        announceReply(this.items);
    }
  }

  // The address of a new session contains its id, so users can share it.
  private named(): void {
    const session = this.client?.sessionId;
    if (!session || session === this.session || this.fresh) return;
    storeUnsent('', []);
    this.session = session;
    server.bound = server.using;
    storeUnsent(session, this.transcript.pending);
    if (Object.keys(this.choice).length > 0) choices.set(session, this.choice);
    const { route } = router;
    if (route.view === 'chat') router.replace(chatAddress(session));
    if (route.view === 'read' && route.chat === '') router.replace(readAddress(route.document, session, route.span));
  }
}

export const conversation = new Conversation();
