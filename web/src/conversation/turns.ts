// What a conversation shows, as a function of its transcript. No DOM, no
// network, no framework.
import { unreplaced, type Entry as Stored, type Pending, type Transcript, type Turn } from 'docent-client';
import { entry, finished, runs, visible, type Entry } from './reasoning';
import { question, reply, type Reply } from './replies';
import type { Text } from '../words/sentences';

/**
 * sending: docent has not stored it. working: it is being answered. held: the
 * agent keeps it until it takes it.
 */
export type AskedState = 'sending' | 'working' | 'done' | 'failed' | 'stopped' | 'held' | 'unanswered';

/** Options are with what a question is answered, where it says so. */
export interface Options {
  collections?: string[];
  model?: string;
  k?: number;
}

/** Asked is a message of the user, or of another agent, and how far its turn is. */
export interface Asked {
  kind: 'asked';
  key: string;
  text: string;
  /** It is text, which can be edited. */
  plain: boolean;
  sort: 'text' | 'file' | 'recording';
  /** With what it was to be answered; null if with what the server takes. */
  options: Options | null;
  /** The other agent that said it; '' if the user did. */
  sender: string;
  /** The client's message id; '' if it had none. */
  id: string;
  seq: number | null;
  turn: number | null;
  state: AskedState;
  /** What the turn is at, as the server calls it; '' before it told. */
  phase: string;
  /** Passages were searched, which the answer may cite. */
  searched: boolean;
  /** What has been streamed of the answer. */
  partial: string;
  /** A reply came and nothing after it: there may be no more. */
  replied: boolean;
  /** Why it failed. */
  error: Text;
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

// Which entries are of one turn, or stand alone: as long as nothing is stored,
// streaming asks for the same again.
const grouped = new WeakMap<readonly Stored[], { pending: readonly Pending[]; groups: Map<number | string, Stored[]> }>();

function groupsOf(t: Transcript): Map<number | string, Stored[]> {
  const known = grouped.get(t.entries);
  if (known?.pending === t.pending) return known.groups;
  const groups = new Map<number | string, Stored[]>();
  for (const e of unreplaced(t)) {
    const place = e.turn || `seq ${e.seq}`;
    const group = groups.get(place);
    if (group) group.push(e);
    else groups.set(place, [e]);
  }
  grouped.set(t.entries, { pending: t.pending, groups });
  return groups;
}

/**
 * view makes what is shown. Everything of a turn stands together, where its
 * question is, whatever came in between; what no question began stands where it
 * was said. What the server says to wait is held once things are calm, as
 * otherwise it would run. The view before is taken for what did not change, and
 * a turn about which nothing is new costs no more than a look.
 */
export function view(t: Transcript, calm = false, before: Item[] = []): Item[] {
  let groups = groupsOf(t);
  const early = [...t.turns].filter(([turn, { steps }]) => steps.length > 0 && !groups.has(turn) && !t.entries.some((e) => e.turn === turn));
  if (early.length > 0) groups = new Map([...groups, ...early.map(([turn]): [number, Stored[]] => [turn, []])]);
  const busy = [...t.turns.values()].some(({ state }) => state === 'running');
  let old: Map<string, Reasoned> | undefined;
  const items: Item[] = [];
  for (const [place, entries] of groups) {
    const turn = typeof place === 'number' ? place : (entries[0]?.turn ?? null);
    const now = turn === null ? undefined : t.turns.get(turn);
    const known = entries[0] && made.get(entries[0]);
    if (known && known.now === now && known.state === stateOf(known, now, t.synced, calm && !busy) && alike(known.entries, entries)) {
      items.push(...known.items);
      continue;
    }
    const runs = (old ??= new Map(before.flatMap((i) => (i.kind === 'reasoned' ? [[i.key, i]] : []))));
    const one = group(turn, entries, now, t.synced, calm && !busy);
    one.items = one.items.map((item) => (item.kind === 'reasoned' ? same(runs.get(item.key), item) : item));
    if (entries[0]) made.set(entries[0], one);
    items.push(...one.items);
  }
  for (const p of t.pending) items.push(waiting(p));
  return items;
}

/** Made is what was made of a turn, and of what. */
interface Made {
  entries: readonly Stored[];
  now: Turn | undefined;
  answered: boolean;
  failed: boolean;
  state: AskedState;
  items: Item[];
}

// By the first entry of a turn, which is its question if it has one.
const made = new WeakMap<Stored, Made>();

const stateOf = (of: Pick<Made, 'answered' | 'failed'>, now: Turn | undefined, synced: boolean, calm: boolean): AskedState => progress(now, of.answered, of.failed, synced, calm);

const alike = <T>(a: readonly T[], b: readonly T[]): boolean => a === b || (a.length === b.length && a.every((x, i) => x === b[i]));

function group(turn: number | null, entries: readonly Stored[], now: Turn | undefined, synced: boolean, calm: boolean): Made {
  const failure = entries.find((e) => e.kind === 'failure');
  const question = entries.find((e) => e.kind === 'question');
  // What was said before it failed is no answer, but a turn may be tried again.
  const of = { answered: entries.some((e) => e.kind === 'reply'), failed: failure !== undefined && !entries.some((e) => e.kind === 'reply' && e.seq > failure.seq) };
  const state = stateOf(of, now, synced, calm);
  const steps = [
    ...entries.flatMap((e) => (e.kind === 'step' ? (reason(e, e.type, e.seq, 0) ?? []) : [])),
    ...(now?.steps ?? []).flatMap((s) => reason(s, s.type, null, s.n) ?? []),
  ];
  const placed: [number, Item][] = runs(steps).map((run, i) => [
    run[0]!.seq ?? Number.MAX_SAFE_INTEGER,
    { kind: 'reasoned', key: `t-${turn ?? 0}-${i}`, turn: turn ?? 0, entries: run },
  ]);
  for (const e of entries) {
    if (e === question) placed.push([e.seq, asked(e, state, now, failure)]);
    else if (e.kind === 'reply' || (e.kind === 'failure' && !question)) placed.push([e.seq, replied(e)]);
  }
  return { entries, now, ...of, state, items: placed.sort(([a], [b]) => a - b).map(([, item]) => item) };
}

// A run that did not change keeps its entries, so that it is not drawn anew.
function same(old: Reasoned | undefined, item: Reasoned): Reasoned {
  return old?.entries.length === item.entries.length && old.entries.every((e, i) => e === item.entries[i]) ? old : item;
}

function replied(e: Stored): Replied {
  const known = replies.get(e);
  if (known) return known;
  const item: Replied = { kind: 'replied', key: `r-${e.seq}`, seq: e.seq, turn: e.turn, reply: reply(e.type, e.content, e.sentence) };
  replies.set(e, item);
  return item;
}

function reason(of: { content: unknown; at?: number }, type: string, seq: number | null, n: number): Entry | null {
  const known = reasons.get(of);
  if (known !== undefined) return known;
  const read = entry(type, of.content);
  const made = read && { ...read, seq, n, at: of.at ?? null };
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
      if (failed) return 'failed';
      if (answered) return 'done';
      return synced || now ? 'unanswered' : 'working';
    default:
      return now!.state;
  }
}

