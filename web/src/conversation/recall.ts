// Earlier messages, which the arrow keys recall as in a shell.
import { browser } from './kept';

const name = 'docent.said';

/** The maximum number of kept texts, the length of one, and their total length, in UTF-16 units. */
const maxTexts = 100;
const maxLength = 4096;
const maxTotal = 64 * 1024;

const isTexts = (v: unknown): v is string[] => Array.isArray(v) && v.every((t) => typeof t === 'string');

/** remember stores a message in this browser. */
export function remember(text: string): void {
  if (!text || text.length > maxLength) return;
  const kept = [text, ...(browser.read(name, isTexts) ?? []).filter((t) => t !== text)].slice(0, maxTexts);
  for (let sum = 0, i = 0; i < kept.length; i++) {
    sum += kept[i]!.length;
    if (sum > maxTotal) kept.length = i;
  }
  browser.write(name, kept);
}

/** Recall steps from the present draft back through earlier messages. */
export class Recall {
  /** The draft before the recall; undefined without a recall. */
  draft: string | undefined;
  private texts: string[] = [];
  private index = -1;

  /** older returns the previous message, or undefined. sent has the messages of this conversation, oldest first. */
  older(text: string, sent: string[]): string | undefined {
    if (this.draft === undefined) {
      this.texts = [...new Set([...sent.toReversed(), ...(browser.read(name, isTexts) ?? [])])].filter((t) => t !== text);
      this.index = -1;
    }
    const found = this.texts[this.index + 1];
    if (found === undefined) return undefined;
    this.draft ??= text;
    this.index++;
    return found;
  }

  /** newer returns the next message, and the draft at the end; undefined without a recall. */
  newer(): string | undefined {
    if (this.draft === undefined) return undefined;
    return --this.index >= 0 ? this.texts[this.index] : this.end();
  }

  /** end ends the recall and returns the draft. */
  end(): string | undefined {
    const { draft } = this;
    this.draft = undefined;
    return draft;
  }

  /** is reports whether a text is an unchanged recalled message. */
  is(text: string): boolean {
    return this.draft !== undefined && this.texts[this.index] === text;
  }
}
