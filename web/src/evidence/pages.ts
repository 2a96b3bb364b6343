// What is marked on which page, and how large pages are drawn.
import type { PageRow } from '../api/shapes';

/** Target is a passage that is marked on a page. */
export interface Target {
  kind: 'other' | 'active' | 'said';
  /** Its number in the answer; 0 if it has none. */
  n: number;
  start: number;
  end: number;
  /** Where it begins; counts from 0. */
  page: number;
}

const order = { other: 0, active: 1, said: 2 };

/** targetsOn are those that may be on a page: a passage may go on on the next. */
export const targetsOn = (page: number, targets: Target[]): Target[] =>
  targets.filter((t) => t.page === page || t.page === page - 1).sort((a, b) => order[a.kind] - order[b.kind]);

/** A page before anything is known of it: A4. */
const a4 = 210 / 297;

export const ratio = (info: PageRow | undefined): string =>
  String(info && info.width > 0 && info.height > 0 ? info.width / info.height : a4);

/** Widths of pictures are steps of this, so that few are drawn. */
const step = 200;
const widest = 2400;

/** widthFor is how many pixels wide a page is drawn for a width on the screen. */
export const widthFor = (width: number, density = Math.min(devicePixelRatio || 1, 2)): number =>
  width <= 0 ? 0 : Math.min(widest, Math.ceil((width * density) / step) * step);

const zooms = [0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4];

/** zoomed is the next larger or smaller size. */
export function zoomed(now: number, by: 1 | -1): number {
  return zooms[zooms.indexOf(now) + by] ?? now;
}
