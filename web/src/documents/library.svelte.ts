// The documents that are listed, and those that are on their way out.
import * as http from '../api/http';
import type { DocumentRow } from '../api/shapes';
import { notices } from '../shell/notices.svelte';
import { server } from '../shell/server.svelte';
import { words } from '../words/words.svelte';

/** Documents listed at a time. */
const page = 100;
/** Deletions at once. */
const lanes = 4;

class Library {
  match = $state('');
  /** Only this collection; '' is all of them. */
  collection = $state('');
  failed = $state(false);
  next = $state<number | null>(null);
  loading = $state(true);
  /** Why they could not be listed; '' if they could. */
  error = $state('');
  selected = $state.raw<ReadonlySet<number>>(new Set());
  private all = $state.raw<readonly DocumentRow[]>([]);
  private gone = $state.raw<ReadonlySet<number>>(new Set());
  rows = $derived(this.all.filter((r) => !this.gone.has(r.id)));
  /** Those of the selected that are in sight. */
  chosen = $derived(this.rows.filter((r) => this.selected.has(r.id)));
  private asked: AbortController | undefined;
  private queue: number[] = [];
  private active = 0;
  private faults: unknown[] = [];
  private leaving = false;

  constructor() {
    // What is left to delete is asked for while there is time.
    addEventListener('pagehide', () => {
      this.leaving = true;
      this.pump();
    });
    addEventListener('pageshow', () => (this.leaving = false));
  }

  /** load lists documents from the first on, or those after the last listed. */
  async load(more = false): Promise<void> {
    this.asked?.abort();
    const mine = (this.asked = new AbortController());
    this.loading = true;
    try {
      // A list that is renewed stays as long as it was.
      const limit = more ? page : Math.min(1000, Math.max(page, this.all.length));
      const got = await http.listDocuments(
        { match: this.match.trim(), collection: this.collection, status: this.failed ? 'failed' : '', after: more ? (this.next ?? undefined) : undefined, limit },
        mine.signal,
      );
      this.all = more ? [...this.all, ...got.documents] : got.documents;
      this.next = got.next ?? null;
      this.error = '';
    } catch (err) {
      if (mine.signal.aborted) return;
      this.error = http.sentence(err);
    }
    if (mine === this.asked) this.loading = false;
  }

  select(id: number, on: boolean): void {
    const selected = new Set(this.selected);
    if (on) selected.add(id);
    else selected.delete(id);
    this.selected = selected;
  }

  selectAll(on: boolean): void {
    this.selected = new Set(on ? this.rows.map((r) => r.id) : []);
  }

  /** remove deletes documents once there was time to undo it. */
  remove(ids: readonly number[], said: string, undone?: () => void): void {
    this.gone = new Set([...this.gone, ...ids]);
    this.selected = new Set([...this.selected].filter((id) => !ids.includes(id)));
    notices.undo(said, {
      do: () => {
        this.queue.push(...ids);
        this.pump();
      },
      undone: () => {
        this.back(ids);
        undone?.();
      },
    });
  }

  private back(ids: readonly number[]): void {
    this.gone = new Set([...this.gone].filter((id) => !ids.includes(id)));
  }

  private pump(): void {
    while (this.queue.length > 0 && (this.leaving || this.active < lanes)) {
      this.active++;
      void this.delete(this.queue.shift()!).finally(() => {
        this.active--;
        this.pump();
        if (this.active === 0 && this.queue.length === 0) this.emptied();
      });
    }
  }

  private async delete(id: number): Promise<void> {
    try {
      await http.deleteDocument(id);
      this.all = this.all.filter((r) => r.id !== id);
    } catch (err) {
      if (err instanceof http.ApiError && err.status === 404) this.all = this.all.filter((r) => r.id !== id);
      else {
        this.faults.push(err);
        this.back([id]);
      }
    }
  }

  private emptied(): void {
    const faults = this.faults.splice(0);
    if (faults.length > 0 && !this.leaving) notices.failed(words.documents.notRemoved(faults.length), faults[0]);
    void server.refresh();
  }
}

export const library = new Library();
