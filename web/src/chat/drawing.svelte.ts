// Selects the turns to draw: those near the visible part, and all that were drawn before.
// Other turns have a placeholder, so a conversation with 2,000 messages opens as fast as a
// short one and the scroll bar is accurate.
import { flushSync, untrack } from 'svelte';

/** The distance from the visible part in which turns are drawn, in heights of the visible part. */
const margin = 1.5;
/** The number of turns at the end that are always drawn. */
const newest = 2;
/** The maximum time for drawing at once, in ms. */
const budget = 12;

// Each turn has its own state, so drawing one does not update the others.
class Place {
  drawn = $state(false);
}

export class Drawing {
  /** The view of turns is loaded. */
  ready = false;
  private readonly places = new Map<string, Place>();
  private keys: string[] = [];
  private list: HTMLElement | undefined;
  private scroller: HTMLElement | undefined;
  private nextFrame = 0;

  has(key: string): boolean {
    return this.places.get(key)?.drawn ?? false;
  }

  /** set sets the keys of all turns. It draws those at the end. */
  set(keys: string[]): void {
    this.keys = keys;
    // Create the state here. Svelte does not track state that is created while it is
    // read.
    for (const key of keys) if (!this.places.has(key)) this.places.set(key, new Place());
    if (keys.length === 0) this.places.clear();
    for (const key of keys.slice(-newest)) this.places.get(key)!.drawn = true;
  }

  /** on sets the elements; undefined after they are removed. */
  on(list?: HTMLElement, scroller?: HTMLElement): void {
    this.list = list;
    this.scroller = scroller;
    if (!list) this.cancel();
  }

  /** ask draws missing turns with the next frame. */
  ask(): void {
    this.nextFrame ||= requestAnimationFrame(() => {
      this.nextFrame = 0;
      this.sweep();
    });
  }

  /** sweep draws missing turns. The text that the user reads stays in place. */
  sweep(): void {
    const { list, scroller } = this;
    if (!this.ready || !list || !scroller) return;
    const began = performance.now();
    for (;;) {
      const missing = this.missing(list, scroller);
      if (!missing) return;
      if (performance.now() - began > budget) return this.ask();
      const anchor = this.anchorIn(list, scroller);
      const before = anchor?.getBoundingClientRect().top ?? 0;
      this.places.get(missing)!.drawn = true;
      flushSync();
      const moved = (anchor?.getBoundingClientRect().top ?? 0) - before;
      // At the top, the top stays visible.
      if (scroller.scrollTop > 0 && Math.abs(moved) >= 1) scroller.scrollTop += moved;
    }
  }

  /** all draws every turn, for printing. */
  all(): void {
    for (const place of this.places.values()) place.drawn = true;
    flushSync();
  }

  private cancel(): void {
    cancelAnimationFrame(this.nextFrame);
    this.nextFrame = 0;
  }

  // missing returns the turn nearest to the visible part that is not drawn.
  private missing(list: HTMLElement, scroller: HTMLElement): string | undefined {
    const view = scroller.getBoundingClientRect();
    const first = this.below(list, view.top);
    const distance = view.height * margin;
    for (let i = first; i < list.children.length && list.children[i]!.getBoundingClientRect().top < view.bottom + distance; i++) {
      if (this.lacks(i)) return this.keys[i];
    }
    for (let i = first - 1; i >= 0 && list.children[i]!.getBoundingClientRect().bottom > view.top - distance; i--) {
      if (this.lacks(i)) return this.keys[i];
    }
    return undefined;
  }

  private lacks(i: number): boolean {
    const key = this.keys[i];
    return key !== undefined && !untrack(() => this.has(key));
  }

  /** below returns the index of the first turn that ends below y. */
  private below(list: HTMLElement, y: number): number {
    let [from, to] = [0, list.children.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (list.children[middle]!.getBoundingClientRect().bottom > y) to = middle;
      else from = middle + 1;
    }
    return from;
  }

  // read returns the first drawn turn in the visible part, which stays in place.
  // Placeholders have no text to read.
  private anchorIn(list: HTMLElement, scroller: HTMLElement): Element | undefined {
    const view = scroller.getBoundingClientRect();
    for (let i = this.below(list, view.top); i < list.children.length; i++) {
      const el = list.children[i]!;
      if (el.getBoundingClientRect().top > view.bottom) return undefined;
      if (!this.lacks(i)) return el;
    }
    return undefined;
  }
}
