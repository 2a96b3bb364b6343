// What a browser keeps for a person, and shows to nobody else who logs in: the
// next one's first word takes its place. Storage may be full or forbidden; then
// things last as long as the page.
import { account } from '../shell/account.svelte';

/** Kept is a value of one person. */
interface Kept {
  user: string;
  value: unknown;
}

/** who is the person at the page; undefined before that is known. */
export const who = (): string | undefined => (account.me ? (account.me.auth ? `user ${account.me.id}` : '') : undefined);

class Shelf {
  constructor(private readonly storage: () => Storage) {}

  read<T>(name: string, check: (value: unknown) => value is T): T | undefined {
    const user = who();
    if (user === undefined) return undefined;
    try {
      const kept = JSON.parse(this.storage().getItem(name) ?? 'null') as Kept | null;
      return kept?.user === user && check(kept.value) ? kept.value : undefined;
    } catch {
      return undefined;
    }
  }

  /** write keeps a value; undefined keeps nothing. */
  write(name: string, value: unknown): void {
    const user = who();
    if (user === undefined) return;
    try {
      if (value === undefined) this.storage().removeItem(name);
      else this.storage().setItem(name, JSON.stringify({ user, value } satisfies Kept));
    } catch {
      // It is a courtesy.
    }
  }
}

/** browser keeps for as long as the browser does, tab for as long as the tab is there. */
export const browser = new Shelf(() => localStorage);
export const tab = new Shelf(() => sessionStorage);

const isRecord = (v: unknown): v is Record<string, unknown> => typeof v === 'object' && v !== null && !Array.isArray(v);

/** Conversations of which something is kept. */
const most = 50;

/** PerConversation keeps something for each conversation; '' is one that is not stored yet. */
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

  /** set keeps a value, that of the conversations touched longest ago goes; undefined keeps none. */
  set(session: string, value: T | undefined): void {
    const { [session]: before, ...others } = this.all();
    if (value === undefined && before === undefined) return;
    const entries = Object.entries(others).slice(1 - most);
    if (value !== undefined) entries.push([session, value]);
    this.shelf.write(this.name, entries.length > 0 ? Object.fromEntries(entries) : undefined);
  }

  private all(): Record<string, unknown> {
    return this.shelf.read(this.name, isRecord) ?? {};
  }
}

export const isText = (v: unknown): v is string => typeof v === 'string';
