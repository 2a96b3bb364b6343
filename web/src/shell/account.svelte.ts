// Who is logged in, where the server asks for that.
import * as http from '../api/http';
import type { Me } from '../api/shapes';
import { words } from '../words/words.svelte';
import { notices } from './notices.svelte';

/** may reports whether somebody may do something, which everybody may where nobody has to log in. */
export const may = (me: Me | null, scope: Me['scopes'][number]): boolean => me?.auth !== true || me.scopes.includes(scope) || me.scopes.includes('admin');

class Account {
  me = $state<Me | null>(null);
  /** The server wants to know who asks. */
  needed = $state(false);
  /** Somebody can log out. */
  known = $derived(this.me?.auth === true);
  /** Documents can be added and deleted. */
  adds = $derived(may(this.me, 'ingest'));
  /** The server refused to list sources. */
  noSources = $state(false);
  /** Sources can be managed. */
  manages = $derived(may(this.me, 'admin') && !this.noSources);
  /** Questions can be asked. */
  asks = $derived(may(this.me, 'ask'));
  /** Counts logins of this page. */
  logins = 0;
  private waiting: (() => void)[] = [];

  constructor() {
    http.onUnauthorized(() => {
      this.needed = true;
      return new Promise((ok) => this.waiting.push(ok));
    });
  }

  /** check asks who is logged in, and so waits until somebody is. */
  async check(): Promise<void> {
    try {
      this.me = await http.getMe();
    } catch {
      // A server without logins may not know the question.
    }
  }

  /** logIn returns why it failed; '' if it did not. */
  async logIn(name: string, password: string): Promise<string> {
    const before = this.me?.id;
    try {
      this.me = await http.logIn(name, password);
    } catch (err) {
      if (err instanceof http.ApiError && err.status === 401) return words.shell.wrong;
      if (err instanceof http.ApiError && err.status === 429) return words.shell.tooOften(err.after);
      return http.sentence(err);
    }
    // What the last one saw is not the next one's.
    if (before !== undefined && before !== this.me.id) location.assign('/');
    this.needed = false;
    this.logins++;
    for (const go of this.waiting.splice(0)) go();
    return '';
  }

  async logOut(): Promise<void> {
    try {
      await http.logOut();
    } catch (err) {
      return notices.failed(words.shell.stillIn, err);
    }
    location.assign('/');
  }
}

export const account = new Account();
