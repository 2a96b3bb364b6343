// The visible part of a conversation, as a pure function of its transcript. It uses no DOM,
// no network, and no framework.
import { unreplaced, type Entry as Stored, type Pending, type Transcript, type Turn } from 'docent-client';
import type { Text } from '../words/sentences';
import { entry, finished, runs, visible, type Entry } from './reasoning';
import { question, removedFile, reply, type Reply } from './replies';

/**
 * AskedState is the state of a question. sending: docent has not stored it. working: docent
 * answers it. held: the agent keeps it for later.
 */
export type AskedState = 'sending' | 'working' | 'done' | 'failed' | 'stopped' | 'held' | 'unanswered';

/** Options are the answer options in a question. */
export interface Options {
  collections?: string[];
  /** The number of chosen documents. */
  documents?: number;
  model?: string;
  k?: number;
  /** The headings of a brief. */
  brief?: string[];
}

/** Asked is a message of the user or of another agent, and the state of its turn. */
export interface Asked {
  kind: 'asked';
  key: string;
  text: string;
  /** The message is text, so the user can edit it. */
  plain: boolean;
  sort: 'text' | 'file' | 'recording';
  /** The file was removed from the conversation. */
  removed: boolean;
  /** The answer options in the question; null without any. */
  options: Options | null;
  /** The other agent that sent it; '' for the user. */
  sender: string;
  /** The message id of the client; '' without one. */
  id: string;
  seq: number | null;
  turn: number | null;
  state: AskedState;
  /** The phase of the turn, as named by the server; '' before the first status. */
  phase: string;
  /** The turn searched passages, so its answer can cite. */
  searched: boolean;
  /** The reasoning of the model before the answer. */
  thinking: string;
  /** The streamed part of the answer. */
  partial: string;
  /** The last event was a reply, so the turn may be complete. */
  replied: boolean;
  /** The reason of a failure. */
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

/** byUser reports whether the user wrote an item. */
export const byUser = (item: Item): item is Asked => item.kind === 'asked' && !item.sender;

// Entries never change, so their items are cached.
const replies = new WeakMap<Stored, Replied>();
const reasons = new WeakMap<object, Entry | null>();

// The entries of each turn, or a single entry outside of turns. The cache is valid until a
// frame is stored, because streamed text does not change the groups.
const grouped = new WeakMap<readonly Stored[], { pending: readonly Pending[]; hidden: Transcript['hidden']; groups: Map<number | string, Stored[]> }>();

function groupsOf(t: Transcript): Map<number | string, Stored[]> {
  const known = grouped.get(t.entries);
  if (known?.pending === t.pending && known.hidden === t.hidden) return known.groups;
  const groups = new Map<number | string, Stored[]>();
  for (const e of unreplaced(t)) {
    const place = e.turn || `seq ${e.seq}`;
    const group = groups.get(place);
    if (group) group.push(e);
    else groups.set(place, [e]);
  }
  grouped.set(t.entries, { pending: t.pending, hidden: t.hidden, groups });
  return groups;
}

/**
 * view returns the visible items. All items of a turn are together at the place of its
 * question. Items outside of turns are at their own place. With calm, a turn that the
 * server reports as waiting is held. view reuses unchanged items of the view before, so a
 * turn without news is cheap.
 */
export function view(t: Transcript, calm = false, before: Item[] = []): Item[] {
  let groups = groupsOf(t);
  const stepOnly = [...t.turns].filter(([turn, { steps }]) => steps.length > 0 && !groups.has(turn) && !t.entries.some((e) => e.turn === turn));
  if (stepOnly.length > 0) groups = new Map([...groups, ...stepOnly.map(([turn]): [number, Stored[]] => [turn, []])]);
  const busy = [...t.turns.values()].some(({ state }) => state === 'running');
  let earlierRuns: Map<string, Reasoned> | undefined;
  const items: Item[] = [];
  for (const [place, entries] of groups) {
    const turn = typeof place === 'number' ? place : (entries[0]?.turn ?? null);
    const now = turn === null ? undefined : t.turns.get(turn);
    const known = entries[0] && cachedTurns.get(entries[0]);
    if (known && known.now === now && known.state === stateOf(known, now, t.synced, calm && !busy) && alike(known.entries, entries)) {
      items.push(...known.items);
      continue;
    }
    const runs = (earlierRuns ??= new Map(before.flatMap((i) => (i.kind === 'reasoned' ? [[i.key, i]] : []))));
    const section = group(turn, entries, now, t.synced, calm && !busy);
    section.items = section.items.map((item) => (item.kind === 'reasoned' ? same(runs.get(item.key), item) : item));
    if (entries[0]) cachedTurns.set(entries[0], section);
    items.push(...section.items);
  }
  for (const p of t.pending) items.push(waiting(p));
  return items;
}

/** Made is a cached turn and its sources. */
interface CachedTurn {
  entries: readonly Stored[];
  now: Turn | undefined;
  answered: boolean;
  failed: boolean;
  state: AskedState;
  items: Item[];
}

// The cached turns by their first entry, which is usually the question.
const cachedTurns = new WeakMap<Stored, CachedTurn>();

const stateOf = (cached: Pick<CachedTurn, 'answered' | 'failed'>, now: Turn | undefined, synced: boolean, calm: boolean): AskedState => progress(now, cached.answered, cached.failed, synced, calm);

const alike = <T>(a: readonly T[], b: readonly T[]): boolean => a === b || (a.length === b.length && a.every((x, i) => x === b[i]));

function group(turn: number | null, entries: readonly Stored[], now: Turn | undefined, synced: boolean, calm: boolean): CachedTurn {
  const failure = entries.find((e) => e.kind === 'failure');
  const question = entries.find((e) => e.kind === 'question');
  // Replies before a failure are not an answer. A later reply of a repeated turn is.
  const outcome = { answered: entries.some((e) => e.kind === 'reply'), failed: failure !== undefined && !entries.some((e) => e.kind === 'reply' && e.seq > failure.seq) };
  const state = stateOf(outcome, now, synced, calm);
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
  return { entries, now, ...outcome, state, items: placed.sort(([a], [b]) => a - b).map(([, item]) => item) };
}

// An unchanged run keeps its entries, so it is not drawn again.
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

function reason(step: { content: unknown; at?: number }, type: string, seq: number | null, n: number): Entry | null {
  const known = reasons.get(step);
  if (known !== undefined) return known;
  const read = entry(type, step.content);
  const stored = read && { ...read, seq, n, at: step.at ?? null };
  reasons.set(step, stored);
  return stored;
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
    kind: 'asked', key: e.id ? `q-${e.id}` : `q-${e.seq}`, ...contentOf(e.type, e.content),
    sender: e.sender, id: e.id, seq: e.seq, turn: e.turn, state, phase: now?.phase ?? '', searched: now?.searched ?? false, thinking: now?.thinking ?? '', partial: now?.text ?? '', replied: now?.replied ?? false,
    error: state === 'failed' ? now?.error ?? { message: typeof failure?.content === 'string' ? failure.content : '', ...failure?.sentence } : none,
  };
}

