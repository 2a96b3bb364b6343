// The frames of docent.v1. wire.ts is generated from the AsyncAPI description of
// the protocol.
import type * as wire from './wire.ts';

/** Envelope is every frame without its action and message. */
export type Envelope = Pick<wire.V1Frame, 'seq' | 'id' | 'turn' | 'replaces' | 'n' | 'sender' | 'sentence'> & Partial<Pick<wire.ServerFrame, 'history' | 'timestamp'>>;

/** Sentence names a text of the server; docs/reference/errors.md lists all ids. */
export type Sentence = wire.Named;

/** ErrorBody is an error. Other servers can omit the id and its parameters. */
export type ErrorBody = Omit<wire.Error, 'code' | 'id' | 'params'> & Partial<Pick<wire.Error, 'id' | 'params'>> & { code: string };

/** ReasoningStep is one step of the search for an answer. */
export type ReasoningStep = wire.Step;

/** Task is an item of the task list of an agent. */
export type Task = wire.Task;

/** Welcome answers hello. Older servers can omit fields. */
export type Welcome = Omit<wire.Welcome, 'reset_seq' | 'limits' | 'voice'> &
  Partial<Pick<wire.Welcome, 'reset_seq' | 'voice'>> & { limits: Pick<wire.Welcome['limits'], 'message_bytes'> & Partial<wire.Welcome['limits']> };

/** TurnRange are the turns from first on and before until. */
export type TurnRange = wire.TurnRange;

/** The outcomes of a turn. */
export type Outcome = wire.TurnFinished['outcome'];

/** Messages by action, of the frames that the server sends. */
export interface ServerMessages {
  welcome: Welcome;
  synced: wire.Synced;
  turn_snapshot: wire.TurnSnapshot;
  turns_shown: { hidden: wire.TurnRange[] };
  session_reset: { seq: number };
  /** Without seq, it acknowledges a request that stores nothing. */
  ack: wire.Ack;
  status: { phase: string };
  thinking_delta: { text: string };
  agent_reply_delta: { text: string };
  turn_finished: wire.TurnFinished;
  feedback_stored: { turn: number };
  error: ErrorBody;
  user_message: unknown;
  user_file: unknown;
  user_voice: unknown;
  agent_reply_str: unknown;
  agent_reply_markdown: string;
  agent_reply_html: string;
  agent_reply_file: wire.File;
  agent_reply_image: string;
  agent_reply_dataframe: string;
  agent_reply_plotly: string;
  agent_reply_options: string;
  agent_reply_location: wire.Location;
  agent_reply_rag: unknown;
  agent_reply_audio: unknown;
  agent_reply_ui: unknown;
  agent_reply_gui: unknown;
  agent_reply_gui_update: unknown;
  agent_reply_reasoning_step: ReasoningStep;
  agent_reply_task_list_update: Task[];
}

export type StepAction = wire.TurnSnapshot['steps'][number]['action'];

/** ServerFrame is any frame of the server. Its action determines its type. */
export type ServerFrame = { [A in keyof ServerMessages]: Envelope & { action: A; message: ServerMessages[A] } }[keyof ServerMessages];

/**
 * parseFrame reads one frame. It returns null for malformed frames. It checks only
 * the fields that the client uses; the content of a message can be anything.
 */
export function parseFrame(data: unknown): ServerFrame | null {
  if (typeof data !== 'string') return null;
  let frame: unknown;
  try {
    frame = JSON.parse(data);
  } catch {
    return null;
  }
  if (!isObject(frame) || typeof frame.action !== 'string') return null;
  for (const key of ['seq', 'turn', 'n', 'replaces']) {
    if (frame[key] != null && !Number.isSafeInteger(frame[key])) return null;
  }
  const check = Object.hasOwn(checks, frame.action) ? checks[frame.action] : undefined;
  if (check && !(isObject(frame.message) && check(frame.message))) return null;
  return frame as unknown as ServerFrame;
}

type Fields = Record<string, unknown>;
const isObject = (v: unknown): v is Fields => typeof v === 'object' && v !== null && !Array.isArray(v);
const number = (v: unknown) => Number.isSafeInteger(v);

const checks: Record<string, (m: Fields) => boolean> = {
  welcome: (m) => typeof m.session_id === 'string' && number(m.seq),
  synced: (m) => number(m.seq) && Array.isArray(m.turns),
  turn_snapshot: (m) => number(m.turn) && number(m.n) && typeof m.text === 'string' && Array.isArray(m.steps),
  turns_shown: (m) => Array.isArray(m.hidden),
  session_reset: (m) => number(m.seq),
  ack: (m) => m.seq === undefined || number(m.seq),
  status: (m) => typeof m.phase === 'string',
  thinking_delta: (m) => typeof m.text === 'string',
  agent_reply_delta: (m) => typeof m.text === 'string',
  turn_finished: (m) => typeof m.outcome === 'string',
  error: (m) => typeof m.message === 'string',
};

/** newId returns a new message id. It does not need a secure context, unlike crypto.randomUUID. */
export function newId(): string {
  const b = crypto.getRandomValues(new Uint8Array(16));
  b[6] = (b[6]! & 0x0f) | 0x40;
  b[8] = (b[8]! & 0x3f) | 0x80;
  const h = Array.from(b, (x) => x.toString(16).padStart(2, '0')).join('');
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-${h.slice(12, 16)}-${h.slice(16, 20)}-${h.slice(20)}`;
}
