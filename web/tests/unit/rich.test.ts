import { afterEach, expect, test, vi } from 'vitest';
import type { RagMessage } from '../../src/api/shapes';
import { copyOf, copyOfMarkdown, copyOfText, toClipboard } from '../../src/evidence/rich';
import { statements } from '../../src/markdown/signs';

const metadata = { source: '/srv/a/b.md', page: null, page_label: null, title: 'Handbook', heading: 'Tides <now>', start: 0, end: 11, score: 1, document_id: 1, chunk_id: 1 };
const rag = (answer: string): RagMessage => ({
  llm_name: 'm', question: 'q', answer, sentences: [], abstained: false,
  docs: [{ content: 'It says so.', metadata }, { content: 'So.', metadata: { ...metadata, title: 'Site', heading: '', page: 2, source: 'https://example.org/tides?a=1&b=2' } }],
});

afterEach(() => vi.unstubAllGlobals());

test('an answer becomes HTML with footnotes and without controls', () => {
  const { html, markdown } = copyOf(rag('It is **so** [1, 2].\n\n| a | b |\n|---|---|\n| 1 [1] | <i>x</i> |'), statements);
  expect(html).toContain('It is <strong>so</strong><sup>[1]</sup><sup>[2]</sup>.');
  expect(html).toContain('border-collapse: collapse');
  expect(html).toContain('&lt;i&gt;x&lt;/i&gt;');
  expect(html).toContain('<p>[1] Handbook, Tides &lt;now&gt;, a/b.md</p>');
  expect(html).toContain('<p>[2] <a href="https://example.org/tides?a=1&amp;b=2">Site</a>, page 3</p>');
  expect(html).not.toMatch(/<button|class=|tabindex|\u2060/);
  expect(markdown).toContain('- [1] Handbook, Tides \\<now\\> – `a/b.md`');
});

test('unsupported sentences are listed below the footnotes', () => {
  const answer = 'It was founded by **Napoleon**.';
  const { html } = copyOf({ ...rag(answer), sentences: [{ start: 0, end: answer.length, docs: [], support: 'none' }] }, statements);
  expect(html).toContain('<p><strong>Not supported by the passages</strong></p><ul><li>It was founded by Napoleon.</li></ul>');
});

test('other replies keep their form', () => {
  expect(copyOfMarkdown('# Title').html).toBe('<h3>Title</h3>');
  expect(copyOfText('a < b\nc').html).toBe('<p>a &lt; b<br>c</p>');
});

test('the clipboard gets both forms, and Markdown in browsers without rich text', async () => {
  const writeText = vi.fn(() => Promise.resolve());
  const write = vi.fn((_: unknown[]) => Promise.resolve());
  vi.stubGlobal('navigator', { clipboard: { writeText, write } });
  vi.stubGlobal('ClipboardItem', undefined);
  await toClipboard([copyOfMarkdown('*a*'), copyOfText('b')]);
  expect(writeText).toHaveBeenCalledWith('*a*\n\nb');
  vi.stubGlobal('ClipboardItem', class { constructor(readonly data: Record<string, Blob>) {} });
  await toClipboard([copyOfMarkdown('*a*'), copyOfText('b')]);
  const item = write.mock.calls[0]![0][0] as { data: Record<string, Blob> };
  expect(Object.keys(item.data)).toEqual(['text/html', 'text/plain']);
  expect(writeText).toHaveBeenCalledTimes(1);
});