const none: Text = { message: '' };

const types: Record<string, string> = { user_file: 'file', user_voice: 'audio' };

function waiting(p: Pending): Asked {
  return {
    kind: 'asked', key: `q-${p.id}`, ...contentOf(types[p.action] ?? 'str', p.content), sender: '', id: p.id,
    seq: null, turn: null, state: p.error ? 'failed' : 'sending', phase: '', searched: false, thinking: '', partial: '', replied: false, error: p.error ?? none,
  };
}

/** contentOf reads the text and the answer options of a message of the user. */
function contentOf(type: string, content: unknown): Pick<Asked, 'text' | 'plain' | 'sort' | 'removed' | 'options'> {
  const sort = /voice|audio/.test(type) ? 'recording' : /file|image/.test(type) ? 'file' : 'text';
  const object = sort === 'text' && typeof content === 'object' && content !== null ? (content as Record<string, unknown>) : {};
  const plain = (typeof content === 'string' && type === 'str') || typeof object.message === 'string';
  const removed = sort === 'file' && removedFile(content);
  const options: Options = {};
  if (Array.isArray(object.collections)) options.collections = object.collections.filter((c): c is string => typeof c === 'string');
  if (Array.isArray(object.documents) && object.documents.length > 0) options.documents = object.documents.length;
  if (typeof object.model === 'string' && object.model) options.model = object.model;
  if (typeof object.k === 'number') options.k = object.k;
  if (Array.isArray(object.brief) && object.brief.length > 0) options.brief = object.brief.filter((h): h is string => typeof h === 'string');
  return { text: question(sort === 'recording' ? 'audio' : type, content), plain, sort, removed, options: Object.keys(options).length > 0 ? options : null };
}

