// The HTTP calls of administrators about settings and chat models.
import { call, json } from './http';
import type { ChatModel, LocalServer, ModelChange, ModelList, ModelTest, Setting } from './wire';

export type { ChatModel, LocalServer, ModelChange, ModelList, ModelTest, Setting } from './wire';

const body = (method: string, value: unknown): RequestInit => ({ method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) });

const setting = (key: string) => `/api/settings/${encodeURIComponent(key)}`;
const model = (name: string) => `/api/models/${encodeURIComponent(name)}`;

export const listSettings = () => json<Setting[]>('/api/settings');

export const setSetting = (key: string, value: string) => json<Setting>(setting(key), body('PUT', { value }));

/** unsetSetting removes the stored value, so that the default applies. */
export const unsetSetting = (key: string) => call(setting(key), { method: 'DELETE' });

export const listModels = () => json<ModelList>('/api/models');

export const putModel = (name: string, change: ModelChange) => call(model(name), body('PUT', change));

export const deleteModel = (name: string) => call(model(name), { method: 'DELETE' });

/** orderModels sets the order of all stored models. */
export const orderModels = (names: string[]) => call('/api/models', body('PUT', { names }));

/** testModel has a short conversation with a model. It stores nothing. */
export const testModel = (name: string, change: ModelChange) => json<ModelTest>('/api/models/test', body('POST', { ...change, name }));

/** findModelServers looks for model servers on the machine of docent. */
export const findModelServers = () => json<LocalServer[]>('/api/models/local');

/** stored returns the models that can be changed here. */
export const storedModels = (list: ModelList): ChatModel[] => list.models.filter((m) => !m.locked);
