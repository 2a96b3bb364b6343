/** The maximum time to wait until the browser is idle, in ms. */
const maxWait = 1500;

/** whenIdle calls a function when the browser is idle. */
export function whenIdle(f: () => void): { cancel(): void } {
  if (typeof requestIdleCallback !== 'function') {
    const wait = setTimeout(f, 200);
    return { cancel: () => clearTimeout(wait) };
  }
  const wait = requestIdleCallback(f, { timeout: maxWait });
  return { cancel: () => cancelIdleCallback(wait) };
}
