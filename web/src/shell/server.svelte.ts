// What the server says of itself, and the conversations it holds.
import * as http from '../api/http';
import type { Info, SessionRow } from '../api/shapes';
import { notices } from './notices.svelte';

class Server {
  info = $state<Info | null>(null);
  /** Why info could not be had; '' if it could. */
  error = $state('');
  sessions = $state<SessionRow[]>([]);
  /** False until the list came once. */
  listed = $state(false);
  private asked = 0;

  /** What the agent is called; '' until it is known. */
  agent = $derived(this.info ? this.info.agent || 'docent' : this.error && 'docent');
  /** The agent is another than the one that answers from the documents. */
  other = $derived(this.info?.built_in === false);

  documents = $derived(this.info?.collections.reduce((n, c) => n + c.documents, 0) ?? 0);
  chunks = $derived(this.info?.collections.reduce((n, c) => n + c.chunks, 0) ?? 0);
  failed = $derived(this.info?.collections.reduce((n, c) => n + c.failed, 0) ?? 0);

  async refresh(): Promise<void> {
    try {
      const info = await http.getInfo();
      info.collections ??= [];
      this.info = info;
      this.error = '';
    } catch (err) {
      this.error = http.sentence(err);
    }
  }

  async list(): Promise<void> {
    const mine = ++this.asked;
    try {
      const rows = await http.listSessions(this.info?.agent ?? '');
      if (mine !== this.asked) return; // a list asked for later knows more
      this.sessions = rows.filter((s) => s.session_id);
      this.listed = true;
    } catch (err) {
      if (!this.listed) notices.failed('The conversations could not be listed.', err);
    }
  }

  async rename(session: string, name: string): Promise<void> {
    const row = this.sessions.find((s) => s.session_id === session);
    const before = row?.session_name ?? null;
    if (row) row.session_name = name; // shown at once, taken back if it fails
    try {
      await http.changeSession(session, { session_name: name });
      await this.list();
    } catch (err) {
      if (row) row.session_name = before;
      notices.failed('The conversation was not renamed.', err);
    }
  }

  async remove(session: string): Promise<boolean> {
    try {
      await http.deleteSession(session);
      this.sessions = this.sessions.filter((s) => s.session_id !== session);
      return true;
    } catch (err) {
      notices.failed('The conversation was not deleted.', err);
      return false;
    }
  }
}

export const server = new Server();
