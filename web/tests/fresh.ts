// Runs before each test file in jsdom. The files of a project share one window and the libraries. A file
// begins with new modules of the page, and with nothing that another file left in the window.
import { vi } from 'vitest';

vi.resetModules();
vi.useRealTimers();
vi.unstubAllGlobals();
localStorage.clear();
sessionStorage.clear();
history.replaceState(null, '', '#');
document.body.replaceChildren();
document.title = '';
for (const { name } of [...document.documentElement.attributes]) document.documentElement.removeAttribute(name);
