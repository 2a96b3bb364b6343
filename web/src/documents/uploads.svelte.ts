// Files on their way into docent: one request each, so that each has its own
// progress and its own reason when it fails.
import * as http from '../api/http';
import type { UploadResult } from '../api/shapes';
import { server } from '../shell/server.svelte';

export interface Upload {
  id: number;
  name: string;
  size: number;
  state: 'queued' | 'sending' | 'reading' | 'done' | 'failed';
  /** Share that has left, 0 to 1. */
  progress: number;
  /** What became of it, in words. */
  outcome: string;
}

/** Requests at once. */
const lanes = 2;

const words: Record<string, string> = {
  added: 'added',
  changed: 'updated',
  unchanged: 'already there, unchanged',
  removed: 'removed',
};

/** outcome says what became of a file, which may hold many documents. */
export function outcome(results: UploadResult[]): { failed: boolean; text: string } {
  const bad = results.filter((r) => r.status === 'failed');
  if (results.length === 0) return { failed: true, text: 'Nothing readable was found in it.' };
  if (bad.length === results.length) {
    return { failed: true, text: bad[0]!.reason || 'It could not be read.' };
  }
  const good = results.filter((r) => r.status !== 'failed');
  const passages = good.reduce((n, r) => n + r.chunks, 0);
  const first = good[0]!.status;
  const what = good.length === 1 ? words[first]! : `${good.length} documents ${words[first]!}`;
  const text = `${what.charAt(0).toUpperCase()}${what.slice(1)}`;
  const parts = first === 'unchanged' ? [text] : [text, counted(passages, 'passage')];
  if (bad.length > 0) parts.push(`${bad.length} failed: ${bad[0]!.reason ?? 'unreadable'}`);
  return { failed: false, text: parts.join(' · ') };
}

export const counted = (n: number, noun: string) => `${n.toLocaleString()} ${noun}${n === 1 ? '' : 's'}`;

export function bytesText(n: number): string {
  if (n < 1000) return `${n} B`;
  const units = ['kB', 'MB', 'GB'];
  let v = n / 1000;
  let u = 0;
  while (v >= 999.5 && u < units.length - 1) {
    v /= 1000;
    u++;
  }
  return `${v < 10 ? v.toFixed(1) : Math.round(v)} ${units[u]}`;
}

class Uploads {
  list = $state<Upload[]>([]);
  /** Counts finished uploads: whoever lists documents looks at it. */
  finished = $state(0);
  busy = $derived(this.list.some((u) => u.state !== 'done' && u.state !== 'failed'));
  private queue: { id: number; file: File }[] = [];
  private active = 0;
  private last = 0;

  add(files: Iterable<File>): void {
    const limit = server.info?.limits.upload_bytes ?? 0;
    for (const file of files) {
      const id = ++this.last;
      const tooBig = limit > 0 && file.size > limit;
      this.list.unshift({
        id,
        name: file.name,
        size: file.size,
        state: tooBig ? 'failed' : 'queued',
        progress: 0,
        outcome: tooBig ? `Larger than ${bytesText(limit)}, the most docent accepts.` : '',
      });
      if (!tooBig) this.queue.push({ id, file });
    }
    this.next();
  }

  /** refuse lists something that cannot be sent, with the reason. */
  refuse(name: string, reason: string): void {
    this.list.unshift({ id: ++this.last, name, size: 0, state: 'failed', progress: 0, outcome: reason });
  }

  /** clear forgets what is finished. */
  clear(): void {
    this.list = this.list.filter((u) => u.state !== 'done' && u.state !== 'failed');
  }

  private next(): void {
    while (this.active < lanes && this.queue.length > 0) {
      this.active++;
      void this.send(this.queue.shift()!).finally(() => {
        this.active--;
        this.next();
      });
    }
  }

  private async send({ id, file }: { id: number; file: File }): Promise<void> {
    const row = () => this.list.find((u) => u.id === id);
    const set = (change: Partial<Upload>) => Object.assign(row() ?? {}, change);
    set({ state: 'sending' });
    try {
      const results = await http.upload(file, (share) => set({ progress: share, state: share >= 1 ? 'reading' : 'sending' }));
      const { failed, text } = outcome(results);
      set({ state: failed ? 'failed' : 'done', progress: 1, outcome: text });
    } catch (err) {
      set({ state: 'failed', outcome: http.sentence(err) });
    }
    this.finished++;
    void server.refresh();
  }
}

export const uploads = new Uploads();
