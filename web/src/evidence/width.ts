// The width of the panel. It is stored, and App.svelte uses it as --panel.
const stored = 'docent.panel';

/** The minimum and maximum width, in percent of the window. */
export const least = 25;
export const most = 70;

const known = (n: number) => Number.isFinite(n) && n >= least && n <= most;

/** width returns the chosen width in percent of the window; 0 for the default. */
export function width(): number {
  try {
    const n = Number(localStorage.getItem(stored));
    return known(n) ? n : 0;
  } catch {
    return 0; // the browser can forbid storage
  }
}

/** widen sets the width of the panel; 0 is the default. */
export function widen(page: HTMLElement, percent: number): number {
  const n = percent === 0 ? 0 : Math.round(Math.min(most, Math.max(least, percent)) * 10) / 10;
  if (n) page.style.setProperty('--panel', `${n}vw`);
  else page.style.removeProperty('--panel');
  try {
    if (n) localStorage.setItem(stored, String(n));
    else localStorage.removeItem(stored);
  } catch {
    // The width lasts until the page is closed.
  }
  return n;
}