function asked(e: Stored, state: AskedState, now: Turn | undefined, failure: Stored | undefined): Asked {
  return {
    kind: 'asked', key: e.id ? `q-${e.id}` : `q-${e.seq}`, ...what(e.type, e.content),
    sender: e.sender, id: e.id, seq: e.seq, turn: e.turn, state, phase: now?.phase ?? '', searched: now?.searched ?? false, partial: now?.text ?? '', replied: now?.replied ?? false,
    error: state === 'failed' ? now?.error ?? { message: typeof failure?.content === 'string' ? failure.content : '', ...failure?.sentence } : none,
  };
}

const none: Text = { message: '' };

const types: Record<string, string> = { user_file: 'file', user_voice: 'audio' };

function waiting(p: Pending): Asked {
  return {
    kind: 'asked', key: `q-${p.id}`, ...what(types[p.action] ?? 'str', p.content), sender: '', id: p.id,
    seq: null, turn: null, state: p.error ? 'failed' : 'sending', phase: '', searched: false, partial: '', replied: false, error: p.error ?? none,
  };
}

/** what a message of the user says, and how it wants to be answered. */
function what(type: string, content: unknown): Pick<Asked, 'text' | 'plain' | 'sort' | 'options'> {
  const sort = /voice|audio/.test(type) ? 'recording' : /file|image/.test(type) ? 'file' : 'text';
  const said = sort === 'text' && typeof content === 'object' && content !== null ? (content as Record<string, unknown>) : {};
  const plain = (typeof content === 'string' && type === 'str') || typeof said.message === 'string';
  const options: Options = {};
  if (Array.isArray(said.collections)) options.collections = said.collections.filter((c): c is string => typeof c === 'string');
  if (typeof said.model === 'string' && said.model) options.model = said.model;
  if (typeof said.k === 'number') options.k = said.k;
  return { text: question(sort === 'recording' ? 'audio' : type, content), plain, sort, options: Object.keys(options).length > 0 ? options : null };
}

