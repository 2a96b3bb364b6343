// The collections, and changes to them.
import * as http from '../api/http';
import type { CollectionInfo } from '../api/shapes';
import { conversation } from '../conversation/conversation.svelte';
import { account } from '../shell/account.svelte';
import { notices } from '../shell/notices.svelte';
import { chatAddress, router } from '../shell/router.svelte';
import { server } from '../shell/server.svelte';
import { words } from '../words/words.svelte';
import { library } from './library.svelte';
import { target } from './target.svelte';

/** The colors of collections, as in package corpus. */
export const colors = ['blue', 'green', 'orange', 'purple', 'red', 'teal', 'yellow'] as const;

/** The maximum number of suggested questions. */
export const mostQuestions = 6;

class Shelf {
  private gone = $state.raw<ReadonlySet<string>>(new Set());
  private managed = $state.raw<ReadonlySet<string>>(new Set());
  /** The collections by title, without those that are about to be removed. */
  list = $derived(
    [...(server.info?.collections ?? [])].filter((c) => !this.gone.has(c.name)).sort((a, b) => a.title.localeCompare(b.title, words.language)),
  );
  /** The listed collection; undefined while all are listed. */
  open = $derived(this.list.find((c) => c.name === library.collection));

  /** manages reports whether the user may change a collection. */
  manages = (name: string): boolean => account.administers || this.managed.has(name);

  /** load finds out which collections the user may change. */
  async load(): Promise<void> {
    if (account.administers || !account.adds) return;
    try {
      this.managed = new Set((await http.listCollections()).filter((c) => c.right === 'manage').map((c) => c.name));
    } catch {
      this.managed = new Set(); // the user can still read
    }
  }

  /** choose lists one collection; '' lists all. */
  choose(name: string): void {
    library.show({ collection: name });
    [target.chosen, target.fresh] = ['', null]; // new files go into the listed collection
  }

  /** ask begins a conversation about a collection, with a question if there is one. */
  ask(c: CollectionInfo, question = ''): void {
    void conversation.open(undefined);
    conversation.choose({ collections: [c.name] });
    router.go(chatAddress());
    if (question) conversation.ask(question);
  }

  /** remove removes a collection, or only its documents, after the time to undo. */
  remove(c: CollectionInfo, documentsOnly: boolean): void {
    const say = words.documents;
    const hide = (hidden: boolean) => {
      if (!documentsOnly) this.gone = new Set([...this.gone].filter((n) => n !== c.name).concat(hidden ? c.name : []));
    };
    hide(true);
    if (!documentsOnly) this.choose('');
    notices.undo(documentsOnly ? say.emptied(c.title) : say.collectionRemoved(c.title), {
      do: () => void this.removed(c, documentsOnly).finally(() => hide(false)),
      undone: () => hide(false),
    });
  }

  private async removed(c: CollectionInfo, documentsOnly: boolean): Promise<void> {
    try {
      await (documentsOnly ? http.emptyCollection(c.name) : http.deleteCollection(c.name));
    } catch (err) {
      notices.failed(documentsOnly ? words.documents.notEmptied(c.title) : words.documents.collectionNotRemoved(c.title), err);
    }
    await server.refresh();
    void library.load();
  }
}

export const shelf = new Shelf();
