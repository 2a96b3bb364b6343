// Texts that describe data: sizes, documents, and errors.
import { describe, expect, test } from 'vitest';
import { fault, sentence } from '../../src/api/http';
import type { Me } from '../../src/api/shapes';
import { question } from '../../src/chat/suggestions';
import { refusal } from '../../src/conversation/refusal';
import { kind } from '../../src/documents/kinds';
import { bytesText, outcome, partsOf } from '../../src/documents/outcome';
import { dateOf, pageOf, shortSource, title } from '../../src/evidence/evidence.svelte';
import { drawable, innerOf, unitOf } from '../../src/evidence/place';
import { may } from '../../src/shell/account.svelte';
import { parseRoute } from '../../src/shell/router.svelte';

test.each([
  ['docent', 'What is docent?'],
  ['Backups', 'What is “Backups” about?'],
  ['How answers are made', 'What is “How answers are made” about?'],
  ['Why two databases?', 'Why two databases?'],
  ['PostgreSQL Reference Manual', 'What is “PostgreSQL Reference Manual” about?'],
  ['3.2 Write-ahead log:', 'What is “Write-ahead log” about?'],
  ['BM25', 'What is BM25?'],
  ['Super_Bowl_50', 'What is “Super Bowl 50” about?'],
  ['The rest', ''],
  ['Your own documents', ''],
  ['notes.txt', ''],
  ['<img src=x>', ''],
  ['מדריך למשתמש', ''],
  ['', ''],
])('%j is asked as %j', (t, q) => expect(question(t)).toBe(q));

test.each([
  ['Garden handbook', 'Pruning roses', 'What does “Garden handbook” say about pruning roses?'],
  ['docent', 'How answers are made', 'What does “docent” say about how answers are made?'],
  ['docent', 'Why two databases?', 'Why two databases?'],
  ['Reference', 'PostgreSQL 17', 'What does “Reference” say about PostgreSQL 17?'],
  ['Reference', 'Frames', ''],
  ['Reference', 'YAML', ''],
  ['notes.txt', 'Pruning roses', ''],
])('%j, of it %j, is asked as %j', (t, section, q) => expect(question(t, section)).toBe(q));

describe('uploads', () => {
  test.each([
    [[{ source: 's', status: 'added', chunks: 12 }], false, 'Added · 12 passages'],
    [[{ source: 's', status: 'changed', chunks: 1 }], false, 'Updated · 1 passage'],
    [[{ source: 's', status: 'unchanged', chunks: 4 }], false, 'Already added, unchanged'],
    [[{ source: 's', status: 'failed', chunks: 0, reason: 'It is encrypted.' }], true, 'It is encrypted.'],
    [[{ source: 's', status: 'added', chunks: 4, note: '2 of its 9 pages could not be read' }], false, 'Added · 4 passages · Read only in part: 2 of its 9 pages could not be read'],
    [[{ source: 's', status: 'added', chunks: 4, note: 'n' }, { source: 't', status: 'added', chunks: 1 }], false, '2 documents added · 5 passages · 1 read only in part'],
    [[], true, 'docent found nothing readable in this file.'],
    [[{ source: 'a', status: 'added', chunks: 2 }, { source: 'b', status: 'added', chunks: 3 }, { source: 'c', status: 'failed', chunks: 0, reason: 'empty' }], false, '2 documents added · 5 passages · 1 failed: empty'],
  ] as const)('%j', (results, failed, text) => expect(outcome(results as never)).toEqual({ failed, text }));
  test('the documents inside a file', () => {
    const result = (source: string, status: string, chunks: number, reason?: string) => ({ source, status, chunks, reason });
    expect(partsOf([result('upload:m.eml', 'added', 2), result('upload:m.eml#a.pdf', 'unchanged', 4), result('upload:m.eml#b.pdf', 'failed', 0, 'empty')] as never)).toEqual([
      { name: 'b.pdf', failed: true, text: 'empty' }, { name: 'a.pdf', failed: false, text: 'Already added, unchanged' },
    ]);
  });
  test.each([[0, '0 B'], [999, '999 B'], [1500, '1.5 kB'], [36_000, '36 kB'], [999_700, '1.0 MB'], [5e9, '5.0 GB']])('%d bytes are %s', (n, s) => expect(bytesText(n)).toBe(s));
});

describe('errors', () => {
  test('errors of docent are shown unchanged', () => {
    expect(sentence(fault(409, '{"code":"conflict","message":"it is being read","retryable":false}'))).toBe('It is being read.');
  });
  test.each([[404, '<html>', 'This item no longer exists.'], [413, '', 'The request is too large.'], [502, 'bad gateway', 'docent responded with status 502.']])(
    'status %d with %j', (status, body, text) => expect(sentence(fault(status, body))).toBe(text));
  test('errors of the page are shown', () => expect(sentence(new TypeError('x'))).toContain('An error occurred in the page'));
});

