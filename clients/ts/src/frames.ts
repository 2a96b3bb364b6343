// The frames of docent.v1 as they are on the wire.

/** Envelope is what every frame has beside its action and message. */
export interface Envelope {
  /** True on what is shown again. */
  history?: boolean;
  /** The server's local time, YYYY-MM-DD HH:MM:SS. */
  timestamp?: string | null;
  /** The order of stored frames in their session, from 1 and without gaps. */
  seq?: number;
  /** The client's id of the message that a frame is about. */
  id?: string;
  /** The other agent that said it; absent if the user did. */
  sender?: string;
  /** The turn that a frame belongs to; 0 is the greeting. */
  turn?: number;
  /** Counts a turn's provisional frames from 1. */
  n?: number;
  /** On a user's message: the turn from which on it replaces what was said. */
  replaces?: number;
  /** Names a reply that is a fixed text of the server, for other languages. */
  sentence?: Sentence;
}

/** Sentence names a text of the server; docs/reference/errors.md lists all ids. */
export interface Sentence {
  id: string;
  /** The values in the text, in its order: strings, numbers, and sentences as {id, params, message}. */
  params: readonly unknown[];
}

/** ErrorBody says what went wrong. */
export interface ErrorBody {
  /** A stable word, such as busy. */
  code: string;
  /** Names the sentence; absent from other servers. */
  id?: string;
  /** The values in the sentence. */
  params?: readonly unknown[];
  /** The sentence in English. */
  message: string;
  /** The same may succeed later unchanged. */
  retryable: boolean;
}

/** ReasoningStep is one step of how an answer was found. */
export interface ReasoningStep {
  kind: string;
  /** Counts the run's model calls from 0. */
  step: number;
  /** A line for people. */
  summary: string;
  details: Record<string, unknown>;
}

/** Task is one of a run's task list. */
export interface Task {
  id: number;
  description: string;
  status: string;
  result: string;
}

/** Welcome answers hello. */
export interface Welcome {
  session_id: string;
  /** The number given last; 0 if nothing is stored. */
  seq: number;
  /** What has this number or less is gone; absent or 0 if the session never was reset. */
  reset_seq?: number;
  /** The session was there before. */
  resumed: boolean;
  limits: {
    /** The longest text of a message. */
    message_bytes: number;
    /** The longest frame as it is sent, a file in it included; absent from older servers. */
    frame_bytes?: number;
  };
  models: string[];
  collections: string[];
  /** Recordings are understood; the agent can speak. Absent from older servers. */
  voice?: { listens: boolean; speaks: boolean };
}

/** The outcomes of a turn. */
export type Outcome = 'done' | 'failed' | 'stopped' | 'held';

/** Messages by action, of the frames that the server sends. */
export interface ServerMessages {
  welcome: Welcome;
  synced: { seq: number; turns: { turn: number; state: 'running' | 'waiting' }[] };
  turn_snapshot: { turn: number; n: number; text: string; steps: { action: StepAction; message: unknown }[] };
  session_reset: { seq: number };
  /** Without seq: what else was asked for with that id was taken. */
  ack: { id: string; seq?: number; duplicate: boolean };
  status: { phase: string };
  agent_reply_delta: { text: string };
  turn_finished: { outcome: Outcome; usage?: { prompt_tokens: number; completion_tokens: number } };
  feedback_stored: { turn: number };
  error: ErrorBody;
  user_message: unknown;
  user_file: unknown;
  user_voice: unknown;
  agent_reply_str: unknown;
  agent_reply_markdown: string;
  agent_reply_html: string;
  agent_reply_file: { name: string; type: string; base64: string };
  agent_reply_image: string;
  agent_reply_dataframe: string;
  agent_reply_plotly: string;
  agent_reply_options: string;
  agent_reply_location: { latitude: number; longitude: number };
  agent_reply_rag: unknown;
  agent_reply_audio: unknown;
  agent_reply_ui: unknown;
  agent_reply_gui: unknown;
  agent_reply_gui_update: unknown;
  agent_reply_reasoning_step: ReasoningStep;
  agent_reply_task_list_update: Task[];
}

export type StepAction = 'agent_reply_reasoning_step' | 'agent_reply_task_list_update';

/** ServerFrame is any frame of the server; action tells which. */
export type ServerFrame = { [A in keyof ServerMessages]: Envelope & { action: A; message: ServerMessages[A] } }[keyof ServerMessages];

/**
 * parseFrame reads one frame; what is none is null. Of the message only what
 * the protocol turns on is checked: what people wrote may be anything.
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
  session_reset: (m) => number(m.seq),
  ack: (m) => m.seq === undefined || number(m.seq),
  status: (m) => typeof m.phase === 'string',
  agent_reply_delta: (m) => typeof m.text === 'string',
  turn_finished: (m) => typeof m.outcome === 'string',
  error: (m) => typeof m.message === 'string',
};

/** newId makes a message id; crypto.randomUUID needs a secure context. */
export function newId(): string {
  const b = crypto.getRandomValues(new Uint8Array(16));
  b[6] = (b[6]! & 0x0f) | 0x40;
  b[8] = (b[8]! & 0x3f) | 0x80;
  const h = Array.from(b, (x) => x.toString(16).padStart(2, '0')).join('');
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-${h.slice(12, 16)}-${h.slice(16, 20)}-${h.slice(20)}`;
}
