// The explanation of a refused connection, and the next step of the user.
import { server } from '../shell/server.svelte';
import { words } from '../words/words.svelte';

/** Step is an action that the user can take. */
export type Step = 'begin' | 'login' | 'switch' | 'reload';

/** refusal explains a close code. asks reports whether the user may ask questions. */
export function refusal(code: number, asks: boolean): { text: string; step: Step } {
  const { deleted, loginEnded, mayNot, others, closed } = words.input;
  if (code === 4501 && server.missing) return { text: words.input.agentGone(server.using), step: 'begin' };
  if (code === 4501) return { text: deleted, step: 'begin' };
  if (code === 4502) return { text: loginEnded, step: 'login' };
  if (code === 4503 && !asks) return { text: mayNot, step: 'switch' };
  if (code === 4503) return { text: others, step: 'begin' };
  return { text: closed, step: 'reload' };
}
