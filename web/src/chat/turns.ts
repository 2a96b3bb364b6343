// What a conversation shows, as a function of its transcript. No DOM, no
// network, no framework.
import { unreplaced, type Entry as Stored, type Pending, type Transcript, type Turn } from 'docent-client';
import { entry, finished, runs, visible, type Entry } from './reasoning';
import { question, reply, type Reply } from './replies';

/**
 * sending: docent has not stored it. working: it is being answered. held: the
 * agent keeps it until it takes it.
 */
export type AskedState = 'sending' | 'working' | 'done' | 'failed' | 'stopped' | 'held' | 'unanswered';

/** Asked is a message of the user, or of another agent, and how far its turn is. */
export interface Asked {
  kind: 'asked';
  key: string;
  text: string;
  /** It is text, which can be edited. */
  plain: boolean;
  /** The other agent that said it; '' if the user did. */
  sender: string;
  /** The client's message id; '' if it had none. */
  id: string;
  seq: number | null;
  turn: number | null;
  state: AskedState;
  /** What the turn is at, as the server calls it; '' before it told. */
  phase: string;
  /** What has been streamed of the answer. */
  partial: string;
  /** A reply came and nothing after it: there may be no more. */
  replied: boolean;
  /** Why it failed. */
  error: string;
}

/** Replied is a message of the agent. */
export interface Replied {
  kind: 'replied';
  key: string;
  seq: number;
  turn: number | null;
  reply: Reply;
}

/** Reasoned is one run of reasoning. */
export interface Reasoned {
  kind: 'reasoned';
  key: string;
  turn: number;
  entries: Entry[];
}

export type Item = Asked | Replied | Reasoned;

const isRunning = (item: Asked): boolean => item.state === 'sending' || item.state === 'working';

export const running = (item: Item): item is Asked => item.kind === 'asked' && isRunning(item);

/** byUser is what the user said. */
export const byUser = (item: Item): item is Asked => item.kind === 'asked' && !item.sender;

// An entry never changes, so what was made of it is kept.
const replies = new WeakMap<Stored, Replied>();
const reasons = new WeakMap<object, Entry | null>();

/**
 * view makes what is shown. Everything of a turn stands together, where its
 * question is, whatever came in between; what no question began stands where it
 * was said. What the server says to wait is held once things are calm, as
 * otherwise it would run. The view before is taken for what did not change.
 */
export function view(t: Transcript, calm = false, before: Item[] = []): Item[] {
  const groups = new Map<number | string, Stored[]>();
  for (const e of unreplaced(t)) {
    const place = e.turn || `seq ${e.seq}`;
    const group = groups.get(place);
    if (group) group.push(e);
    else groups.set(place, [e]);
  }
  for (const [turn, { steps }] of t.turns) if (steps.length > 0 && !groups.has(turn) && !t.entries.some((e) => e.turn === turn)) groups.set(turn, []);
  const busy = [...t.turns.values()].some(({ state }) => state === 'running');
  const old = new Map(before.flatMap((i) => (i.kind === 'reasoned' ? [[i.key, i]] : [])));
  const items: Item[] = [];
  for (const [place, entries] of groups) {
    const turn = typeof place === 'number' ? place : (entries[0]?.turn ?? null);
    const now = turn === null ? undefined : t.turns.get(turn);
    for (const item of group(turn, entries, now, t.synced, calm && !busy)) items.push(item.kind === 'reasoned' ? same(old.get(item.key), item) : item);
  }
  for (const p of t.pending) items.push(waiting(p));
  return items;
}

