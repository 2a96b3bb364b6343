// How wide the panel is beside the conversation: remembered, and a measure of
// the page (--panel), which App.svelte lays out.
const stored = 'docent.panel';

/** Narrowest and widest, in percent of the window. */
export const least = 25;
export const most = 70;

const known = (n: number) => Number.isFinite(n) && n >= least && n <= most;

/** width is the panel's, in percent of the window; 0 if none was chosen. */
export function width(): number {
  try {
    const n = Number(localStorage.getItem(stored));
    return known(n) ? n : 0;
  } catch {
    return 0; // storage may be forbidden
  }
}

/** widen makes the panel of a page so wide; 0 is its own width again. */
export function widen(page: HTMLElement, percent: number): number {
  const n = percent === 0 ? 0 : Math.round(Math.min(most, Math.max(least, percent)) * 10) / 10;
  if (n) page.style.setProperty('--panel', `${n}vw`);
  else page.style.removeProperty('--panel');
  try {
    if (n) localStorage.setItem(stored, String(n));
    else localStorage.removeItem(stored);
  } catch {
    // It then lasts as long as the page.
  }
  return n;
}
