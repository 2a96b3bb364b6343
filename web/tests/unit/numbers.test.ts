import { expect, test } from 'vitest';
import type { RagDoc, RagMessage, RagSentence } from '../../src/api/shapes';
import { copied } from '../../src/evidence/copied';
import { statements } from '../../src/markdown/signs';
import { encode, slice } from '../../src/api/bytes';
import { citedBy } from '../../src/evidence/evidence.svelte';
import { citingAt, counted, numbered } from '../../src/evidence/numbers';
import { reply } from '../../src/conversation/replies';

const doc = (title: string): RagDoc => ({
  content: title,
  metadata: { source: `/srv/${title}.md`, page: null, page_label: null, title, heading: '', start: 0, end: 1, score: 1, document_id: 1, chunk_id: 1 },
});
const docs = (n: number) => Array.from({ length: n }, (_, i) => doc(String.fromCharCode(65 + i)));

/** rag is an answer of parts, each a sentence that cites what it says it does. */
function rag(parts: [string, number[]][], n: number, abstained = false): RagMessage {
  const sentences: RagSentence[] = [];
  let answer = '';
  for (const [text, cites] of parts) {
    const start = encode(answer).length;
    answer += text;
    sentences.push({ start, end: start + encode(text).length, docs: cites, support: 'strong' });
    answer += ' ';
  }
  return { llm_name: 'm', question: 'q', answer: answer.trim(), docs: docs(n), sentences, abstained };
}
const titles = (m: RagMessage) => m.docs.map((d) => d.metadata.title).join('');

test('sources count in the order in which they are first cited', () => {
  const m = numbered(rag([['One [3].', [3]], ['Two [1][3].', [1, 3]], ['Three [2].', [2]]], 4));
  expect(m.answer).toBe('One [1]. Two [2][1]. Three [3].');
  expect(titles(m)).toBe('CABD');
  expect(m.sentences.map((s) => s.docs)).toEqual([[1], [2, 1], [3]]);
  expect(numbered(m)).toBe(m);
});

test('a single source has the number 1', () => {
  const { type, rag: m } = reply('rag_answer', rag([['It is so [2].', [2]]], 3)) as { type: string; rag: RagMessage };
  expect([type, m.answer, titles(m)]).toEqual(['rag', 'It is so [1].', 'BAC']);
  expect(copied(m, statements)).toContain('- [1] B');
  expect(citedBy(m)[0]).toMatchObject({ n: 1, doc: { content: 'B' }, sentences: ['It is so [1].'] });
});

test('sentences are where they were when numbers become shorter or longer', () => {
  const before = rag([['Größe 😀 [12].', [12]], ['Then [11].', [11]], ['Both [1, 12].', [1, 12]], ['Nothing.', []], ['And [2][3][4][5][6][7][8][9].', [2, 3, 4, 5, 6, 7, 8, 9]], ['Late [10].', [10]]], 12);
  const m = numbered(before);
  expect(m.sentences.map((s) => slice(encode(m.answer), s.start, s.end))).toEqual([
    'Größe 😀 [1].', 'Then [2].', 'Both [3, 1].', 'Nothing.', 'And [4][5][6][7][8][9][10][11].', 'Late [12].',
  ]);
  for (const [i, s] of m.sentences.entries()) expect(s.docs.map((n) => m.docs[n - 1])).toEqual(before.sentences[i]!.docs.map((n) => before.docs[n - 1]));
});

test('correct numbers and replies without an answer stay unchanged', () => {
  for (const m of [rag([['So [1].', [1]], ['And [2].', [2]]], 3), rag([['Nothing.', []]], 2), rag([['I don’t know [2].', [2]]], 2, true)]) expect(numbered(m)).toBe(m);
});

test('code, formulas, and escaped text have no citations', () => {
  const text = 'Code `a[3]`, ``b`[3]``, $x_{[3]}$, \\[3], then [2] and\n\n```\nc[3] [2]\n```\n\nand ` alone [3].\n\n~~~\nd[2]';
  const m = numbered({ ...rag([], 4), answer: text });
  expect(m.answer).toBe(text.replace('then [2]', 'then [1]').replace('alone [3]', 'alone [2]'));
  expect(titles(m)).toBe('BCAD');
  expect(counted(text, 4)).toBe(m.answer);
});

test('numbers without a passage stay, and are not counted', () => {
  const m = numbered(rag([['So [9].', []], ['And [0] [2].', [2]]], 3));
  expect(m.answer).toBe('So [9]. And [0] [1].');
});

test('the numbers of an unfinished answer are final', () => {
  const whole = rag([['One [3].', [3]], ['Two [1][3].', [1, 3]], ['Three [2] and [12].', [2, 12]]], 12);
  const { answer } = numbered(whole);
  for (let n = 0; n <= whole.answer.length; n++) expect(answer.startsWith(counted(whole.answer.slice(0, n), 12)), whole.answer.slice(0, n)).toBe(true);
  expect(counted(whole.answer, 12)).toBe(answer);
  expect(counted('So [9], but [2] and [0].', 8)).toBe('So [9], but [1] and [0].'); // there are only eight passages
  expect(counted('So [2] and [1].', 0)).toBe('So [2] and [1].');
});

test('each number belongs to its sentence', () => {
  const m = rag([['Größe `[1]` 😀 [1].', [1]], ['Twice [2, 1] and [1].', [2, 1]], ['Nothing.', []], ['Late [1].', [1]]], 2);
  expect([0, 1, 2, 3, 4].map((nth) => citingAt(m, 1, nth))).toEqual(['Größe `[1]` 😀 [1].', 'Twice [2, 1] and [1].', 'Twice [2, 1] and [1].', 'Late [1].', undefined]);
  expect([citingAt(m, 2, 0), citingAt(m, 2, 1)]).toEqual(['Twice [2, 1] and [1].', undefined]);
});
