// The questions of all people, and their gaps, on the mock server.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApprovedAnswer, AskedAnswer, Gap, GapDetail, ImportedRow, QuestionDay, Thing } from '../../src/api/insight';
import type { KeptQuestion, Quality, ThresholdEffect } from '../../src/api/quality';
import { answer, documents } from './corpus';

const day = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * day).toISOString();

const question = (id: number, text: string, more: Partial<AskedAnswer> = {}): AskedAnswer => ({
  id, question: text, timestamp: ago(id / 3), outcome: 'answered', rating: 0, channel: 'page', language: 'en', evidence: 0.81, collections: ['default'], mark: '',
  message: answer(more.outcome === 'not_found' ? 'unknown' : text, documents()), ...more,
});

export const questions = (): AskedAnswer[] => [
  question(1, 'How do I make a backup while docent serves?'),
  question(2, 'Which password rules apply to guests?', { outcome: 'not_found', evidence: 0.12, gap: 1, channel: 'widget' }),
  question(3, 'How long are guests’ passwords valid?', { outcome: 'not_found', evidence: 0.2, gap: 1 }),
  question(4, 'Can I restore a single document?', { outcome: 'unsure', evidence: 0.4, gap: 2, channel: 'api' }),
  question(5, 'What is the weather tomorrow?', { outcome: 'not_found', evidence: 0, mark: 'off_topic', channel: 'mcp' }),
  question(6, 'What does the attached contract say about notice periods?', { rating: 1, withheld: 'file' }),
  question(7, 'How much memory does the index need?', { rating: -1 }),
];

const gap = (id: number, wording: string, more: Partial<Gap> = {}): Gap => ({
  id, wording, question: id + 1, title: '', questions: 2, people: 2, first: ago(20), last: ago(1), owner: '', state: 'open', note: '', collections: ['default'], ...more,
});

export const gaps = (): Gap[] => [
  gap(1, 'Which password rules apply to guests?', { questions: 14, people: 9, owner: 'ada' }),
  gap(2, 'Can I restore a single document?', { question: 4, state: 'proposed', questions: 5, people: 4 }),
  gap(3, 'Do you have an office in Lisbon?', { state: 'stays_open', note: 'There is no office in Portugal. Visitors are welcome in Porto.' }),
];

export const approved = (): ApprovedAnswer[] => [
  { id: 40, collection: 'default', questions: ['When is the office open?', 'What are the opening hours?'], text: 'From 9 to 17.', signed: 'Support', owner: 'ada', review: '2026-01-01', documents: [3], changed: [3], passages: [
    { document_id: 1, quote: 'The office opens at 9.', title: 'Office hours', changed: true },
    { document_id: 2, quote: 'The office closes at 17.', title: 'Office hours', changed: false },
    { document_id: 9, quote: '', title: '', changed: true, hidden: true, deleted: true }, { document_id: 8, quote: '', title: '', changed: false, hidden: true },
  ], due: true, timestamp: ago(9) },
  { id: 39, collection: 'default', questions: ['Who repairs bikes?'], text: 'The **workshop**.', signed: 'Ann', owner: '', review: '', documents: [], changed: [], passages: [], due: false, timestamp: ago(12) },
];

export const things = (): Thing[] => [
  { kind: 'model', level: 'urgent', name: 'large', since: ago(0.2), quotes: true, reason: { id: 'model_key', params: [], message: 'the model server refuses the key; check the key' } },
  { kind: 'disk', level: 'soon', percent: 91 },
  { kind: 'source_stopped', level: 'soon', name: 'archive', since: ago(4) },
  { kind: 'source_failed', level: 'soon', name: 'blog', count: 3, since: ago(1) },
  { kind: 'source_late', level: 'soon', name: 'wiki', since: ago(2) },
  { kind: 'documents', level: 'soon', name: 'default', count: 4 },
  { kind: 'backup', level: 'soon', since: ago(9) },
  { kind: 'mail', level: 'soon', name: 'ann@example.com', count: 2, since: ago(2), reason: { id: 'digest_refused', params: ['550 no such user'], message: 'the mail server did not take the digest: 550 no such user' } },
  { kind: 'gaps_proposed', level: 'note', count: 1 },
  { kind: 'gaps_open', level: 'note', count: 5, questions: 12, new: 3 },
  { kind: 'answers_due', level: 'note', count: 1 },
];

export const kept = (): KeptQuestion[] => [
  {
    id: 2, question: 'How do I make a backup while docent serves?', collection: 'default', expect: 'passage', file: 'operations.md', quote: 'A backup is a copy of the database.', answer: 1, timestamp: ago(5), changed: true,
    last: { timestamp: ago(1), outcome: 'not_found', evidence: 0.001, verdict: 'failed' }, before: { timestamp: ago(3), outcome: 'answered', evidence: 0.8, rank: 1, verdict: 'passed' },
  },
  { id: 1, question: 'Who is the mayor of Lisbon?', collection: '', expect: 'absent', timestamp: ago(6), changed: false, last: { timestamp: ago(1), outcome: 'not_found', verdict: 'passed' } },
];

