// Files on their way into docent: one request each, so that each has its own
// progress and its own reason when it fails. There may be thousands, so what is
// shown of them is a few, and counts are counted and not looked for.
import * as http from '../api/http';
import type { UploadResult } from '../api/shapes';
import { server } from '../shell/server.svelte';
import { words } from '../words/words.svelte';
import { unwanted, type Picked } from './files';
import { bytesText, outcome, partsOf, type Part } from './outcome';

export class Upload {
  state = $state<'queued' | 'sending' | 'reading' | 'done' | 'failed'>('queued');
  /** Share that has left, 0 to 1. */
  progress = $state(0);
  /** What became of it, in words. */
  outcome = $state('');
  /** The documents inside it, if it is an archive or a mail. */
  parts = $state.raw<readonly Part[]>([]);
  /** It may succeed another time. */
  again = true;
  abort: AbortController | undefined;

  constructor(
    readonly id: number,
    readonly file: File,
    readonly name: string,
    readonly collection: string,
  ) {}
}

/** Requests at once. */
const lanes = 2;
/** How many of those that wait, and of those that are done, are shown. */
const shown = 8;
/** Tries of a file that nothing is wrong with. */
const tries = 4;

class Uploads {
  /** On their way. */
  running = $state.raw<readonly Upload[]>([]);
  failed = $state.raw<readonly Upload[]>([]);
  /** The first of those that wait. */
  upcoming = $state.raw<readonly Upload[]>([]);
  /** The last of those that are in. */
  recent = $state.raw<readonly Upload[]>([]);
  waiting = $state(0);
  done = $state(0);
  /** Those of the done that docent had already. */
  unchanged = $state(0);
  /** Passages of those that are new or have changed. */
  passages = $state(0);
  cancelled = $state(0);
  /** Files that are no documents: hidden ones and those of the system. */
  skipped = $state(0);
  /** Files seen so far of folders that are being read. */
  walking = $state<number | null>(null);
  /** Counts finished uploads, now and then: whoever lists documents looks at it. */
  finished = $state(0);
  busy = $derived(this.running.length > 0 || this.waiting > 0);
  total = $derived(this.done + this.failed.length + this.running.length + this.waiting);
  any = $derived(this.total + this.cancelled + this.skipped > 0 || this.walking !== null);
  private all = $state(0);
  private over = $state(0);
  /** Share of all that is over, by bytes. */
  share = $derived((this.over + this.running.reduce((n, u) => n + u.progress * weight(u), 0)) / Math.max(1, this.all));

