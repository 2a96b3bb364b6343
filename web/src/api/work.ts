// The HTTP calls and types for work on documents, and for reading documents again.
import { call, json, query } from './http';
import type { AskedReadings, RetryDocuments, WorkList } from './wire';

export type { AskedReadings, FailureGroup, WorkItem, WorkList } from './wire';

const post = (value: unknown): RequestInit => ({ method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) });

/** retryDocuments reads failed documents again: those with the ids, or all of a collection or a reason. */
export const retryDocuments = (which: RetryDocuments) => json<AskedReadings>('/api/documents/retry', post(which));

/** readAgain reads documents again from their originals. */
export const readAgain = (ids: readonly number[]) => json<AskedReadings>('/api/documents/read-again', post({ ids }));

/** listWork lists running, waiting, and ended work, and failed documents by their reasons. */
export const listWork = (signal?: AbortSignal) => json<WorkList>('/api/work' + query({ limit: 100 }), signal ? { signal } : {});

export const cancelWork = (id: number) => call(`/api/work/${id}/cancel`, { method: 'POST' });
