// Data that the browser keeps for one user. The first write of another user replaces it. If
// the storage is full or forbidden, the data lasts until the page is closed.
import { account } from '../shell/account.svelte';

/** Kept is a value of one user. */
interface Kept {
  user: string;
  value: unknown;
}

/** userKey identifies the user of the page; undefined while unknown. */
export const userKey = (): string | undefined => (account.me ? (account.me.auth ? `user ${account.me.id}` : '') : undefined);

class Shelf {
  constructor(private readonly storage: () => Storage) {}

  read<T>(name: string, check: (value: unknown) => value is T): T | undefined {
    const user = userKey();
    if (user === undefined) return undefined;
    try {
      const kept = JSON.parse(this.storage().getItem(name) ?? 'null') as Kept | null;
      return kept?.user === user && check(kept.value) ? kept.value : undefined;
    } catch {
      return undefined;
    }
  }

  /** write stores a value; undefined removes it. */
  write(name: string, value: unknown): void {
    const user = userKey();
    if (user === undefined) return;
    try {
      if (value === undefined) this.storage().removeItem(name);
      else this.storage().setItem(name, JSON.stringify({ user, value } satisfies Kept));
    } catch {
      // Storing is optional.
    }
  }
}

/** browser keeps values in the browser, and tab keeps them until the tab is closed. */
export const browser = new Shelf(() => localStorage);
export const tab = new Shelf(() => sessionStorage);

const isRecord = (v: unknown): v is Record<string, unknown> => typeof v === 'object' && v !== null && !Array.isArray(v);

/** The maximum number of conversations with a kept value. */
const maxConversations = 50;

/** PerConversation keeps a value for each conversation; '' is a conversation without an id. */
export class PerConversation<T> {
  constructor(
    private readonly shelf: Shelf,
    private readonly name: string,
    private readonly check: (value: unknown) => value is T,
  ) {}

  get(session: string): T | undefined {
    const value = this.all()[session];
    return this.check(value) ? value : undefined;
  }

  /** set stores a value, and drops that of the least recently used conversation; undefined removes it. */
  set(session: string, value: T | undefined): void {
    const { [session]: before, ...others } = this.all();
    if (value === undefined && before === undefined) return;
    const entries = Object.entries(others).slice(1 - maxConversations);
    if (value !== undefined) entries.push([session, value]);
    this.shelf.write(this.name, entries.length > 0 ? Object.fromEntries(entries) : undefined);
  }

  private all(): Record<string, unknown> {
    return this.shelf.read(this.name, isRecord) ?? {};
  }
}

export const isText = (v: unknown): v is string => typeof v === 'string';
