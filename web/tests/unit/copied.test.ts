import { expect, test } from 'vitest';
import type { RagDoc, RagMessage } from '../../src/api/shapes';
import { citedNumbers, copied as copiedBy } from '../../src/evidence/copied';
import { statements } from '../../src/markdown/signs';

const copied = (rag: RagMessage) => copiedBy(rag, statements);

const doc = (more: Partial<RagDoc['metadata']>): RagDoc => ({
  content: 'It says so.',
  metadata: { source: '/srv/a/b.md', page: null, page_label: null, title: 'Handbook', heading: '', start: 0, end: 11, score: 1, document_id: 1, chunk_id: 1, ...more },
});
const rag = (answer: string, docs: RagDoc[], abstained = false): RagMessage => ({ llm_name: 'm', question: 'q', answer, docs, sentences: [], abstained });
const docs = [
  doc({ heading: 'Operations › Backups' }),
  doc({ title: '', source: 'upload:Quarterly *report*.pdf', page: 11, page_label: 'xii' }),
  doc({ title: 'Tides\nand [moons]', source: 'https://example.org/tides?a=1', heading: 'Tides\nand [moons]', page: 2 }),
];

test('an answer is copied with the sources that it cites, under their numbers', () => {
  expect(copied(rag('\nIt is so [1], and so [3, 2]. Not [7].\n', docs))).toBe(`It is so [1], and so [3, 2]. Not [7].

Sources:

- [1] Handbook, Operations › Backups – \`a/b.md\`
- [2] Quarterly \\*report\\*.pdf, page xii – \`Quarterly *report*.pdf\`
- [3] Tides and \\[moons\\], page 3 – <https://example.org/tides?a=1>`);
});

test('unsupported sentences are listed below the answer', () => {
  const said = ['Es nistet im Türm [1].', 'It was founded by **Napoleon**.', 'It is old [1].'];
  const answer = `${said.join(' ')}\n\n## Heading`;
  const bytes = (s: string) => new TextEncoder().encode(s).length;
  const at = (s: string, support: 'strong' | 'weak' | 'none') => {
    const start = bytes(answer.slice(0, answer.indexOf(s)));
    return { start, end: start + bytes(s), docs: [], support };
  };
  const sentences = [at(said[0]!, 'strong'), at(said[1]!, 'none'), at(said[2]!, 'weak'), at('## Heading', 'none')];
  expect(copied({ ...rag(answer, docs), sentences })).toBe(`${answer}

Sources:

- [1] Handbook, Operations › Backups – \`a/b.md\`

Supported only in part by the passages:

- It is old \\[1\\].

Not supported by the passages:

- It was founded by Napoleon.`);
  expect(copied({ ...rag(answer, docs, true), sentences })).toBe(answer);
});

test('sources that are not cited are not listed', () => {
  expect(copied(rag('It is so [3].', docs))).not.toContain('Handbook');
  expect(copied(rag('It is so.', docs))).toBe('It is so.');
});

test('a reply without an answer has no sources', () => {
  expect(copied(rag('I don’t know [1].', docs, true))).toBe('I don’t know [1].');
  expect(citedNumbers(rag('I don’t know [1].', docs, true))).toEqual([]);
});

test('numbers without a passage are no citations', () => {
  expect(citedNumbers(rag('[0] [2] [4] [999] [2]', docs))).toEqual([2]);
});
