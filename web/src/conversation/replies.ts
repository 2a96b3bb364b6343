// Reads replies of the agent from frames and stored messages. They can have any content.
// Unreadable content becomes a payload and never throws. Payloads are read when they are
// shown, because they can be large.
import type { RagMessage } from '../api/shapes';
import { numbered } from '../evidence/numbers';
import { honest } from '../shell/names';
import type { Named } from '../words/sentences';
import { words } from '../words/words.svelte';

export interface FileReply {
  name: string;
  /** A media type or an extension, as given by the sender. */
  type: string;
  base64: string;
  /** The size in bytes. */
  size: number;
}

/** Reply is a message of the agent. sentence names a fixed text of the server. */
export type Reply = Content & { sentence?: Named };

type Content =
  | { type: 'rag'; rag: RagMessage }
  | { type: 'text' | 'note'; text: string }
  | { type: 'html'; text: string }
  /** With stopped, the user stopped the answer after this text. */
  | { type: 'markdown'; text: string; stopped?: boolean }
  | { type: 'options'; labels: string[] }
  /** Any other reply; kind is its stored type. */
  | { type: 'payload'; kind: string; content: unknown };

type Fields = Record<string, unknown>;

export const fields = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;

/** parsed returns the value of a string with JSON, and other content unchanged. */
export function parsed(content: unknown): unknown {
  if (typeof content !== 'string') return content;
  try {
    return JSON.parse(content);
  } catch {
    return content;
  }
}

/** said returns a message as text. */
export function said(content: unknown): string {
  if (typeof content === 'string') return content;
  try {
    return JSON.stringify(content) ?? '';
  } catch {
    return ''; // the nesting is too deep
  }
}

/** reply reads a message of the agent by its stored type. */
export function reply(type: string, content: unknown, sentence?: Named): Reply {
  if (sentence?.id === 'stopped') return { type: 'note', text: said(content) };
  const read: Content = (Object.hasOwn(readers, type) && readers[type]!(content)) || { type: 'payload', kind: type, content };
  return sentence ? { ...read, sentence } : read;
}

const plain = (c: unknown, type: 'text' | 'note'): Content =>
  typeof c === 'object' && c !== null ? { type: 'payload', kind: 'json', content: c } : { type, text: said(c) };

/** The maximum number of buttons for options. */
const maxOptions = 100;

const readers: Record<string, (content: unknown) => Content | null> = {
  str: (c) => plain(c, c === 'Stopped.' ? 'note' : 'text'),
  json: (c) => plain(c, 'text'),
  markdown: (c) => {
    const text = said(c);
    const end = text.trimEnd();
    if (!end.endsWith('*Stopped.*')) return { type: 'markdown', text };
    const kept = end.slice(0, -'*Stopped.*'.length);
    if (kept && !/\s$/.test(kept)) return { type: 'markdown', text };
    return kept ? { type: 'markdown', text: kept.trimEnd(), stopped: true } : { type: 'note', text: 'Stopped.' };
  },
  html: (c) => (typeof c === 'string' ? { type: 'html', text: c } : null),
  rag_answer: (c) => {
    const rag = ragMessage(c);
    return rag && { type: 'rag', rag: numbered(rag) };
  },
  options: (c) => {
    const value = parsed(c);
    const labels = Array.isArray(value) ? value : Object.values(fields(value) ?? {});
    const texts = labels.filter((l): l is string => typeof l === 'string' && l.trim() !== '');
    return texts.length > 0 ? { type: 'options', labels: [...new Set(texts)].slice(0, maxOptions) } : null;
  },
};

const isOutcome = (o: unknown) => o === 'answered' || o === 'unsure' || o === 'not_found' || o === 'replied';

