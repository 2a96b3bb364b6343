// The parts of a browser that jsdom does not have, as far as the page needs them.

class Watcher {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

/** fillIn adds the missing parts to the window. */
export function fillIn(): void {
  const w = globalThis as unknown as Record<string, unknown>;
  w.matchMedia = () => ({ matches: false, addEventListener: () => undefined, removeEventListener: () => undefined });
  w.ResizeObserver = Watcher;
  w.IntersectionObserver = Watcher;
  w.CSS = { supports: () => true, escape: (s: string) => s.replace(/[^\w-]/g, '\\$&') };
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