export class MockInsight {
  kept = kept();
  run: Quality['run'] = { state: 'done', started: ago(1), ended: ago(1), questions: 2, done: 2, failed: 0 };
  things = things();
  approved = approved();
  questions = questions();
  gaps = gaps();
  /** The rows of each import. */
  imported: ImportedRow[] = [
    { row: 2, status: 'added', question: 'Who waters the plants?' },
    { row: 3, status: 'changed', question: 'Who repairs bikes?' },
    { row: 4, status: 'refused', question: 'Why?', reason: { id: 'csv_row_incomplete', params: [], message: 'the question or the answer is missing' } },
  ];
  /** The number of questions in a page. */
  limit = 50;
  /** The queries of lists, and the changes. */
  asked: string[] = [];
  changes: [string, unknown][] = [];

  async serve(req: IncomingMessage, res: ServerResponse, url: URL): Promise<void> {
    const [, , , noun, part] = url.pathname.split('/');
    const json = (body: unknown, status = 200) => void res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    const missing = () => json({ code: 'not_found', message: 'no such thing', retryable: false }, 404);
    const id = Number(part);
    if (url.pathname === '/api/today') return json({ things: this.things, days: this.days() });
    if (noun === 'days') return json(this.days());
    if (noun === 'quality' || noun === 'thresholds') return json(this.quality(req.method!, noun, url), req.method === 'POST' ? 202 : 200);
    if (noun === 'answers' && req.method === 'GET') return json({ answers: this.approved.filter((a) => a.due || !url.searchParams.get('due')) });
    if (req.method !== 'GET') {
      let text = '';
      for await (const piece of req) text += String(piece);
      const change = JSON.parse(text || '{}') as object;
      this.changes.push([part ? `${noun}/${id || part}` : noun!, change]);
      if (part === 'import') return json({ rows: this.imported });
      if (noun === 'answers') return json({ ...this.approved[0], ...change });
      if (noun === 'kept') {
        this.kept = req.method === 'DELETE' ? this.kept.filter((k) => k.id !== id) : this.kept.map((k) => (k.id === id ? { ...k, ...change, changed: false, last: undefined, before: undefined } as unknown as KeptQuestion : k));
        return req.method === 'DELETE' ? void res.writeHead(204).end() : json(this.kept[0]);
      }
      if (noun === 'gaps') this.gaps = this.gaps.map((g) => (g.id === id ? { ...g, ...change } : g));
      else this.questions = this.questions.map((q) => (q.id === id ? { ...q, ...change } : q));
      return void res.writeHead(204).end();
    }
    if (part) {
      const found = noun === 'gaps' ? this.detail(id) : this.questions.find((q) => q.id === id);
      if (!found) return missing();
      return json('withheld' in found ? { ...found, message: undefined } : found);
    }
    const q = url.searchParams;
    this.asked.push(url.search);
    if (noun === 'gaps') return json({ gaps: this.gaps.filter((g) => !q.get('state') || g.state === q.get('state')) });
    const outcomes = q.getAll('outcome');
    const is = (key: 'channel' | 'mark' | 'rating' | 'gap', a: AskedAnswer) => !q.get(key) || String(a[key]) === q.get(key);
    const found = this.questions.filter((a) => (outcomes.length === 0 || outcomes.includes(a.outcome)) && is('channel', a) && is('mark', a) && is('rating', a) && is('gap', a));
    const from = Number(q.get('cursor') ?? 0);
    const to = from + this.limit;
    return json({ questions: found.slice(from, to).map(({ message: _, ...row }) => row), ...(to < found.length && { next_cursor: String(to) }) });
  }

  /** quality begins a run, or answers about kept questions and thresholds. */
  private quality(method: string, noun: string, url: URL): unknown {
    if (method === 'POST') return (this.run = { state: 'running', started: ago(0), questions: this.kept.length, done: 1, failed: 0 });
    if (noun === 'quality') return { questions: this.kept, run: this.run };
    const tried = { min_evidence: Number(url.searchParams.get('min_evidence')) || 0.4, min_shown: Number(url.searchParams.get('min_shown')) || 0.003 };
    const moved = tried.min_evidence > 0.81 ? [1, 7] : [];
    return {
      present: { min_evidence: 0.4, min_shown: 0.003 }, tried, answers: 212, answered: 200 - moved.length, unsure: moved.length, not_found: 12, changed: moved.length,
      questions: this.questions.filter((q) => moved.includes(q.id)).map((q) => ({ id: q.id, question: q.question, timestamp: q.timestamp, evidence: 0.81, from: 'answered', to: 'unsure' })),
    } satisfies ThresholdEffect;
  }

  private detail(id: number): GapDetail | undefined {
    const g = this.gaps.find((x) => x.id === id);
    const old = this.questions.find((q) => q.id === g?.question)?.message;
    return g && { ...g, ...(old && { old }), ...(g.state === 'proposed' && { new: answer('backup', documents()) }) };
  }

  private days(): QuestionDay[] {
    return Array.from({ length: 30 }, (_, i) => {
      const questions = this.questions.length && (i * 7) % 13 + (i % 7 > 4 ? 0 : 9);
      return { day: ago(29 - i).slice(0, 10), questions, answered: Math.floor(questions * 0.7), unsure: Math.floor(questions * 0.15), not_found: questions - Math.floor(questions * 0.7) - Math.floor(questions * 0.15), rated_down: questions % 5 === 4 ? 2 : 0 };
    });
  }
}
