// What the agent says, read from frames and stored messages. Anything may come:
// what cannot be read is named, never thrown.
import type { RagMessage } from '../api/shapes';

export interface FileReply {
  name: string;
  base64: string;
  /** In bytes. */
  size: number;
}

export interface Table {
  columns: string[];
  /** The first of them, no more than tableRows. */
  rows: string[][];
  total: number;
}

export type Reply =
  | { type: 'rag'; rag: RagMessage }
  | { type: 'text' | 'html' | 'note'; text: string }
  /** stopped: the text is what was said before the person stopped it. */
  | { type: 'markdown'; text: string; stopped?: boolean }
  | { type: 'options'; labels: string[] }
  | { type: 'file'; file: FileReply }
  | { type: 'image'; url: string }
  | { type: 'location'; latitude: number; longitude: number }
  | { type: 'table'; table: Table }
  | { type: 'other'; name: string };

/** Rows of a table that are shown. */
export const tableRows = 200;

type Fields = Record<string, unknown>;

const fields = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;

/** parsed is what a string holds if that is JSON. */
function parsed(content: unknown): unknown {
  if (typeof content !== 'string') return content;
  try {
    return JSON.parse(content);
  } catch {
    return content;
  }
}

const said = (content: unknown): string => (typeof content === 'string' ? content : JSON.stringify(content));

/** reply reads a message of the agent by its stored type. */
export function reply(type: string, content: unknown): Reply {
  return (Object.hasOwn(readers, type) && readers[type]!(content)) || { type: 'other', name: type };
}

const readers: Record<string, (content: unknown) => Reply | null> = {
  str: (c) => ({ type: c === 'Stopped.' ? 'note' : 'text', text: said(c) }),
  json: (c) => ({ type: 'text', text: said(c) }),
  markdown: (c) => {
    const text = said(c);
    const kept = text.replace(/\s*\*Stopped\.\*\s*$/, '');
    return kept === text ? { type: 'markdown', text } : kept ? { type: 'markdown', text: kept, stopped: true } : { type: 'note', text: 'Stopped.' };
  },
  html: (c) => (typeof c === 'string' ? { type: 'html', text: c } : null),
  rag_answer: (c) => {
    const rag = ragMessage(c);
    return rag && { type: 'rag', rag };
  },
  options: (c) => {
    const value = parsed(c);
    const labels = Array.isArray(value) ? value : Object.values(fields(value) ?? {});
    const texts = labels.filter((l): l is string => typeof l === 'string' && l.trim() !== '');
    return texts.length > 0 ? { type: 'options', labels: [...new Set(texts)] } : null;
  },
  file: (c) => {
    const file = fileReply(c);
    return file && { type: 'file', file };
  },
  image: (c) => {
    const base64 = typeof c === 'string' ? c.replace(/\s/g, '') : '';
    return isBase64(base64) && base64 ? { type: 'image', url: `data:${imageType(base64)};base64,${base64}` } : null;
  },
  location: (c) => {
    const { latitude, longitude } = fields(parsed(c)) ?? {};
    const on = (v: unknown, most: number): v is number => typeof v === 'number' && Math.abs(v) <= most;
    return on(latitude, 90) && on(longitude, 180) ? { type: 'location', latitude, longitude } : null;
  },
  dataframe: (c) => {
    const table = readTable(c);
    return table && { type: 'table', table };
  },
};

/** ragMessage reads an answer, filling what an older server leaves out. */
export function ragMessage(content: unknown): RagMessage | null {
  const m = parsed(content) as Partial<RagMessage> | null;
  if (typeof m !== 'object' || m === null || typeof m.answer !== 'string') return null;
  return {
    llm_name: m.llm_name ?? '',
    question: m.question ?? '',
    answer: m.answer,
    docs: Array.isArray(m.docs) ? m.docs : [],
    sentences: Array.isArray(m.sentences) ? m.sentences : [],
    abstained: m.abstained === true,
  };
}

const isBase64 = (s: string) => /^[A-Za-z0-9+/]*={0,2}$/.test(s);

// By what the bytes begin with: browsers draw nothing of an unknown type.
function imageType(base64: string): string {
  if (base64.startsWith('iVBORw0KGgo')) return 'image/png';
  if (base64.startsWith('R0lGOD')) return 'image/gif';
  if (base64.startsWith('UklGR')) return 'image/webp';
  return 'image/jpeg';
}

export function fileReply(content: unknown): FileReply | null {
  const f = fields(parsed(content));
  const base64 = typeof f?.base64 === 'string' ? f.base64.replace(/\s/g, '') : null;
  if (!f || base64 === null || !isBase64(base64)) return null;
  const name = typeof f.name === 'string' && f.name ? f.name.replace(/[/\\]/g, '_') : 'file';
  return { name, base64, size: Math.floor((base64.replace(/=+$/, '').length * 3) / 4) };
}

/** fileBytes are a file's content. */
export function fileBytes(file: FileReply): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(file.base64), (c) => c.charCodeAt(0));
}

/** sized is a number of bytes for people. */
export function sized(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const [unit, size] = bytes < 1e6 ? ['KB', bytes / 1e3] : ['MB', bytes / 1e6];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}

function readTable(content: unknown): Table | null {
  const frame = fields(parsed(content));
  if (!frame) return null;
  const columns = Object.keys(frame);
  const values = columns.map((c) => fields(frame[c]) ?? {});
  const keys = Object.keys(values[0] ?? {});
  return {
    columns,
    rows: keys.slice(0, tableRows).map((row) => values.map((v) => cell(v[row]))),
    total: keys.length,
  };
}

const cell = (value: unknown): string => (value === null || value === undefined ? '' : said(value));

/** named is another agent for people: its host, if it is known. */
export function named(sender: string): string {
  const host = URL.canParse(sender) ? new URL(sender).host : '';
  return host ? `another agent (${host})` : 'another agent';
}

/** question is what a message of the user says. */
export function question(action: string, content: unknown): string {
  if (action === 'user_voice' || action === 'audio') return 'A recording';
  if (action === 'user_file' || action === 'file' || action === 'image') {
    const file = fileReply(content);
    return file ? `${file.name} (${sized(file.size)})` : 'A file';
  }
  const message = fields(parsed(content))?.message;
  return typeof message === 'string' ? message : said(content);
}
