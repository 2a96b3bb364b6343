// The prompts of the user, and those for everybody.
import * as http from '../api/http';
import type { PromptRow } from '../api/shapes';
import { account } from '../shell/account.svelte';

/** matchingPrompts returns the prompts that a text after a slash finds: a word of their names begins with it. */
export function matchingPrompts(text: string, list: readonly PromptRow[]): readonly PromptRow[] {
  const typed = /^\/([^/\n]{0,60})$/.exec(text)?.[1]?.toLowerCase();
  return typed === undefined ? [] : list.filter(({ name }) => name.toLowerCase().split(/(?<=[\s-])/).some((_, i, all) => all.slice(i).join('').startsWith(typed)));
}

class Prompts {
  list = $state.raw<readonly PromptRow[]>([]);
  private loads = 0;

  /** load reads the list again. It fails with the reason. */
  async load(): Promise<void> {
    const mine = ++this.loads;
    const list = account.asks ? await http.listPrompts() : [];
    if (mine === this.loads) this.list = list; // the list of a later load is newer
  }
}

export const prompts = new Prompts();