/** Row is one element on the page. */
export type Row =
  | { kind: 'asked'; key: string; item: Asked }
  /** With broken, the turn failed after this part of its answer. */
  | { kind: 'replied'; key: string; item: Replied; reasoned: boolean; newest: boolean; chosen: string; broken: boolean }
  /** asked is the question while its answer is not found. */
  | { kind: 'reasoned'; key: string; item: Reasoned; asked: Asked | null; answered: boolean }
  /** The running answer at the end of its turn. */
  | { kind: 'pending'; key: string; item: Asked }
  /** The outcome of a turn that failed, was stopped, or is held. */
  | { kind: 'ended'; key: string; item: Asked }
  /** The actions for an answer at the end of a successful turn. */
  | { kind: 'actions'; key: string; item: Asked };

/** Section has the rows of one turn, or of one item outside of turns. */
export interface Section {
  key: string;
  rows: Row[];
}

/** rows returns the rows of items, in order. */
export const rows = (items: Item[]): Row[] => sections(items).flatMap((s) => s.rows);

/** The cached section of each turn, by its first item. */
const cachedSections = new WeakMap<Item, { items: Item[]; newest: Item | undefined; next: string; section: Section }>();

/** sections groups rows by turn. A turn without news keeps its section. */
export function sections(items: Item[]): Section[] {
  const out: Section[] = [];
  const newest = items.findLast((i) => i.kind === 'replied' && i.reply.type === 'options');
  for (let from = 0, to: number; from < items.length; from = to) {
    const { turn } = items[from]!;
    to = from + 1;
    while (turn && items[to]?.turn === turn) to++;
    const turnItems = items.slice(from, to);
    const offers = turnItems.filter((i) => i.kind === 'replied' && i.reply.type === 'options');
    const newestHere = offers.find((i) => i === newest);
    const next = offers.length > 0 ? (items.slice(from + 1).find(byUser)?.text ?? '') : '';
    const known = cachedSections.get(turnItems[0]!);
    if (known && known.newest === newestHere && known.next === next && alike(known.items, turnItems)) {
      out.push(known.section);
      continue;
    }
    const section = { key: turnItems[0]!.key, rows: rowsOf(turnItems, newestHere, next) };
    cachedSections.set(turnItems[0]!, { items: turnItems, newest: newestHere, next, section });
    out.push(section);
  }
  return out;
}

// rowsOf returns the rows of one turn. newest is the reply with the present options, and
// next is the message of the user after it.
function rowsOf(items: Item[], newest: Item | undefined, next: string): Row[] {
  const out: Row[] = [];
  let opening: Asked | undefined; // the question of the turn
  let reasoned = false; // the turn has reasoning
  let replies = 0;
  items.forEach((item, i) => {
    const ends = i === items.length - 1;
    if (item.kind === 'asked') {
      opening = item;
      out.push({ kind: 'asked', key: item.key, item });
    } else if (item.kind === 'replied') {
      // The streamed part of the answer had the same key.
      out.push({ kind: 'replied', key: opening ? answerKey(opening, replies++) : item.key, item, reasoned: reasoned, newest: item === newest, chosen: chosen(item, next), broken: opening?.state === 'failed' });
    } else if (visible(item.entries)) {
      reasoned = true;
      out.push({ kind: 'reasoned', key: item.key, item, asked: ends && opening && thinking(opening, item) ? opening : null, answered: answered(items, i) });
    }
    if (ends && opening) out.push(...tail(opening, out, replies));
  });
  return out;
}

const stopped = (said: Reply): boolean =>
  said.type === 'note' || (said.type === 'markdown' && said.stopped === true) || (said.type === 'rag' && said.rag.stopped === true);

const thinking = (head: Asked, item: Reasoned): boolean =>
  isRunning(head) && !head.replied && !head.partial && !finished(item.entries);

const answered = (items: Item[], at: number): boolean => items.slice(at + 1).some((i) => i.kind === 'replied' && i.reply.type !== 'note');

// chosen returns the option that the user sent next, or ''.
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
  // The stored reply shows that it was stopped.
  if (item.state === 'stopped' && last?.kind === 'replied' && stopped(last.item.reply)) return actions;
  // A message of another agent needs no answer, and the user cannot repeat it.
  if (item.sender && item.state !== 'failed') return [];
  return [{ kind: 'ended', key: item.key + '-ended', item }];
}
