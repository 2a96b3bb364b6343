// What became of files that were sent, in words.
import type { UploadResult } from '../api/shapes';
import { innerOf } from '../evidence/place';
import { words } from '../words/words.svelte';

const reason = (r: UploadResult) => words.server({ message: r.reason ?? '', ...r.sentence }) || words.documents.unreadable;

/** outcome says what became of a file, which may hold many documents. */
export function outcome(results: UploadResult[]): { failed: boolean; text: string } {
  const say = words.documents;
  const bad = results.filter((r) => r.status === 'failed');
  if (results.length === 0) return { failed: true, text: say.nothingReadable };
  if (bad.length === results.length) return { failed: true, text: reason(bad[0]!) };
  const good = results.filter((r) => r.status !== 'failed');
  const passages = good.reduce((n, r) => n + r.chunks, 0);
  const first = good[0]!.status as 'added' | 'changed' | 'unchanged' | 'removed';
  const text = good.length === 1 ? say.outcome[first] : say.outcomes[first](good.length);
  const parts = first === 'unchanged' ? [text] : [text, say.passages(passages)];
  if (bad.length > 0) parts.push(say.alsoFailed(bad.length, reason(bad[0]!)));
  return { failed: false, text: parts.join(' · ') };
}

/** Part is a document that came inside an uploaded file. */
export interface Part {
  name: string;
  failed: boolean;
  /** What became of it. */
  text: string;
}

/** partsOf are the documents inside an uploaded archive or mail, those that failed first. */
export function partsOf(results: readonly UploadResult[]): Part[] {
  const say = words.documents;
  const all = results.flatMap((r): Part[] => {
    const inner = innerOf(r.source);
    if (!inner) return [];
    if (r.status === 'failed') return [{ name: inner.part, failed: true, text: reason(r) }];
    const text = say.outcome[r.status];
    return [{ name: inner.part, failed: false, text: r.status === 'unchanged' ? text : `${text} · ${say.passages(r.chunks)}` }];
  });
  return [...all.filter((p) => p.failed), ...all.filter((p) => !p.failed)];
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
