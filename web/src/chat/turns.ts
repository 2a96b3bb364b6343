// What a conversation shows, as a function of the frames and stored messages
// that made it. No DOM, no network, no framework.
import type { ErrorShape, Frame, Stored } from '../api/shapes';
import { admit, entry, finished, runs, storedEntry, visible, type Entry } from './reasoning';
import { question, reply, type Reply } from './replies';

/**
 * sending: docent has not acknowledged it. working: it is being answered. held:
 * the agent keeps it until it takes it.
 */
export type TurnState = 'sending' | 'working' | 'done' | 'failed' | 'stopped' | 'held' | 'unanswered';

/** Asked is a message of the user, or of another agent, and how far its turn is. */
export interface Asked {
  kind: 'asked';
  key: string;
  text: string;
  /** The other agent that said it; '' if the user did. */
  sender: string;
  /** The client's message id; '' for messages of earlier visits. */
  id: string;
  seq: number | null;
  turn: number | null;
  state: TurnState;
  /** What the turn is at, as the server calls it; '' before it told. */
  phase: string;
  /** What has been streamed of the answer. */
  partial: string;
  /** The start of the stream was missed: partial is not shown. */
  torn: boolean;
  /** A reply came and nothing after it: there may be no more. */
  replied: boolean;
  error: string;
  /** The stored apology that error stands for. */
  apology: number | null;
}

/** Replied is a message of the agent. */
export interface Replied {
  kind: 'replied';
  key: string;
  seq: number | null;
  turn: number | null;
  reply: Reply;
}

/** Reasoned is one run of reasoning. */
export interface Reasoned {
  kind: 'reasoned';
  key: string;
  /** That of the first entry; null while all are provisional. */
  seq: number | null;
  turn: number;
  entries: Entry[];
}

export type Item = Asked | Replied | Reasoned;

const isRunning = (item: Asked): boolean => item.state === 'sending' || item.state === 'working';

export const running = (item: Item): item is Asked => item.kind === 'asked' && isRunning(item);

let keys = 0;
const key = () => `m${++keys}`;

/** byUser is what the user said. */
export const byUser = (item: Item): item is Asked => item.kind === 'asked' && !item.sender;

export function asked(text: string, id: string, sender = ''): Asked {
  return {
    kind: 'asked', key: key(), text, sender, id, seq: null, turn: null, state: 'sending',
    phase: '', partial: '', torn: false, replied: false, error: '', apology: null,
  };
}

// Everything of a turn stands together, where its question is, whatever came in
// between. What no question began stands where it was said.
function order(items: Item[]): void {
  const last = Number.MAX_SAFE_INTEGER;
  const places = new Map<number, number>();
  for (const { turn, seq } of items) {
    if (turn && seq !== null) places.set(turn, Math.min(seq, places.get(turn) ?? last));
  }
  const place = (i: Item) => (i.turn ? places.get(i.turn) : i.seq) ?? (i.kind === 'replied' && i.turn === 0 ? -1 : last);
  items.sort((a, b) => place(a) - place(b) || (a.seq ?? last) - (b.seq ?? last));
}

const known = (items: Item[], seq: number | undefined): boolean =>
  seq != null && items.some((i) => i.seq === seq || (i.kind === 'asked' && i.apology === seq));