function group(turn: number | null, entries: Stored[], now: Turn | undefined, synced: boolean, calm: boolean): Item[] {
  const failure = entries.find((e) => e.kind === 'failure');
  const question = entries.find((e) => e.kind === 'question');
  const answered = entries.some((e) => e.kind === 'reply');
  const steps = [
    ...entries.flatMap((e) => (e.kind === 'step' ? (reason(e, e.type, e.seq, 0) ?? []) : [])),
    ...(now?.steps ?? []).flatMap((s) => reason(s, s.type, null, s.n) ?? []),
  ];
  const placed: [number, Item][] = runs(steps).map((run, i) => [
    run[0]!.seq ?? Number.MAX_SAFE_INTEGER,
    { kind: 'reasoned', key: `t-${turn ?? 0}-${i}`, turn: turn ?? 0, entries: run },
  ]);
  for (const e of entries) {
    if (e === question) placed.push([e.seq, asked(e, progress(now, answered, failure !== undefined, synced, calm), now, failure)]);
    else if (e.kind === 'reply' || (e.kind === 'failure' && !question)) placed.push([e.seq, replied(e)]);
  }
  return placed.sort(([a], [b]) => a - b).map(([, item]) => item);
}

// A run that did not change keeps its entries, so that it is not drawn anew.
function same(old: Reasoned | undefined, item: Reasoned): Reasoned {
  return old?.entries.length === item.entries.length && old.entries.every((e, i) => e === item.entries[i]) ? old : item;
}

function replied(e: Stored): Replied {
  const known = replies.get(e);
  if (known) return known;
  const item: Replied = { kind: 'replied', key: `r-${e.seq}`, seq: e.seq, turn: e.turn, reply: reply(e.type, e.content) };
  replies.set(e, item);
  return item;
}

function reason(of: { content: unknown }, type: string, seq: number | null, n: number): Entry | null {
  const known = reasons.get(of);
  if (known !== undefined) return known;
  const read = entry(type, of.content);
  const made = read && { ...read, seq, n };
  reasons.set(of, made);
  return made;
}

function progress(now: Turn | undefined, answered: boolean, failed: boolean, synced: boolean, calm: boolean): AskedState {
  switch (now?.state) {
    case 'running':
    case 'stored':
      return 'working';
    case 'waiting':
      return calm ? 'held' : 'working';
    case undefined:
    case 'over':
      if (answered) return 'done';
      if (failed) return 'failed';
      return synced || now ? 'unanswered' : 'working';
    default:
      return now!.state;
  }
}

const failed = 'docent could not answer this.';

function asked(e: Stored, state: AskedState, now: Turn | undefined, failure: Stored | undefined): Asked {
  return {
    kind: 'asked', key: e.id ? `q-${e.id}` : `q-${e.seq}`, text: question(e.type, e.content), plain: typeof e.content === 'string' && e.type === 'str',
    sender: e.sender, id: e.id, seq: e.seq, turn: e.turn, state, phase: now?.phase ?? '', partial: now?.text ?? '', replied: now?.replied ?? false,
    error: state === 'failed' ? now?.error?.message || (typeof failure?.content === 'string' ? failure.content : failed) : '',
  };
}

function waiting(p: Pending): Asked {
  return {
    kind: 'asked', key: `q-${p.id}`, text: question(p.action === 'user_file' ? 'file' : 'str', p.content), plain: typeof p.content === 'string', sender: '', id: p.id,
    seq: null, turn: null, state: p.error ? 'failed' : 'sending', phase: '', partial: '', replied: false, error: p.error ? p.error.message || failed : '',
  };
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
  | { kind: 'ended'; key: string; item: Asked }
  /** What can be done with an answer: at the end of a turn that went well. */
  | { kind: 'actions'; key: string; item: Asked };

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
  const actions: Row[] = last?.kind === 'asked' || item.sender || !item.turn ? [] : [{ kind: 'actions', key: item.key + '-actions', item }];
  if (item.state === 'done') return actions;
  // That it was stopped is part of what is stored of it.
  if (item.state === 'stopped' && last?.kind === 'replied' && stopped(last.item.reply)) return actions;
  // What an agent says needs no answer, and nobody here can say it again.
  if (item.sender && item.state !== 'failed') return [];
  return [{ kind: 'ended', key: item.key + '-ended', item }];
}
