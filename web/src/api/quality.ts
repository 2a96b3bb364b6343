// The HTTP calls and types for kept questions and thresholds.
import { call, json, query } from './http';
import type { KeptFields, KeptQuestion, Quality, QualityRun, ThresholdEffect } from './wire';

export type { KeptFields, KeptQuestion, Quality, QualityRun, ThresholdEffect } from './wire';

const at = '/api/insight';

const body = (method: string, value: unknown): RequestInit => ({ method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) });

/** readQuality lists the kept questions with their results, and the latest run. */
export const readQuality = () => json<Quality>(`${at}/quality`);

/** runQuality asks the kept questions in the background. */
export const runQuality = () => json<QualityRun>(`${at}/quality/runs`, { method: 'POST' });

export const keepQuestion = (fields: KeptFields) => json<KeptQuestion>(`${at}/kept`, body('POST', fields));

export const changeKept = (id: number, fields: KeptFields) => json<KeptQuestion>(`${at}/kept/${id}`, body('PUT', fields));

export const removeKept = (id: number) => call(`${at}/kept/${id}`, { method: 'DELETE' });

/** tryThresholds shows the answers that other thresholds would change. Without values, it gives the present ones. */
export const tryThresholds = (q: { min_evidence?: number; min_shown?: number } = {}) => json<ThresholdEffect>(`${at}/thresholds${query({ ...q })}`);
