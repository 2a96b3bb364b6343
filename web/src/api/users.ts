// The HTTP calls of administrators about users.
import { base } from './base';
import { call, json, query } from './http';
import type { PasswordLink, Seen, User, UserChange } from './wire';

export type { PasswordLink, Seen, User } from './wire';

/** Scope is a permission of a user. */
export type Scope = User['scopes'][number];

/** allScopes are the permissions that users can have. */
export const allScopes: readonly Scope[] = ['ask', 'ingest', 'admin'];

const body = (method: string, value: unknown): RequestInit => ({ method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) });

const at = (name: string) => `/api/users/${encodeURIComponent(name)}`;

export const listUsers = () => json<User[]>('/api/users');

/** inviteUser creates a user, and returns a link to set a password. */
export const inviteUser = (name: string, scopes: Scope[]) => json<PasswordLink>('/api/users', body('POST', { name, scopes }));

export const changeUser = (name: string, change: UserChange) => call(at(name), body('PATCH', change));

/** makeLink makes a link with which a user sets a new password. */
export const makeLink = (name: string) => json<PasswordLink>(`${at(name)}/link`, { method: 'POST' });

/** signOutUser ends all sign-ins of a user. */
export const signOutUser = (name: string) => call(`${at(name)}/sign-ins`, { method: 'DELETE' });

/** deleteUser deletes a user, with or without the user's conversations. */
export const deleteUser = (name: string, conversations: boolean) => call(at(name) + query({ conversations: conversations ? 'true' : undefined }), { method: 'DELETE' });

/** listAccess lists the collections that a user may read. */
export const listAccess = (name: string) => json<Seen[]>(`${at(name)}/access`);

/** joinAddress returns the address that the reader of a link opens. */
export const joinAddress = (link: string) => `${location.origin}${base}/#/join/${encodeURIComponent(link)}`;
