// Attached files while other files are sent.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { conversation } from '../../src/conversation/conversation.svelte';
import { attachments } from '../../src/input/attachments.svelte';
import { server } from '../../src/shell/server.svelte';

const sent: string[] = [];
let reading = Promise.resolve();

const info = { agent: 'clerk', built_in: false, files: true, collections: [], models: [], limits: { upload_bytes: 1000 } };

beforeEach(() => {
  server.info = info as unknown as typeof server.info;
  sent.length = 0;
  reading = Promise.resolve();
  vi.spyOn(conversation, 'sendFile').mockImplementation((file) => {
    sent.push(file.name);
    return reading;
  });
  attachments.add(['a.txt', 'b.bin'].map((name) => new File(['x'], name)));
});
afterEach(() => {
  for (const { id } of [...attachments.list]) attachments.remove(id);
});

const states = () => attachments.list.map((a) => [a.file.name, a.state]);
const id = (name: string) => attachments.list.find((a) => a.file.name === name)!.id;

test('a file that the user removes meanwhile is not sent in the chat', async () => {
  let read = () => {};
  reading = new Promise((ok) => (read = ok));
  const done = attachments.send();
  await expect.poll(() => sent).toEqual(['a.txt']);
  attachments.remove(id('b.bin'));
  read();
  expect(await done).toBe(true);
  expect(sent).toEqual(['a.txt']);
});

test('files for a conversation are not sent in the next one', async () => {
  let read = () => {};
  reading = new Promise((ok) => (read = ok));
  const done = attachments.send();
  await expect.poll(() => sent).toEqual(['a.txt']);
  conversation.opened++;
  read();
  await done;
  expect(sent).toEqual(['a.txt']);
  expect(states()).toEqual([['b.bin', 'waiting']]);
});

test('files cannot be attached if the assistant takes none', () => {
  server.info = { ...info, files: false } as unknown as typeof server.info;
  attachments.add([new File(['x'], 'c.txt')]);
  expect(states().map(([name]) => name)).toEqual(['a.txt', 'b.bin']);
});
