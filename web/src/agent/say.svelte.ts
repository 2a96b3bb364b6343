// The texts of this folder that do not load with the page.
import { way as en } from '../words/en/way';
import { words } from '../words/words.svelte';

/** say returns these texts in the language of the page. */
export const say = () => words.part('way', en);
