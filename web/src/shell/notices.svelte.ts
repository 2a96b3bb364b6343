// Notices at the bottom of the page: errors, actions that the user can undo, and questions
// before something is deleted.
import { sentence } from '../api/http';

export interface Notice {
  id: number;
  text: string;
  /** Undoes the action. Without it, the notice is an error. */
  undo?: () => void;
}

export interface Question {
  title: string;
  text: string;
  yes: string;
  answer(yes: boolean): void;
}

export interface Undoable {
  /**
   * Performs the action after the time to undo it. When the user leaves the page, it runs
   * at once, and only requests with keepalive succeed.
   */
  do(): void;
  /** Shows the hidden items again. */
  undone(): void;
}

/** The time to undo an action, in ms. */
const undoPeriod = 6000;

/** Pending is an action that waits for the end of its time. */
interface Pending extends Undoable {
  id: number;
  left: number;
  since: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

class Notices {
  list = $state<Notice[]>([]);
  question = $state<Question | null>(null);
  private last = 0;
  private pending: Pending[] = [];
  private held = false;

  constructor() {
    addEventListener('pagehide', () => this.flush());
  }

  /** say shows a sentence for some time. It does not show the same sentence twice. */
  say(text: string): void {
    if (this.list.some((n) => n.text === text)) return;
    const id = ++this.last;
    this.list.push({ id, text });
    setTimeout(() => this.dismiss(id), 8000);
  }

  /** failed shows a failed operation and the reason. */
  failed(what: string, err: unknown): void {
    this.say(`${what} ${sentence(err)}`);
  }

  /** undo shows an action and performs it unless the user undoes it in time. */
  undo(text: string, it: Undoable): void {
    const p: Pending = { ...it, id: ++this.last, left: undoPeriod, since: 0, timer: undefined };
    this.pending.push(p);
    this.list.push({ id: p.id, text, undo: () => this.finish(p, false) });
    if (!this.held) this.run(p);
  }

  /** undoLast undoes the latest action. It returns false without one. */
  undoLast(): boolean {
    const p = this.pending.at(-1);
    if (p) this.finish(p, false);
    return p !== undefined;
  }

  /** hold stops the time while the pointer or the focus is on the notices. */
  hold(held: boolean): void {
    if (held === this.held) return;
    this.held = held;
    for (const p of this.pending) {
      if (!held) this.run(p);
      else {
        clearTimeout(p.timer);
        p.left -= performance.now() - p.since;
      }
    }
  }

  /** flush performs all waiting actions. */
  flush(): void {
    for (const p of [...this.pending]) this.finish(p, true);
  }

  /** dismiss closes a notice and performs its action. */
  dismiss(id: number): void {
    const p = this.pending.find((x) => x.id === id);
    if (p) this.finish(p, true);
    else this.list = this.list.filter((n) => n.id !== id);
  }

  private run(p: Pending): void {
    p.since = performance.now();
    // At least a second remains, because the user has just seen the notice.
    p.timer = setTimeout(() => this.finish(p, true), Math.max(1000, p.left));
  }

  private finish(p: Pending, done: boolean): void {
    clearTimeout(p.timer);
    if (!this.pending.includes(p)) return;
    this.pending = this.pending.filter((x) => x !== p);
    this.list = this.list.filter((n) => n.id !== p.id);
    if (this.pending.length === 0) this.held = false; // the notice under the pointer is gone
    if (done) p.do();
    else p.undone();
  }

  /** ask asks the user to confirm, and resolves to the answer. */
  ask(title: string, text: string, yes: string): Promise<boolean> {
    this.question?.answer(false);
    return new Promise((resolve) => {
      this.question = {
        title,
        text,
        yes,
        answer: (ok) => {
          this.question = null;
          resolve(ok);
        },
      };
    });
  }
}

export const notices = new Notices();
