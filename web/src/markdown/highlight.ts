// Colors code when the browser is idle. It colors code at once that had colors before, for
// example when a complete answer is drawn again.
import DOMPurify from 'dompurify';

/** The longest code to color, in characters. */
const most = 20_000;
/** The number of blocks whose colors are cached. */
const keep = 100;

const known = new Map<string, string>();
let waiting: HTMLElement[] = [];
let asked = false;

const idle = (f: () => void) => ('requestIdleCallback' in globalThis ? requestIdleCallback(f, { timeout: 2000 }) : setTimeout(f, 50));

/** highlight colors the code in a pre element if its language is known. */
export function highlight(pre: HTMLElement): void {
  const text = pre.textContent ?? '';
  const { language } = pre.dataset;
  if (!language || text.length > most || pre.dataset.coloured) return;
  const html = known.get(`${language}\n${text}`);
  if (html !== undefined) return fill(pre, html, text);
  waiting.push(pre);
  next();
}

function next(): void {
  if (asked || waiting.length === 0) return;
  asked = true;
  idle(() => {
    void import('./languages').then(({ coloured }) => {
      asked = false;
      // Color one block at a time, latest first, because the user sees the latest.
      const pre = waiting.pop();
      waiting = waiting.filter((other) => other.isConnected);
      if (pre?.isConnected && !pre.dataset.coloured) {
        const text = pre.textContent ?? '';
        const { language = '' } = pre.dataset;
        const html = coloured(text, language.toLowerCase()) ?? '';
        known.set(`${language}\n${text}`, html);
        if (known.size > keep) known.delete(known.keys().next().value!);
        fill(pre, html, text);
      }
      next();
    }, () => (asked = false)); // it stays uncolored
  });
}

function fill(pre: HTMLElement, html: string, text: string): void {
  const code = pre.querySelector('code');
  if (!code || !html) return;
  const drawn = DOMPurify.sanitize(html, { ALLOWED_TAGS: ['span'], ALLOWED_ATTR: ['class'], RETURN_DOM_FRAGMENT: true });
  if (drawn.textContent !== text) return; // colors must not change the text
  code.replaceChildren(drawn);
  pre.dataset.coloured = 'yes';
}
