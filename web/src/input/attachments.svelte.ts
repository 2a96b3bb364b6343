// Files that the user attached, to send in the chat.
import { conversation } from '../conversation/conversation.svelte';
import { sized } from '../conversation/replies';
import { notices } from '../shell/notices.svelte';
import { server } from '../shell/server.svelte';
import { words } from '../words/words.svelte';

export interface Attached {
  id: number;
  file: File;
  /** The address of the preview of an image, or ''. */
  picture: string;
  state: 'waiting' | 'reading' | 'failed';
  /** The reason of a failure. */
  reason: string;
}

/** The maximum number of files. */
const maxFiles = 20;

/** Images that every browser shows. SVG is missing, because drawing it can take very long. */
const drawable = /^image\/(png|jpeg|gif|webp|avif|bmp)$/;

class Attachments {
  list = $state<Attached[]>([]);
  private last = 0;

  /** Files can be sent. */
  possible = $derived(server.files);
  /** The files that can be sent. The others show their problem. */
  sendable = $derived(this.list.filter((a) => this.problem(a) === ''));

  add(files: Iterable<File>): void {
    if (!this.possible) return notices.say(words.input.noFiles);
    for (const file of files) {
      if (this.list.length >= maxFiles) return notices.say(words.input.tooMany(maxFiles));
      const picture = drawable.test(file.type) ? URL.createObjectURL(file) : '';
      this.list.push({ id: ++this.last, file, picture, state: 'waiting', reason: '' });
    }
  }

  remove(id: number): void {
    const removed = this.list.find((a) => a.id === id);
    if (removed?.picture) URL.revokeObjectURL(removed.picture);
    this.list = this.list.filter((a) => a.id !== id);
  }

  /** problem returns the reason why a file cannot be sent, or ''. */
  problem({ file, state, reason }: Attached): string {
    if (state === 'failed') return reason;
    const limit = conversation.fileBytes;
    return !limit || file.size <= limit ? '' : words.input.tooLarge(sized(limit));
  }

  /**
   * send sends the files that can be sent. It does not send files that the user removes meanwhile,
   * and none after the user has left the conversation. The result is false if a file failed.
   */
  async send(): Promise<boolean> {
    const { opened } = conversation;
    let failed = false;
    for (const a of this.sendable) {
      if (opened !== conversation.opened) break;
      if (!this.list.includes(a)) continue;
      this.set(a.id, { state: 'reading' });
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

  private set(id: number, change: Partial<Attached>): void {
    Object.assign(this.list.find((a) => a.id === id) ?? {}, change);
  }
}

export const attachments = new Attachments();
