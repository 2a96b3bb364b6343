// The answers to the question whether a call of a tool may run.
import { words } from '../words/words.svelte';

/** choiceName names an answer in the language of the page. */
export function choiceName(label: string): string {
  return words.payloads.approve[label as keyof typeof words.payloads.approve] ?? label;
}
