// The HTTP calls of the first start.
import { base } from './base';
import { json } from './http';
import type { SetupResult, SetupState } from './wire';

const post = (value: unknown): RequestInit => ({ method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) });

export const checkSetup = (code: string) => json<SetupState>('/api/setup/check', post({ code }));

/** setUp uses the code. With a name, it creates the first administrator. */
export const setUp = (code: string, name = '', password = '') => json<SetupResult>('/api/setup', post({ code, ...(name && { name, password }) }));

/** The time between looks at a server that restarts, and their largest number. */
const pause = 300;
const attempts = 100;

/** signInNeeded waits until the server requires a sign-in. It returns false if that takes too long. */
export async function signInNeeded(): Promise<boolean> {
  for (let i = 0; i < attempts; i++) {
    const status = await fetch(`${base}/api/me`).then((r) => r.status, () => 0);
    if (status === 401) return true;
    await new Promise((ok) => setTimeout(ok, pause));
  }
  return false;
}
