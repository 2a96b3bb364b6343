// What the server says of itself, and the conversations it holds.
import * as http from '../api/http';
import type { Info, SessionRow } from '../api/shapes';
import { words } from '../words/words.svelte';
import { notices } from './notices.svelte';

/** Conversations listed at a time; the server lists no more than the most. */
const step = 200;
const most = 1000;

class Server {
  info = $state<Info | null>(null);
  /** Why info could not be had; '' if it could. */
  error = $state('');
  /** False until the list came once. */
  listed = $state(false);
  /** What conversations are searched for; '' lists them all. */
  match = $state('');
  /** A search is under way. */
  searching = $state(false);
  /** Conversations that can be undeleted: they are not shown. */
  private gone = $state.raw<ReadonlySet<string>>(new Set());
  private rows = $state<SessionRow[]>([]);
  private hits = $state<SessionRow[] | null>(null);
  private limit = $state(step);
  private asked = 0;
  private searched = 0;
  /** How much was said in a conversation when it was seen last. */
  private seen = new Map<string, number>();

  /** The conversations, newest use first, behind those that are pinned. */
  sessions = $derived(this.rows.filter((s) => !this.gone.has(s.session_id)));
  /** Those that match; null if none are searched for. */
  found = $derived(this.hits?.filter((s) => !this.gone.has(s.session_id)) ?? null);
  /** There may be more than are listed. */
  more = $derived(this.rows.length >= this.limit && this.limit < most);
  /** Conversations in which something was said while another was open. */
  unread = $state.raw<ReadonlySet<string>>(new Set());

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
      const rows = await http.listSessions(this.info?.agent ?? '', { limit: this.limit });
      if (mine !== this.asked) return; // a list asked for later knows more
      this.rows = rows.filter((s) => s.session_id);
      this.listed = true;
      this.notice();
      if (this.hits) await this.search(this.match);
    } catch (err) {
      if (!this.listed) notices.failed(words.shell.notListed, err);
    }
  }

  /** longer lists more of them. */
  longer(): Promise<void> {
    this.limit = Math.min(most, this.limit + step);
    return this.list();
  }

  /** search finds conversations by their names and by what was said. */
  async search(text: string): Promise<void> {
    const mine = ++this.searched;
    this.match = text;
    if (!text.trim()) {
      this.hits = null;
      this.searching = false;
      return;
    }
    this.searching = true;
    try {
      const rows = await http.listSessions(this.info?.agent ?? '', { match: text.trim(), limit: step });
      if (mine !== this.searched) return;
      this.hits = rows.filter((s) => s.session_id);
    } catch (err) {
      if (mine !== this.searched) return;
      this.hits ??= [];
      notices.failed(words.shell.notSearched, err);
    }
    this.searching = false;
  }

  /** look says which conversation is looked at; it has nothing unread. */
  look(session: string | undefined): void {
    const before = this.looked;
    this.looked = session;
    for (const id of [before, session]) {
      const row = id && this.rows.find((s) => s.session_id === id);
      if (row) this.seen.set(row.session_id, row.messages);
    }
    this.notice();
  }
  private looked: string | undefined;

  /** expect asks, ever more rarely, for the answer to a conversation that was left before it came. */
  expect(session: string, wait = 3000): void {
    if (wait > 60_000) return;
    setTimeout(() => {
      if (this.looked === session || this.unread.has(session)) return;
      void this.list().then(() => this.expect(session, wait * 1.6));
    }, wait);
  }

  private notice(): void {
    const unread = new Set<string>();
    for (const row of this.rows) {
      const known = this.seen.get(row.session_id);
      if (known === undefined || row.session_id === this.looked) this.seen.set(row.session_id, row.messages);
      else if (row.messages > known) unread.add(row.session_id);
    }
    if (unread.size > 0 || this.unread.size > 0) this.unread = unread;
  }

  /** change shows a conversation changed at once, and takes it back if that fails. */
  private async change(session: string, change: { session_name?: string; pinned?: boolean }, failed: string): Promise<void> {
    const rows = [this.rows, this.hits ?? []].flatMap((list) => list.filter((s) => s.session_id === session));
    const before = rows.map(({ session_name, pinned }) => ({ session_name, pinned }));
    for (const row of rows) Object.assign(row, change);
    try {
      await http.changeSession(session, change);
      await this.list();
    } catch (err) {
      rows.forEach((row, i) => Object.assign(row, before[i]));
      notices.failed(failed, err);
    }
  }

  rename(session: string, name: string): Promise<void> {
    return this.change(session, { session_name: name }, words.shell.notRenamed);
  }

  pin(session: string, pinned: boolean): Promise<void> {
    return this.change(session, { pinned }, pinned ? words.shell.notPinned : words.shell.notUnpinned);
  }

  /** remove deletes a conversation once there was time to undo it, which calls undone. */
  remove(session: string, called: string, undone: () => void): void {
    this.gone = new Set(this.gone).add(session);
    const back = () => (this.gone = new Set([...this.gone].filter((s) => s !== session)));
    notices.undo(words.shell.removed(called), {
      do: () => void this.deleted(session).finally(back),
      undone: () => {
        back();
        undone();
      },
    });
  }

  private async deleted(session: string): Promise<void> {
    try {
      await http.deleteSession(session);
    } catch (err) {
      if (!(err instanceof http.ApiError && err.status === 404)) return notices.failed(words.shell.notRemoved, err);
    }
    this.rows = this.rows.filter((s) => s.session_id !== session);
    if (this.hits) this.hits = this.hits.filter((s) => s.session_id !== session);
    await this.list(); // one that is on its way may still have it
  }
}

export const server = new Server();
