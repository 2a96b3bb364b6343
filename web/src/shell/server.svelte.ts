// The description of the server, and its conversations.
import * as http from '../api/http';
import type { Info, SessionRow } from '../api/shapes';
import { words } from '../words/words.svelte';
import { notices } from './notices.svelte';

/** The number of conversations in a page of the list, and the maximum of the server. */
const pageSize = 200;
const maxListed = 1000;

/** The name in the settings of the page, which the server writes into it. */
const given = document.querySelector<HTMLMetaElement>('meta[name=application-name]')?.content ?? '';

class Server {
  info = $state<Info | null>(null);
  /** The reason why info is missing, or ''. */
  error = $state('');
  /** The list of conversations has been loaded. */
  listed = $state(false);
  /** The search text for conversations. '' lists all of them. */
  match = $state('');
  /** The list shows archived conversations instead of the others. */
  archive = $state(false);
  /** There are archived conversations. */
  archived = $state(false);
  /** A search is running. */
  searching = $state(false);
  /** Hidden conversations, which are deleted after the time to undo. */
  private gone = $state.raw<ReadonlySet<string>>(new Set());
  private rows = $state<SessionRow[]>([]);
  private hits = $state<SessionRow[] | null>(null);
  private limit = $state(pageSize);
  private lastRefresh = 0;
  private shownRefresh = 0;
  private lastListRequest = 0;
  private lastSearchRequest = 0;
  /** The number of messages that the user has seen in each conversation. */
  private seen = new Map<string, number>();

  /** The conversations: pinned ones first, then by latest use. */
  sessions = $derived(this.rows.filter((s) => !this.gone.has(s.session_id)));
  /** The conversations that match the search; null without a search. */
  found = $derived(this.hits?.filter((s) => !this.gone.has(s.session_id)) ?? null);
  /** The server may have more conversations than the list. */
  more = $derived(this.rows.length >= this.limit && this.limit < maxListed);
  /** Conversations with new messages. */
  unread = $state.raw<ReadonlySet<string>>(new Set());

  agents = $derived(this.info ? (this.info.agents ?? [{ ...this.info, name: this.info.agent }]) : []);
  /** The agent of the open conversation; undefined for a new one. */
  bound = $state<string | undefined>();
  /** The agent that the user chose for new conversations. The server may not have it anymore. */
  chosen = $state('');
  /** The agent of the open or new conversation; '' is the default. */
  using = $derived(this.bound ?? this.agents.find((a) => a.name === this.chosen)?.name ?? '');
  /** The agent of a conversation; undefined if the server does not have it. */
  private shown = $derived(this.agents.find((a) => a.name === (this.using || this.info?.agent)));
  /** The server does not have the agent of the open conversation. */
  missing = $derived(this.agents.length > 0 && !this.shown);
  /** The name of that agent; '' while unknown. */
  agent = $derived(this.info ? this.using || this.info.agent || 'docent' : this.error && 'docent');
  /** The name of the installation. */
  name = $derived(given || this.info?.agent || 'docent');
  /** The agent is the built-in assistant. */
  builtIn = $derived(this.shown?.built_in === true);
  /** The agent is not the built-in assistant. */
  other = $derived(this.info !== null && !this.builtIn);
  /** info for the agent of the open conversation. */
  present = $derived(this.info && { ...this.info, built_in: this.builtIn });
  /** The agent takes files in a conversation. */
  files = $derived(this.shown?.files === true);

  /** called returns the title of a collection. */
  called = (name: string): string => this.info?.collections.find((c) => c.name === name)?.title ?? name;

  documents = $derived(this.info?.collections.reduce((n, c) => n + c.documents, 0) ?? 0);
  chunks = $derived(this.info?.collections.reduce((n, c) => n + c.chunks, 0) ?? 0);
  /** The encoders that have not encoded all passages, in numbers of passages; null if all have. */
  encoding = $derived.by(() => {
    const all = (this.info?.encoders ?? []).filter((e) => e.done < e.total);
    return all.length > 0 ? { done: all.reduce((n, e) => n + e.done, 0), total: all.reduce((n, e) => n + e.total, 0) } : null;
  });
  failed = $derived(this.info?.collections.reduce((n, c) => n + c.failed, 0) ?? 0);

  async refresh(): Promise<void> {
    const request = ++this.lastRefresh;
    try {
      const info = await http.getInfo();
      if (request < this.shownRefresh) return; // the answer to a later request is shown
      this.shownRefresh = request;
      info.collections ??= [];
      this.info = info;
      this.error = '';
    } catch (err) {
      if (request > this.shownRefresh) this.error = http.sentence(err);
    }
  }

