// The HTTP calls of administrators about the installation and its backups.
import { call, json } from './http';
import type { BackupList, DigestState, System } from './wire';

export type { BackupList, BackupRun, DigestState, System } from './wire';

/** readSystem runs the checks of the server, and returns its sizes and processes. */
export const readSystem = () => json<System>('/api/system');

export const listBackups = () => json<BackupList>('/api/system/backups');

/** startBackup begins a backup. It ends later. */
export const startBackup = () => call('/api/system/backups', { method: 'POST' });

/** readDigest returns the weekly digest as it is now, and its last attempts. */
export const readDigest = () => json<DigestState>('/api/system/digest');

/** sendDigest sends the digest to all recipients, and returns the attempts. */
export const sendDigest = () => json<DigestState>('/api/system/digest', { method: 'POST' });
