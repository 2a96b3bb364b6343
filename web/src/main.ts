import { mount } from 'svelte';
import App from './App.svelte';
import './page.css';
import { account } from './shell/account.svelte';
import { server } from './shell/server.svelte';
import { words } from './words/words.svelte';

/** The maximum time to wait for the first calls before the page is drawn, in ms. */
const patience = 30;

// A shared link is a page of its own, because its reader may not have to sign in.
const sharedLink = () => /^#\/shared\/([\w-]+)$/.exec(location.hash)?.[1];
const link = sharedLink();
addEventListener('hashchange', () => {
  if (sharedLink() !== link) location.reload();
});

const target = document.getElementById('app')!;
if (link) {
  const [{ default: Shared }] = await Promise.all([import('./shared/Shared.svelte'), words.start()]);
  mount(Shared, { target, props: { id: link } });
} else {
  // These calls run while the rest of the page loads.
  const asked = Promise.all([account.check(), server.refresh()]);
  void asked.then(() => server.list());
  await words.start();
  // If the calls are fast, the page is drawn only once.
  await Promise.race([asked, new Promise((ok) => setTimeout(ok, patience))]);
  mount(App, { target });
}
