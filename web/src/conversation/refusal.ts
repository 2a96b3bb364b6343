// What to say of a connection that the server ended for good, and what to do
// about it.
import { words } from '../words/words.svelte';

/** Step is what a person can do next. */
export type Step = 'begin' | 'login' | 'switch' | 'reload';

/** refusal explains a close code; asks is whether the person may ask at all. */
export function refusal(code: number, asks: boolean): { text: string; step: Step } {
  const { deleted, loginEnded, mayNot, others, closed } = words.input;
  if (code === 4501) return { text: deleted, step: 'begin' };
  if (code === 4502) return { text: loginEnded, step: 'login' };
  if (code === 4503 && !asks) return { text: mayNot, step: 'switch' };
  if (code === 4503) return { text: others, step: 'begin' };
  return { text: closed, step: 'reload' };
}
