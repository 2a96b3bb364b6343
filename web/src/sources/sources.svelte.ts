// The sources of this server. The list reloads every two seconds during a sync, and less
// often otherwise, because schedules start syncs too.
import * as api from '../api/sources';
import { ApiError, sentence } from '../api/http';
import type { SourceKind, SourceRow } from '../api/sources';
import { account } from '../shell/account.svelte';
import { notices } from '../shell/notices.svelte';
import { server } from '../shell/server.svelte';
import { words } from '../words/words.svelte';

/** The time between two reloads during a sync, in ms. */
const quick = 2000;
const slow = 20_000;
/** The time for a due sync to start, in ms. After that, the list reloads less often. */
const patience = 60_000;

/** moving reports whether a source syncs or is about to. */
function moving(row: SourceRow, now: number): boolean {
  const due = row.next_sync_at ? Date.parse(row.next_sync_at) - now : Infinity;
  return row.status === 'syncing' || (due < 5000 && due > -patience);
}

class Sources {
  rows = $state.raw<readonly SourceRow[]>([]);
  /** The list has been loaded. */
  listed = $state(false);
  /** The reason why the list cannot be loaded, or ''. */
  error = $state('');
  kinds = $state.raw<readonly SourceKind[]>([]);
  /** The time of the latest reload. */
  now = $state(Date.now());
  /** The sources with a running request. */
  busy = $state.raw<ReadonlySet<number>>(new Set());
  private asked: AbortController | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private watchers = 0;

  /** watch keeps the list up to date until the returned function is called. */
  watch(): () => void {
    this.watchers++;
    void this.load();
    const seen = () => {
      if (document.visibilityState === 'visible') void this.load();
    };
    document.addEventListener('visibilitychange', seen);
    return () => {
      document.removeEventListener('visibilitychange', seen);
      if (--this.watchers > 0) return;
      clearTimeout(this.timer);
      this.asked?.abort();
    };
  }

  async load(): Promise<void> {
    clearTimeout(this.timer);
    this.asked?.abort();
    const mine = (this.asked = new AbortController());
    const syncing = this.rows.some((r) => r.status === 'syncing');
    try {
      const rows = await api.listSources(mine.signal);
      this.rows = rows.sort((a, b) => a.name.localeCompare(b.name) || a.id - b.id);
      this.listed = true;
      this.error = '';
      // The finished sync has changed the documents.
      if (syncing && !rows.some((r) => r.status === 'syncing')) void server.refresh();
    } catch (err) {
      if (mine.signal.aborted) return;
      if (err instanceof ApiError && err.status === 403) return void (account.noSources = true);
      this.error = sentence(err);
    }
    this.now = Date.now();
    if (this.watchers > 0) this.timer = setTimeout(() => void this.again(), this.rows.some((r) => moving(r, this.now)) ? quick : slow);
  }

  private again(): Promise<void> | void {
    if (document.visibilityState === 'visible') return this.load();
  }

  async loadKinds(): Promise<void> {
    if (this.kinds.length > 0) return;
    this.kinds = await api.listKinds();
  }

  /** act performs an action on a source and reloads the list. It shows failures as notices. */
  private async act(id: number, what: () => Promise<unknown>, failed: string): Promise<boolean> {
    this.busy = new Set(this.busy).add(id);
    try {
      await what();
      return true;
    } catch (err) {
      notices.failed(failed, err);
      return false;
    } finally {
      await this.load();
      this.busy = new Set([...this.busy].filter((b) => b !== id));
    }
  }

  sync = (row: SourceRow) => this.act(row.id, () => api.syncSource(row.id), words.sources.notSynced(row.name));

  retry = (row: SourceRow) => this.act(row.id, () => api.retrySource(row.id), words.sources.notSynced(row.name));

  pause = (row: SourceRow, paused: boolean) => this.act(row.id, () => api.changeSource(row.id, { paused }), words.sources.notChanged(row.name));

  schedule = (row: SourceRow, schedule: string) => this.act(row.id, () => api.changeSource(row.id, { schedule }), words.sources.notChanged(row.name));

  async remove(row: SourceRow, documents: 'remove' | 'keep'): Promise<boolean> {
    const done = await this.act(row.id, () => api.removeSource(row.id, documents), words.sources.notRemoved(row.name));
    if (done) void server.refresh();
    return done;
  }

  /** add adds a source and starts its first sync. It throws refusals, which the form shows. */
  async add(source: api.NewSource): Promise<SourceRow> {
    const row = await api.addSource(source);
    // The server syncs a new source with a schedule by itself.
    if (!row.next_sync_at) await api.syncSource(row.id).catch(() => undefined); // the list shows its state
    await this.load();
    return row;
  }
}

export const sources = new Sources();
