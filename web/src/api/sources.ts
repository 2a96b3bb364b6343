// The HTTP calls and types of document sources.
import { call, json, query } from './http';
import type { Progress, Source, SourceFailures, SourceKind, SourceWish as NewSource, Summary } from './wire';

/** SourceRow is a source. The OpenAPI description cannot say that objects can be null. */
export type SourceRow = Omit<Source, 'last_sync' | 'progress'> & { last_sync: Summary | null; progress: Progress | null };

export type { SourceFailure as FailureRow, SourceKind, SourceOption, SourceWish as NewSource } from './wire';

const body = (method: string, value: unknown): RequestInit => ({ method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) });

export const listSources = (signal?: AbortSignal) => json<{ sources: SourceRow[] | null }>('/api/sources', signal ? { signal } : {}).then((r) => r.sources ?? []);

export const listKinds = () => json<{ kinds: SourceKind[] | null }>('/api/source-kinds').then((r) => r.kinds ?? []);

export const addSource = (source: NewSource) => json<SourceRow>('/api/sources', body('POST', source));

export const changeSource = (id: number, change: { name?: string; schedule?: string; paused?: boolean }) => call(`/api/sources/${id}`, body('PATCH', change));

/** removeSource removes a source. It removes or keeps the documents of the source. */
export const removeSource = (id: number, documents: 'remove' | 'keep') => call(`/api/sources/${id}` + query({ documents }), { method: 'DELETE' });

export const syncSource = (id: number) => call(`/api/sources/${id}/sync`, { method: 'POST' });

/** retrySource reads the failed items again. */
export const retrySource = (id: number) => call(`/api/sources/${id}/retry`, { method: 'POST' });

/** The number of failures in a page. */
const failuresPerPage = 50;

export const listFailures = (id: number, after?: string | number | null, signal?: AbortSignal) =>
  json<SourceFailures>(`/api/sources/${id}/failures` + query({ limit: failuresPerPage, after }), signal ? { signal } : {});
