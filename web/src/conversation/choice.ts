// How a question is to be answered: from which collections, by which model, on
// how many passages. What is not said is as the server does it.
import type { Question } from 'docent-client';
import type { Info } from '../api/shapes';
import { browser, PerConversation } from './kept';

/** AskOptions is what is to be other than usual. */
export interface AskOptions {
  collections?: string[];
  model?: string;
  k?: number;
}

/** The most passages that an answer can rest on. */
export const mostPassages = 50;

const isOptions = (v: unknown): v is AskOptions => typeof v === 'object' && v !== null && !Array.isArray(v);

/** choices are kept for each conversation. */
export const choices = new PerConversation(browser, 'docent.choice', isOptions);

/** sensible is what of a choice the server can do, and what is other than usual. */
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

/** usual reports that nothing is to be other than usual. */
export const usual = (options: AskOptions): boolean => Object.keys(options).length === 0;

/** said is a question as it is sent: an object only if something is to be other than usual. */
export const said = (message: string, { collections, model, k }: AskOptions): string | Question =>
  collections || model || k ? { message, ...(collections && { collections }), ...(model && { model }), ...(k && { k }) } : message;

/** optionsOf is how a question that was sent was to be answered. */
export function optionsOf(content: unknown): AskOptions {
  const { collections, model, k } = (typeof content === 'object' && content !== null ? content : {}) as Partial<Question>;
  return { ...(collections && { collections }), ...(model && { model }), ...(k && { k }) };
}

/** alike reports that two choices say the same. */
export const alike = (a: AskOptions, b: AskOptions): boolean =>
  a.model === b.model && a.k === b.k && [...(a.collections ?? [])].sort().join('\n') === [...(b.collections ?? [])].sort().join('\n');
