// The part of a message that a search has found.
import { plain } from '../markdown/plain';

export interface Part {
  text: string;
  /** The part is the searched text. */
  on: boolean;
}

/** The number of characters before the searched text, so that it is in the first lines. */
const before = 32;

/** snippet returns a found text without the signs of Markdown and marks the searched text. */
export function snippet(found: string, searched: string): Part[] {
  const text = plain(found.replace(/ ?\[\d{1,3}\](?!\()/g, ''));
  const what = searched.trim().toLowerCase();
  const at = what ? text.toLowerCase().indexOf(what) : -1;
  if (at < 0) return [{ text, on: false }];
  const to = at + what.length;
  const from = at > before ? text.indexOf(' ', at - before) + 1 : 0;
  const lead = from > 0 && from <= at ? `… ${text.slice(from, at)}` : text.slice(0, at);
  return [{ text: lead, on: false }, { text: text.slice(at, to), on: true }, { text: text.slice(to), on: false }].filter((p) => p.text !== '');
}
