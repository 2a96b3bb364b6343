// The signed-in user, if the server requires a sign-in.
import { base } from '../api/base';
import * as http from '../api/http';
import type { Me } from '../api/shapes';
import { words } from '../words/words.svelte';
import { notices } from './notices.svelte';

/** may reports whether a user has a permission. Without sign-in, everybody has all permissions. */
export const may = (me: Me | null, scope: Me['scopes'][number]): boolean => me?.auth !== true || me.scopes.includes(scope) || me.scopes.includes('admin');

class Account {
  me = $state<Me | null>(null);
  /** The server requires a sign-in now. */
  needed = $state(false);
  /** The user can sign out. */
  known = $derived(this.me?.auth === true);
  /** The user can add and delete documents. */
  adds = $derived(may(this.me, 'ingest'));
  /** The server refused to list sources. */
  noSources = $state(false);
  /** The user can manage sources. */
  manages = $derived(may(this.me, 'admin') && !this.noSources);
  /** The user has all permissions. */
  administers = $derived(may(this.me, 'admin'));
  /** The user manages the rights of a collection. */
  manager = $derived(this.me?.manages === true);
  /** The user can ask questions. */
  asks = $derived(may(this.me, 'ask'));
  /** The number of sign-ins since the page was loaded. */
  logins = 0;
  /** Resolves at the end of the first check, which may wait for a sign-in. */
  readonly checked: Promise<void>;
  private waiting: (() => void)[] = [];
  private endCheck!: () => void;

  constructor() {
    this.checked = new Promise((ok) => (this.endCheck = ok));
    http.onUnauthorized(() => {
      this.needed = true;
      return new Promise((ok) => this.waiting.push(ok));
    });
  }

  /** check loads the user. If the server requires a sign-in, it waits for one. */
  async check(): Promise<void> {
    try {
      this.me = await http.getMe();
    } catch {
      // Older servers without users may not have this call.
    }
    this.endCheck();
  }

  /** logIn signs in. It returns the reason of a failure, or ''. */
  async logIn(name: string, password: string): Promise<string> {
    const before = this.me?.id;
    try {
      this.me = await http.logIn(name, password);
    } catch (err) {
      if (err instanceof http.ApiError && err.status === 401) return words.shell.wrong;
      if (err instanceof http.ApiError && err.status === 429) return words.shell.tooOften(err.after);
      return http.sentence(err);
    }
    // The new user must not see the data of the previous one.
    if (before !== undefined && before !== this.me.id) this.left();
    this.enter(this.me);
    return '';
  }

  /** enter sets the user after a sign-in, and continues the calls that waited for it. */
  enter(me: Me): void {
    this.me = me;
    this.needed = false;
    this.logins++;
    for (const go of this.waiting.splice(0)) go();
  }

  async logOut(): Promise<void> {
    try {
      await http.logOut();
    } catch (err) {
      return notices.failed(words.shell.stillIn, err);
    }
    this.left();
  }

  /** left loads the page again after the user has signed out, or has deleted the account. */
  left(): void {
    location.assign(`${base}/`);
  }
}

export const account = new Account();
