// The listed documents, and documents that are about to be deleted.
import * as http from '../api/http';
import type { DocumentRow } from '../api/shapes';
import { notices } from '../shell/notices.svelte';
import { server } from '../shell/server.svelte';
import { words } from '../words/words.svelte';

/** The number of documents in a page of the list. */
const pageSize = 100;

class Library {
  match = $state('');
  /** The listed collection; '' for all. */
  collection = $state('');
  failed = $state(false);
  sort = $state<http.Sort>('newest');
  descending = $state(true);
  /** The cursor of the next page; '' at the end. */
  next = $state('');
  loading = $state(true);
  /** The reason why the list cannot be loaded, or ''. */
  error = $state('');
  selected = $state.raw<ReadonlySet<number>>(new Set());
  private all = $state.raw<readonly DocumentRow[]>([]);
  private gone = $state.raw<ReadonlySet<number>>(new Set());
  rows = $derived(this.all.filter((r) => !this.gone.has(r.id)));
  /** The listed documents that are selected. */
  chosen = $derived(this.rows.filter((r) => this.selected.has(r.id)));
  private asked: AbortController | undefined;
  /** The next page is loading. */
  private growing = false;

  /** load loads the first page, or with more the next one. */
  async load(more = false): Promise<void> {
    this.asked?.abort();
    const request = (this.asked = new AbortController());
    this.loading = true;
    try {
      // A reloaded list keeps its length.
      const limit = more ? pageSize : Math.min(1000, Math.max(pageSize, this.all.length + (this.growing ? pageSize : 0)));
      this.growing ||= more;
      const got = await http.listDocuments(
        { match: this.match.trim(), collection: this.collection, status: this.failed ? 'failed' : '', sort: this.sort, order: this.descending ? 'desc' : 'asc', cursor: more ? this.next : '', limit },
        request.signal,
      );
      this.all = more ? [...this.all, ...got.documents] : got.documents;
      this.next = got.next_cursor ?? '';
      this.error = '';
    } catch (err) {
      if (request.signal.aborted) return;
      this.error = http.sentence(err);
    }
    if (request === this.asked) this.loading = this.growing = false;
  }

  /** order sorts the list. The second call reverses the order, and the third restores newest first. */
  order(sort: http.Sort): void {
    const first = sort !== 'title';
    if (this.sort !== sort) [this.sort, this.descending] = [sort, first];
    else if (this.descending === first) this.descending = !first;
    else [this.sort, this.descending] = ['newest', true];
    void this.load();
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

  /** remove deletes documents after the time to undo. */
  remove(ids: readonly number[], said: string, undone?: () => void): void {
    this.gone = new Set([...this.gone, ...ids]);
    const out = new Set(ids);
    this.selected = new Set([...this.selected].filter((id) => !out.has(id)));
    notices.undo(said, {
      do: () => void this.delete(ids),
      undone: () => {
        this.back(ids);
        undone?.();
      },
    });
  }

  private back(ids: readonly number[]): void {
    const back = new Set(ids);
    this.gone = new Set([...this.gone].filter((id) => !back.has(id)));
  }

  // The first request starts at once, because the user may be leaving the page. It has
  // room for more documents than users select.
  private async delete(ids: readonly number[]): Promise<void> {
    let fault: unknown;
    const kept: number[] = [];
    for (const some of http.deletions(ids)) {
      try {
        await http.deleteDocuments(some);
        const out = new Set(some);
        this.all = this.all.filter((r) => !out.has(r.id));
      } catch (err) {
        fault = err;
        kept.push(...some);
      }
    }
    if (kept.length > 0) {
      this.back(kept);
      notices.failed(words.documents.notRemoved(kept.length), fault);
    }
    void server.refresh();
  }
}

export const library = new Library();
