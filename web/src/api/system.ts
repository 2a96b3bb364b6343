// The HTTP calls of administrators about the installation and its backups.
import { call, json } from './http';
import type { BackupList, System } from './wire';

export type { BackupList, BackupRun, System } from './wire';

/** readSystem runs the checks of the server, and returns its sizes and processes. */
export const readSystem = () => json<System>('/api/system');

export const listBackups = () => json<BackupList>('/api/system/backups');

/** startBackup begins a backup. It ends later. */
export const startBackup = () => call('/api/system/backups', { method: 'POST' });