test.each([
  ['', { view: 'chat', session: undefined }],
  ['#/', { view: 'chat', session: undefined }],
  ['#/c/a%2Fb', { view: 'chat', session: 'a/b' }],
  ['#/c/%E0', { view: 'chat', session: undefined }],
  ['#/documents', { view: 'documents', document: undefined, query: '' }],
  ['#/documents/12', { view: 'documents', document: 12, query: '' }],
  ['#/documents?type=PDF&cited=never', { view: 'documents', document: undefined, query: 'type=PDF&cited=never' }],
  ['#/documents/x', { view: 'documents', document: undefined, query: '' }],
  ['#/console', { view: 'console', page: '', rest: '' }],
  ['#/console/people/ann%2Fb/x', { view: 'console', page: 'people', rest: 'ann%2Fb/x' }],
])('address %j', (hash, route) => expect(parseRoute(hash)).toEqual(route));

test.each([
  ['upload:a.zip#inner/file.pdf', { container: 'upload:a.zip', part: 'inner/file.pdf' }],
  ['/srv/data.jsonl#7', { container: '/srv/data.jsonl', part: '7' }],
  ['upload:C# in depth.zip#C# notes.md', { container: 'upload:C# in depth.zip', part: 'C# notes.md' }],
  ['upload:a.tar.gz#b.zip#c.txt', { container: 'upload:a.tar.gz', part: 'b.zip › c.txt' }],
  ['https://example.org/all.zip#a.txt', { container: 'https://example.org/all.zip', part: 'a.txt' }],
  ['https://example.org/guide.html#start', null],
  ['upload:C# notes.md', null],
  ['/srv/a.pdf', null],
])('%s is inside %j', (source, want) => expect(innerOf(source)).toEqual(want));

test('a document inside another file is called by its own name', () => {
  expect(title({ title: '', source: 'upload:a.zip#inner/file.pdf' })).toBe('file.pdf');
  expect(shortSource('upload:a.zip#inner/file.pdf')).toBe('inner/file.pdf, inside a.zip');
});

test('pages, slides, and sheets', () => {
  const at = (source: string, page: number | null, page_label: string | null, type = '') => pageOf({ source, page, page_label }, type);
  expect([at('upload:deck.pptx', 2, '3'), at('upload:deck.odp', 2, null), at('x.xlsx', 0, 'Prices'), at('a.zip#b.ods', 1, null), at('a.pdf', 11, '12')]).toEqual(['slide 3', 'slide 3', 'sheet Prices', 'sheet 2', 'page 12']);
  expect([at('s3://b/x', 0, 'Prices', 'application/vnd.oasis.opendocument.spreadsheet'), at('film.srt', 4, '00:01:02'), at('https://h/deck.pptx?v=2', 0, null), at('a.md', null, null)]).toEqual(['sheet Prices', '00:01:02', 'slide 1', '']);
});

test('dates and versions of documents', () => {
  expect(dateOf({ date: '2026-05-12', date_from: 'front_matter', version: '16.2' })).toBe('version 16.2 · May 12, 2026');
  expect(dateOf({ date: '2026-05-12', date_from: 'file_time' })).toBe('');
  expect(dateOf({ date: '2026-05-12', date_from: 'file_time' }, true)).toBe('file of May 12, 2026');
  expect([dateOf({}), dateOf({ date: 'soon' }), dateOf({ date: '2026-99-99' })]).toEqual(['', '', '']);
});

test('formats with pictures of their pages', () => {
  const ooxml = 'application/vnd.openxmlformats-officedocument.';
  const all = ['application/pdf', `${ooxml}presentationml.presentation`, `${ooxml}spreadsheetml.sheet`, 'image/png', 'application/vnd.ms-powerpoint', 'application/vnd.ms-excel', `${ooxml}wordprocessingml.document`, 'image/svg+xml', 'text/plain'];
  expect(all.map(drawable)).toEqual([true, true, true, true, true, true, false, false, false]);
  expect(all.slice(0, 4).map((type) => unitOf('', type))).toEqual(['page', 'slide', 'sheet', 'image']);
});

test('documents are called by title, else by name', () => {
  expect(title({ title: '', source: '/srv/a/b.pdf' })).toBe('b.pdf');
  expect(shortSource('/srv/a/b.pdf')).toBe('a/b.pdf');
  expect(shortSource('answer:eff02ecf-f59e-4c74-b4ef-1635656511d6.md')).toBe('approved answer');
  expect(shortSource('upload:My file.pdf')).toBe('My file.pdf');
  expect(shortSource('https://example.org/a')).toBe('example.org/a');
  expect(pageOf({ page: 0, page_label: null })).toBe('page 1');
  expect(pageOf({ page: 11, page_label: 'xii' })).toBe('page xii');
  expect(pageOf({ page: null, page_label: null })).toBe('');
});

