// Files that the user attached, to send to the chat or to the documents.
import * as http from '../api/http';
import { conversation } from '../conversation/conversation.svelte';
import { sized } from '../conversation/replies';
import { outcome } from '../documents/outcome';
import { account } from '../shell/account.svelte';
import { announcer } from '../shell/announcer.svelte';
import { notices } from '../shell/notices.svelte';
import { server } from '../shell/server.svelte';
import { words } from '../words/words.svelte';

export interface Attached {
  id: number;
  file: File;
  /** The address of the preview of an image, or ''. */
  picture: string;
  state: 'waiting' | 'sending' | 'reading' | 'done' | 'failed';
  /** The uploaded part, from 0 to 1. */
  progress: number;
  /** The reason of a failure. */
  reason: string;
  /** The user selected the chat for this file. */
  chat: boolean;
}

/** The maximum number of files. */
const maxFiles = 20;

/** Images that every browser shows. SVG is missing, because drawing it can take very long. */
const drawable = /^image\/(png|jpeg|gif|webp|avif|bmp)$/;

class Attachments {
  list = $state<Attached[]>([]);
  /** The target that the user selected; undefined without a selection. */
  private chosenTarget = $state<'chat' | 'documents' | undefined>();
  private last = 0;

  /** The user can choose the target. Images alone are no documents, and failed files have their own buttons. */
  choice = $derived(account.adds && server.files && this.list.some((a) => a.state !== 'failed' && !a.chat && !a.file.type.startsWith('image/')));
  where = $derived(!server.files ? 'documents' : this.choice ? (this.chosenTarget ?? (server.other ? 'chat' : 'documents')) : 'chat');
  /** Files can be sent somewhere. */
  possible = $derived(server.files || account.adds);
  busy = $derived(this.list.some((a) => a.state === 'sending' || a.state === 'reading'));
  /** The files that can be sent. The others show their problem. */
  sendable = $derived(this.list.filter((a) => a.state !== 'done' && this.problem(a) === ''));

  go(where: 'chat' | 'documents'): void {
    this.chosenTarget = where;
  }

  add(files: Iterable<File>): void {
    if (!this.possible) return notices.say(words.input.noFiles);
    for (const file of files) {
      if (this.list.length >= maxFiles) return notices.say(words.input.tooMany(maxFiles));
      const picture = drawable.test(file.type) ? URL.createObjectURL(file) : '';
      this.list.push({ id: ++this.last, file, picture, state: 'waiting', progress: 0, reason: '', chat: false });
    }
  }

  /** rescue sends a file to the chat that is not a readable document. */
  rescue(id: number): void {
    this.set(id, { state: 'waiting', reason: '', chat: true });
  }

  /** rescuable reports whether the chat accepts a failed file. */
  rescuable = (a: Attached): boolean => server.files && a.state === 'failed' && !a.chat && a.file.size <= conversation.fileBytes;

  remove(id: number): void {
    const removed = this.list.find((a) => a.id === id);
    if (removed?.picture) URL.revokeObjectURL(removed.picture);
    this.list = this.list.filter((a) => a.id !== id);
    if (this.list.length === 0) this.chosenTarget = undefined;
  }

  /** problem returns the reason why a file cannot be sent to its target, or ''. */
  problem({ file, state, reason, chat }: Attached): string {
    if (state === 'failed') return reason;
    const toChat = chat || this.where === 'chat';
    const limit = toChat ? conversation.fileBytes : (server.info?.limits.upload_bytes ?? 0);
    if (!limit || file.size <= limit) return '';
    return toChat ? words.input.tooLarge(sized(limit)) : words.input.tooLargeDocument(sized(limit));
  }

  /**
   * send sends the files that can be sent, each to the target that it has now. It does not send files
   * that the user removes meanwhile, and none to the chat after the user has left the conversation.
   * The result is false if a file failed.
   */
  async send(): Promise<boolean> {
    const { opened } = conversation;
    const all = this.sendable;
    const chat = all.filter((a) => a.chat || this.where === 'chat');
    const added = await this.toDocuments(all.filter((a) => !chat.includes(a)));
    return (await this.toChat(chat, opened)) && added;
  }

  private async toChat(files: Attached[], opened: number): Promise<boolean> {
    let failed = false;
    for (const a of files) {
      if (opened !== conversation.opened) break;
      if (!this.list.includes(a)) continue;
      this.set(a.id, { state: 'reading', chat: true });
      try {
        await conversation.sendFile(a.file);
        this.remove(a.id);
      } catch {
        failed = true;
        this.set(a.id, { state: 'failed', reason: words.input.unreadable(a.file.name) });
      }
    }
    return !failed;
  }

  private async toDocuments(files: Attached[]): Promise<boolean> {
    const added: number[] = [];
    let refused = false;
    const refuse = (a: Attached, reason: string) => {
      refused = true;
      this.set(a.id, { state: 'failed', reason });
    };
    const { collections } = conversation.choice;
    const collection = collections?.length === 1 ? collections[0] : undefined;
    for (const a of files) {
      if (!this.list.includes(a)) continue;
      this.set(a.id, { state: 'sending', reason: '' });
      try {
        const results = await http.upload(a.file, (share) => this.set(a.id, { progress: share, state: share >= 1 ? 'reading' : 'sending' }), { collection });
        const { failed, text } = outcome(results);
        added.push(...results.flatMap((r) => (r.chunks > 0 && r.document_id) || []));
        if (failed) refuse(a, text);
        else this.set(a.id, { state: 'done' });
      } catch (err) {
        refuse(a, http.sentence(err));
      }
    }
    await Promise.all(added.slice(0, 3).map(found));
    if (files.length > 0) void server.refresh();
    if (refused) return false; // also if the user has already given the file another target
    if (files.length > 0) announcer.say(words.input.added);
    for (const a of this.list.filter((a) => a.state === 'done')) this.remove(a.id);
    return true;
  }

  private set(id: number, change: Partial<Attached>): void {
    Object.assign(this.list.find((a) => a.id === id) ?? {}, change);
  }
}

/** The number of attempts to find an added document, and the delay between them in ms. */
const maxAttempts = 20;
const attemptDelay = 150;

// found waits until searches find an added document, so that a following question uses it.
// It gives up after some attempts.
async function found(id: number): Promise<void> {
  try {
    const text = (await http.listChunks(id)).chunks[0]?.text.slice(0, 300) ?? '';
    for (let i = 0; text && i < maxAttempts; i++) {
      if ((await http.search(text, { k: 10 })).results?.some((hit) => hit.document_id === id)) return;
      await new Promise((ok) => setTimeout(ok, attemptDelay));
    }
  } catch {
    // The question is sent in any case.
  }
}

export const attachments = new Attachments();
