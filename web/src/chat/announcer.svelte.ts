// Announcements for screen readers. Chat.svelte shows the text in a live region.
import { plain } from '../markdown/plain';
import { words } from '../words/words.svelte';
import { activity } from './reasoning';
import type { Item } from './turns';

class Announcer {
  text = $state('');

  say(text: string): void {
    this.text = text;
  }

  /** sayPhase announces the phase of a turn. Tool calls are too many to announce. */
  sayPhase(phase: string | undefined): void {
    if (phase === 'answering' || phase === 'searching' || phase === 'thinking') this.text = activity(phase);
  }

  /** sayReply announces the last reply if it is text or a choice. */
  sayReply(items: readonly Item[]): void {
    const reply = items.findLast((item) => item.kind === 'replied')?.reply;
    if (reply?.type === 'rag') this.text = words.input.answer(this.citing(words.server({ message: reply.rag.answer, ...reply.sentence })));
    else if (reply?.type === 'text' || reply?.type === 'markdown') this.text = plain(words.server({ message: reply.text, ...reply.sentence }));
    else if (reply?.type === 'options') this.text = words.input.choose(reply.labels.join(', '));
  }

  /** citing replaces the numbers of citations by words. */
  private citing(answer: string): string {
    return plain(answer).replace(/\[(\d+)\]/g, (_, number: string) => words.input.source(number));
  }
}

export const announcer = new Announcer();
