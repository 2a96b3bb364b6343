import { mount } from 'svelte';
import App from './App.svelte';
import './page.css';
import { account } from './shell/account.svelte';
import { server } from './shell/server.svelte';
import { words } from './words/words.svelte';

// Who asks and whom is asked while the rest of the page begins.
void Promise.all([account.check(), server.refresh()]).then(() => server.list());
await words.start();
mount(App, { target: document.getElementById('app')! });
