/** Most that is waited for the page to have nothing else to do, in ms. */
const patience = 1500;

/** whenIdle does something once the page has nothing else to do. */
export function whenIdle(f: () => void): { cancel(): void } {
  if (typeof requestIdleCallback !== 'function') {
    const wait = setTimeout(f, 200);
    return { cancel: () => clearTimeout(wait) };
  }
  const wait = requestIdleCallback(f, { timeout: patience });
  return { cancel: () => cancelIdleCallback(wait) };
}