/** ragMessage reads an answer. It completes answers of older servers. */
export function ragMessage(content: unknown): RagMessage | null {
  const m = parsed(content) as Partial<RagMessage> | null;
  if (typeof m !== 'object' || m === null || typeof m.answer !== 'string') return null;
  return {
    llm_name: m.llm_name ?? '',
    question: m.question ?? '',
    answer: m.answer,
    docs: Array.isArray(m.docs) ? m.docs.map(passage) : [],
    sentences: Array.isArray(m.sentences) ? m.sentences : [],
    abstained: m.abstained === true,
    ...(isOutcome(m.outcome) && { outcome: m.outcome }),
    ...(typeof m.lead === 'number' && m.lead > 0 && { lead: m.lead }),
    ...(m.stopped === true && { stopped: true }),
    ...(typeof m.thinking === 'string' && m.thinking && { thinking: m.thinking }),
    ...(typeof m.evidence === 'number' && { evidence: m.evidence }),
    ...(typeof m.k === 'number' && { k: m.k }),
    ...(Array.isArray(m.collections) && { collections: m.collections.filter((c) => typeof c === 'string') }),
    ...(Array.isArray(m.documents) && { documents: m.documents.filter((d) => typeof d === 'number') }),
    ...(typeof m.searched === 'string' && m.searched.trim() && { searched: m.searched }),
    ...texts('wordings', m.wordings),
    ...texts('queries', m.queries),
  };
}

/** texts returns a list of texts under its name, or nothing without one. */
function texts<K extends string>(name: K, value: unknown): { [k in K]?: string[] } {
  const list = Array.isArray(value) ? [...new Set(value.filter((t): t is string => typeof t === 'string' && t.trim() !== ''))] : [];
  return (list.length > 0 ? { [name]: list } : {}) as { [k in K]?: string[] };
}

/** passage completes a passage of an agent that only sends BAF's fields. */
function passage(value: unknown): RagMessage['docs'][number] {
  const doc = fields(value) ?? {};
  const { score, ...metadata } = fields(doc.metadata) ?? {};
  const empty = { source: '', page: null, page_label: null, title: '', heading: '', start: 0, end: 0, document_id: 0, chunk_id: 0 };
  return {
    content: typeof doc.content === 'string' ? doc.content : '',
    metadata: { ...empty, ...metadata, score: typeof score === 'number' ? score : 0 },
  };
}

const isBase64 = (s: string) => /^[A-Za-z0-9+/]*={0,2}$/.test(s);

/** base64 returns base64 content without line breaks, or null for other content. */
export function base64(content: unknown): string | null {
  if (typeof content !== 'string') return null;
  const bare = /\s/.test(content) ? content.replace(/\s+/g, '') : content;
  return isBase64(bare) && bare.length % 4 !== 1 ? bare : null;
}

export function fileReply(content: unknown): FileReply | null {
  const f = fields(parsed(content));
  const data = base64(f?.base64);
  if (!f || data === null) return null;
  const name = typeof f.name === 'string' && f.name ? honest(f.name).replace(/[/\\]/g, '_') : words.payloads.unnamed;
  return { name, type: typeof f.type === 'string' ? f.type : '', base64: data, size: Math.floor((data.replace(/=+$/, '').length * 3) / 4) };
}

/** removedFile reports whether the content of a file was removed from the conversation. */
export const removedFile = (content: unknown): boolean => fields(parsed(content))?.base64 === '';

/** sized formats a number of bytes. */
export function sized(bytes: number): string {
  if (bytes < 1000) return words.payloads.bytes(bytes);
  const [unit, size] = bytes < 1e6 ? ['KB', bytes / 1e3] : ['MB', bytes / 1e6];
  const digits = size < 10 ? 1 : 0;
  return `${words.number(size, { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`;
}

/** named returns the host of another agent, or a general name. */
export function named(sender: string): string {
  const host = URL.canParse(sender) ? new URL(sender).host : '';
  return host ? words.payloads.agentAt(host) : words.payloads.agent;
}

/** question returns the text of a message of the user. */
export function question(action: string, content: unknown): string {
  if (action === 'user_voice' || action === 'audio') return words.payloads.recording;
  if (action === 'user_file' || action === 'file' || action === 'image') {
    const { name, size } = fields(content) ?? {};
    // Messages of this page have their size. Decoding 30 MB would block the page.
    if (typeof name === 'string' && typeof size === 'number') return `${honest(name).replace(/[/\\]/g, '_')} (${sized(size)})`;
    const file = fileReply(content);
    return file ? `${file.name} (${sized(file.size)})` : words.payloads.aFile;
  }
  const message = fields(parsed(content))?.message;
  return typeof message === 'string' ? message : said(content);
}
