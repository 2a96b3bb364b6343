// The servers that the test files share: one for each worker, with the sample documents.
import type { TestProject } from 'vitest/node';
import { startProgram } from './program';

/** setup is vitest's: it starts the servers, and returns a function that stops them. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!process.env.DOCENT_BIN) return undefined; // sharedProgram reports it
  const servers = await Promise.all(Array.from({ length: project.config.maxWorkers }, () => startProgram()));
  project.provide('servers', servers.map((s) => s.place));
  return async () => void (await Promise.all(servers.map((s) => s.stop())));
}
