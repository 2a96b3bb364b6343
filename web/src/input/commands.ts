// What a text that begins with a slash does. The table is what the list, the
// help and the documentation show.
import type { en } from '../words/en';

export type CommandName = keyof (typeof en)['input']['command'];

export interface Command {
  name: CommandName;
  /** What comes after it; in brackets if it may be left out. Capitals stand for what a person writes. */
  usage: string;
  /** Only the built-in assistant can do it. */
  builtIn?: boolean;
}

export const commands: readonly Command[] = [
  { name: 'new', usage: '' },
  { name: 'reset', usage: '' },
  { name: 'stop', usage: '' },
  { name: 'retry', usage: '' },
  { name: 'edit', usage: '' },
  { name: 'copy', usage: '' },
  { name: 'export', usage: '[markdown|json]' },
  { name: 'search', usage: 'TEXT' },
  { name: 'documents', usage: '' },
  { name: 'settings', usage: '' },
  { name: 'collection', usage: '[NAME]', builtIn: true },
  { name: 'model', usage: '[NAME]', builtIn: true },
  { name: 'k', usage: 'N', builtIn: true },
  { name: 'theme', usage: '[system|light|dark]' },
  { name: 'language', usage: 'en|de' },
  { name: 'help', usage: '' },
];

/** Read is what a text is: something to say, a command, or one that there is not. */
export type Read =
  | { kind: 'text'; text: string }
  | { kind: 'command'; command: Command; argument: string }
  | { kind: 'unknown'; name: string };

/** read reads a text as it is sent. A second slash says that the first is meant. */
export function read(text: string, known: readonly Command[] = commands): Read {
  if (text.startsWith('//')) return { kind: 'text', text: text.slice(1) };
  // A path is no command.
  const [, name, argument = ''] = /^\/([a-z]+)(?:\s+([^]*))?$/i.exec(text) ?? [];
  if (name === undefined) return { kind: 'text', text };
  const command = known.find((c) => c.name === name.toLowerCase());
  return command ? { kind: 'command', command, argument: argument.trim() } : { kind: 'unknown', name };
}

/** matching are the commands that a text may become; none once more than a name is written. */
export function matching(text: string, known: readonly Command[] = commands): readonly Command[] {
  const name = /^\/([a-z]*)$/i.exec(text)?.[1]?.toLowerCase();
  return name === undefined ? [] : known.filter((c) => c.name.startsWith(name));
}

/** required reports that a command needs what comes after it. */
export const required = (c: Command): boolean => c.usage !== '' && !c.usage.startsWith('[');
