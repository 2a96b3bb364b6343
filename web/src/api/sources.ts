// Sources that stay in sync: the shapes that the server sends, and every call.
import { call, json, query } from './http';

export type SourceStatus = 'idle' | 'syncing' | 'failed' | 'paused';

/** LastSync is the result of the sync that ended last. */
export interface LastSync {
  started_at: string;
  ended_at: string | null;
  added: number;
  changed: number;
  unchanged: number;
  removed: number;
  failed: number;
  /** Why the whole sync failed; empty if it did not. */
  error?: string | null;
}

export interface SourceRow {
  id: number;
  name: string;
  kind: string;
  location: string;
  collection: string;
  /** An interval such as 15m, 1h, or 24h; "manual" for none. */
  schedule: string;
  status: SourceStatus;
  /** A paused source syncs only when somebody asks; its status may be another meanwhile. */
  paused?: boolean;
  /** Files, pages, or messages that it has, those that could not be read included. */
  items: number;
  /** Items that could not be read. */
  failed: number;
  last_sync: LastSync | null;
  /** How far a running sync is; total grows while the source is listed. */
  progress: { done: number; total: number | null } | null;
  next_sync_at: string | null;
}

/** FailureRow is an item that could not be read. */
export interface FailureRow {
  key: string;
  /** Where people find the original; empty if there is no such place. */
  address?: string | null;
  reason: string;
  tries: number;
  at: string;
}

export interface FailurePage {
  failures: FailureRow[] | null;
  /** The cursor of the next page; absent on the last. */
  next?: string | number | null;
}

/** SourceOption is one setting of a kind of source. */
export interface SourceOption {
  name: string;
  title: string;
  /** The server may leave it out: then the default decides. */
  type?: 'text' | 'number' | 'bool' | 'list' | 'duration';
  secret: boolean;
  required: boolean;
  default?: string | number | boolean | null;
  /** The values that it may have; none if any will do. */
  choices?: string[] | null;
}

export interface SourceKind {
  kind: string;
  /** The kind reads the server's own disk, so it is added on the command line. */
  local?: boolean;
  options: SourceOption[] | null;
}

/** NewSource is a source to add. */
export interface NewSource {
  kind: string;
  location: string;
  name?: string;
  collection?: string;
  schedule?: string;
  options?: Record<string, string | number | boolean>;
  secret?: Record<string, string>;
}

const body = (method: string, value: unknown): RequestInit => ({ method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) });

export const listSources = (signal?: AbortSignal) => json<{ sources: SourceRow[] | null }>('/api/sources', signal ? { signal } : {}).then((r) => r.sources ?? []);

export const listKinds = () => json<{ kinds: SourceKind[] | null }>('/api/source-kinds').then((r) => r.kinds ?? []);

export const addSource = (source: NewSource) => json<SourceRow>('/api/sources', body('POST', source));

export const changeSource = (id: number, change: { name?: string; schedule?: string; paused?: boolean }) => call(`/api/sources/${id}`, body('PATCH', change));

/** removeSource forgets a source, and deletes the documents that it added or keeps them. */
export const removeSource = (id: number, documents: 'remove' | 'keep') => call(`/api/sources/${id}` + query({ documents }), { method: 'DELETE' });

export const syncSource = (id: number) => call(`/api/sources/${id}/sync`, { method: 'POST' });

/** retrySource reads the items again that failed. */
export const retrySource = (id: number) => call(`/api/sources/${id}/retry`, { method: 'POST' });

/** Failures listed at a time. */
const failures = 50;

export const listFailures = (id: number, after?: string | number | null, signal?: AbortSignal) =>
  json<FailurePage>(`/api/sources/${id}/failures` + query({ limit: failures, after }), signal ? { signal } : {});
