// Sentences of the server by their ids, and how a language words them.
import type { Params } from './ids';

/** Named is a sentence as the server names it; params are strings, numbers, and sentences. */
export interface Named {
  id: string;
  params?: readonly unknown[] | null;
}

/** Text is a sentence with its English words. */
export interface Text extends Partial<Named> {
  message: string;
}

/** Sentences are the texts of a language, each with as many values as the sentence has. */
export type Sentences = {
  [Id in keyof Params]: Params[Id] extends [] ? string : string | ((...values: Params[Id]) => string);
};

/** Texts below each other: more are not of this server. */
const deepest = 32;

/** inLanguage words a sentence by its id. Without a known id it stays in English. */
export function inLanguage(sentences: Sentences, { id, params, message }: Text, depth = 0): string {
  if (!id || !Object.hasOwn(sentences, id) || depth > deepest) return message;
  const text = sentences[id as keyof Sentences];
  if (typeof text === 'string') return text;
  const values = (params ?? []).map((p) => (typeof p === 'object' && p !== null ? inLanguage(sentences, nested(p), depth + 1) : p));
  const fits = values.length >= text.length && values.every((v) => typeof v === 'string' || typeof v === 'number');
  return fits ? (text as (...values: unknown[]) => string)(...values) : message;
}

const nested = (p: object): Text => {
  const { message, ...named } = p as Partial<Text>;
  return { ...named, message: typeof message === 'string' ? message : '' };
};
