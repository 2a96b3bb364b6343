// The collection that files are added to.
import { library } from './library.svelte';

class Target {
  /** An existing collection; '' follows the one that is listed. */
  chosen = $state('');
  /** The name of one that does not exist yet; null if none is wanted. */
  fresh = $state<string | null>(null);
  collection = $derived(this.fresh?.trim() || this.chosen || library.collection || 'default');

  /** take is where files go now; a new collection is one of those that exist from now on. */
  take(): string {
    const { collection } = this;
    if (this.fresh !== null) [this.chosen, this.fresh] = [collection, null];
    return collection;
  }
}

export const target = new Target();
