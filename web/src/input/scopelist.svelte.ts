// The parts of the library that match the word after @, and the selected one.
import * as http from '../api/http';
import type { ScopeItem } from '../conversation/choice';
import { title } from '../evidence/evidence.svelte';
import { server } from '../shell/server.svelte';

/** The pause after a key before the server is asked, in milliseconds. */
const pause = 150;
/** The maximum number of listed parts of each kind. */
const most = 5;

/** wordAt returns the text between an @ that begins a word and the caret; undefined without one. */
export function wordAt(text: string, caret: number): string | undefined {
  return /(?:^|\s)@([^\s@][^@\n]{0,99}|)$/.exec(text.slice(0, caret))?.[1];
}

export class ScopeList {
  /** The text after @; undefined while the list is closed. */
  word = $state<string | undefined>();
  items = $state.raw<readonly ScopeItem[]>([]);
  /** The index of the selected part. */
  selected = $state(0);
  private closedFor: string | undefined; // the word for which the user closed the list
  private asked: AbortController | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly onchoose: (item: ScopeItem, typed: number) => void) {}

  /** typed finds the word before the caret and its parts. */
  typed(text: string, caret: number): void {
    const word = server.builtIn ? wordAt(text, caret) : undefined;
    if (word === undefined || word === this.closedFor) return this.end();
    this.closedFor = undefined;
    if (word === this.word) return;
    this.word = word;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.find(word), pause);
  }

  /** end closes the list. */
  end(): void {
    clearTimeout(this.timer);
    this.asked?.abort();
    [this.word, this.items, this.selected] = [undefined, [], 0];
  }

  private async find(word: string): Promise<void> {
    this.asked?.abort();
    const request = (this.asked = new AbortController());
    const match = word.trim();
    const collections = (server.info?.collections ?? []).filter((c) => `${c.title}\n${c.name}`.toLowerCase().includes(match.toLowerCase()));
    // If one request fails, the parts of the other are listed.
    const [found, places] = await Promise.all([
      http.listDocuments({ match, status: 'ready', sort: 'newest', limit: most }, request.signal).catch(() => undefined),
      http.listPlaces(match, most, request.signal).catch(() => undefined),
    ]);
    if (request.signal.aborted) return;
    this.items = [
      ...(server.info && server.info.collections.length > 1 ? collections.slice(0, most) : []).map((c) => ({ kind: 'collection' as const, name: c.name })),
      ...(places?.folders ?? []).map((p) => ({ kind: 'folder' as const, name: p.name })),
      ...(places?.tags ?? []).map((p) => ({ kind: 'tag' as const, name: p.name })),
      ...(found?.documents ?? []).map((d) => ({ kind: 'document' as const, id: d.id, title: title(d) })),
    ];
    this.selected = 0;
  }

  /** choose takes a part. */
  choose(item: ScopeItem): void {
    const typed = (this.word?.length ?? 0) + 1;
    this.end();
    this.onchoose(item, typed);
  }

  /** keydown handles a key of the open list, and reports whether it did. */
  keydown(event: KeyboardEvent): boolean {
    const { items } = this;
    if (items.length === 0) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) this.selected = (this.selected + step + items.length) % items.length;
    else if ((event.key === 'Tab' || event.key === 'Enter') && !event.shiftKey) this.choose(items[this.selected]!);
    else if (event.key === 'Escape') {
      this.closedFor = this.word;
      this.end();
    } else return false;
    return true;
  }
}
