// What went wrong, said once at the foot of the page, and questions that need
// a yes before something is destroyed.
import { sentence } from '../api/http';

export interface Notice {
  id: number;
  text: string;
}

export interface Question {
  title: string;
  text: string;
  yes: string;
  answer(yes: boolean): void;
}

class Notices {
  list = $state<Notice[]>([]);
  question = $state<Question | null>(null);
  private last = 0;

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

  dismiss(id: number): void {
    this.list = this.list.filter((n) => n.id !== id);
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
