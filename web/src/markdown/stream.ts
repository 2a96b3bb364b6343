// Splits streamed text into blocks. It parses only the end again.
import type { Token } from 'marked';
import { lex } from './render';
import { settled } from './signs';

/** The number of last blocks that further text can change. */
const open = 2;

export class Stream {
  private text = '';
  private done: Token[] = [];
  private at = 0; // the start of the unfinished part

  /** take returns the blocks of a text that usually continues the text before. */
  take(text: string): Token[] {
    if (!text.startsWith(this.text) || text.includes('\r')) [this.done, this.at] = [[], 0];
    this.text = text;
    const tokens = lex(settled(text.slice(this.at)));
    const blocks = tokens.flatMap((t, i) => (t.type === 'space' ? [] : [i]));
    const from = blocks.at(-open) ?? 0;
    const read = tokens.slice(0, from);
    const raw = read.map((t) => t.raw).join('');
    if (from > 0 && !text.includes('\r') && text.startsWith(raw, this.at)) {
      this.done = [...this.done, ...read.filter((t) => t.type !== 'space')];
      this.at += raw.length;
      return [...this.done, ...tokens.slice(from).filter((t) => t.type !== 'space')];
    }
    return [...this.done, ...tokens.filter((t) => t.type !== 'space')];
  }
}
