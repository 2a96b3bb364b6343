// The description of the server, when its answers come out of order.
import { expect, test, vi } from 'vitest';
import type { Info } from '../../src/api/shapes';
import { server } from '../../src/shell/server.svelte';

const answers: ((info: Info | Error) => void)[] = [];

vi.stubGlobal('fetch', () => new Promise<Response>((ok, fail) => answers.push((info) => (info instanceof Error ? fail(info) : ok(Response.json(info))))));

const of = (version: string) => ({ version, collections: [] }) as unknown as Info;

test('an older answer does not replace a newer one', async () => {
  const asked = [server.refresh(), server.refresh(), server.refresh(), server.refresh()];
  answers[1]!(of('second'));
  await asked[1];
  expect(server.info?.version).toBe('second');
  answers[0]!(of('first'));
  await asked[0];
  expect(server.info?.version).toBe('second');
  answers[3]!(of('fourth'));
  await asked[3];
  answers[2]!(new Error('late'));
  await asked[2];
  expect([server.info?.version, server.error]).toEqual(['fourth', '']);
});