/** Row is one thing on the page. */
export type Row =
  | { kind: 'asked'; key: string; item: Asked }
  /** broken: its turn failed, and this is what there was of it. */
  | { kind: 'replied'; key: string; item: Replied; reasoned: boolean; newest: boolean; chosen: string; broken: boolean }
  /** asked is the question whose answer is still being looked for. */
  | { kind: 'reasoned'; key: string; item: Reasoned; asked: Asked | null; answered: boolean }
  /** The answer in the making, at the end of its turn. */
  | { kind: 'pending'; key: string; item: Asked }
  /** How a turn ended that did not end well. */
  | { kind: 'ended'; key: string; item: Asked }
  /** What can be done with an answer: at the end of a turn that went well. */
  | { kind: 'actions'; key: string; item: Asked };

/** Section is the rows of one turn, or of something that belongs to none. */
export interface Section {
  key: string;
  rows: Row[];
}

/** rows are what is shown of items, in order. */
export const rows = (items: Item[]): Row[] => sections(items).flatMap((s) => s.rows);

/** What was made of a turn's items, by the first of them. */
const drawn = new WeakMap<Item, { items: Item[]; newest: Item | undefined; next: string; section: Section }>();

/** sections are rows by turn; a turn about which nothing is new stays the same. */
export function sections(items: Item[]): Section[] {
  const out: Section[] = [];
  const newest = items.findLast((i) => i.kind === 'replied' && i.reply.type === 'options');
  for (let from = 0, to: number; from < items.length; from = to) {
    const { turn } = items[from]!;
    to = from + 1;
    while (turn && items[to]?.turn === turn) to++;
    const of = items.slice(from, to);
    const offers = of.filter((i) => i.kind === 'replied' && i.reply.type === 'options');
    const mine = offers.find((i) => i === newest);
    const next = offers.length > 0 ? (items.slice(from + 1).find(byUser)?.text ?? '') : '';
    const known = drawn.get(of[0]!);
    if (known && known.newest === mine && known.next === next && alike(known.items, of)) {
      out.push(known.section);
      continue;
    }
    const section = { key: of[0]!.key, rows: rowsOf(of, mine, next) };
    drawn.set(of[0]!, { items: of, newest: mine, next, section });
    out.push(section);
  }
  return out;
}

// newest is what can be chosen from, next what the user said after it.
function rowsOf(items: Item[], newest: Item | undefined, next: string): Row[] {
  const out: Row[] = [];
  let head: Asked | undefined; // the question of the turn
  let traced = false; // there was reasoning in it
  let replies = 0;
  items.forEach((item, i) => {
    const ends = i === items.length - 1;
    if (item.kind === 'asked') {
      head = item;
      out.push({ kind: 'asked', key: item.key, item });
    } else if (item.kind === 'replied') {
      // What was streamed of it was called the same.
      out.push({ kind: 'replied', key: head ? answerKey(head, replies++) : item.key, item, reasoned: traced, newest: item === newest, chosen: chosen(item, next), broken: head?.state === 'failed' });
    } else if (visible(item.entries)) {
      traced = true;
      out.push({ kind: 'reasoned', key: item.key, item, asked: ends && head && thinking(head, item) ? head : null, answered: answered(items, i) });
    }
    if (ends && head) out.push(...tail(head, out, replies));
  });
  return out;
}

const stopped = (said: Reply): boolean =>
  said.type === 'note' || (said.type === 'markdown' && said.stopped === true) || (said.type === 'rag' && said.rag.stopped === true);

const thinking = (head: Asked, item: Reasoned): boolean =>
  isRunning(head) && !head.replied && !head.partial && !finished(item.entries);

const answered = (items: Item[], at: number): boolean => items.slice(at + 1).some((i) => i.kind === 'replied' && i.reply.type !== 'note');

// The option that was chosen is what was said next, if it is one.
const chosen = ({ reply }: Replied, next: string): string => (reply.type === 'options' && reply.labels.includes(next) ? next : '');

const answerKey = (head: Asked, n: number): string => `${head.key}-answer-${n}`;

function tail(item: Asked, before: Row[], replies: number): Row[] {
  const last = before.at(-1);
  if (isRunning(item)) {
    if ((last?.kind === 'reasoned' && last.asked) || (item.replied && !item.partial)) return [];
    return [{ kind: 'pending', key: answerKey(item, replies), item }];
  }
  const actions: Row[] = last?.kind === 'asked' || item.sender || !item.turn ? [] : [{ kind: 'actions', key: item.key + '-actions', item }];
  if (item.state === 'done') return actions;
  // That it was stopped is part of what is stored of it.
  if (item.state === 'stopped' && last?.kind === 'replied' && stopped(last.item.reply)) return actions;
  // What an agent says needs no answer, and nobody here can say it again.
  if (item.sender && item.state !== 'failed') return [];
  return [{ kind: 'ended', key: item.key + '-ended', item }];
}
