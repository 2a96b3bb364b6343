// The console loads as a whole when an operator opens it.
export { default as Content } from './Content.svelte';
export { default as Navigation } from './Navigation.svelte';
