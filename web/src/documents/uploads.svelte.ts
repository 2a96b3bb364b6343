// Uploads files with one request each, so each has its own progress and error. There can be
// thousands, so the page shows a few and counts the others.
import * as http from '../api/http';
import type { UploadResult } from '../api/shapes';
import { title } from '../evidence/evidence.svelte';
import { server } from '../shell/server.svelte';
import { words } from '../words/words.svelte';
import { copyOf } from './copies';
import { unwanted, type Picked } from './files';
import { bytesText, outcome, partsOf, type Part } from './outcome';

export class Upload {
  state = $state<'queued' | 'sending' | 'reading' | 'done' | 'failed' | 'held'>('queued');
  /** The uploaded part, from 0 to 1. */
  progress = $state(0);
  /** The outcome as a sentence. */
  outcome = $state('');
  /** The documents in an archive or mail. */
  parts = $state.raw<readonly Part[]>([]);
  /** A retry can succeed. */
  again = true;
  /** The file is held back if its content is already elsewhere. */
  compares = false;
  abort: AbortController | undefined;

  constructor(
    readonly id: number,
    readonly file: File,
    readonly name: string,
    readonly collection: string,
  ) {}
}

/** The number of simultaneous requests. */
const maxRunning = 2;
/** The number of waiting and of finished files to show. */
const maxShown = 8;
/** The maximum number of files in one choice whose contents are compared with the documents. */
const mostCompared = 20;
/** The number of attempts if the server is busy or away. */
const maxAttempts = 4;

class Uploads {
  /** The running uploads. */
  running = $state.raw<readonly Upload[]>([]);
  failed = $state.raw<readonly Upload[]>([]);
  /** Uploads that wait for a decision, because their content is already elsewhere. */
  held = $state.raw<readonly Upload[]>([]);
  /** The next waiting uploads. */
  upcoming = $state.raw<readonly Upload[]>([]);
  /** The latest finished uploads. */
  recent = $state.raw<readonly Upload[]>([]);
  waiting = $state(0);
  done = $state(0);
  /** The number of files that docent already had. */
  unchanged = $state(0);
  /** The number of passages in new and changed documents. */
  passages = $state(0);
  cancelled = $state(0);
  /** The number of skipped hidden and system files. */
  skipped = $state(0);
  /** The number of files found so far in folders; null when no folder is being read. */
  walking = $state<number | null>(null);
  /** Increases from time to time after uploads finish, so that lists reload. */
  finished = $state(0);
  busy = $derived(this.running.length > 0 || this.waiting > 0);
  total = $derived(this.done + this.failed.length + this.running.length + this.waiting);
  any = $derived(this.total + this.held.length + this.cancelled + this.skipped > 0 || this.walking !== null);
  private all = $state(0);
  private over = $state(0);
  /** The finished part of all uploads, by bytes. */
  share = $derived((this.over + this.running.reduce((n, u) => n + u.progress * weight(u), 0)) / Math.max(1, this.all));

  private queue: Upload[] = [];
  private last = 0;
  private telling: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    // Warn about files that are not uploaded yet.
    addEventListener('beforeunload', (e) => {
      if (this.busy || this.walking !== null) e.preventDefault();
    });
  }

  /** add uploads files into a collection. */
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
      u.compares = files.length <= mostCompared;
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

  /** unread adds files and folders that the browser could not read. */
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

  /** addAnyway uploads a file whose content is already elsewhere. */
  addAnyway(u: Upload): void {
    if (!this.busy) [this.all, this.over] = [0, 0];
    this.held = this.held.filter((x) => x !== u);
    Object.assign(u, { state: 'queued', outcome: '', compares: false });
    this.all += weight(u);
    this.queue.push(u);
    this.next();
  }

  /** skip drops a file whose content is already elsewhere. */
  skip(u: Upload): void {
    this.held = this.held.filter((x) => x !== u);
    this.cancelled++;
  }

  /** retry uploads failed files again. */
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

  /** clear removes finished uploads. */
  clear(): void {
    this.failed = this.recent = this.held = [];
    this.done = this.unchanged = this.passages = this.cancelled = this.skipped = 0;
  }

  private next(): void {
    while (this.running.length < maxRunning && this.queue.length > 0) {
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
    this.upcoming = this.queue.slice(0, maxShown);
  }

  private async send(u: Upload): Promise<void> {
    u.abort = new AbortController();
    const { signal } = u.abort;
    try {
      const copy = u.compares && (await copyOf(u.file, u.name, u.collection, signal));
      if (signal.aborted) return void this.cancelled++;
      if (copy) {
        u.state = 'held';
        u.outcome = words.documents.copyOf(title(copy), server.called(copy.collection));
        this.held = [...this.held, u];
        return;
      }
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
      this.recent = [u, ...this.recent].slice(0, maxShown);
    } catch (err) {
      if (signal.aborted) return void this.cancelled++;
      u.outcome = http.sentence(err);
      this.fail(u);
    }
  }

  /** deliver uploads a file, and retries while the server is busy or away. */
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
        if (i >= maxAttempts || signal.aborted || !(err instanceof http.ApiError) || ![0, 429, 503].includes(err.status)) throw err;
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

  /** tell updates the lists soon, but not after each file. */
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

/** The weight of a file in the progress: its bytes and a constant part. */
const weight = (u: Upload) => u.file.size + 2000;

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((ok) => {
    const wait = setTimeout(ok, ms);
    signal.addEventListener('abort', () => { clearTimeout(wait); ok(); }, { once: true });
  });

export const uploads = new Uploads();
