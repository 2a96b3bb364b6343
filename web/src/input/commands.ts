// The commands that begin with a slash. The list, the help, and the reader of
// messages use this table; doing.ts performs the commands.
import type { en } from '../words/en';
import { languages } from '../words/languages';

export type CommandName = keyof (typeof en)['input']['command'];

export interface Command {
  name: CommandName;
  /** The arguments. Optional ones are in brackets, and the user replaces words in capitals. */
  usage: string;
  /** Only the built-in assistant supports it. */
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
  { name: 'language', usage: languages.join('|') },
  { name: 'help', usage: '' },
];

/** Read is the meaning of a text: a message, a command, or an unknown command. */
export type Read =
  | { kind: 'text'; text: string }
  | { kind: 'command'; command: Command; argument: string }
  | { kind: 'unknown'; name: string };

/** read reads a text before it is sent. Two slashes at the beginning escape the first. */
export function read(text: string, known: readonly Command[] = commands): Read {
  if (text.startsWith('//')) return { kind: 'text', text: text.slice(1) };
  // A path is not a command.
  const [, name, argument = ''] = /^\/([a-z]+)(?:\s+([^]*))?$/i.exec(text) ?? [];
  if (name === undefined) return { kind: 'text', text };
  const command = known.find((c) => c.name === name.toLowerCase());
  return command ? { kind: 'command', command, argument: argument.trim() } : { kind: 'unknown', name };
}

/** matching returns the commands that begin with a text; none after the name is complete. */
export function matching(text: string, known: readonly Command[] = commands): readonly Command[] {
  const name = /^\/([a-z]*)$/i.exec(text)?.[1]?.toLowerCase();
  return name === undefined ? [] : known.filter((c) => c.name.startsWith(name));
}

/** required reports whether a command needs an argument. */
export const required = (c: Command): boolean => c.usage !== '' && !c.usage.startsWith('[');