  async list(): Promise<void> {
    const request = ++this.lastListRequest;
    try {
      const rows = await http.listSessions({ limit: this.limit, archived: this.archive ? 'archived' : 'open' });
      if (request !== this.lastListRequest) return; // a later request has newer data
      this.rows = rows.filter((s) => s.session_id);
      if (this.archive) this.archived = this.rows.length > 0;
      else if (!this.listed) void this.findArchived();
      this.listed = true;
      this.notice();
      if (this.hits) await this.search(this.match);
    } catch (err) {
      if (!this.listed) notices.failed(words.shell.notListed, err);
    }
  }

  /** findArchived finds out whether there are archived conversations. */
  private async findArchived(): Promise<void> {
    try {
      const rows = await http.listSessions({ limit: 1, archived: 'archived' });
      this.archived = rows.length > 0;
    } catch {
      this.archived = true; // the archive shows the reason
    }
  }

  /** The names of the folders in the list. */
  folders = $derived([...new Set(this.rows.flatMap((s) => s.folder || []))].sort((a, b) => a.localeCompare(b)));

  /** showArchive shows the archived conversations, or the others. */
  showArchive(archive: boolean): Promise<void> {
    this.archive = archive;
    this.rows = [];
    this.listed = false;
    return this.list();
  }

  /** longer loads a longer list. */
  longer(): Promise<void> {
    this.limit = Math.min(maxListed, this.limit + pageSize);
    return this.list();
  }

  /** search finds conversations by name and content. */
  async search(text: string): Promise<void> {
    const request = ++this.lastSearchRequest;
    this.match = text;
    if (!text.trim()) {
      this.hits = null;
      this.searching = false;
      return;
    }
    this.searching = true;
    try {
      const rows = await http.listSessions({ match: text.trim(), limit: pageSize, archived: 'all' });
      if (request !== this.lastSearchRequest) return;
      this.hits = rows.filter((s) => s.session_id);
    } catch (err) {
      if (request !== this.lastSearchRequest) return;
      this.hits ??= [];
      notices.failed(words.shell.notSearched, err);
    }
    this.searching = false;
  }

  /** look sets the visible conversation, which has no unread messages. */
  look(session: string | undefined): void {
    const before = this.visible;
    this.visible = session;
    for (const id of [before, session]) {
      const row = id && this.rows.find((s) => s.session_id === id);
      if (row) this.seen.set(row.session_id, row.messages);
    }
    this.notice();
  }
  private visible: string | undefined;

  /** saw counts a question with an answer as seen. */
  saw(session: string): void {
    for (const row of [...this.rows, ...(this.hits ?? [])]) if (row.session_id === session && row.solved) row.solved--;
  }

  /** expect polls for the answer in a conversation that the user left, with growing delays. */
  expect(session: string, wait = 3000): void {
    if (wait > 60_000) return;
    setTimeout(() => {
      if (this.visible === session || this.unread.has(session)) return;
      void this.list().then(() => this.expect(session, wait * 1.6));
    }, wait);
  }

  private notice(): void {
    const unread = new Set<string>();
    for (const row of this.rows) {
      const known = this.seen.get(row.session_id);
      if (known === undefined || row.session_id === this.visible) this.seen.set(row.session_id, row.messages);
      else if (row.messages > known) unread.add(row.session_id);
    }
    if (unread.size > 0 || this.unread.size > 0) this.unread = unread;
  }

  /** change shows a change of a conversation at once, and reverts it if the request fails. */
  private async change(session: string, change: http.SessionChange, failed: string): Promise<void> {
    const rows = [this.rows, this.hits ?? []].flatMap((list) => list.filter((s) => s.session_id === session));
    const before = rows.map(({ session_name, pinned, archived, folder }) => ({ session_name, pinned, archived, folder }));
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

  /** file puts a conversation into the archive, or takes it back. */
  file(session: string, archived: boolean): Promise<void> {
    if (archived) this.archived = true;
    return this.change(session, { archived }, words.shell.notArchived);
  }

  /** move puts a conversation into a folder. '' takes it out of its folder. */
  move(session: string, folder: string): Promise<void> {
    return this.change(session, { folder }, words.shell.notMoved);
  }

  /** remove deletes a conversation after the time to undo. If the user undoes it, remove calls undone. */
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
    await this.list(); // an earlier request can still contain it
  }
}

export const server = new Server();
