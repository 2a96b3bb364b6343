// The content of a session as a pure function of its events. It uses no socket and
// no page, and returned values never change.
import type { ClientEvent, Outgoing } from './client.ts';
import type { ErrorBody, Sentence, ServerFrame, StepAction, TurnRange } from './frames.ts';

/** Entry is a stored message, step, or failure. */
export interface Entry {
  seq: number;
  /** The turn of the entry; 0 for messages outside of turns, such as a greeting; null if unknown. */
  turn: number | null;
  /** A failure is the reply of a failed turn that arrived as an error. */
  kind: 'question' | 'reply' | 'step' | 'failure';
  /** The stored type: str, markdown, rag_answer, reasoning_step, and others. The action of a reply is agent_reply_ and this type. */
  type: string;
  content: unknown;
  /** The id that the client gave a question; '' without one. */
  id: string;
  /** The other agent that sent a question; '' for the user. */
  sender: string;
  /** The first of the turns that a question replaces; 0 without one. */
  replaces: number;
  /** Names the fixed text of a reply or a failure. */
  sentence?: Sentence;
  /** The time of a step in ms, absent if unknown. The steps of a turn use the same clock. */
  at?: number;
}

/** Provisional is a step or a task list that is not stored yet. */
export interface Provisional {
  type: 'reasoning_step' | 'task_list_update';
  content: unknown;
  n: number;
  /** The time of arrival in ms; absent after a snapshot. */
  at?: number;
}

/**
 * TurnState is the state of a turn.
 *
 * - stored: its question is stored, and no other frame arrived
 * - waiting: the server reported that it waits
 * - over: it ended, and its entries show the outcome
 */
export type TurnState = 'stored' | 'waiting' | 'running' | 'held' | 'done' | 'failed' | 'stopped' | 'over';

/** Turn is the unstored state of a turn. */
export interface Turn {
  state: TurnState;
  /** The phase, as named by the server; '' before the first status. */
  phase: string;
  /** The turn searched passages, so its answer can cite. */
  searched: boolean;
  /** The reasoning of the model so far, before its answer. */
  thinking: string;
  /** The streamed text of the next reply. */
  text: string;
  steps: readonly Provisional[];
  /** The number of the last provisional frame. */
  n: number;
  /** The last event was a stored reply, so the turn may be complete. */
  replied: boolean;
  /** The reason of a failure; null without one. */
  error: ErrorBody | null;
}

/** Pending is a message of the user that is not stored yet or was refused. */
export interface Pending extends Outgoing {
  error: ErrorBody | null;
}

export interface Transcript {
  /** Sorted by seq. */
  readonly entries: readonly Entry[];
  readonly turns: ReadonlyMap<number, Turn>;
  readonly pending: readonly Pending[];
  /** The turns of the branches that are not shown. null: those that later questions replace. */
  readonly hidden: readonly TurnRange[] | null;
  /** The highest known seq. */
  readonly lastSeq: number;
  /** All stored frames have arrived, and further frames are live. */
  readonly synced: boolean;
}

export const emptyTranscript: Transcript = { entries: [], turns: new Map(), pending: [], hidden: null, lastSeq: 0, synced: false };

/** LoadedMessage is a message in the response of GET /api/sessions/{id}/messages. */
export interface LoadedMessage {
  seq: number;
  turn?: number | null;
  type: string;
  content: unknown;
  is_user: boolean;
  sender?: string;
  client_id?: string;
  replaces?: number;
  sentence?: Sentence;
}

/** LoadedStep is a step in the same response. */
export interface LoadedStep {
  seq: number;
  turn: number;
  kind: string;
  payload: unknown;
  timestamp?: string;
}

export interface Loaded {
  messages: readonly LoadedMessage[];
  steps: readonly LoadedStep[];
  /** The highest seq of the session; absent from older servers. */
  seq?: number | null | undefined;
  /** The turns of the branches that are not shown; absent if all are shown. */
  hidden?: readonly TurnRange[] | null | undefined;
}

/** TranscriptEvent is an event of a client, or a conversation loaded by HTTP. */
export type TranscriptEvent = ClientEvent | { type: 'loaded'; loaded: Loaded };

/** reduce returns the transcript after an event. */
export function reduce(t: Transcript, event: TranscriptEvent): Transcript {
  switch (event.type) {
    case 'loaded':
      return load(t, event.loaded);
    case 'queued':
      return queue(t, event.outgoing);
    case 'rejected':
      return { ...t, pending: t.pending.map((p) => (p.id === event.id ? { ...p, error: event.error } : p)) };
    case 'state':
      return event.state === 'open' || !t.synced ? t : { ...t, synced: false };
    case 'frame':
      return receive(t, event.frame, event.at);
  }
}

