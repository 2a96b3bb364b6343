// The shapes the server sends, as its openapi.json and protocol describe them.

/** Support says how much of a sentence its cited passages carry. */
export type Support = 'strong' | 'weak' | 'none';

/** RagMetadata says where a passage is from. */
export interface RagMetadata {
  source: string;
  /** Counts from 0; null where there are no pages. */
  page: number | null;
  /** The page as printed. */
  page_label: string | null;
  title: string;
  heading: string;
  /** Byte offsets in the UTF-8 of the document's extracted text. */
  start: number;
  end: number;
  score: number;
  document_id: number;
  chunk_id: number;
}

export interface RagDoc {
  content: string;
  metadata: RagMetadata;
}

export interface RagSentence {
  /** Byte offsets in the UTF-8 of the answer. */
  start: number;
  end: number;
  /** Cited passages, counted from 1. */
  docs: number[];
  support: Support;
}

/** RagMessage is an answer with its evidence. */
export interface RagMessage {
  llm_name: string;
  question: string;
  answer: string;
  docs: RagDoc[];
  sentences: RagSentence[];
  abstained: boolean;
}

export interface Info {
  name: string;
  version: string;
  agent: string;
  /** It is the assistant that answers from the documents. */
  built_in: boolean;
  database: string;
  model: { name: string; kind: string; hint: string };
  models: string[];
  embedder: { name: string; dimensions: number };
  collections: { name: string; documents: number; failed: number; chunks: number }[];
  limits: { upload_bytes: number; message_bytes: number; k: number };
}

export interface DocumentRow {
  id: number;
  collection: string;
  source: string;
  title: string;
  media_type: string;
  language: string;
  size: number;
  sha256: string;
  status: string;
  error?: string;
  chunks: number;
  created_at: string;
  updated_at: string;
}

export interface DocumentPage {
  documents: DocumentRow[];
  next?: number | null;
}

/** UploadResult is what became of one document of an upload. */
export interface UploadResult {
  source: string;
  status: 'added' | 'changed' | 'unchanged' | 'removed' | 'failed';
  chunks: number;
  reason?: string;
  document_id?: number;
}

export interface SessionRow {
  id: number;
  session_id: string;
  session_name: string | null;
  /** How the user's first text begins, if there is no name. */
  first?: string;
  platform_name: string;
  timestamp: string;
  messages: number;
}

export interface StoredMessage {
  seq: number;
  turn: number | null;
  type: string;
  content: unknown;
  is_user: boolean;
  /** The other agent that said it; absent if the user did. */
  sender?: string;
  timestamp: string;
}

/** StoredStep is a step of reasoning or a state of its task list. */
export interface StoredStep {
  seq: number;
  turn: number;
  /** The row of the message it led to. */
  chat_id: number | null;
  kind: 'reasoning_step' | 'task_list_update';
  step_kind: string;
  step: number;
  summary: string;
  /** As it is in a frame. */
  payload: unknown;
  timestamp: string;
}

/** Stored is what is stored of a conversation. */
export interface Stored {
  messages: StoredMessage[];
  steps: StoredStep[];
}

/** Frame is a WebSocket message of the docent.v1 dialect. */
export interface Frame {
  action: string;
  message: unknown;
  history?: boolean;
  timestamp?: string | null;
  /** Order of stored frames in the session. */
  seq?: number;
  /** The client's message id, echoed. */
  id?: string;
  /** The other agent that said it; absent if the user did. */
  sender?: string;
  turn?: number;
  /** Order of a turn's provisional frames. */
  n?: number;
}

export interface ErrorShape {
  code: string;
  message: string;
  retryable: boolean;
  id?: string;
}
