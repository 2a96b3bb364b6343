// The conversations of clients/testdata, which the clients for Go and Python play, too.
import { readdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import WebSocket, { WebSocketServer } from 'ws';
import { expect, test } from 'vitest';
import { DocentClient, DocentError, emptyTranscript, reduce, type Stored, type Transcript } from '../src/index.ts';
import type { SocketLike } from '../src/link.ts';

const folder = join(import.meta.dirname, '../../testdata');
const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
const patience = { timeout: 60_000, interval: 2 };

type Frame = Record<string, unknown> & { id: string };
interface Line {
  connect?: number | null;
  server?: Frame;
  client?: Frame;
  send?: string;
  text?: [number, string];
  cut?: true;
  close?: number;
  end?: { entries: unknown[]; sends: unknown[] };
}

/** Mailbox holds values until they are taken. */
class Mailbox<T> {
  private values: T[] = [];
  put = (value: T) => void this.values.push(value);
  async take(): Promise<T> {
    await expect.poll(() => this.values.length, patience).toBeGreaterThan(0);
    return this.values.shift()!;
  }
}

test('there are recordings', () => expect(files.length).toBeGreaterThanOrEqual(11));

test.each(files)('%s', async (name) => {
  const lines = readFileSync(join(folder, name), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as Line);
  const wss = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((ok) => wss.once('listening', ok));
  const sockets = new Mailbox<{ ws: WebSocket; frames: Mailbox<Frame> }>();
  wss.on('connection', (ws) => {
    const frames = new Mailbox<Frame>();
    ws.on('message', (data) => frames.put(JSON.parse(String(data)) as Frame));
    sockets.put({ ws, frames });
  });
  const client = new DocentClient({
    url: `http://127.0.0.1:${(wss.address() as AddressInfo).port}`,
    WebSocket: WebSocket as unknown as new (url: string, protocols: string[]) => SocketLike,
    backoff: [1, 5],
    patience: 60_000,
  });
  let transcript: Transcript = emptyTranscript;
  client.on('any', (e) => void (transcript = reduce(transcript, e)));
  client.connect();
  const text = (content: unknown) => (typeof content === 'string' ? content : (content as { answer: string }).answer);
  const had = () => transcript.entries.map((e) => [e.seq, e.turn, text(e.content)]);
  const outcome = ({ seq, turn }: Stored) => ({ seq, turn });
  const ids = new Map<string, string>();
  const sends: Promise<unknown>[] = [];
  let now: { ws: WebSocket; frames: Mailbox<Frame> } | undefined;
  try {
    for (const line of lines) {
      if (line.connect !== undefined) {
        now = await sockets.take();
        const hello = await now.frames.take();
        expect((hello.message as { last_seq?: number }).last_seq ?? null).toBe(line.connect);
      } else if (line.server) {
        let frame = JSON.stringify(line.server);
        for (const [name, id] of ids) frame = frame.replaceAll(JSON.stringify(name), JSON.stringify(id));
        now!.ws.send(frame);
      } else if (line.client) {
        const got = await now!.frames.take();
        if (!ids.has(line.client.id)) ids.set(line.client.id, got.id);
        expect(got).toMatchObject({ ...line.client, id: ids.get(line.client.id) });
      } else if (line.send) sends.push(client.send(line.send).then(outcome, (err: DocentError) => err.code));
      else if (line.text) await expect.poll(() => transcript.turns.get(line.text![0])?.text, patience).toBe(line.text[1]);
      else if (line.cut) now!.ws.terminate();
      else if (line.close) now!.ws.close(line.close);
      else if (line.end) {
        expect(await Promise.all(sends)).toEqual(line.end.sends);
        await expect.poll(had, patience).toEqual(line.end.entries);
      }
    }
  } finally {
    client.close();
    for (const ws of wss.clients) ws.terminate();
    await new Promise((ok) => wss.close(ok));
  }
});