/** unreplaced returns the entries of the shown turns that no waiting message replaces. */
export function unreplaced(t: Transcript): readonly Entry[] {
  const gone: TurnRange[] = [...(t.hidden ?? replaced(t.entries))];
  for (const p of t.pending) if (p.replaces !== undefined && !p.error) gone.push({ first: p.replaces, until: Infinity });
  if (gone.length === 0) return t.entries;
  return t.entries.filter(({ turn }) => turn === null || !gone.some(({ first, until }) => turn >= first && turn < until));
}

const replaced = (entries: readonly Entry[]): TurnRange[] => entries.flatMap((e) => (e.replaces > 0 ? [{ first: e.replaces, until: e.turn ?? Infinity }] : []));

/** versions returns the turns of all versions of a question, oldest first, by each of these turns. */
export function versions(t: Transcript): ReadonlyMap<number, readonly number[]> {
  const of = new Map<number, number[]>();
  for (const e of t.entries) {
    if (e.kind !== 'question' || !e.replaces || e.turn === null) continue;
    const all = of.get(e.replaces) ?? [e.replaces];
    all.push(e.turn);
    for (const turn of all) of.set(turn, all);
  }
  return of;
}

function load(t: Transcript, { messages, steps, seq, hidden }: Loaded): Transcript {
  const found = new Map<number, Entry>();
  let turn: number | null = null;
  for (const m of [...messages].sort((a, b) => a.seq - b.seq)) {
    turn = m.turn ?? turn;
    const failed = !m.is_user && m.client_id === 'failed';
    found.set(m.seq, {
      seq: m.seq, turn, kind: m.is_user ? 'question' : failed ? 'failure' : 'reply', type: m.type,
      content: failed && typeof m.content === 'string' ? m.content.replace(/^Sorry, that did not work: /, '') : m.content, // as in an error frame
      id: (m.is_user && m.client_id) || '', sender: m.sender ?? '', replaces: m.replaces ?? 0, ...named(failed ? inner(m.sentence) : m.sentence),
    });
  }
  for (const s of steps) found.set(s.seq, { ...blank, seq: s.seq, turn: s.turn, kind: 'step', type: s.kind, content: s.payload, ...time(Date.parse(s.timestamp ?? '')) });
  for (const e of t.entries) found.set(e.seq, e);
  const entries = [...found.values()].sort((a, b) => a.seq - b.seq);
  return { ...t, entries, hidden: hidden ?? t.hidden, lastSeq: Math.max(t.lastSeq, entries.at(-1)?.seq ?? 0, seq ?? 0) };
}

const named = (sentence: Sentence | undefined): { sentence?: Sentence } => (sentence ? { sentence } : {});

// A stored failure is "Sorry, …" with the sentence of the error as its only value.
function inner(apology: Sentence | undefined): Sentence | undefined {
  const { id, params } = (apology?.params[0] ?? {}) as Partial<Sentence>;
  return id ? { id, params: params ?? [] } : undefined;
}

const time = (at: number | undefined): { at?: number } => (at ? { at } : {});

function queue(t: Transcript, outgoing: Outgoing): Transcript {
  const said = outgoing.action === 'regenerate' ? t.entries.find((e) => e.kind === 'question' && e.turn === outgoing.replaces) : undefined;
  const one: Pending = { ...outgoing, content: said ? said.content : outgoing.content, error: null };
  const again = t.pending.some((p) => p.id === one.id);
  return { ...t, pending: again ? t.pending.map((p) => (p.id === one.id ? one : p)) : [...t.pending, one] };
}

function receive(t: Transcript, frame: ServerFrame, at?: number): Transcript {
  switch (frame.action) {
    case 'welcome': {
      const { seq, reset_seq = 0 } = frame.message;
      const kept = forget(t, seq < t.lastSeq ? Infinity : reset_seq);
      // A snapshot repeats the streamed text.
      return { ...kept, synced: false, turns: mapped(kept.turns, (turn) => ({ ...turn, text: '', steps: [], n: 0 })) };
    }
    case 'session_reset':
      return { ...forget(t, frame.message.seq), hidden: null };
    case 'turns_shown':
      return { ...t, hidden: frame.message.hidden };
    case 'synced':
      return { ...sync(t, frame.message.turns), hidden: frame.message.hidden ?? null };
    case 'turn_snapshot': {
      const { turn, n, text, steps } = frame.message;
      return setTurn(t, turn, { state: 'running', searched: true, n, text, steps: steps.flatMap((s) => provisional(s.action, s.message, 0)), replied: false });
    }
    case 'ack':
      return acknowledge(t, frame.message, frame);
    case 'status':
      return advance(t, frame, { phase: frame.message.phase, ...(/search/.test(frame.message.phase) && { searched: true }) });
    case 'thinking_delta':
      return advance(t, frame, { phase: 'thinking', thinking: (t.turns.get(frame.turn ?? 0)?.thinking ?? '') + frame.message.text });
    case 'agent_reply_delta':
      return advance(t, frame, { phase: 'answering' }, frame.message.text);
    case 'turn_finished':
      return frame.turn == null ? t : finish(t, frame.turn, frame.message.outcome);
    case 'error':
      return fail(t, frame, frame.message);
    case 'user_message':
    case 'user_file':
    case 'user_voice':
      return hear(t, frame);
    case 'agent_reply_reasoning_step':
    case 'agent_reply_task_list_update':
      return frame.seq ? storeFrame(t, frame, 'step', stepType(frame.action)) : step(t, frame, at);
    case 'feedback_stored':
      return t;
    default: {
      const name = String((frame as ServerFrame).action).match(/^agent_reply_(.+)/)?.[1];
      return name ? storeFrame(t, frame, 'reply', name === 'rag' ? 'rag_answer' : name) : t;
    }
  }
}