  private queue: Upload[] = [];
  private last = 0;
  private telling: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    // What has not gone up yet would be lost without a word.
    addEventListener('beforeunload', (e) => {
      if (this.busy || this.walking !== null) e.preventDefault();
    });
  }

  /** add sends files into a collection. */
  add(files: readonly Picked[], collection: string): void {
    const limit = server.info?.limits.upload_bytes ?? 0;
    const large: Upload[] = [];
    if (!this.busy) [this.all, this.over] = [0, 0];
    for (const { file, path } of files) {
      if (unwanted(path)) {
        this.skipped++;
        continue;
      }
      const u = new Upload(++this.last, file, path, collection);
      if (limit === 0 || file.size <= limit) {
        this.queue.push(u);
        this.all += weight(u);
        continue;
      }
      u.state = 'failed';
      u.again = false;
      u.outcome = words.documents.tooLarge(bytesText(limit));
      large.push(u);
    }
    if (large.length > 0) this.failed = [...large, ...this.failed];
    this.next();
  }

  /** unread says which files and folders the browser could not read. */
  unread(paths: readonly string[]): void {
    const lost = paths.map((path) => {
      const u = new Upload(++this.last, new File([], path), path, '');
      u.again = false;
      u.outcome = words.documents.unread;
      u.state = 'failed';
      return u;
    });
    if (lost.length > 0) this.failed = [...lost, ...this.failed];
  }

  cancel(u: Upload): void {
    if (this.queue.includes(u)) {
      this.queue = this.queue.filter((x) => x !== u);
      this.cancelled++;
      this.over += weight(u);
      this.next();
    } else u.abort?.abort();
  }

  cancelAll(): void {
    this.cancelled += this.queue.length;
    this.queue = [];
    for (const u of this.running) u.abort?.abort();
    this.next();
  }

  /** retry sends again what failed. */
  retry(some: readonly Upload[] = this.failed): void {
    const again = some.filter((u) => u.again && this.failed.includes(u));
    if (!this.busy) [this.all, this.over] = [0, 0];
    this.failed = this.failed.filter((u) => !again.includes(u));
    for (const u of again) {
      Object.assign(u, { state: 'queued', progress: 0, outcome: '', parts: [] });
      this.all += weight(u);
    }
    this.queue.push(...again);
    this.next();
  }

  /** clear forgets what is finished. */
  clear(): void {
    this.failed = this.recent = [];
    this.done = this.unchanged = this.passages = this.cancelled = this.skipped = 0;
  }

  private next(): void {
    while (this.running.length < lanes && this.queue.length > 0) {
      const u = this.queue.shift()!;
      this.running = [...this.running, u];
      void this.send(u).finally(() => {
        this.running = this.running.filter((x) => x !== u);
        this.over += weight(u);
        this.next();
        this.tell();
      });
    }
    this.waiting = this.queue.length;
    this.upcoming = this.queue.slice(0, shown);
  }

  private async send(u: Upload): Promise<void> {
    u.abort = new AbortController();
    const { signal } = u.abort;
    try {
      const results = await this.deliver(u, signal);
      const { failed, text } = outcome(results);
      u.outcome = text;
      u.parts = partsOf(results);
      if (failed) return this.fail(u);
      const fresh = results.filter((r) => r.status === 'added' || r.status === 'changed');
      this.passages += fresh.reduce((n, r) => n + r.chunks, 0);
      if (fresh.length === 0) this.unchanged++;
      u.state = 'done';
      u.progress = 1;
      this.done++;
      this.recent = [u, ...this.recent].slice(0, shown);
    } catch (err) {
      if (signal.aborted) return void this.cancelled++;
      u.outcome = http.sentence(err);
      this.fail(u);
    }
  }

  /** deliver tries again what the server was too busy for, or away. */
  private async deliver(u: Upload, signal: AbortSignal): Promise<UploadResult[]> {
    for (let i = 1; ; i++) {
      u.state = 'sending';
      try {
        const sent = (share: number) => {
          u.progress = share;
          u.state = share >= 1 ? 'reading' : 'sending';
        };
        return await http.upload(u.file, sent, { signal, collection: u.collection, path: u.name });
      } catch (err) {
        if (i >= tries || signal.aborted || !(err instanceof http.ApiError) || ![0, 429, 503].includes(err.status)) throw err;
        u.progress = 0;
        u.state = 'queued';
        await pause((err.after || i) * 1000, signal);
      }
    }
  }

  private fail(u: Upload): void {
    u.state = 'failed';
    this.failed = [...this.failed, u];
  }

  /** tell has the lists read again: soon, but not for each of a thousand files. */
  private tell(): void {
    if (this.telling !== undefined && this.busy) return;
    clearTimeout(this.telling);
    this.telling = setTimeout(
      () => {
        this.telling = undefined;
        this.finished++;
        void server.refresh();
      },
      this.busy ? 2000 : 50,
    );
  }
}

/** What a file counts for in the progress: its bytes, and something for being one. */
const weight = (u: Upload) => u.file.size + 2000;

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((ok) => {
    const wait = setTimeout(ok, ms);
    signal.addEventListener('abort', () => { clearTimeout(wait); ok(); }, { once: true });
  });

export const uploads = new Uploads();
