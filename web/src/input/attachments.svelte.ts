// Files that a person wants to send: into the chat, or to the documents.
import * as http from '../api/http';
import { outcome } from '../documents/outcome';
import { announcer } from '../shell/announcer.svelte';
import { conversation } from '../conversation/conversation.svelte';
import { sized } from '../conversation/replies';
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
  /** The person said of this one that it goes into the chat. */
  chat: boolean;
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

  /** There is a choice: not for pictures alone, which are no documents. What failed is past it. */
  choice = $derived(account.adds && this.list.some((a) => a.state !== 'failed' && !a.chat && !a.file.type.startsWith('image/')));
  /** The assistant of the documents has no use for a file, other agents may. */
  where = $derived(this.choice ? (this.said ?? (server.other ? 'chat' : 'documents')) : 'chat');
  busy = $derived(this.list.some((a) => a.state === 'sending' || a.state === 'reading'));
  /** Those that can be sent; the others stay and say why, and are in nobody's way. */
  sendable = $derived(this.list.filter((a) => a.state !== 'done' && this.problem(a) === ''));

  go(where: 'chat' | 'documents'): void {
    this.said = where;
  }

  add(files: Iterable<File>): void {
    for (const file of files) {
      if (this.list.length >= most) return notices.say(words.input.tooMany(most));
      const picture = drawable.test(file.type) ? URL.createObjectURL(file) : '';
      this.list.push({ id: ++this.last, file, picture, state: 'waiting', progress: 0, reason: '', chat: false });
    }
  }

  /** rescue lets what is no document go into the chat, as it is. */
  rescue(id: number): void {
    this.set(id, { state: 'waiting', reason: '', chat: true });
  }

  /** rescuable says that this is a way out. */
  rescuable = (a: Attached): boolean => a.state === 'failed' && !a.chat && a.file.size <= conversation.fileBytes;

  remove(id: number): void {
    const gone = this.list.find((a) => a.id === id);
    if (gone?.picture) URL.revokeObjectURL(gone.picture);
    this.list = this.list.filter((a) => a.id !== id);
    if (this.list.length === 0) this.said = undefined;
  }

  /** problem says why a file cannot go where it is to go; '' if it can. */
  problem({ file, state, reason, chat }: Attached): string {
    if (state === 'failed') return reason;
    const toChat = chat || this.where === 'chat';
    const limit = toChat ? conversation.fileBytes : (server.info?.limits.upload_bytes ?? 0);
    if (!limit || file.size <= limit) return '';
    return toChat ? words.input.tooLarge(sized(limit)) : words.input.tooLargeDocument(sized(limit));
  }

  /** send sends those that can be sent; what could not after all stays, and then it is false. */
  async send(): Promise<boolean> {
    const [all, to] = [this.sendable, this.where];
    const added = await this.toDocuments(all.filter((a) => to !== 'chat' && !a.chat));
    return (await this.toChat(all.filter((a) => to === 'chat' || a.chat))) && added;
  }

  private async toChat(files: Attached[]): Promise<boolean> {
    for (const a of files) {
      this.set(a.id, { state: 'reading', chat: true });
      try {
        await conversation.sendFile(a.file);
        this.remove(a.id);
      } catch {
        this.set(a.id, { state: 'failed', reason: words.input.unreadable(a.file.name) });
      }
    }
    return !files.some((a) => this.failed(a));
  }

  private async toDocuments(files: Attached[]): Promise<boolean> {
    const added: number[] = [];
    const { collections } = conversation.choice;
    const collection = collections?.length === 1 ? collections[0] : undefined;
    for (const a of files) {
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
    if (files.length > 0) void server.refresh();
    if (files.some((a) => this.failed(a))) return false;
    if (files.length > 0) announcer.say(words.input.added);
    for (const a of this.list.filter((a) => a.state === 'done')) this.remove(a.id);
    return true;
  }

  private failed = ({ id }: Attached): boolean => this.list.some((a) => a.id === id && a.state === 'failed');

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