/** merge brings what is stored into what is shown; what is known is kept. */
export function merge(items: Item[], stored: Stored): void {
  const there = new Set(items.flatMap((i) => (i.kind === 'asked' ? [i.seq, i.apology] : i.seq)));
  let turn = 0;
  for (const m of [...stored.messages].sort((a, b) => a.seq - b.seq)) {
    turn = m.turn ?? turn;
    if (there.has(m.seq)) continue;
    if (m.is_user) items.push({ ...asked(question(m.type, m.content), '', m.sender), seq: m.seq, turn, state: 'working' });
    else items.push({ kind: 'replied', key: key(), seq: m.seq, turn, reply: reply(m.type, m.content) });
  }
  const found = new Map<number, Entry[]>();
  for (const row of stored.steps) {
    const e = storedEntry(row);
    if (e) found.set(row.turn, admit(found.get(row.turn) ?? entriesOf(items, row.turn), e));
  }
  for (const [turn, entries] of found) setEntries(items, turn, entries);
  order(items);
  const answered = new Set(items.flatMap((i) => (i.kind === 'replied' && i.turn !== null ? [i.turn] : [])));
  const newest = items.reduce((max, i) => (i.kind === 'asked' && i.turn !== null ? Math.max(max, i.turn) : max), -1);
  for (const item of items.filter(running)) {
    if (item.turn === null) continue;
    if (answered.has(item.turn)) finish(items, item, 'done');
    else if (item.turn < newest && item.id === '') item.state = 'unanswered';
  }
}

/** interrupt is for a lost connection: what streams on after it lacks a part. */
export function interrupt(items: Item[]): void {
  for (const item of items) {
    if (!running(item) || item.state === 'sending') continue;
    item.torn = true;
    item.partial = '';
  }
}

// Frames that name no turn belong to the oldest that runs.
function turnOf(items: Item[], frame: Frame, id?: string): Asked | undefined {
  const mine = items.filter((i) => i.kind === 'asked');
  const byId = id ? mine.find((i) => i.id === id) : undefined;
  if (byId) return byId;
  if (frame.turn != null) return mine.find((i) => i.turn === frame.turn);
  return id ? undefined : mine.find(running);
}

/** apply brings one frame into what is shown. */
export function apply(items: Item[], frame: Frame): void {
  const m = (typeof frame.message === 'object' && frame.message !== null ? frame.message : {}) as Record<string, unknown>;
  switch (frame.action) {
    case 'ack':
      return acknowledge(items, frame, m);
    case 'status':
      return typeof m.phase === 'string' ? advance(turnOf(items, frame), m.phase) : undefined;
    case 'agent_reply_delta':
      return typeof m.text === 'string' ? stream(turnOf(items, frame), m.text) : undefined;
    case 'agent_reply_reasoning_step':
    case 'agent_reply_task_list_update':
      return reasoned(items, frame);
    case 'turn_finished': {
      const item = turnOf(items, frame);
      const states = { done: 'done', failed: 'failed', stopped: 'stopped', held: 'held' } as const;
      return item && finish(items, item, states[m.outcome as keyof typeof states] ?? 'done');
    }
    case 'error':
      return fail(items, frame, m as Partial<ErrorShape>);
    case 'user_message':
    case 'user_file':
    case 'user_voice':
      return hear(items, frame);
    default:
      if (frame.action.startsWith('agent_reply_')) add(items, frame);
  }
}

function acknowledge(items: Item[], frame: Frame, m: Record<string, unknown>): void {
  const id = typeof m.id === 'string' ? m.id : frame.id;
  const item = items.find((i) => i.kind === 'asked' && i.id === id);
  if (!id || item?.kind !== 'asked') return;
  place(items, item, typeof m.seq === 'number' ? m.seq : frame.seq, frame.turn);
}

// A message of ours is stored. It may have come in with the stored ones already.
function place(items: Item[], item: Asked, seq: number | undefined, turn: number | undefined): void {
  item.seq = seq ?? item.seq;
  item.turn = turn ?? item.turn;
  if (item.state === 'sending') item.state = 'working';
  const twin = items.findIndex((i) => i !== item && i.kind === 'asked' && i.seq === item.seq && i.id === '');
  if (item.seq !== null && twin >= 0) {
    const { state, phase, partial, torn, replied, error, apology } = items[twin] as Asked;
    Object.assign(item, { state, phase, partial, torn, replied, error, apology });
    items.splice(twin, 1);
  }
  order(items);
}

