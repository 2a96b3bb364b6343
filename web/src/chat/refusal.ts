// What to say of a connection that the server ended for good, and what to do
// about it.

/** Step is what a person can do next. */
export type Step = 'begin' | 'login' | 'switch' | 'reload';

/** refusal explains a close code; asks is whether the person may ask at all. */
export function refusal(code: number, asks: boolean): { text: string; step: Step } {
  if (code === 4501) return { text: 'This conversation was deleted.', step: 'begin' };
  if (code === 4502) return { text: 'Your login has ended.', step: 'login' };
  if (code === 4503 && !asks) return { text: 'You may not ask here. An administrator can allow it.', step: 'switch' };
  if (code === 4503) return { text: 'This conversation belongs to somebody else.', step: 'begin' };
  return { text: 'docent closed this connection.', step: 'reload' };
}
