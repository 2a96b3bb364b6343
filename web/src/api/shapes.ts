// The shapes the server sends, as its openapi.json describes them; those of the
// WebSocket are docent-client's.
import type { LoadedMessage, LoadedStep } from 'docent-client';
import type { Named } from '../words/sentences';

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
  /** The answer is what there was of it when it was stopped. */
  stopped?: boolean;
  /** How well the passages support an answer, 0 to 1. */
  evidence?: number;
  /** How many passages were asked for. */
  k?: number;
  /** The collections that were searched; absent where all were. */
  collections?: string[];
  /** The text that was searched for; absent where it is the question. */
  searched?: string;
}

export interface Info {
  name: string;
  version: string;
  agent: string;
  /** It is the assistant that answers from the documents. */
  built_in: boolean;
  database: string;
  model: { name: string; kind: string; hint: string; sentence?: Named };
  models: string[];
  embedder: { name: string; dimensions: number };
  collections: { name: string; documents: number; failed: number; chunks: number }[];
  /** What searches: the keyword index, the vector index, and the passages in them. */
  index: { keyword: string; vectors: string; chunks: number };
  /** Recordings are understood; the agent can speak. */
  voice: { listens: boolean; speaks: boolean };
  limits: { upload_bytes: number; message_bytes: number; k: number };
  /** Authentication is on. */
  auth: boolean;
  /** When the server was started. */
  started_at: string;
  /** The version of Go that it was built with. */
  go: string;
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
  sentence?: Named;
  chunks: number;
  created_at: string;
  updated_at: string;
}

export interface DocumentPage {
  documents: DocumentRow[];
  /** The cursor of the next page of a list that is not sorted; absent on the last. */
  next?: number | null;
  /** That of one that is. */
  next_cursor?: string;
}

/** UploadResult is what became of one document of an upload. */
export interface UploadResult {
  source: string;
  status: 'added' | 'changed' | 'unchanged' | 'removed' | 'failed';
  chunks: number;
  reason?: string;
  sentence?: Named;
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
  /** It stands above the others. */
  pinned: boolean;
}

/** ChunkRow is a passage of a document. */
export interface ChunkRow {
  id: number;
  /** Counts from 0. */
  ordinal: number;
  kind: 'prose' | 'code' | 'table';
  text: string;
  heading: string;
  page: number | null;
  page_label: string | null;
  /** Byte offsets in the UTF-8 of the document's extracted text. */
  start: number;
  end: number;
  tokens: number;
}

export interface ChunkPage {
  chunks: ChunkRow[];
  next?: number;
}

/** Hit is a passage that was found. */
export interface Hit {
  rank: number;
  score: number;
  source: string;
  title: string;
  heading: string;
  page: number | null;
  page_label: string | null;
  start: number;
  end: number;
  text: string;
  document_id: number;
  chunk_id: number;
  features?: Record<string, number>;
}

export interface SearchResults {
  question: string;
  /** How well the results support an answer, 0 to 1. */
  evidence: number;
  results: Hit[];
}

/** Rect is a part of a page: shares of its width and height, from its top left. */
export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** PageRow is a page of a document that has pages, and where a passage is on it. */
export interface PageRow {
  /** Counts from 0. */
  page: number;
  pages: number;
  /** The page as printed; null if it has no other name than its number. */
  label: string | null;
  /** In points, as it is shown. */
  width: number;
  height: number;
  marks: Rect[];
}

/** TokenRow is an API token; its secret is shown once, when it is made. */
export interface TokenRow {
  id: number;
  name: string;
  scopes: string[];
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
}

export interface NewToken extends TokenRow {
  token: string;
}

/** Rated is what the user thought of a turn last. */
export interface Rated {
  turn: number;
  /** Absent if there was only a comment. */
  rating?: number;
  comment?: string;
}

/** Stored is a page of what is stored of a conversation. */
export interface Stored {
  messages: LoadedMessage[];
  steps: LoadedStep[];
  feedback: Rated[];
  /** The number given last. */
  seq?: number;
  /** The cursor of the page before; absent if there is none. */
  before?: number;
}

/** Me is who is logged in; auth is whether one has to be. */
export interface Me {
  id: string;
  name: string;
  scopes: string[];
  auth: boolean;
}

export interface ErrorShape {
  code: string;
  id: string;
  params: unknown[];
  message: string;
  retryable: boolean;
}
