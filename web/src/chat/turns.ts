// What a conversation shows, as a function of the frames and stored messages
// that made it. No DOM, no network, no framework.
import type { ErrorShape, Frame, RagMessage, StoredMessage } from '../api/shapes';

export type TurnState = 'sending' | 'waiting' | 'searching' | 'answering' | 'done' | 'failed' | 'unanswered';

/** Asked is a message of the user and how far its turn is. */
export interface Asked {
  kind: 'asked';
  key: string;
  text: string;
  /** The client's message id; '' for messages of earlier visits. */
  id: string;
  seq: number | null;
  turn: number | null;
  state: TurnState;
  /** What has been streamed of the answer. */
  partial: string;
  /** The start of the stream was missed: partial is not shown. */
  torn: boolean;
  error: string;
}

export type Reply =
  | { type: 'rag'; rag: RagMessage }
  | { type: 'text' | 'markdown'; text: string }
  | { type: 'other'; name: string };

/** Replied is a message of the agent. */
export interface Replied {
  kind: 'replied';
  key: string;
  seq: number | null;
  turn: number | null;
  reply: Reply;
}

export type Item = Asked | Replied;

export const running = (item: Item): item is Asked =>
  item.kind === 'asked' && ['sending', 'waiting', 'searching', 'answering'].includes(item.state);

let keys = 0;
const key = () => `m${++keys}`;

export function asked(text: string, id: string): Asked {
  return { kind: 'asked', key: key(), text, id, seq: null, turn: null, state: 'sending', partial: '', torn: false, error: '' };
}

function parsed(content: unknown): unknown {
  if (typeof content !== 'string') return content;
  try {
    return JSON.parse(content);
  } catch {
    return content;
  }
}

/** ragMessage reads an answer, filling what an older server leaves out. */
export function ragMessage(content: unknown): RagMessage | null {
  const m = parsed(content) as Partial<RagMessage> | null;
  if (typeof m !== 'object' || m === null || typeof m.answer !== 'string') return null;
  return {
    llm_name: m.llm_name ?? '',
    question: m.question ?? '',
    answer: m.answer,
    docs: Array.isArray(m.docs) ? m.docs : [],
    sentences: Array.isArray(m.sentences) ? m.sentences : [],
    abstained: m.abstained === true,
  };
}

function reply(type: string, content: unknown): Reply {
  if (type === 'rag_answer' || type === 'rag') {
    const rag = ragMessage(content);
    if (rag) return { type: 'rag', rag };
  }
  if (type === 'str' || type === 'markdown') {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    return { type: type === 'str' ? 'text' : 'markdown', text };
  }
  return { type: 'other', name: type };
}

// Replies stand under the question of their turn, whatever came in between.
function order(items: Item[]): void {
  const last = Number.MAX_SAFE_INTEGER;
  items.sort((a, b) => (a.turn ?? last) - (b.turn ?? last) || (a.seq ?? last) - (b.seq ?? last));
}

/** merge brings stored messages into what is shown; known ones are kept. */
export function merge(items: Item[], stored: StoredMessage[]): void {
  let turn = 0;
  for (const m of [...stored].sort((a, b) => a.seq - b.seq)) {
    turn = m.turn ?? turn;
    if (items.some((i) => i.seq === m.seq)) continue;
    if (m.is_user) {
      const text = typeof m.content === 'string' ? m.content : JSON.stringify(m.content);
      items.push({ ...asked(text, ''), seq: m.seq, turn, state: 'waiting' });
    } else {
      items.push({ kind: 'replied', key: key(), seq: m.seq, turn, reply: reply(m.type, m.content) });
    }
  }
  order(items);
  const answered = new Set(items.flatMap((i) => (i.kind === 'replied' && i.turn !== null ? [i.turn] : [])));
  const newest = items.reduce((max, i) => (i.kind === 'asked' && i.turn !== null ? Math.max(max, i.turn) : max), -1);
  for (const item of items) {
    if (!running(item) || item.turn === null) continue;
    if (answered.has(item.turn)) item.state = 'done';
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

function turnOf(items: Item[], frame: Frame, id?: string): Asked | undefined {
  const mine = items.filter((i): i is Asked => i.kind === 'asked');
  if (id) return mine.find((i) => i.id === id);
  const byTurn = frame.turn == null ? undefined : mine.find((i) => i.turn === frame.turn);
  if (byTurn) return byTurn;
  const next = mine.find((i) => running(i) && (frame.turn == null || i.turn === null));
  if (next && frame.turn != null) next.turn = frame.turn;
  return next;
}

/** apply brings one frame into what is shown. */
export function apply(items: Item[], frame: Frame): void {
  const m = (typeof frame.message === 'object' && frame.message !== null ? frame.message : {}) as Record<string, unknown>;
  switch (frame.action) {
    case 'ack': {
      const id = typeof m.id === 'string' ? m.id : frame.id;
      const item = id ? turnOf(items, frame, id) : undefined;
      if (!item) return;
      item.seq = typeof m.seq === 'number' ? m.seq : (frame.seq ?? item.seq);
      item.turn = frame.turn ?? item.turn;
      if (item.state === 'sending') item.state = 'waiting';
      drop(items, item);
      order(items);
      return;
    }
    case 'status': {
      const item = turnOf(items, frame);
      if (item && running(item)) item.state = m.phase === 'answering' ? 'answering' : 'searching';
      return;
    }
    case 'agent_reply_delta': {
      const item = turnOf(items, frame);
      if (!item || !running(item) || typeof m.text !== 'string') return;
      item.state = 'answering';
      if (!item.torn) item.partial += m.text;
      return;
    }
    case 'turn_finished':
      return finish(turnOf(items, frame), m.outcome === 'failed' ? 'failed' : 'done');
    case 'error':
      return fail(items, frame, m as Partial<ErrorShape>);
    default:
      if (frame.action.startsWith('agent_reply_')) add(items, frame);
  }
}

// An acknowledged message may have come in with the stored ones already.
function drop(items: Item[], item: Asked): void {
  const twin = items.findIndex((i) => i !== item && i.kind === 'asked' && i.seq === item.seq && i.id === '');
  if (item.seq !== null && twin >= 0) items.splice(twin, 1);
}

function finish(item: Asked | undefined, state: 'done' | 'failed'): void {
  if (!item || item.state === 'failed') return;
  item.state = state;
  item.partial = '';
  if (state === 'failed') item.error = 'docent could not answer this.';
}

function fail(items: Item[], frame: Frame, e: Partial<ErrorShape>): void {
  const id = e.id ?? frame.id;
  const item = turnOf(items, frame, id);
  if (!item || !running(item)) return;
  item.state = 'failed';
  item.partial = '';
  item.error = e.message || 'docent could not answer this.';
}

const storedType: Record<string, string> = { agent_reply_rag: 'rag_answer' };

function add(items: Item[], frame: Frame): void {
  if (frame.seq != null && items.some((i) => i.seq === frame.seq)) return;
  if (frame.action === 'agent_reply_reasoning_step' || frame.action === 'agent_reply_task_list_update') return;
  const type = storedType[frame.action] ?? frame.action.slice('agent_reply_'.length);
  // What is said before anything was asked is the greeting, turn 0.
  const item = frame.turn === 0 ? undefined : turnOf(items, frame);
  const turn = frame.turn ?? item?.turn ?? (item ? null : 0);
  if (item && type === 'rag_answer') {
    item.state = 'done';
    item.partial = '';
  }
  items.push({ kind: 'replied', key: key(), seq: frame.seq ?? null, turn, reply: reply(type, frame.message) });
  if (turn !== null) order(items);
}
