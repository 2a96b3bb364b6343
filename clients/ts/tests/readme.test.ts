// The example of the README, as it is there, on a server.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import WebSocket from 'ws';
import { expect, test, vi } from 'vitest';
import { TestServer } from './server.ts';

const example = () => {
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
  return /```ts\n([^]*?)```/.exec(readme)![1]!;
};

test('the example does what it says', async () => {
  const code = example();
  expect(code.trim().split('\n').length).toBeLessThanOrEqual(20);
  const server = await new TestServer().start();
  const file = join(import.meta.dirname, `example.${process.pid}.generated.ts`);
  writeFileSync(file, code.replace("'docent-client'", "'../src/index.ts'").replace('http://127.0.0.1:8765', server.url));
  const said: string[] = [];
  vi.stubGlobal('WebSocket', WebSocket);
  vi.spyOn(console, 'log').mockImplementation((...words: unknown[]) => void said.push(words.join(' ')));
  try {
    await import(/* @vite-ignore */ file);
    await expect.poll(() => said.at(-1), { timeout: 60_000 }).toBe('reply Answer 1');
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

test('the example with a wrong token says so, and ends', async () => {
  const server = await new TestServer().start();
  server.token = 'secret';
  const file = join(import.meta.dirname, `wrong.${process.pid}.generated.ts`);
  writeFileSync(file, example().replace("'docent-client'", "'../src/index.ts'").replace("'http://127.0.0.1:8765'", `'${server.url}', token: 'wrong'`));
  vi.stubGlobal('WebSocket', WebSocket);
  try {
    await expect(import(/* @vite-ignore */ file)).rejects.toMatchObject({ code: 'unauthorized', message: 'Say who you are.' });
  } finally {
    vi.unstubAllGlobals();
    rmSync(file);
    await server.kill();
  }
});