// Another client of the session said something, or an agent that it talks to.
function hear(items: Item[], frame: Frame): void {
  if (frame.seq == null || known(items, frame.seq)) return;
  const mine = frame.id ? items.find((i) => i.kind === 'asked' && i.id === frame.id) : undefined;
  if (mine?.kind === 'asked') return place(items, mine, frame.seq, frame.turn);
  items.push({ ...asked(question(frame.action, frame.message), '', frame.sender), seq: frame.seq, turn: frame.turn ?? null, state: 'working' });
  order(items);
}

// Something happens in a turn: it runs, also if it was thought to be over.
function wake(item: Asked): void {
  item.state = 'working';
  item.replied = false;
  item.error = '';
}

function advance(item: Asked | undefined, phase: string): void {
  if (!item) return;
  wake(item);
  item.phase = phase;
  if (phase !== 'answering') item.torn = false; // what streams next is streamed from its start
}

function stream(item: Asked | undefined, text: string): void {
  if (!item) return;
  wake(item);
  item.phase = 'answering';
  if (!item.torn) item.partial += text;
}

function reasoned(items: Item[], frame: Frame): void {
  const e = entry(frame.action, frame.message);
  if (!e) return;
  const item = turnOf(items, frame);
  if (frame.seq == null && item) {
    wake(item);
    item.torn = false;
    // What was streamed was not the answer.
    if (e.step?.kind === 'llm_text') item.partial = '';
  }
  reason(items, frame.turn ?? item?.turn ?? 0, { ...e, seq: frame.seq ?? null, n: frame.n ?? 0 });
  order(items);
}

// reason adds an entry to its turn, whose runs it may cut anew.
function reason(items: Item[], turn: number, e: Entry): void {
  const before = entriesOf(items, turn);
  const after = admit(before, e);
  if (after !== before) setEntries(items, turn, after);
}

const ofTurn = (items: Item[], turn: number) => items.filter((i) => i.kind === 'reasoned').filter((i) => i.turn === turn);
const entriesOf = (items: Item[], turn: number) => ofTurn(items, turn).flatMap((i) => i.entries);

function setEntries(items: Item[], turn: number, entries: Entry[]): void {
  const old = ofTurn(items, turn);
  const cut = runs(entries);
  cut.forEach((run, i) => {
    const seq = run[0]?.seq ?? null;
    const item = old[i];
    if (item) Object.assign(item, { entries: run, seq });
    else items.push({ kind: 'reasoned', key: key(), turn, seq, entries: run });
  });
  for (const item of old.slice(cut.length)) items.splice(items.indexOf(item), 1);
}

function finish(items: Item[], item: Asked, state: 'done' | 'failed' | 'stopped' | 'held'): void {
  item.partial = '';
  item.phase = '';
  // What is not stored by now never will be.
  if (item.turn !== null && state !== 'held') {
    const all = entriesOf(items, item.turn);
    const stored = all.filter((e) => e.seq !== null);
    if (stored.length < all.length) setEntries(items, item.turn, stored);
  }
  if (item.state === 'failed' && state !== 'stopped') return;
  item.state = state;
  if (state === 'failed') item.error = 'docent could not answer this.';
}

function fail(items: Item[], frame: Frame, e: Partial<ErrorShape>): void {
  const item = turnOf(items, frame, e.id ?? frame.id);
  const text = e.message || 'docent could not answer this.';
  if (!item) {
    // What no question of this page began failed: its apology is all there is.
    if (frame.seq != null && !known(items, frame.seq)) say(items, frame, frame.turn ?? null, { type: 'text', text });
    return;
  }
  if (!isRunning(item) && frame.seq == null) return;
  item.state = 'failed';
  item.partial = '';
  item.error = text;
  item.apology = frame.seq ?? null;
  const apology = items.findIndex((i) => i.kind === 'replied' && i.seq !== null && i.seq === frame.seq);
  if (apology >= 0) items.splice(apology, 1);
}

