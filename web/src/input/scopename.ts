// The names of parts of the library.
import type { ScopeItem } from '../conversation/choice';
import { server } from '../shell/server.svelte';
import { words } from '../words/words.svelte';

/** nameOf returns the name that people see. */
export function nameOf(item: ScopeItem): string {
  if (item.kind === 'document') return item.title || words.input.documentNumber(item.id);
  return item.kind === 'collection' ? server.called(item.name) : item.name;
}
