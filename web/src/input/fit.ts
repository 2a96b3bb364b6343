// The size of the box and the room around it.

/** watchForm reports whether the form is narrow, and tells the page its height. It returns a function that ends this. */
export function watchForm(form: HTMLElement, onnarrow: (narrow: boolean) => void): () => void {
  const root = document.documentElement;
  const watcher = new ResizeObserver(() => {
    onnarrow(form.offsetWidth < 22.5 * parseFloat(getComputedStyle(root).fontSize));
    root.style.setProperty('--above', `${form.offsetHeight}px`);
  });
  watcher.observe(form);
  return () => {
    watcher.disconnect();
    root.style.removeProperty('--above');
  };
}

/** measureRoom stores the room above the form for panels that open there. */
export function measureRoom(form: HTMLElement): void {
  form.style.setProperty('--room', `${Math.max(96, form.getBoundingClientRect().top - 16)}px`);
}

// Newer browsers fit a text area to its text without a layout for each key.
const browserFits = CSS.supports('field-sizing', 'content');

/** fitToText makes a text area as high as its text. The style sets a limit. */
export function fitToText(field: HTMLTextAreaElement): void {
  if (browserFits) return;
  field.style.blockSize = 'auto';
  field.style.blockSize = `${field.scrollHeight}px`;
}
