// Who is logged in, where the server asks for that.
import * as http from '../api/http';
import type { Me } from '../api/shapes';
import { notices } from './notices.svelte';

class Account {
  me = $state<Me | null>(null);
  /** The server wants to know who asks. */
  needed = $state(false);
  /** Somebody can log out. */
  known = $derived(this.me?.auth === true);
  private readonly listeners = new Set<() => void>();

  constructor() {
    http.onUnauthorized(() => (this.needed = true));
  }

  /** onReturn calls when somebody logged in again, to go on with what was refused. */
  onReturn(f: () => void): () => void {
    this.listeners.add(f);
    return () => void this.listeners.delete(f);
  }

  /** check asks who is logged in; a server without logins may not know the question. */
  async check(): Promise<void> {
    try {
      this.me = await http.getMe();
    } catch {
      // Either the form is shown by now, or there is nobody to be.
    }
  }

  /** logIn returns why it failed; '' if it did not. */
  async logIn(name: string, password: string): Promise<string> {
    const before = this.me?.id;
    try {
      await http.logIn(name, password);
      this.me = await http.getMe();
    } catch (err) {
      if (http.isLogin(err)) return 'That is not the right name and password.';
      if (err instanceof http.ApiError && err.status === 429) return `Too many tries. Wait ${err.after ? `${err.after} seconds` : 'a little'} and try again.`;
      return http.sentence(err);
    }
    // What the last one saw is not the next one's.
    if (before !== undefined && before !== this.me.id) location.assign('/');
    this.needed = false;
    for (const f of this.listeners) f();
    return '';
  }

  async logOut(): Promise<void> {
    try {
      await http.logOut();
    } catch (err) {
      if (!http.isLogin(err)) return notices.failed('You are still logged in.', err);
    }
    location.assign('/');
  }
}

export const account = new Account();
