// The texts of this folder that do not load with the page.
import { profile as en } from '../words/en/profile';
import { words } from '../words/words.svelte';

/** say returns these texts in the language of the page. */
export const say = () => words.part('profile', en);
