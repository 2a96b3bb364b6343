// Adds a title and a copy button to drawn code and tables. These are never part of the text
// of the agent.
import { words } from '../words/words.svelte';

/** dress adds them to drawn blocks. */
export function dress(drawn: DocumentFragment): DocumentFragment {
  const w = words.chat;
  for (const pre of drawn.querySelectorAll('pre')) {
    const head = framed(pre, 'code');
    const name = document.createElement('span');
    name.textContent = pre.dataset.language ?? '';
    head.append(name, button(w.copyCode));
    pre.before(head);
  }
  for (const table of drawn.querySelectorAll<HTMLElement>('.scroller')) {
    const foot = framed(table, 'tabled');
    foot.append(button(w.copyTable));
    table.after(foot);
  }
  return drawn;
}

function framed(el: HTMLElement, name: string): HTMLElement {
  const frame = document.createElement('div');
  frame.className = name;
  el.replaceWith(frame);
  frame.append(el);
  const bar = document.createElement('div');
  bar.className = 'bar';
  return bar;
}

function button(label: string): HTMLElement {
  const b = document.createElement('button');
  b.type = 'button';
  b.className = 'copy';
  b.textContent = words.chat.copy;
  b.setAttribute('aria-label', label);
  return b;
}

/** taken returns the content to copy: code as text, and tables for spreadsheets. */
export function taken(button: Element): string {
  const pre = button.closest('.code')?.querySelector('pre');
  if (pre) return (pre.textContent ?? '').replace(/\n$/, '');
  return [...(button.closest('.tabled')?.querySelectorAll('tr') ?? [])]
    .map((row) => [...row.querySelectorAll('th, td')].map(cell).join('\t'))
    .join('\n');
}

function cell(el: Element): string {
  const bare = el.cloneNode(true) as Element;
  for (const sign of bare.querySelectorAll('.cite, .doubt')) sign.remove();
  for (const math of bare.querySelectorAll<HTMLElement>('.math')) math.textContent = math.dataset.source ?? '';
  return (bare.textContent ?? '').replace(/\s+/g, ' ').replace(/\u2060/g, '').trim();
}
