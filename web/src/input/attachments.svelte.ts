// Files that a person wants to send: into the chat, or to the documents.
import * as http from '../api/http';
import { outcome } from '../documents/outcome';
import { conversation } from '../chat/conversation.svelte';
import { sized } from '../chat/replies';
import { account } from '../shell/account.svelte';
import { notices } from '../shell/notices.svelte';
import { server } from '../shell/server.svelte';
import { words } from '../words/words.svelte';

export interface Attached {
  id: number;
  file: File;
  /** A picture of it, if it is one; '' otherwise. */
  picture: string;
  state: 'waiting' | 'sending' | 'reading' | 'done' | 'failed';
  /** Share that has left, 0 to 1. */
  progress: number;
  /** Why it failed. */
  reason: string;
}

/** Files at once. */
const most = 20;

/** Pictures that every browser draws; SVG is left out, as it may be made to take long. */
const drawable = /^image\/(png|jpeg|gif|webp|avif|bmp)$/;

class Attachments {
  list = $state<Attached[]>([]);
  /** Where the person said they go; undefined if they did not. */
  private said = $state<'chat' | 'documents' | undefined>();
  private last = 0;

  /** There is a choice: not for pictures alone, which are no documents. */
  choice = $derived(account.adds && this.list.some(({ file }) => !file.type.startsWith('image/')));
  /** The assistant of the documents has no use for a file, other agents may. */
  where = $derived(this.choice ? (this.said ?? (server.other ? 'chat' : 'documents')) : 'chat');
  busy = $derived(this.list.some((a) => a.state === 'sending' || a.state === 'reading'));
  /** All of them can be sent. */
  ready = $derived(!this.busy && this.list.every((a) => this.problem(a) === ''));

  go(where: 'chat' | 'documents'): void {
    this.said = where;
  }

  add(files: Iterable<File>): void {
    for (const file of files) {
      if (this.list.length >= most) return notices.say(words.input.tooMany(most));
      const picture = drawable.test(file.type) ? URL.createObjectURL(file) : '';
      this.list.push({ id: ++this.last, file, picture, state: 'waiting', progress: 0, reason: '' });
    }
  }

  remove(id: number): void {
    const gone = this.list.find((a) => a.id === id);
    if (gone?.picture) URL.revokeObjectURL(gone.picture);
    this.list = this.list.filter((a) => a.id !== id);
    if (this.list.length === 0) this.said = undefined;
  }

  /** problem says why a file cannot go where it is to go; '' if it can. */
  problem({ file, state, reason }: Attached): string {
    if (state === 'failed') return reason;
    const limit = this.where === 'chat' ? conversation.fileBytes : (server.info?.limits.upload_bytes ?? 0);
    if (!limit || file.size <= limit) return '';
    return this.where === 'chat' ? words.input.tooLarge(sized(limit)) : words.input.tooLargeDocument(sized(limit));
  }

  /** send sends all of them; what could not be sent stays, and then it is false. */
  send(): Promise<boolean> {
    return this.where === 'chat' ? this.toChat() : this.toDocuments();
  }

  private async toChat(): Promise<boolean> {
    for (const a of [...this.list]) {
      this.set(a.id, { state: 'reading' });
      try {
        await conversation.sendFile(a.file);
        this.remove(a.id);
      } catch {
        this.set(a.id, { state: 'failed', reason: words.input.unreadable(a.file.name) });
      }
    }
    return this.list.length === 0;
  }

  private async toDocuments(): Promise<boolean> {
    const added: number[] = [];
    const { collections } = conversation.choice;
    const collection = collections?.length === 1 ? collections[0] : undefined;
    for (const a of [...this.list]) {
      if (a.state === 'done') continue;
      this.set(a.id, { state: 'sending', reason: '' });
      try {
        const results = await http.upload(a.file, (share) => this.set(a.id, { progress: share, state: share >= 1 ? 'reading' : 'sending' }), { collection });
        const { failed, text } = outcome(results);
        added.push(...results.flatMap((r) => (r.chunks > 0 && r.document_id) || []));
        this.set(a.id, failed ? { state: 'failed', reason: text } : { state: 'done' });
      } catch (err) {
        this.set(a.id, { state: 'failed', reason: http.sentence(err) });
      }
    }
    await Promise.all(added.slice(0, 3).map(found));
    void server.refresh();
    if (this.list.some((a) => a.state === 'failed')) return false;
    conversation.spoken = words.input.added;
    for (const a of [...this.list]) this.remove(a.id);
    return true;
  }

  private set(id: number, change: Partial<Attached>): void {
    Object.assign(this.list.find((a) => a.id === id) ?? {}, change);
  }
}

/** How often, and after which pauses in ms, it is looked whether a document is found. */
const looks = 20;
const pause = 150;

// A document that was added is found a moment later: a question about it waits
// for that, and not for ever.
async function found(id: number): Promise<void> {
  try {
    const text = (await http.listChunks(id)).chunks[0]?.text.slice(0, 300) ?? '';
    for (let i = 0; text && i < looks; i++) {
      if ((await http.search(text, { k: 10 })).results?.some((hit) => hit.document_id === id)) return;
      await new Promise((ok) => setTimeout(ok, pause));
    }
  } catch {
    // Then it is asked as it is.
  }
}

export const attachments = new Attachments();
