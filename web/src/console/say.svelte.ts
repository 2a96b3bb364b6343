// The texts of the console. They load with the console, and not with the page.
import { console as en } from '../words/en/console';
import { words } from '../words/words.svelte';

/** say returns the texts of the console in the language of the page. */
export const say = () => words.part('console', en);
