// The sentences of the server in other languages, by id.
import type { Params } from './ids';

/** Named is a sentence with its id and parameters, which are strings, numbers, and sentences. */
export interface Named {
  id: string;
  params?: readonly unknown[] | null;
}

/** Text is a sentence with its English text. */
export interface Text extends Partial<Named> {
  message: string;
}

/** Sentences are the texts of a language. Each has the parameters of its sentence. */
export type Sentences = {
  [Id in keyof Params]: Params[Id] extends [] ? string : string | ((...values: Params[Id]) => string);
};

/** The maximum depth of nested sentences. */
const deepest = 32;

/** inLanguage returns a sentence in a language. Sentences without a known id stay in English. */
export function inLanguage(sentences: Sentences, { id, params, message }: Text, depth = 0): string {
  if (!id || !Object.hasOwn(sentences, id) || depth > deepest) return message;
  const text = sentences[id as keyof Sentences];
  if (typeof text === 'string') return text;
  const values = (params ?? []).map((p) => (typeof p === 'object' && p !== null ? inLanguage(sentences, nested(p), depth + 1) : p));
  const fits = values.length >= text.length && values.every((v) => typeof v === 'string' || typeof v === 'number');
  try {
    return fits ? String((text as (...values: unknown[]) => unknown)(...values)) : message;
  } catch {
    return message; // of a server of another version, with values of other types
  }
}

const nested = (p: object): Text => {
  const { message, ...named } = p as Partial<Text>;
  return { ...named, message: typeof message === 'string' ? message : '' };
};
