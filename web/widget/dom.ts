// Making elements, without ever reading markup.

type Child = Node | string | null | undefined | false;

/** make makes an element: properties are set, attributes with a dash or of ARIA too. */
export function make<K extends keyof HTMLElementTagNameMap>(name: K, attributes: Record<string, string | boolean | EventListener> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const el = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') el.addEventListener(key, value);
    else if (value === true) el.setAttribute(key, '');
    else if (value !== false) el.setAttribute(key, value);
  }
  el.append(...children.filter((c): c is Node | string => Boolean(c)));
  return el;
}

const paths = {
  chat: 'M4 5.5h16v11h-9l-4.5 3.5v-3.5H4z M8 9.5h8 M8 12.8h5',
  close: 'M6 6l12 12 M18 6L6 18',
  fresh: 'M12 5.5v13 M5.5 12h13',
  send: 'M12 19V5.5 M6 11l6-6 6 6',
  stop: 'M8 8h8v8H8z',
  like: 'M7.5 11v8.5H4V11z M7.5 11l4-7.5c1.2 0 2.2.9 2.2 2.1V9h4.6a1.8 1.8 0 0 1 1.8 2.1l-1 6.8a1.9 1.9 0 0 1-1.9 1.6H7.5',
  search: 'M10.5 4.5a6 6 0 1 1 0 12 6 6 0 0 1 0-12z M15 15l4.5 4.5',
} as const;

export type Sign = keyof typeof paths;

/** sign draws one of the widget's own pictures; what it means is said beside it. */
export function sign(name: Sign): SVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  for (const [key, value] of Object.entries({ viewBox: '0 0 24 24', 'aria-hidden': 'true', class: 'sign' })) svg.setAttribute(key, value);
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', paths[name]);
  svg.append(path);
  return svg;
}
