import { words } from '../words/words.svelte';
import type { Command } from './commands';

/** argumentOf is what comes after a command, in the language of the page. */
export function argumentOf({ usage }: Command): string {
  const { text, name, number } = words.input.arguments;
  return usage.replace('TEXT', text).replace('NAME', name).replace(/^N$/, number);
}

/** usageOf is how a command is written. */
export const usageOf = (c: Command): string => `/${c.name} ${argumentOf(c)}`.trim();
