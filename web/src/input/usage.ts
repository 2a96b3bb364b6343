import { words } from '../words/words.svelte';
import type { Command } from './commands';

/** argumentOf returns the arguments of a command in the language of the page. */
export function argumentOf({ usage }: Command): string {
  const { text, name, number } = words.input.arguments;
  return usage.replace('TEXT', text).replace('NAME', name).replace(/^N$/, number);
}

/** usageOf returns a command with its arguments. */
export const usageOf = (c: Command): string => `/${c.name} ${argumentOf(c)}`.trim();
