// Which turns of a conversation are drawn: those about the part in sight, and
// whatever was before. The others keep a place of a usual size, so that two
// thousand messages open as fast as two, and the scroll bar tells the truth.
import { flushSync, untrack } from 'svelte';

/** How far from the part in sight turns are drawn, in its heights. */
const margin = 1.5;
/** Turns at the end that are drawn as they come: a question, and what was said before it. */
const newest = 2;
/** For how long turns are drawn at a time, in ms. */
const budget = 12;

// Each its own, so that one that is drawn is no news to the others.
class Place {
  drawn = $state(false);
}

export class Drawing {
  /** There is something to draw turns with. */
  ready = false;
  private readonly places = new Map<string, Place>();
  private keys: string[] = [];
  private list: HTMLElement | undefined;
  private scroller: HTMLElement | undefined;
  private picture = 0;

  has(key: string): boolean {
    return this.places.get(key)?.drawn ?? false;
  }

  /** set tells what there is. What is at the end is drawn with it. */
  set(keys: string[]): void {
    this.keys = keys;
    // Made here, and not where they are read: that would not be told of them.
    for (const key of keys) if (!this.places.has(key)) this.places.set(key, new Place());
    if (keys.length === 0) this.places.clear();
    for (const key of keys.slice(-newest)) this.places.get(key)!.drawn = true;
  }

  /** on tells where that is; undefined if it is gone. */
  on(list?: HTMLElement, scroller?: HTMLElement): void {
    this.list = list;
    this.scroller = scroller;
    if (!list) this.cancel();
  }

  /** ask has what is missing about the part in sight drawn with the next picture. */
  ask(): void {
    this.picture ||= requestAnimationFrame(() => {
      this.picture = 0;
      this.sweep();
    });
  }

  /** sweep draws what is missing; what is read meanwhile stays where it is. */
  sweep(): void {
    const { list, scroller } = this;
    if (!this.ready || !list || !scroller) return;
    const began = performance.now();
    for (;;) {
      const missing = this.missing(list, scroller);
      if (!missing) return;
      if (performance.now() - began > budget) return this.ask();
      const read = this.read(list, scroller);
      const before = read?.getBoundingClientRect().top ?? 0;
      this.places.get(missing)!.drawn = true;
      flushSync();
      const moved = (read?.getBoundingClientRect().top ?? 0) - before;
      // At the beginning it is the beginning that is read.
      if (scroller.scrollTop > 0 && Math.abs(moved) >= 1) scroller.scrollTop += moved;
    }
  }

  private cancel(): void {
    cancelAnimationFrame(this.picture);
    this.picture = 0;
  }

  // The turn nearest to the part in sight that is not drawn, from its end up.
  private missing(list: HTMLElement, scroller: HTMLElement): string | undefined {
    const view = scroller.getBoundingClientRect();
    const first = this.below(list, view.top);
    const most = view.height * margin;
    for (let i = first; i < list.children.length && list.children[i]!.getBoundingClientRect().top < view.bottom + most; i++) {
      if (this.lacks(i)) return this.keys[i];
    }
    for (let i = first - 1; i >= 0 && list.children[i]!.getBoundingClientRect().bottom > view.top - most; i--) {
      if (this.lacks(i)) return this.keys[i];
    }
    return undefined;
  }

  private lacks(i: number): boolean {
    const key = this.keys[i];
    return key !== undefined && !untrack(() => this.has(key));
  }

  /** below is the index of the first turn of which something is below y. */
  private below(list: HTMLElement, y: number): number {
    let [from, to] = [0, list.children.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (list.children[middle]!.getBoundingClientRect().bottom > y) to = middle;
      else from = middle + 1;
    }
    return from;
  }

  // What stays where it is: the first turn in sight that is drawn, else none,
  // as a place that is filled has nothing in it to be read.
  private read(list: HTMLElement, scroller: HTMLElement): Element | undefined {
    const view = scroller.getBoundingClientRect();
    for (let i = this.below(list, view.top); i < list.children.length; i++) {
      const el = list.children[i]!;
      if (el.getBoundingClientRect().top > view.bottom) return undefined;
      if (!this.lacks(i)) return el;
    }
    return undefined;
  }
}
