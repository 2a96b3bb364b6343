// The passages of the last opened document, loaded as far as needed.
import * as http from '../api/http';
import type { ChunkRow, DocumentRow } from '../api/shapes';

/** The maximum number of requests for passages, with 200 passages each. */
const mostPages = 25;

export interface Chunks {
  rows: ChunkRow[];
  /** The document has more passages. */
  more: boolean;
}

let kept: { id: number; updated: string; rows: ChunkRow[]; next: number | null } | undefined;

/** chunks loads passages of a document from the first one until there are enough. */
export async function chunks(doc: DocumentRow, enough: (rows: ChunkRow[]) => boolean, signal: AbortSignal): Promise<Chunks> {
  if (kept?.id !== doc.id || kept.updated !== doc.updated_at) kept = { id: doc.id, updated: doc.updated_at, rows: [], next: -1 };
  const cached = kept;
  for (let i = 0; i < mostPages && cached.next !== null && !enough(cached.rows); i++) {
    const after = cached.next;
    const page = await http.listChunks(doc.id, after < 0 ? undefined : after, signal);
    if (cached.next !== after) continue; // another call has loaded them meanwhile
    cached.rows = [...cached.rows, ...(page.chunks ?? [])];
    cached.next = page.next ?? null;
  }
  return { rows: cached.rows, more: cached.next !== null };
}

/** until reports whether the passages reach an offset of the text. */
export const until = (offset: number) => (rows: ChunkRow[]) => rows.length > 0 && rows.at(-1)!.end >= offset;
