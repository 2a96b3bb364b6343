// The announcements of a conversation for screen readers.
import { plain } from '../markdown/plain';
import { choiceName } from './approval';
import { announcer } from '../shell/announcer.svelte';
import { words } from '../words/words.svelte';
import { activity } from './reasoning';
import type { Item } from './turns';

/** announcePhase announces the phase of a turn. Tool calls are too many to announce. */
export function announcePhase(phase: string | undefined): void {
  if (phase === 'answering' || phase === 'searching' || phase === 'thinking') announcer.say(activity(phase));
}

/** announceReply announces the last reply if it is text or a choice. */
export function announceReply(items: readonly Item[]): void {
  const reply = items.findLast((item) => item.kind === 'replied')?.reply;
  if (reply?.type === 'rag') announcer.say(words.input.answer(spokenCitations(words.server({ message: reply.rag.answer, ...reply.sentence }))));
  else if (reply?.type === 'text' || reply?.type === 'markdown') announcer.say(plain(words.server({ message: reply.text, ...reply.sentence })));
  else if (reply?.type === 'options') {
    const labels = reply.sentence?.id === 'approval_choices' ? reply.labels.map(choiceName) : reply.labels;
    announcer.say(words.input.choose(labels.join(', ')));
  }
}

/** spokenCitations replaces the numbers of citations by words. */
function spokenCitations(answer: string): string {
  return plain(answer).replace(/\[(\d+)\]/g, (_, number: string) => words.input.source(number));
}