const blank = { id: '', sender: '', replaces: 0 } as const;
const fresh: Turn = { state: 'running', phase: '', searched: false, thinking: '', text: '', steps: [], n: 0, replied: false, error: null };

function storeFrame(t: Transcript, frame: ServerFrame, kind: Entry['kind'], type: string): Transcript {
  if (!frame.seq) return t;
  const seen = kind === 'step' && frame.turn != null ? t.turns.get(frame.turn)?.steps.find(like(type, frame.message)) : undefined;
  const next = store(t, { ...blank, seq: frame.seq, turn: frame.turn ?? null, kind, type, content: frame.message, ...time(seen?.at), ...named(frame.sentence) });
  if (next === t || frame.turn == null || frame.history) return next;
  const turn = next.turns.get(frame.turn);
  if (!turn) return next;
  if (kind === 'step') return setTurn(next, frame.turn, { steps: without(turn.steps, type, frame.message) });
  return setTurn(next, frame.turn, { text: '', replied: true });
}

// store adds an entry. The history is no news for the hidden turns, which synced has.
function store(t: Transcript, e: Entry, history = false): Transcript {
  const at = t.entries.findLastIndex((other) => other.seq <= e.seq);
  if (t.entries[at]?.seq === e.seq) return t;
  const pending = e.id ? t.pending.filter((p) => p.id !== e.id) : t.pending;
  const hidden = t.hidden && e.replaces > 0 && !history ? [...t.hidden, { first: e.replaces, until: e.turn ?? Infinity }] : t.hidden;
  return { ...t, pending, hidden, entries: t.entries.toSpliced(at + 1, 0, e), lastSeq: Math.max(t.lastSeq, e.seq) };
}

// forget removes the entries up to seq, and their turns.
function forget(t: Transcript, seq: number): Transcript {
  if (seq <= 0) return t;
  const entries = t.entries.filter((e) => e.seq > seq);
  const begun = new Set(entries.map((e) => e.turn));
  const lastSeq = seq === Infinity ? 0 : Math.max(t.lastSeq, seq);
  return { ...t, entries, turns: new Map([...t.turns].filter(([turn]) => begun.has(turn))), lastSeq };
}

function sync(t: Transcript, open: { turn: number; state: 'running' | 'waiting' }[]): Transcript {
  const states = new Map(open.map((o) => [o.turn, o.state]));
  let next: Transcript = { ...t, synced: true };
  for (const [turn, { state }] of t.turns) {
    const now = states.get(turn);
    if (now === undefined && !isOver(state)) next = finish(next, turn, 'over');
  }
  for (const [turn, now] of states) {
    if (!(now === 'waiting' && next.turns.get(turn)?.state === 'held')) next = setTurn(next, turn, { state: now, error: null });
  }
  return next;
}

const isOver = (state: TurnState) => state !== 'running' && state !== 'stored' && state !== 'waiting' && state !== 'held';

const types: Partial<Record<Outgoing['action'], string>> = { user_file: 'file', user_voice: 'audio' };

function acknowledge(t: Transcript, m: { id: string; seq?: number; duplicate: boolean }, frame: ServerFrame): Transcript {
  const id = m.id || frame.id || '';
  const p = t.pending.find((p) => p.id === id);
  if (!p || m.seq === undefined) return t;
  const turn = frame.turn ?? null;
  const next = store(t, {
    ...blank, seq: m.seq, turn, kind: 'question', type: types[p.action] ?? 'str', content: p.content,
    id, replaces: frame.replaces ?? p.replaces ?? 0,
  });
  const kept = { ...next, pending: next.pending.filter((other) => other !== p) };
  return turn === null || kept.turns.has(turn) ? kept : setTurn(kept, turn, { state: 'stored' });
}