function add(items: Item[], frame: Frame): void {
  if (known(items, frame.seq)) return;
  const name = frame.action.slice('agent_reply_'.length);
  // What is said before anything was asked is the greeting, turn 0.
  const item = frame.turn === 0 ? undefined : turnOf(items, frame);
  if (item) {
    item.partial = '';
    item.replied = true;
  }
  say(items, frame, frame.turn ?? item?.turn ?? (item ? null : 0), reply(name === 'rag' ? 'rag_answer' : name, frame.message));
}

function say(items: Item[], frame: Frame, turn: number | null, said: Reply): void {
  items.push({ kind: 'replied', key: key(), seq: frame.seq ?? null, turn, reply: said });
  if (turn !== null) order(items);
}

/** Row is one thing on the page. */
export type Row =
  | { kind: 'asked'; key: string; item: Asked }
  | { kind: 'replied'; key: string; item: Replied; reasoned: boolean; newest: boolean; chosen: string }
  /** asked is the question whose answer is still being looked for. */
  | { kind: 'reasoned'; key: string; item: Reasoned; asked: Asked | null; answered: boolean }
  /** The answer in the making, at the end of its turn. */
  | { kind: 'pending'; key: string; item: Asked }
  /** How a turn ended that did not end well. */
  | { kind: 'ended'; key: string; item: Asked };

/** rows are what is shown of items, in order. */
export function rows(items: Item[]): Row[] {
  const out: Row[] = [];
  const newest = items.findLast((i) => i.kind === 'replied' && i.reply.type === 'options');
  let head: Asked | undefined; // the question of the turn at hand
  let traced = false; // there was reasoning in it
  items.forEach((item, i) => {
    const begins = !item.turn || item.turn !== items[i - 1]?.turn;
    const ends = !item.turn || item.turn !== items[i + 1]?.turn;
    if (begins) [head, traced] = [undefined, false];
    if (item.kind === 'asked') {
      head = item;
      out.push({ kind: 'asked', key: item.key, item });
    } else if (item.kind === 'replied') {
      out.push({ kind: 'replied', key: item.key, item, reasoned: traced, newest: item === newest, chosen: chosen(items, i) });
    } else if (visible(item.entries)) {
      traced = true;
      out.push({ kind: 'reasoned', key: item.key, item, asked: ends && head && thinking(head, item) ? head : null, answered: answered(items, i) });
    }
    if (ends && head) out.push(...tail(head, out));
  });
  return out;
}

const stopped = (said: Reply): boolean => said.type === 'note' || (said.type === 'markdown' && said.stopped === true);

const thinking = (head: Asked, item: Reasoned): boolean =>
  isRunning(head) && !head.replied && !head.partial && !finished(item.entries);

function answered(items: Item[], at: number): boolean {
  const { turn } = items[at]!;
  for (let i = at + 1; items[i]?.turn === turn; i++) {
    const item = items[i]!;
    if (item.kind === 'replied' && item.reply.type !== 'note') return true;
  }
  return false;
}

// The option that was chosen is what was said next, if it is one.
function chosen(items: Item[], at: number): string {
  const item = items[at];
  const next = items.slice(at + 1).find(byUser);
  if (item?.kind !== 'replied' || item.reply.type !== 'options' || !next) return '';
  return item.reply.labels.includes(next.text) ? next.text : '';
}

function tail(item: Asked, before: Row[]): Row[] {
  const last = before.at(-1);
  if (isRunning(item)) {
    if ((last?.kind === 'reasoned' && last.asked) || (item.replied && !item.partial)) return [];
    return [{ kind: 'pending', key: item.key + '-pending', item }];
  }
  if (item.state === 'done') return [];
  // That it was stopped is part of what is stored of it.
  if (item.state === 'stopped' && last?.kind === 'replied' && stopped(last.item.reply)) return [];
  // What an agent says needs no answer, and nobody here can say it again.
  if (item.sender && item.state !== 'failed') return [];
  return [{ kind: 'ended', key: item.key + '-ended', item }];
}
