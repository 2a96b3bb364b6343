// Code gets its colours when the browser has nothing else to do, or at once if
// it had them a moment ago, as when an answer is complete and drawn for good.
import DOMPurify from 'dompurify';

/** More than this stays without colours: it would take too long. */
const most = 20_000;
/** How many blocks' colours are kept. */
const keep = 100;

const known = new Map<string, string>();
let waiting: HTMLElement[] = [];
let asked = false;

const idle = (f: () => void) => ('requestIdleCallback' in globalThis ? requestIdleCallback(f, { timeout: 2000 }) : setTimeout(f, 50));

/** highlight colours the code of a pre, if its language is known. */
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
      // One at a time, what came last first: that is what is looked at.
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
    }, () => (asked = false)); // then it stays as it is
  });
}

function fill(pre: HTMLElement, html: string, text: string): void {
  const code = pre.querySelector('code');
  if (!code || !html) return;
  const drawn = DOMPurify.sanitize(html, { ALLOWED_TAGS: ['span'], ALLOWED_ATTR: ['class'], RETURN_DOM_FRAGMENT: true });
  if (drawn.textContent !== text) return; // colours never change what is said
  code.replaceChildren(drawn);
  pre.dataset.coloured = 'yes';
}
