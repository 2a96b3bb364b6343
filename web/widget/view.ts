// What the widget shows, as a function of what was said.
import { unreplaced, type Entry, type Transcript } from 'docent-client';

export type Row =
  | { kind: 'question'; key: string; text: string; sending: boolean }
  | { kind: 'reply'; key: string; type: string; content: unknown; newest: boolean }
  /** An answer in the making. */
  | { kind: 'pending'; key: string; text: string; turn: number | undefined }
  /** The rating of a turn that was answered. */
  | { kind: 'rating'; key: string; turn: number; given: Rating | null }
  /** How a turn ended that did not end well; turn is one that can be asked again. */
  | { kind: 'ended'; key: string; how: 'failed' | 'unanswered'; text: string; turn: number | undefined };

/** Rating is what a user says about an answer. */
export interface Rating {
  rating: number;
  /** One of reasons, or ''. */
  reason: string;
}

/** The reasons of a bad rating. */
export const reasons = ['wrong', 'outdated', 'incomplete', 'wrong_source', 'unclear', 'other'] as const;

// The built-in assistant greets in English; the widget does in its language.
const builtIn = 'greeting';

/** rows are what is shown of a transcript, in order; greeted says that the site greets itself. */
export function rows(t: Transcript, recording: string, greeted: boolean, ratings: ReadonlyMap<number, Rating> = new Map()): Row[] {
  const out: Row[] = [];
  const greeting = (e: Entry) =>
    e.turn === 0 && e.kind === 'reply' && (e.type === 'str' || e.type === 'markdown') && (greeted || e.sentence?.id === builtIn);
  const entries = unreplaced(t).filter((e) => e.kind !== 'step' && !greeting(e));
  const said = entries.at(-1);
  entries.forEach((e, i) => {
    if (e.kind === 'question') out.push({ kind: 'question', key: e.id || `${e.seq}`, text: question(e.type, e.content, recording), sending: false });
    else if (e.kind === 'reply') out.push({ kind: 'reply', key: `${e.seq}`, type: e.type, content: e.content, newest: e === said });
    if (e.turn !== null && e.turn !== entries[i + 1]?.turn) out.push(...ending(t, e.turn, entries.filter((other) => other.turn === e.turn), ratings));
  });
  for (const p of t.pending) {
    out.push({ kind: 'question', key: p.id, text: question('str', p.content, recording), sending: !p.error });
    if (p.error) out.push({ kind: 'ended', key: `${p.id} ended`, how: 'failed', text: p.error.message, turn: undefined });
  }
  return out;
}

function ending(t: Transcript, turn: number, entries: readonly { kind: string; content: unknown }[], ratings: ReadonlyMap<number, Rating>): Row[] {
  const now = t.turns.get(turn);
  const answered = entries.some((e) => e.kind === 'reply');
  const asked = entries.some((e) => e.kind === 'question');
  const failure = entries.find((e) => e.kind === 'failure');
  const key = `turn ${turn}`;
  switch (now?.state) {
    case 'running':
    case 'stored':
    case 'waiting':
      return now.replied && !now.text ? [] : [{ kind: 'pending', key, text: now.text, turn }];
    case 'failed':
      return [{ kind: 'ended', key, how: 'failed', text: now.error?.message ?? String(failure?.content ?? ''), turn }];
    default:
      if (answered && asked && !failure) return [{ kind: 'rating', key, turn, given: ratings.get(turn) ?? null }];
      if (answered || !asked) return [];
      if (failure) return [{ kind: 'ended', key, how: 'failed', text: String(failure.content), turn }];
      return t.synced && now?.state !== 'held' ? [{ kind: 'ended', key, how: 'unanswered', text: '', turn }] : [];
  }
}

/** question is what a message of the user says. */
function question(type: string, content: unknown, recording: string): string {
  if (type === 'audio') return recording;
  const { message, name } = fields(content);
  return typeof content === 'string' ? content : typeof message === 'string' ? message : typeof name === 'string' ? name : JSON.stringify(content);
}

/** fields are those of an object, also of one that is written as JSON; of anything else there are none. */
export function fields(content: unknown): Record<string, unknown> {
  let value = content;
  if (typeof content === 'string') {
    try {
      value = JSON.parse(content);
    } catch {
      return {};
    }
  }
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
