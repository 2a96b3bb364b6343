// The shapes the server sends, as its openapi.json describes them; those of the
// WebSocket are docent-client's.
import type { LoadedMessage, LoadedStep } from 'docent-client';

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

/** Stored is a page of what is stored of a conversation. */
export interface Stored {
  messages: LoadedMessage[];
  steps: LoadedStep[];
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
  message: string;
  retryable: boolean;
}
