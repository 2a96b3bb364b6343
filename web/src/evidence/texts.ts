// A cache of extracted texts, so that steps between citations of a document load it once.
import * as http from '../api/http';
import type { DocumentRow } from '../api/shapes';

export interface Opened {
  row: DocumentRow;
  bytes: Uint8Array;
}

/** The maximum number of documents in the cache, and of bytes of text. */
const maxTexts = 8;
const keepBytes = 64 << 20;

const kept = new Map<number, Opened>();

export async function openDocument(id: number, signal: AbortSignal): Promise<Opened> {
  const row = await http.getDocument(id);
  const known = kept.get(id);
  kept.delete(id);
  const opened =
    known && known.row.sha256 === row.sha256 && known.row.updated_at === row.updated_at
      ? { row, bytes: known.bytes }
      : { row, bytes: await http.getText(id, signal) };
  kept.set(id, opened); // the last entry of the map was used last
  let total = [...kept.values()].reduce((n, o) => n + o.bytes.length, 0);
  for (const [oldest, o] of kept) {
    if (kept.size <= 1 || (kept.size <= maxTexts && total <= keepBytes)) break;
    kept.delete(oldest);
    total -= o.bytes.length;
  }
  return opened;
}
