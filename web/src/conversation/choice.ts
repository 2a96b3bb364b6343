// The answer options of a question: where to search, model, and number of passages. Options
// that are not set have the default of the server.
import type { Question } from 'docent-client';
import type { Info } from '../api/shapes';
import { browser, PerConversation } from './kept';

/** Chosen is a document to search. The title is '' in options that the server returns. */
export interface Chosen {
  id: number;
  title: string;
}

/** AskOptions are the answer options that differ from the defaults. */
export interface AskOptions {
  collections?: string[];
  documents?: Chosen[];
  folders?: string[];
  tags?: string[];
  model?: string;
  k?: number;
  /** The headings of a brief. Only a question has them, and not the choice for the next ones. */
  brief?: string[];
}

/** The maximum number of headings of a brief. */
export const mostHeadings = 8;

/** The maximum number of passages for an answer. */
export const mostPassages = 50;

/** The maximum number of documents to search. */
export const mostDocuments = 100;

/** The maximum number of folders, and of tags, to search. */
const mostPlaces = 50;

/** places returns the folders or tags that a message may have. */
const places = (list: unknown): string[] => (Array.isArray(list) ? list.filter((p) => typeof p === 'string' && p.trim() !== '').slice(0, mostPlaces) : []);

/** ScopeItem is a part of the searched documents. Folders, tags, and collections have a name. */
export type ScopeItem = { kind: 'document'; id: number; title: string } | { kind: 'collection' | 'folder' | 'tag'; name: string };

/** scopeOf returns the parts of a choice. */
export const scopeOf = ({ collections = [], documents = [], folders = [], tags = [] }: AskOptions): ScopeItem[] => [
  ...collections.map((name) => ({ kind: 'collection' as const, name })),
  ...folders.map((name) => ({ kind: 'folder' as const, name })),
  ...tags.map((name) => ({ kind: 'tag' as const, name })),
  ...documents.map((d) => ({ kind: 'document' as const, ...d })),
];

/** withItem adds a part to a choice, or removes it. */
export function withItem(options: AskOptions, item: ScopeItem, on: boolean): AskOptions {
  if (item.kind === 'document') {
    const others = (options.documents ?? []).filter((d) => d.id !== item.id);
    return { ...options, documents: on ? [...others, { id: item.id, title: item.title }] : others };
  }
  const key = `${item.kind}s` as const;
  const others = (options[key] ?? []).filter((name) => name !== item.name);
  return { ...options, [key]: on ? [...others, item.name] : others };
}

const isOptions = (v: unknown): v is AskOptions => typeof v === 'object' && v !== null && !Array.isArray(v);

/** choices keeps the answer options of each conversation. */
export const choices = new PerConversation(browser, 'docent.choice', isOptions);

/** sensible returns the options that the server supports and that differ from its defaults. */
export function sensible(options: AskOptions, info: Info | null): AskOptions {
  if (!info?.built_in) return {};
  const names = info.collections.map((c) => c.name);
  const collections = Array.isArray(options.collections) ? names.filter((n) => options.collections!.includes(n)) : [];
  const documents = Array.isArray(options.documents) ? options.documents.filter((d) => Number.isSafeInteger(d?.id) && d.id > 0).slice(0, mostDocuments) : [];
  const [folders, tags] = [places(options.folders), places(options.tags)];
  const { model, k } = options;
  return {
    ...(collections.length > 0 && collections.length < names.length && { collections }),
    ...(documents.length > 0 && { documents }),
    ...(folders.length > 0 && { folders }),
    ...(tags.length > 0 && { tags }),
    ...(model && model !== info.model.name && info.models.includes(model) && { model }),
    ...(Number.isSafeInteger(k) && k! >= 1 && k! <= mostPassages && k !== info.limits.k && { k: k! }),
  };
}

/** usual reports whether all options have their defaults. */
export const usual = (options: AskOptions): boolean => Object.keys(options).length === 0;

/** questionContent returns the content of a message: an object if an option is set, else text. */
export const questionContent = (message: string, { collections, documents, folders, tags, model, k, brief }: AskOptions): string | Question =>
  collections || documents || folders || tags || model || k || brief
    ? { message, ...(collections && { collections }), ...(documents && { documents: documents.map((d) => d.id) }), ...(folders && { folders }), ...(tags && { tags }), ...(model && { model }), ...(k && { k }), ...(brief && { brief }) }
    : message;

/** optionsOf returns the answer options of a sent question. */
export function optionsOf(content: unknown): AskOptions {
  const { collections, documents, folders, tags, model, k, brief } = (typeof content === 'object' && content !== null ? content : {}) as Partial<Question>;
  return { ...(collections && { collections }), ...(documents && { documents: documents.map((id) => ({ id, title: '' })) }), ...(folders && { folders }), ...(tags && { tags }), ...(model && { model }), ...(k && { k }), ...(brief && brief.length > 0 && { brief }) };
}

/** sameOptions reports whether two choices are equal, apart from a brief. */
export const sameOptions = (a: AskOptions, b: AskOptions): boolean =>
  a.model === b.model && a.k === b.k && same(a.collections, b.collections) && same(a.folders, b.folders) && same(a.tags, b.tags) && same(a.documents?.map((d) => d.id), b.documents?.map((d) => d.id));

const same = (a: readonly unknown[] = [], b: readonly unknown[] = []): boolean => [...a].sort().join('\n') === [...b].sort().join('\n');
