// The HTTP calls and types for the questions of all people.
import { call, json, query } from './http';
import type { AnswerImport, ImportedAnswers, ApprovedFields, ApprovedPage, AskedAnswer, AskedQuestion, GapChange, GapDetail, GapPage, NewApprovedAnswer, QuestionChange, QuestionDay, QuestionPage, Today } from './wire';

export type { ApprovedAnswer, ApprovedPassage, AskedAnswer, AskedQuestion, Gap, GapChange, GapDetail, ImportedRow, QuestionChange, QuestionDay, Thing, Today } from './wire';

export interface QuestionQuery {
  outcome?: readonly AskedQuestion['outcome'][];
  rating?: AskedQuestion['rating'] | undefined;
  mark?: AskedQuestion['mark'] | undefined;
  channel?: string;
  collection?: string;
  gap?: number;
  /** The earliest time in ISO 8601. */
  since?: string | undefined;
  cursor?: string | undefined;
}

const at = '/api/insight';

const change = (value: unknown, method = 'PATCH'): RequestInit => ({ method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) });

/** readToday lists things to do, and counts the questions of the last 30 days. */
export const readToday = () => json<Today>('/api/today');

/** listDays counts the questions of the last 30 days, oldest first. */
export const listDays = (collection = '') => json<QuestionDay[]>(`${at}/days` + query({ days: 30, collection }));

/** listQuestions lists questions, newest first. The server logs the request if it gives names. */
export function listQuestions({ outcome = [], ...rest }: QuestionQuery = {}): Promise<QuestionPage> {
  const first = query({ ...rest, limit: 50 });
  return json<QuestionPage>(`${at}/questions${first}${outcome.map((o) => `&outcome=${o}`).join('')}`);
}

/** readQuestion loads a question with its answer. The server logs the request. */
export const readQuestion = (id: number) => json<AskedAnswer>(`${at}/questions/${id}`);

export const changeQuestion = (id: number, wish: QuestionChange) => call(`${at}/questions/${id}`, change(wish));

export const listGaps = (q: { state?: string; collection?: string; cursor?: string | undefined; limit?: number } = {}) => json<GapPage>(`${at}/gaps` + query({ ...q }));

export const readGap = (id: number) => json<GapDetail>(`${at}/gaps/${id}`);

export const changeGap = (id: number, wish: GapChange) => call(`${at}/gaps/${id}`, change(wish));

export const listApproved = (q: { due?: boolean; cursor?: number | undefined } = {}) => json<ApprovedPage>(`${at}/answers` + query({ cursor: q.cursor, due: q.due ? 'true' : undefined }));

export const addApproved = (a: NewApprovedAnswer) => call(`${at}/answers`, change(a, 'POST'));

export const changeApproved = (id: number, a: ApprovedFields) => call(`${at}/answers/${id}`, change(a, 'PUT'));

/** importApproved imports answers from CSV, or returns what it would do. */
export const importApproved = (wish: AnswerImport) => json<ImportedAnswers>(`${at}/answers/import`, change(wish, 'POST'));
