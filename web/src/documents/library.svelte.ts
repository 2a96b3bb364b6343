// The listed documents, and documents that are about to be deleted.
import * as http from '../api/http';
import type { DocumentRow } from '../api/shapes';
import { notices } from '../shell/notices.svelte';
import { documentAddress, router } from '../shell/router.svelte';
import { server } from '../shell/server.svelte';
import { words } from '../words/words.svelte';
import { all as everything, ascends, filterQuery, parseFilter, request, type Filter } from './filter';

/** The number of documents in a page of the list. */
const pageSize = 100;

class Library {
  /** The filter in the address; see Documents.svelte. */
  filter = $state.raw<Filter>(everything);
  /** The filter as the query of an address. */
  query = $derived(filterQuery(this.filter));
  /** Counts the loaded lists. */
  loaded = $state(0);
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

  get collection(): string {
    return this.filter.collection;
  }

  /** show changes the filter and with it the address. Typing replaces the address. */
  show(change: Partial<Filter>, typing = false): void {
    // Folders and tags belong to a collection.
    const elsewhere = change.collection !== undefined && change.collection !== this.collection;
    this.apply({ ...this.filter, ...change, ...(elsewhere && { folder: '', tag: '' }) });
    const { route } = router;
    const address = documentAddress(route.view === 'documents' ? route.document : undefined, this.query);
    if (typing) router.replace(address);
    else router.go(address);
  }

  /** follow lists the documents of the query in an address. With always, it also loads a listed query again. */
  follow(query: string, always: boolean): void {
    const filter = parseFilter(query);
    if (filterQuery(filter) !== this.query) this.apply(filter);
    else if (always) void this.load();
  }

  private apply(filter: Filter): void {
    [this.filter, this.selected] = [filter, new Set()];
    this.all = this.all.slice(0, pageSize); // a reloaded list keeps its length, but this is another one
    void this.load();
  }

  /** load loads the first page, or with more the next one. */
  async load(more = false): Promise<void> {
    this.asked?.abort();
    const asked = (this.asked = new AbortController());
    this.loading = true;
    try {
      // A reloaded list keeps its length.
      const limit = more ? pageSize : Math.min(1000, Math.max(pageSize, this.all.length + (this.growing ? pageSize : 0)));
      this.growing ||= more;
      const got = await http.listDocuments(
        { ...request(this.filter), cursor: more ? this.next : '', limit },
        asked.signal,
      );
      this.all = more ? [...this.all, ...got.documents] : got.documents;
      this.next = got.next_cursor ?? '';
      this.error = '';
      if (!more) this.loaded++;
    } catch (err) {
      if (asked.signal.aborted) return;
      this.error = http.sentence(err);
    }
    if (asked === this.asked) this.loading = this.growing = false;
  }

  /** order sorts the list. The second call reverses the order, and the third restores newest first. */
  order(sort: http.Sort): void {
    const { sort: present, descending } = this.filter;
    const first = !ascends(sort);
    if (present !== sort) this.show({ sort, descending: first });
    else if (descending === first) this.show({ descending: !first });
    else this.show({ sort: 'newest', descending: true });
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

  /** move moves documents to another collection at once, and offers to move them back. */
  async move(rows: readonly DocumentRow[], to: string): Promise<void> {
    const moved = rows.filter((r) => r.collection !== to);
    await http.moveDocuments(moved.map((r) => r.id), to);
    this.selectAll(false);
    await this.reload();
    notices.undo(words.documents.moving.done(moved.length, server.called(to)), { do: () => undefined, undone: () => void this.moveBack(moved) });
  }

  private async moveBack(rows: readonly DocumentRow[]): Promise<void> {
    try {
      for (const from of new Set(rows.map((r) => r.collection))) {
        await http.moveDocuments(rows.filter((r) => r.collection === from).map((r) => r.id), from);
      }
    } catch (err) {
      notices.failed(words.documents.moving.notBack, err);
    }
    await this.reload();
  }

  /** reload loads the list and the counts of the collections. */
  private async reload(): Promise<void> {
    await Promise.all([this.load(), server.refresh()]);
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