test.each([['application/pdf', 'PDF'], ['text/x-go', 'Go'], ['text/plain; charset=utf-8', 'Text'], ['', '–'], ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'Word']])(
  '%s is called %s', (type, name) => expect(kind({ media_type: type, source: '' })).toBe(name));

test.each([
  ['application/octet-stream', 'upload:bad.pdf', 'Unknown'], ['application/vnd.microsoft.portable-executable', 'x.exe', 'Program'], ['application/x-elf', '/usr/bin/docent', 'Program'],
  ['application/x-ole-storage', '/srv/old.doc', 'DOC'], ['application/vnd.sqlite3', '/srv/data.db#7', 'DB'], ['application/vnd.oasis.opendocument.text', 'notes', 'ODT'],
  ['application/zip', 'all.zip', 'Archive'], ['image/png', 'scan.png', 'Image'], ['application/vnd.openxmlformats-officedocument.presentationml.presentation', 'a.pptx', 'PPTX'], ['', 'big.pdf', 'PDF'],
])('%s of %s is called %s', (type, source, name) => expect(kind({ media_type: type, source })).toBe(name));

test.each([
  ['text/csv; charset=shift_jis', 'CSV, Shift JIS'], ['text/plain; charset="ISO-8859-15"', 'Text, ISO-8859-15'], ['text/html; charset=windows-1251', 'HTML, Windows-1251'],
  ['text/markdown; charset=utf-8', 'Markdown'], ['application/x-subrip; charset=UTF-16LE', 'SRT, UTF-16LE'], ['text/x-c++', 'C++'], ['text/csv;charset=koi8-r', 'CSV, KOI8-R'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'XLSX'], ['application/vnd.oasis.opendocument.presentation', 'ODP'], ['application/rtf', 'RTF'], ['message/rfc822', 'EML'],
  ['application/vnd.ms-outlook', 'MSG'], ['application/mbox', 'MBOX'], ['multipart/related', 'MHT'], ['application/epub+zip', 'EPUB'], ['application/x-ipynb+json', 'IPYNB'],
  ['text/x-tex', 'LaTeX'], ['application/x-latex', 'LaTeX'], ['text/x-rst', 'reStructuredText'], ['text/asciidoc', 'AsciiDoc'], ['text/x-asciidoc', 'AsciiDoc'], ['text/org', 'Org'], ['text/x-org', 'Org'],
  ['application/docbook+xml', 'DocBook'], ['text/xml', 'XML'], ['text/vtt', 'VTT'], ['text/yaml', 'YAML'], ['text/x-sql', 'SQL'], ['image/svg+xml', 'SVG'],
  ['application/msword', 'DOC'], ['application/vnd.ms-excel', 'XLS'], ['application/vnd.ms-powerpoint', 'PPT'], ['text/x-typescript', 'TypeScript'], ['application/xhtml+xml', 'HTML'],
])('%s is called %s', (type, name) => expect(kind({ media_type: type, source: 'upload:x.bin' })).toBe(name));

test.each(['octet-stream', 'vnd.microsoft.portable-executable', 'x-ole-storage', 'x-sharedlib', 'gzip', 'vnd.rar', 'x-msi'])('nothing is called %s', (type) =>
  expect(kind({ media_type: `application/${type}`, source: '/srv/x' })).toMatch(/^(Program|Archive|Unknown)$/));

test('the scopes of a user', () => {
  const me = (auth: boolean, ...scopes: Me['scopes']) => ({ id: '', name: '', scopes, auth, manages: false });
  expect([may(null, 'ingest'), may(me(false), 'ingest'), may(me(true, 'admin'), 'ingest'), may(me(true, 'ask', 'ingest'), 'ingest')]).toEqual([true, true, true, true]);
  expect([may(me(true, 'ask'), 'ingest'), may(me(true), 'ask')]).toEqual([false, false]);
});

test.each([
  [4501, true, 'deleted', 'begin'],
  [4502, true, 'session has expired', 'login'],
  [4503, true, 'another user', 'begin'],
  [4503, false, 'permission to ask', 'switch'],
  [4500, true, 'closed the connection', 'reload'],
  [1009, true, 'closed the connection', 'reload'],
])('a connection closed with %d, asking allowed %s', (code, asks, text, step) => {
  expect(refusal(code, asks)).toEqual({ text: expect.stringContaining(text) as string, step });
});
