// The scroll position of the transcript while it grows: it follows the running
// answer or the end until the user scrolls up.
import { tick, untrack } from 'svelte';

/** A distance to the end that counts as being at the end, in px. */
const nearEnd = 72;
/** After a wheel, touch, or key event, the user is scrolling for this time, in ms. */
const inputPeriod = 1000;
/** Elements that can keep their place while the panel opens. */
const readable = '.prose > div, .question, .sources li';

interface Options {
  /** The start page is visible. It stays at its top. */
  starting: () => boolean;
  /** A turn is running. */
  running: () => boolean;
  /** Is called after each move. */
  onmove: () => void;
}

export class Following {
  scroller = $state.raw<HTMLElement>();
  column = $state.raw<HTMLElement>();
  list = $state.raw<HTMLElement>();
  /** There is text below the visible part. */
  below = $state(false);
  /** The part that stays visible: the question with its running answer, the end, or the user's place. */
  private target: 'answer' | 'end' | null = 'end';
  private lastTop = 0;
  private lastInput = -Infinity; // Infinity while the user drags the scroll bar
  private options: Options = { starting: () => false, running: () => false, onmove: () => undefined };

  setUp(options: Options): void {
    this.options = options;
  }

  followAnswer(): void {
    this.target = 'answer';
  }

  followEnd(): void {
    this.target = 'end';
  }

  /** show moves to an element, and stays there. */
  show(element: Element): void {
    this.target = null;
    element.scrollIntoView({ block: 'start', behavior: 'instant' });
    if (this.scroller) this.lastTop = this.scroller.scrollTop;
  }

  toEnd(): void {
    this.target = 'end';
    this.update();
  }

  /** toStart shows the top of the start page. */
  toStart(): void {
    if (this.scroller) this.scroller.scrollTop = this.lastTop = 0;
  }

  /**
   * update scrolls to the target. It never moves the running question out of sight,
   * so users read a long answer from its start.
   */
  update(): void {
    const { scroller } = this;
    if (!scroller) return;
    if (this.target && !untrack(this.options.starting)) {
      const top = Math.min(scroller.scrollHeight - scroller.clientHeight, Math.max(this.limit(scroller), 0));
      if (Math.abs(scroller.scrollTop - top) >= 1) scroller.scrollTop = top;
      this.lastTop = scroller.scrollTop;
    }
    this.measure();
    this.options.onmove();
  }

  /**
   * keepPlace keeps the text in the visible part in place when the next update of
   * the page breaks its lines elsewhere.
   */
  keepPlace(): void {
    const scroller = untrack(() => this.scroller);
    if (!scroller) return;
    const box = scroller.getBoundingClientRect();
    const element = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 3)?.closest(readable);
    if (!element || !scroller.contains(element)) return;
    const before = element.getBoundingClientRect().top;
    this.target = null;
    void tick().then(() => {
      if (element.isConnected) scroller.scrollTop += element.getBoundingClientRect().top - before;
      this.lastTop = scroller.scrollTop;
    });
  }

  /** watchSize updates the position when the window or the text changes its size. */
  watchSize(): (() => void) | undefined {
    const { scroller, column, list } = this;
    if (!scroller || !column || !list) return undefined;
    const resized = () => {
      scroller.style.setProperty('--view', `${scroller.clientHeight}px`);
      this.update();
    };
    resized();
    const observer = new ResizeObserver(resized);
    // The column is never smaller than its scroller, so its content is observed too.
    for (const element of [column, list, scroller]) observer.observe(element);
    return () => observer.disconnect();
  }

  // ---- Events

  // Only the user ends following. The position also moves when a turn is drawn
  // smaller than its placeholder. Without a running turn, other moves count too,
  // for example by the search of the browser.
  scrolled = (): void => {
    const { scroller } = this;
    if (!scroller) return;
    const top = scroller.scrollTop;
    const byUser = performance.now() - this.lastInput < inputPeriod;
    const distance = scroller.scrollHeight - scroller.clientHeight - top;
    if (top < this.lastTop - 2 && (byUser || (distance > 2 && !this.options.running()))) this.target = null;
    else if (top > this.lastTop + 2 && (byUser || !this.target) && distance <= nearEnd) this.target = 'end';
    this.lastTop = top;
    this.measure();
    this.options.onmove();
  };

  touched = (): void => {
    this.lastInput = performance.now();
  };

  // A pointer event of the scroller itself is on its scroll bar.
  pressed = (event: PointerEvent): void => {
    if (event.target === this.scroller || event.button === 1) this.lastInput = Infinity;
  };

  released = (): void => {
    if (this.lastInput === Infinity) this.touched();
  };

  // A smooth scroll would draw each turn on the way, and their sizes would move its end.
  keydown = (event: KeyboardEvent): void => {
    this.touched();
    if (!this.scroller || event.target !== this.scroller || event.altKey || event.shiftKey || event.metaKey) return;
    if (event.key === 'Home') {
      event.preventDefault();
      this.target = null;
      this.scroller.scrollTo({ top: 0, behavior: 'instant' });
    } else if (event.key === 'End') {
      event.preventDefault();
      this.toEnd();
    }
  };

  // Details that the user opens stay in place.
  clicked = (event: MouseEvent): void => {
    if ((event.target as Element).closest('summary, .more')) this.target = null;
  };

  private measure(): void {
    const { scroller } = this;
    if (scroller) this.below = scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop > nearEnd;
  }

  /** limit returns the largest scroll position that shows the target. */
  private limit(scroller: HTMLElement): number {
    const question = this.target === 'answer' ? [...(this.list?.querySelectorAll('.turn.asked') ?? [])].at(-1) : undefined;
    if (!question || !this.column) return scroller.scrollHeight - scroller.clientHeight;
    const offset = question.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
    return scroller.scrollTop + offset - parseFloat(getComputedStyle(this.column).paddingBlockStart);
  }
}
