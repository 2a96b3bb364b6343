// What was said before, walked through with the arrow keys as in a shell.
import { browser } from './kept';

const name = 'docent.said';

/** How many texts are kept, how long one may be, and all of them together, in UTF-16 units. */
const most = 100;
const longest = 4096;
const room = 64 * 1024;

const isTexts = (v: unknown): v is string[] => Array.isArray(v) && v.every((t) => typeof t === 'string');

/** remember keeps what was said, for this browser. */
export function remember(text: string): void {
  if (!text || text.length > longest) return;
  const kept = [text, ...(browser.read(name, isTexts) ?? []).filter((t) => t !== text)].slice(0, most);
  for (let sum = 0, i = 0; i < kept.length; i++) {
    sum += kept[i]!.length;
    if (sum > room) kept.length = i;
  }
  browser.write(name, kept);
}

/** Recall walks from what is being written to what was said before it. */
export class Recall {
  /** What was being written; undefined while nothing is recalled. */
  draft: string | undefined;
  private texts: string[] = [];
  private at = -1;

  /** older is the text before; undefined if there is none. said is what this conversation holds, newest last. */
  older(text: string, said: string[]): string | undefined {
    if (this.draft === undefined) {
      this.texts = [...new Set([...said.toReversed(), ...(browser.read(name, isTexts) ?? [])])].filter((t) => t !== text);
      this.at = -1;
    }
    const found = this.texts[this.at + 1];
    if (found === undefined) return undefined;
    this.draft ??= text;
    this.at++;
    return found;
  }

  /** newer is the text after, at last what was being written; undefined if nothing is recalled. */
  newer(): string | undefined {
    if (this.draft === undefined) return undefined;
    return --this.at >= 0 ? this.texts[this.at] : this.end();
  }

  /** end goes back to what was being written. */
  end(): string | undefined {
    const { draft } = this;
    this.draft = undefined;
    return draft;
  }

  /** is reports that a text is what was recalled, as it was said. */
  is(text: string): boolean {
    return this.draft !== undefined && this.texts[this.at] === text;
  }
}
