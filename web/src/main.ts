import { mount } from 'svelte';
import App from './App.svelte';
import './page.css';
import { account } from './shell/account.svelte';
import { server } from './shell/server.svelte';
import { words } from './words/words.svelte';

/** How long the page is not drawn for what index.html has asked for meanwhile, in ms. */
const patience = 30;

// Who asks and whom is asked while the rest of the page begins.
const asked = Promise.all([account.check(), server.refresh()]);
void asked.then(() => server.list());
await words.start();
// It is drawn once if that is there already, and not twice.
await Promise.race([asked, new Promise((ok) => setTimeout(ok, patience))]);
mount(App, { target: document.getElementById('app')! });
