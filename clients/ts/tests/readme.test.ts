// The example of the README, as it is there, on a server.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import WebSocket from 'ws';
import { expect, test, vi } from 'vitest';
import { TestServer } from './server.ts';

test('the example does what it says', async () => {
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
  const code = /```ts\n([^]*?)```/.exec(readme)![1]!;
  expect(code.trim().split('\n').length).toBeLessThanOrEqual(20);
  const server = await new TestServer().start();
  const file = join(import.meta.dirname, 'example.generated.ts');
  writeFileSync(file, code.replace("'docent-client'", "'../src/index.ts'").replace('http://127.0.0.1:8765', server.url));
  const said: string[] = [];
  vi.stubGlobal('WebSocket', WebSocket);
  vi.spyOn(console, 'log').mockImplementation((...words: unknown[]) => void said.push(words.join(' ')));
  try {
    await import(/* @vite-ignore */ file);
    await expect.poll(() => said.at(-1)).toBe('reply Answer 1');
    expect(said).toContain('stored, turn 1');
    expect(said).toContain('question How do I cancel a running query?');
    expect(said.filter((s) => s.startsWith('…')).map((s) => s.slice(2)).join('')).toBe('Answer 1');
  } finally {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
    rmSync(file);
    await server.kill();
  }
});
