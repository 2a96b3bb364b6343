// The collection for added files.
import { library } from './library.svelte';

class Target {
  /** An existing collection; '' is the listed one. */
  chosen = $state('');
  /** The name of a new collection; null without one. */
  fresh = $state<string | null>(null);
  collection = $derived(this.fresh?.trim() || this.chosen || library.collection || 'default');

  /** take returns the collection for files. A new collection exists from then on. */
  take(): string {
    const { collection } = this;
    if (this.fresh !== null) [this.chosen, this.fresh] = [collection, null];
    return collection;
  }
}

export const target = new Target();
