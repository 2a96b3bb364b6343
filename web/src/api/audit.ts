// The HTTP calls and types for the audit log.
import { base } from './base';
import { json, query } from './http';
import type { AuditPage } from './wire';

export { sentence } from './http';
export type { AuditRecord } from './wire';

export interface RecordQuery {
  /** A part of the actor. */
  actor?: string;
  /** Actions, or their parts before the dot. */
  action?: readonly string[];
  /** The earliest time in ISO 8601. */
  since?: string | undefined;
  /** The time after the latest one. */
  until?: string | undefined;
  /** The cursor of the page. */
  before?: number | undefined;
}

/** address returns the address of a path with a query. */
function address(path: string, { action = [], ...rest }: RecordQuery, limit?: number): string {
  const all = [query({ ...rest, limit }).slice(1), ...action.map((a) => `action=${a}`)].filter(Boolean).join('&');
  return all ? `${path}?${all}` : path;
}

/** listRecords lists records, newest first. */
export const listRecords = (q: RecordQuery) => json<AuditPage>(address('/api/admin/log', q, 50));

/** exportRecordsAddress returns the address of all records of a query as a file. The server logs the request. */
export const exportRecordsAddress = (q: RecordQuery) => base + address('/api/admin/log/export', q);
