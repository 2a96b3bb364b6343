// The prompts and commands that match the text, and the selected one.
import type { PromptRow } from '../api/shapes';
import { matching, read, type Command } from './commands';
import { matchingPrompts } from './prompts.svelte';

/** Entry is an entry of the list. */
export type Entry = Command | PromptRow;

export const isPrompt = (entry: Entry): entry is PromptRow => 'text' in entry;

/** keyOf names an entry in the page. */
export const keyOf = (entry: Entry): string => (isPrompt(entry) ? `prompt-${entry.id}` : entry.name);

interface Options {
  text: () => string;
  /** All commands that the agent supports. */
  known: () => readonly Command[];
  prompts: () => readonly PromptRow[];
  /** The list is disabled, for example during an edit. */
  disabled: () => boolean;
  /** Is called when the text begins with a slash. */
  onslash: () => void;
  /** Is called with the selected entry. With complete, Tab completed its name. */
  onchoose: (entry: Entry, complete: boolean) => void;
}

export class CommandList {
  /** The index of the selected entry. */
  selected = $state(0);
  private closedFor = $state(''); // the text for which the user closed the list
  private slash = false;
  readonly entries: readonly Entry[] = $derived.by(() => {
    const text = this.options.text();
    if (this.options.disabled() || text === this.closedFor) return [];
    const known = this.options.known();
    const argued = read(text, known).kind === 'command' && /\s/.test(text);
    const lists: (readonly Entry[])[] = [argued ? [] : matchingPrompts(text, this.options.prompts()), matching(text, known)];
    // A typed name means a command first.
    return (text.length > 1 ? lists.reverse() : lists).flat();
  });

  constructor(private readonly options: Options) {}

  /** typed resets the list after the text has changed. */
  typed(): void {
    this.selected = 0;
    const text = this.options.text();
    if (text !== this.closedFor) this.closedFor = '';
    if (text.startsWith('/') && !this.slash) this.options.onslash();
    this.slash = text.startsWith('/');
  }

  /** keydown handles a key of the open list, and reports whether it did. */
  keydown(event: KeyboardEvent): boolean {
    const { entries } = this;
    if (entries.length === 0) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) this.selected = (this.selected + step + entries.length) % entries.length;
    else if (event.key === 'Tab' && !event.shiftKey) this.options.onchoose(entries[this.selected]!, true);
    else if (event.key === 'Enter' && !event.shiftKey) this.options.onchoose(entries[this.selected]!, false);
    else if (event.key === 'Escape') this.closedFor = this.options.text();
    else return false;
    return true;
  }
}
