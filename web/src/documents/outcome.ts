// The outcome of uploads as sentences.
import type { UploadResult } from '../api/shapes';
import { innerOf } from '../evidence/place';
import { words } from '../words/words.svelte';

const reason = (result: UploadResult) => words.server({ message: result.reason ?? '', ...result.sentence }) || words.documents.unreadable;

/** outcome describes the result of one uploaded file, which can contain many documents. */
export function outcome(results: UploadResult[]): { failed: boolean; text: string } {
  const say = words.documents;
  const failures = results.filter((result) => result.status === 'failed');
  if (results.length === 0) return { failed: true, text: say.nothingReadable };
  if (failures.length === results.length) return { failed: true, text: reason(failures[0]!) };
  const stored = results.filter((result) => result.status !== 'failed');
  const passages = stored.reduce((sum, result) => sum + result.chunks, 0);
  const first = stored[0]!.status as 'added' | 'changed' | 'unchanged' | 'removed';
  const text = stored.length === 1 ? say.outcome[first] : say.outcomes[first](stored.length);
  const parts = first === 'unchanged' ? [text] : [text, say.passages(passages)];
  const partial = stored.filter((result) => result.note);
  if (results.length === 1 && partial.length === 1) parts.push(say.inPart(partial[0]!.note!));
  else if (partial.length > 0) parts.push(say.manyInPart(partial.length));
  if (failures.length > 0) parts.push(say.alsoFailed(failures.length, reason(failures[0]!)));
  return { failed: false, text: parts.join(' · ') };
}

/** Part is a document in an uploaded file. */
export interface Part {
  name: string;
  failed: boolean;
  /** The outcome as a sentence. */
  text: string;
}

/** partsOf returns the documents in an uploaded archive or mail, failed ones first. */
export function partsOf(results: readonly UploadResult[]): Part[] {
  const say = words.documents;
  const all = results.flatMap((result): Part[] => {
    const inner = innerOf(result.source);
    if (!inner) return [];
    if (result.status === 'failed') return [{ name: inner.part, failed: true, text: reason(result) }];
    const texts = [say.outcome[result.status]];
    if (result.status !== 'unchanged') texts.push(say.passages(result.chunks));
    if (result.note) texts.push(say.inPart(result.note));
    return [{ name: inner.part, failed: false, text: texts.join(' · ') }];
  });
  return [...all.filter((part) => part.failed), ...all.filter((part) => !part.failed)];
}

export function bytesText(n: number): string {
  if (n < 1000) return `${n} B`;
  const units = ['kB', 'MB', 'GB'];
  let v = n / 1000;
  let u = 0;
  while (v >= 999.5 && u < units.length - 1) {
    v /= 1000;
    u++;
  }
  const digits = v < 10 ? 1 : 0;
  return `${words.number(v, { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${units[u]}`;
}
