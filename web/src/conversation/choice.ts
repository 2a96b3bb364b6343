// The answer options of a question: collections, model, and number of passages. Options
// that are not set have the default of the server.
import type { Question } from 'docent-client';
import type { Info } from '../api/shapes';
import { browser, PerConversation } from './kept';

/** AskOptions are the answer options that differ from the defaults. */
export interface AskOptions {
  collections?: string[];
  model?: string;
  k?: number;
}

/** The maximum number of passages for an answer. */
export const mostPassages = 50;

const isOptions = (v: unknown): v is AskOptions => typeof v === 'object' && v !== null && !Array.isArray(v);

/** choices keeps the answer options of each conversation. */
export const choices = new PerConversation(browser, 'docent.choice', isOptions);

/** sensible returns the options that the server supports and that differ from its defaults. */
export function sensible(options: AskOptions, info: Info | null): AskOptions {
  if (!info?.built_in) return {};
  const names = info.collections.map((c) => c.name);
  const collections = Array.isArray(options.collections) ? names.filter((n) => options.collections!.includes(n)) : [];
  const { model, k } = options;
  return {
    ...(collections.length > 0 && collections.length < names.length && { collections }),
    ...(model && model !== info.model.name && info.models.includes(model) && { model }),
    ...(Number.isSafeInteger(k) && k! >= 1 && k! <= mostPassages && k !== info.limits.k && { k: k! }),
  };
}

/** usual reports whether all options have their defaults. */
export const usual = (options: AskOptions): boolean => Object.keys(options).length === 0;

/** questionContent returns the content of a message: an object if an option is set, else text. */
export const questionContent = (message: string, { collections, model, k }: AskOptions): string | Question =>
  collections || model || k ? { message, ...(collections && { collections }), ...(model && { model }), ...(k && { k }) } : message;

/** optionsOf returns the answer options of a sent question. */
export function optionsOf(content: unknown): AskOptions {
  const { collections, model, k } = (typeof content === 'object' && content !== null ? content : {}) as Partial<Question>;
  return { ...(collections && { collections }), ...(model && { model }), ...(k && { k }) };
}

/** sameOptions reports whether two choices are equal. */
export const sameOptions = (a: AskOptions, b: AskOptions): boolean =>
  a.model === b.model && a.k === b.k && [...(a.collections ?? [])].sort().join('\n') === [...(b.collections ?? [])].sort().join('\n');
