// Follow-up questions.
import { expect, test } from 'vitest';
import type { RagMessage } from '../../src/api/shapes';
import { followUps } from '../../src/chat/followups';

const doc = (title: string, heading: string, more: object = {}) => ({ content: 'x', metadata: { source: `${title}.md`, title, heading, page: null, page_label: null, start: 0, end: 1, score: 1, document_id: 1, chunk_id: 1, ...more } });
const answer = (docs: unknown[], more: object = {}) => ({ llm_name: 'extractive', question: 'How do I make a backup?', answer: 'Run it [1].', docs, sentences: [], abstained: false, ...more }) as unknown as RagMessage;

test('come from the sections that the answer does not cite, once each, and at most three', () => {
  const docs = [
    doc('Operations', 'Operations › Backups'), doc('Operations', 'Operations › Backups'), doc('Operations', 'Operations › Move the database'),
    doc('Operations', 'Operations › Move the database'), doc('Guide', 'Guide › Can I restore one table?'), doc('Guide', 'Guide › Notes'), doc('Sizes', 'Sizes › Limits of uploads'), doc('Sizes', 'Sizes › Limits of disks'),
  ];
  expect(followUps(answer(docs), 'en')).toEqual(['What does “Operations” say about move the database?', 'Can I restore one table?', 'What does “Sizes” say about limits of uploads?']);
});

test('an answer that was not found, or that cites nothing, has none, and files and unreadable documents give none', () => {
  const docs = [doc('Operations', 'Operations › Backups'), doc('Operations', 'Operations › Move the database')];
  expect(followUps(answer(docs, { abstained: true }), 'en')).toEqual([]);
  expect(followUps(answer(docs, { answer: 'Hello.' }), 'en')).toEqual([]);
  const hidden = [docs[0], doc('Mine', 'Mine › My own notes here', { file: 2 }), doc('no longer available', '', { unavailable: true })];
  expect(followUps(answer(hidden), 'en')).toEqual([]);
});
