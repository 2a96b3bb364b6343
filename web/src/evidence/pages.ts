// The marks on pages, and the sizes of pages.
import type { PageRow } from '../api/shapes';

/** Target is a marked passage. */
export interface Target {
  kind: 'other' | 'active' | 'said';
  /** The number in the answer; 0 without one. */
  n: number;
  start: number;
  end: number;
  /** The page where it begins, from 0. */
  page: number;
}

const order = { other: 0, active: 1, said: 2 };

/** targetsOn returns the passages that can be on a page. A passage can continue on the next page. */
export const targetsOn = (page: number, targets: Target[]): Target[] =>
  targets.filter((t) => t.page === page || t.page === page - 1).sort((a, b) => order[a.kind] - order[b.kind]);

/** The size of a page before it is known: A4. */
const a4 = 210 / 297;

export const ratio = (info: PageRow | undefined): string =>
  String(info && info.width > 0 && info.height > 0 ? info.width / info.height : a4);

/** Images have widths in these steps, so the server draws few of them. */
const step = 200;
const widest = 2400;

/** widthFor returns the width of the image in pixels for a width on the screen. */
export const widthFor = (width: number, density = Math.min(devicePixelRatio || 1, 2)): number =>
  width <= 0 ? 0 : Math.min(widest, Math.ceil((width * density) / step) * step);

const zooms = [0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4];

/** zoomed returns the next larger or smaller zoom. */
export function zoomed(now: number, by: 1 | -1): number {
  return zooms[zooms.indexOf(now) + by] ?? now;
}
