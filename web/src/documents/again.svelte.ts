// Documents that docent reads again. It looks at waiting documents until they have changed.
import { ApiError, capitalised, getDocument } from '../api/http';
import type { DocumentRow } from '../api/shapes';
import { readAgain, retryDocuments, type AskedReadings } from '../api/work';
import { notices } from '../shell/notices.svelte';
import { server } from '../shell/server.svelte';
import { words } from '../words/words.svelte';
import { library } from './library.svelte';

/** The time between two looks, and the time after which the page no longer waits, in ms. */
const pause = 1500;
const patience = 180_000;
/** The maximum number of documents at which the page looks. */
const most = 20;

interface Waiting {
  /** The time of the stored version. */
  stored: string;
  since: number;
}

class Again {
  private list = $state.raw<ReadonlyMap<number, Waiting>>(new Map());
  /** Counts the readings that have ended. */
  ended = $state(0);
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** waits reports whether a document waits to be read again. */
  waits = (id: number): boolean => this.list.has(id);

  /** read reads documents again, also failed ones. */
  read = (rows: readonly DocumentRow[]): Promise<void> => this.ask(rows, () => readAgain(rows.map((r) => r.id)));

  /** retry reads failed documents again. */
  retry = (rows: readonly DocumentRow[]): Promise<void> => this.ask(rows, () => retryDocuments({ ids: rows.map((r) => r.id) }));

  /** retryAll reads the failed documents of a collection again, or of all with ''. */
  retryAll = (collection: string, reason = ''): Promise<void> => this.ask([], () => retryDocuments({ collection, reason }));

  private async ask(rows: readonly DocumentRow[], what: () => Promise<AskedReadings>): Promise<void> {
    const say = words.documents;
    try {
      const { queued, syncs, left_out: left, reason } = await what();
      const parts = [queued > 0 && say.again.queued(queued), syncs > 0 && say.again.syncs(syncs), left > 0 && say.again.leftOut(left, reason ? capitalised(words.server(reason)) : '')];
      notices.say(parts.filter(Boolean).join(' ') || say.again.nothing);
      if (queued + syncs === 0) return;
      const since = Date.now();
      this.list = new Map([...this.list, ...rows.slice(0, most).map((r): [number, Waiting] => [r.id, { stored: r.updated_at, since }])]);
      this.follow();
    } catch (err) {
      notices.failed(say.again.failed, err);
    }
  }

  private follow(): void {
    clearTimeout(this.timer);
    if (this.list.size > 0) this.timer = setTimeout(() => void this.look(), pause);
  }

  private async look(): Promise<void> {
    const left = new Map(this.list);
    for (const [id, w] of this.list) {
      try {
        if ((await getDocument(id)).updated_at !== w.stored || Date.now() - w.since > patience) left.delete(id);
      } catch (err) {
        if (err instanceof ApiError && err.status === 404) left.delete(id);
      }
    }
    if (left.size < this.list.size) {
      if (library.loaded > 0) await library.load(); // so that the list does not offer to try again
      this.list = left;
      this.ended++;
      void server.refresh();
    }
    this.follow();
  }
}

export const again = new Again();
