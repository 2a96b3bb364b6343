// The parts of a browser that jsdom does not have, as far as the page needs them.

class Watcher {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

/** The elements whose display is not inline, by the display. */
const displays = {
  none: 'area base datalist head link meta noscript param script source style template title track',
  block: 'address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend main menu nav ol optgroup option p pre search section summary ul',
  'inline-block': 'button input',
  'list-item': 'li',
  table: 'table',
  'table-row': 'tr',
  'table-cell': 'td th',
};
const displayOf = new Map(Object.entries(displays).flatMap(([display, names]) => names.split(' ').map((name) => [name, display])));

function display(el: Element): string {
  const closed = el.localName === 'dialog' && !el.hasAttribute('open');
  if (closed || el.hasAttribute('hidden') || (el.hasAttribute('popover') && (el as HTMLElement).dataset.open === undefined)) return 'none';
  return displayOf.get(el.localName) ?? 'inline';
}

/**
 * computed is getComputedStyle without style sheets, which the page does not load here. That of
 * jsdom compares each element with each rule of a browser, which took most of the time of the tests.
 */
function computed(el: Element): CSSStyleDeclaration {
  const value = (name: string): string => {
    for (let e: Element | null = el; e; e = name === 'visibility' || name === 'direction' ? e.parentElement : null) {
      const own = (e as HTMLElement).style?.getPropertyValue(name);
      if (own) return own;
    }
    return { display: display(el), visibility: 'visible' }[name] ?? '';
  };
  return new Proxy({} as CSSStyleDeclaration, {
    get: (_, name) => (name === 'getPropertyValue' ? value : typeof name === 'string' ? value(name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)) : undefined),
  });
}

/** fillIn adds the missing parts to the window. */
export function fillIn(): void {
  const w = globalThis as unknown as Record<string, unknown>;
  w.matchMedia = () => ({ matches: false, addEventListener: () => undefined, removeEventListener: () => undefined });
  w.ResizeObserver = Watcher;
  w.IntersectionObserver = Watcher;
  w.CSS = { supports: () => true, escape: (s: string) => s.replace(/[^\w-]/g, '\\$&') };
  w.getComputedStyle = computed;
  Blob.prototype.arrayBuffer ??= function (this: Blob) {
    return new Promise((done) => {
      const reader = new FileReader();
      reader.onload = () => done(reader.result as ArrayBuffer);
      reader.readAsArrayBuffer(this);
    });
  };
  document.elementFromPoint = () => null;
  Element.prototype.scrollIntoView = () => undefined;
  Element.prototype.scrollTo = (() => undefined) as typeof Element.prototype.scrollTo;
  const openers = new WeakMap<HTMLDialogElement, Element | null>();
  HTMLDialogElement.prototype.showModal = function () {
    openers.set(this, document.activeElement);
    this.setAttribute('open', '');
    (this.querySelector<HTMLElement>('[autofocus]') ?? this.querySelector<HTMLElement>('input, button, select'))?.focus();
  };
  HTMLDialogElement.prototype.close = function () {
    if (!this.open) return;
    this.removeAttribute('open');
    (openers.get(this) as HTMLElement | null | undefined)?.focus();
    queueMicrotask(() => this.dispatchEvent(new Event('close'))); // later than the call, but before a test sees the closed dialog
  };
  document.onkeydown = (e) => {
    if (e.key !== 'Escape' || e.defaultPrevented) return;
    const dialog = [...document.querySelectorAll('dialog')].findLast((d) => d.open);
    if (dialog?.dispatchEvent(new Event('cancel', { cancelable: true }))) dialog.close();
  };
  HTMLElement.prototype.showPopover = function () {
    this.dataset.open = '';
    this.dispatchEvent(Object.assign(new Event('toggle'), { newState: 'open' }));
  };
  HTMLElement.prototype.hidePopover = function () {
    delete this.dataset.open;
    this.dispatchEvent(Object.assign(new Event('toggle'), { newState: 'closed' }));
  };
}
