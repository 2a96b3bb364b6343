// Finds documents with the same content as a file that is about to be added.
import * as http from '../api/http';
import type { DocumentRow } from '../api/shapes';

/** The maximum size of a compared file, in bytes. The browser reads the whole file into memory. */
const mostBytes = 64 << 20;

/**
 * copyOf returns a document elsewhere with the content of a file. It returns undefined without one, if the
 * file is already at this place, and if the browser cannot compute hashes, which needs HTTPS or localhost.
 */
export async function copyOf(file: File, path: string, collection: string, signal: AbortSignal): Promise<DocumentRow | undefined> {
  if (!globalThis.crypto?.subtle || file.size === 0 || file.size > mostBytes) return undefined;
  try {
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));
    const sha256 = Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
    const { documents } = await http.listDocuments({ sha256, limit: 20 }, signal);
    return documents.some((d) => d.collection === collection && d.source === `upload:${path}`) ? undefined : documents[0];
  } catch {
    return undefined; // the upload reports errors
  }
}
