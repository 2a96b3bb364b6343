// The HTTP calls of users about their accounts.
import { base } from './base';
import { call, json, query, write } from './http';
import type { FactRow, NewToken, OwnPreferences, Preferences, PromptContent, PromptRow, SignInRow, TokenRow } from './shapes';

/** changePassword sets the user's password. It ends all sign-ins, and starts a new one here. */
export const changePassword = (old: string, password: string) => call('/api/me/password', write('PUT', { old, password }));

/** deleteAccount deletes the user, and the conversations if they should go, too. */
export const deleteAccount = (password: string, conversations: boolean) => call('/api/me/delete', write('POST', { password, conversations }));

export const listSignIns = () => json<SignInRow[]>('/api/me/sign-ins');

export const endSignIn = (id: string) => call(`/api/me/sign-ins/${encodeURIComponent(id)}`, { method: 'DELETE' });

export const getPreferences = () => json<OwnPreferences>('/api/me/preferences');

export const setPreferences = (preferences: Preferences) => call('/api/me/preferences', write('PUT', preferences));

export const createPrompt = (prompt: PromptContent) => json<PromptRow>('/api/prompts', write('POST', prompt));

export const changePrompt = (id: number, prompt: PromptContent) => call(`/api/prompts/${id}`, write('PUT', prompt));

export const deletePrompt = (id: number) => call(`/api/prompts/${id}`, { method: 'DELETE' });

export const listFacts = () => json<FactRow[]>('/api/me/memory');

/** eraseFacts erases a fact, or all facts about the user. */
export const eraseFacts = (fact?: { agent_name: string; key: string }) =>
  call('/api/me/memory' + query(fact ? { agent_name: fact.agent_name, key: fact.key } : {}), { method: 'DELETE' });

/** accountAddress is the address of the user's data as a file. */
export const accountAddress = `${base}/api/me/export`;

export const listTokens = () => json<TokenRow[] | null>('/api/tokens').then((r) => r ?? []);

export const createToken = (token: { name: string; scopes: string[]; expires_at?: string }) =>
  json<NewToken>('/api/tokens', write('POST', token));

export const revokeToken = (id: number) => call(`/api/tokens/${id}`, { method: 'DELETE' });