function hear(t: Transcript, frame: ServerFrame): Transcript {
  if (!frame.seq) return understand(t, frame);
  const turn = frame.turn ?? null;
  const next = store(t, {
    seq: frame.seq, turn, kind: 'question', type: frame.action === 'user_message' ? 'str' : frame.action.slice('user_'.length), content: frame.message,
    id: frame.id ?? '', sender: frame.sender ?? '', replaces: frame.replaces ?? 0,
  }, frame.history);
  return next === t || turn === null ? next : setTurn(next, turn, { state: frame.history ? 'over' : 'stored' });
}

// understand replaces a recording by its transcribed text.
function understand(t: Transcript, frame: ServerFrame): Transcript {
  const pending = t.pending.map((p): Pending => (p.id === frame.id && p.action === 'user_voice' ? { ...p, action: 'user_message', content: frame.message } : p));
  return { ...t, pending };
}

// advance applies a frame of a running turn. It also reopens a turn that seemed to be over.
function advance(t: Transcript, frame: ServerFrame, to: Partial<Turn>, text = ''): Transcript {
  if (frame.turn == null) return t;
  const turn = t.turns.get(frame.turn) ?? fresh;
  if (frame.n && frame.n <= turn.n) return t;
  return setTurn(t, frame.turn, { ...to, state: 'running', n: frame.n ?? turn.n, replied: false, error: null, text: turn.text + text });
}

function step(t: Transcript, frame: ServerFrame & { action: StepAction }, at?: number): Transcript {
  const next = advance(t, frame, {});
  const turn = frame.turn == null || next === t ? undefined : next.turns.get(frame.turn);
  if (!turn) return t;
  const steps = [...turn.steps, ...provisional(frame.action, frame.message, frame.n ?? 0, at)];
  // The streamed text belongs to this step and not to the answer.
  const said = (frame.message as { kind?: unknown } | null)?.kind === 'llm_text';
  return setTurn(next, frame.turn!, { steps, ...(said && { text: '' }) });
}

const stepType = (action: StepAction): Provisional['type'] => (action === 'agent_reply_reasoning_step' ? 'reasoning_step' : 'task_list_update');

function provisional(action: StepAction, content: unknown, n: number, at?: number): Provisional[] {
  return content === null || typeof content !== 'object' ? [] : [{ type: stepType(action), content, n, ...time(at) }];
}

// without removes the provisional step that a stored step replaces.
function without(steps: readonly Provisional[], type: string, content: unknown): readonly Provisional[] {
  const at = steps.findIndex(like(type, content));
  return at < 0 ? steps : steps.toSpliced(at, 1);
}

const like = (type: string, content: unknown) => {
  const wanted = likeness(type, content);
  return (s: Provisional): boolean => likeness(s.type, s.content) === wanted;
};

// likeness identifies a step. It does not use the JSON, because stores can change the order of keys.
function likeness(type: string, content: unknown): string {
  if (Array.isArray(content)) return `${type} ${content.map((task: { id?: unknown; status?: unknown } | null) => `${String(task?.id)} ${String(task?.status)}`).join()}`;
  const { kind, step, summary, details } = (content ?? {}) as { kind?: unknown; step?: unknown; summary?: unknown; details?: { content?: unknown } | null };
  return [type, kind, step, summary, details?.content].map(String).join(' ');
}

function finish(t: Transcript, number: number, state: 'done' | 'failed' | 'stopped' | 'held' | 'over'): Transcript {
  const turn = t.turns.get(number) ?? fresh;
  const failed = turn.state === 'failed' && state !== 'stopped';
  return setTurn(t, number, { state: failed ? 'failed' : state, phase: '', text: '', steps: [], n: 0 });
}

function fail(t: Transcript, frame: ServerFrame, error: ErrorBody): Transcript {
  const { id } = frame;
  const refused = t.pending.find((p) => p.id === id);
  if (id && refused) return { ...t, pending: t.pending.map((p) => (p === refused ? { ...p, error } : p)) };
  const next = frame.seq ? store(t, { ...blank, seq: frame.seq, turn: frame.turn ?? null, kind: 'failure', type: 'str', content: error.message, ...(error.id && { sentence: { id: error.id, params: error.params ?? [] } }) }) : t;
  const turn = frame.turn ?? (id ? t.entries.findLast((e) => e.id === id)?.turn : undefined);
  if (turn == null || frame.history) return next;
  return setTurn(next, turn, { state: 'failed', phase: '', text: '', error });
}

function setTurn(t: Transcript, number: number, to: Partial<Turn>): Transcript {
  return { ...t, turns: new Map(t.turns).set(number, { ...(t.turns.get(number) ?? fresh), ...to }) };
}

function mapped(turns: ReadonlyMap<number, Turn>, f: (turn: Turn) => Turn): ReadonlyMap<number, Turn> {
  return new Map([...turns].map(([number, turn]) => [number, f(turn)]));
}
