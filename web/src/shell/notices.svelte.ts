// What is said at the foot of the page: what went wrong, what can still be
// undone; and questions that need a yes before something is destroyed.
import { sentence } from '../api/http';

export interface Notice {
  id: number;
  text: string;
  /** Takes back what is said to be done; without, the notice is of something that went wrong. */
  undo?: () => void;
}

export interface Question {
  title: string;
  text: string;
  yes: string;
  answer(yes: boolean): void;
}

export interface Undoable {
  /** Does it, once there was time to undo it; at once if the page is left, when only requests that outlive it are heard. */
  do(): void;
  /** Shows again what was hidden. */
  undone(): void;
}

/** How long something can be undone, in ms. */
const patience = 6000;

/** Pending is something that is done when its time has passed. */
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

  /** say shows a sentence for a while; the same one is not shown twice. */
  say(text: string): void {
    if (this.list.some((n) => n.text === text)) return;
    const id = ++this.last;
    this.list.push({ id, text });
    setTimeout(() => this.dismiss(id), 8000);
  }

  /** failed says what an operation could not do, and why. */
  failed(what: string, err: unknown): void {
    this.say(`${what} ${sentence(err)}`);
  }

  /** undo says that something was done, and does it unless it is undone in time. */
  undo(text: string, it: Undoable): void {
    const p: Pending = { ...it, id: ++this.last, left: patience, since: 0, timer: undefined };
    this.pending.push(p);
    this.list.push({ id: p.id, text, undo: () => this.finish(p, false) });
    if (!this.held) this.run(p);
  }

  /** undoLast undoes what was done last; false if nothing can be undone. */
  undoLast(): boolean {
    const p = this.pending.at(-1);
    if (p) this.finish(p, false);
    return p !== undefined;
  }

  /** hold stops the time while somebody is at the notices. */
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

  /** flush does everything that waits. */
  flush(): void {
    for (const p of [...this.pending]) this.finish(p, true);
  }

  /** dismiss takes a notice away; what it could undo is done. */
  dismiss(id: number): void {
    const p = this.pending.find((x) => x.id === id);
    if (p) this.finish(p, true);
    else this.list = this.list.filter((n) => n.id !== id);
  }

  private run(p: Pending): void {
    p.since = performance.now();
    // A moment at least, as it had one when somebody was at it.
    p.timer = setTimeout(() => this.finish(p, true), Math.max(1000, p.left));
  }

  private finish(p: Pending, done: boolean): void {
    clearTimeout(p.timer);
    if (!this.pending.includes(p)) return;
    this.pending = this.pending.filter((x) => x !== p);
    this.list = this.list.filter((n) => n.id !== p.id);
    if (this.pending.length === 0) this.held = false; // what the pointer was over is gone
    if (done) p.do();
    else p.undone();
  }

  /** ask resolves to whether the person said yes. */
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
