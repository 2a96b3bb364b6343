// What happens to attached files while others are sent.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { UploadResult } from '../../src/api/shapes';
import { conversation } from '../../src/conversation/conversation.svelte';
import { attachments } from '../../src/input/attachments.svelte';
import { server } from '../../src/shell/server.svelte';

/** The uploads that have no answer yet, by the name of the file. */
const uploads = new Map<string, (status: UploadResult['status']) => void>();

vi.mock('../../src/api/http', async (original) => ({
  ...(await original<typeof import('../../src/api/http')>()),
  getInfo: () => Promise.reject(new Error('no server')),
  upload: (file: File) =>
    new Promise<UploadResult[]>((answer) => uploads.set(file.name, (status) => answer([{ source: file.name, status, chunks: 0 } as UploadResult]))),
}));

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
  uploads.clear();
});

const states = () => attachments.list.map((a) => [a.file.name, a.state]);
const id = (name: string) => attachments.list.find((a) => a.file.name === name)!.id;
const asked = (name: string) => expect.poll(() => uploads.has(name)).toBe(true);

test('a failed file that the user gives to the chat meanwhile waits for the next send', async () => {
  attachments.go('documents');
  const done = attachments.send();
  await asked('a.txt');
  uploads.get('a.txt')!('failed');
  await asked('b.bin');
  attachments.rescue(id('a.txt'));
  uploads.get('b.bin')!('added');
  expect(await done).toBe(false); // the text stays, too
  expect(sent).toEqual([]);
  expect(states()).toEqual([['a.txt', 'waiting'], ['b.bin', 'done']]);
  expect(await attachments.send()).toBe(true);
  expect(sent).toEqual(['a.txt']);
  expect(states()).toEqual([]);
});

test('a file that the user removes meanwhile is not added', async () => {
  attachments.go('documents');
  const done = attachments.send();
  await asked('a.txt');
  attachments.remove(id('b.bin'));
  uploads.get('a.txt')!('added');
  expect(await done).toBe(true);
  expect([...uploads.keys()]).toEqual(['a.txt']);
});

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
