import WebSocket from 'ws';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { base64, DocentClient, DocentError, emptyTranscript, newId, parseFrame, reduce, stays, unreplaced, type LinkState, type Options, type Question, type ServerFrame, type Transcript } from '../src/index.ts';
import { TestServer } from './server.ts';

let server: TestServer;
let opened: Tab[] = [];

/** How long a wait may take that ends early but on a machine with much to do, in ms. */
const patience = 60_000;

/** Tab is a client with what a page would make of it. */
class Tab {
  transcript: Transcript = emptyTranscript;
  frames: ServerFrame[] = [];
  states: LinkState[] = [];
  client: DocentClient;

  constructor(options: Partial<Options> = {}) {
    opened.push(this);
    this.client = new DocentClient({ url: server.url, WebSocket, backoff: [1, 8], ...options } as Options);
    this.client.on('any', (e) => {
      this.transcript = reduce(this.transcript, e);
      if (e.type === 'frame') this.frames.push(e.frame);
      if (e.type === 'state') this.states.push(e.state);
    });
    this.client.connect();
  }

  texts = () => unreplaced(this.transcript).filter((e) => e.kind !== 'step').map((e) => String(e.content));
  until = (f: (t: Transcript) => boolean) => expect.poll(() => f(this.transcript), { timeout: patience, interval: 2 }).toBe(true);
  settled = (seq: number) => this.until((t) => t.synced && t.lastSeq === seq && t.pending.length === 0 && [...t.turns.values()].every((turn) => turn.state === 'done' || turn.state === 'over'));
}

/** truth is what the server stores, as a transcript has it. */
const truth = (id: string) => server.session(id).stored.map((k) => [k.seq, k.turn, k.message]);
const had = (tab: Tab) => tab.transcript.entries.map((e) => [e.seq, e.turn, e.content]);

beforeEach(async () => {
  server = await new TestServer().start();
});
afterEach(async () => {
  for (const tab of opened.splice(0)) tab.client.close();
  await server.kill();
});

describe('a conversation', () => {
  test('a message resolves when it is stored, and is answered', async () => {
    const tab = new Tab();
    const stored = await tab.client.send('q');
    expect(stored).toMatchObject({ seq: 2, turn: 1, duplicate: false });
    await tab.settled(4);
    expect(tab.texts()).toEqual(['Hello', 'q', 'Answer 1']);
    expect(tab.client).toMatchObject({ sessionId: 's-1', lastSeq: 4, state: 'open' });
    expect(had(tab)).toEqual(truth('s-1'));
  });

  test('what is provisional is there while it is', async () => {
    const tab = new Tab();
    const seen: string[] = [];
    tab.client.on('frame', () => {
      const turn = tab.transcript.turns.get(1);
      if (turn) seen.push(`${turn.state} ${turn.steps.length} ${turn.text}`);
    });
    await tab.client.send('q');
    await tab.settled(4);
    expect(seen).toContain('running 1 Answer 1');
    expect(seen.at(-1)).toBe('done 0 ');
  });

  test('what is said as a turn ends is answered once', async () => {
    server.pace = 15;
    const tab = new Tab();
    let next: Promise<unknown> | undefined;
    tab.client.on('frame', ({ frame }) => {
      if (frame.action === 'turn_finished') next ??= tab.client.send('r');
    });
    await tab.client.send('q');
    await tab.settled(7);
    await next;
    expect(tab.texts()).toEqual(['Hello', 'q', 'Answer 1', 'r', 'Answer 2']);
    expect(tab.frames.filter((f) => f.action === 'status').map((f) => f.turn)).toEqual([1, 2]);
  });

  test('it is read from the beginning, or from where the caller is', async () => {
    const tab = new Tab();
    await tab.client.send('q');
    await tab.settled(4);
    const all = new Tab({ sessionId: 's-1', lastSeq: 0 });
    await all.settled(4);
    expect(had(all)).toEqual(truth('s-1'));
    const rest = new Tab({ sessionId: 's-1', lastSeq: 3 });
    await rest.settled(4);
    expect(rest.texts()).toEqual(['Answer 1']);
    const none = new Tab({ sessionId: 's-1' });
    await none.until((t) => t.synced);
    expect([none.texts(), none.client.lastSeq]).toEqual([[], 4]);
  });

  test('edit and regenerate replace, in every tab', async () => {
    const tab = new Tab();
    await tab.client.send('one');
    await tab.client.send('two');
    const other = new Tab({ sessionId: 's-1', lastSeq: 0 });
    await other.settled(7);
    await tab.client.edit(2, 'two, better');
    await tab.settled(10);
    await other.settled(10);
    for (const t of [tab, other]) expect(t.texts()).toEqual(['Hello', 'one', 'Answer 1', 'two, better', 'Answer 3']);
    await other.client.regenerate(1);
    await tab.settled(13);
    await other.settled(13);
    for (const t of [tab, other]) expect(t.texts()).toEqual(['Hello', 'one', 'Answer 4']);
    expect(had(tab)).toEqual(truth('s-1'));
  });

  test('files, feedback, a reset', async () => {
    const tab = new Tab();
    await tab.client.sendFile(new File(['text'], 'a.txt', { type: 'text/plain' }));
    await tab.settled(4);
    expect(await tab.client.feedback({ turn: 1, rating: 100 })).toEqual({ turn: 1 });
    expect(server.feedback).toEqual([{ turn: 1, rating: 100 }]);
    await tab.client.setVariables({ language: 'French' });
    expect(server.variables).toEqual({ language: 'French' });
    expect(await tab.client.reset()).toEqual({ seq: 4 });
    expect(tab.transcript.entries).toEqual([]);
    await tab.client.send('q');
    await tab.settled(7);
    expect(tab.texts()).toEqual(['q', 'Answer 2']);
  });

  test('a file is read in pieces and arrives as it is', async () => {
    server.maxPayload = 4 << 20;
    await server.kill();
    await server.start();
    const tab = new Tab();
    const bytes = new Uint8Array((1 << 20) + 7).map((_, i) => (i * 31) >> 3);
    await tab.client.sendFile(new File([bytes], 'a "b" \\ ü.bin'));
    await tab.settled(4);
    const [file] = server.files as { name: string; base64: string }[];
    expect(file!.name).toBe('a "b" \\ ü.bin');
    expect(Buffer.from(file!.base64, 'base64').equals(bytes)).toBe(true);
    expect(await base64(new Blob([bytes.subarray(0, 5)]))).toBe(Buffer.from(bytes.subarray(0, 5)).toString('base64'));
  });

  test('a recording becomes its words, in the sender and in others', async () => {
    const tab = new Tab();
    await tab.settled(1);
    const other = new Tab({ sessionId: 's-1', lastSeq: 0 });
    await other.settled(1);
    const pending: unknown[] = [];
    tab.client.on('frame', () => pending.push(...tab.transcript.pending.map((p) => [p.action, p.content])));
    const stored = await tab.client.sendVoice(new Blob(['sound']), { id: 'v' });
    expect(stored).toMatchObject({ id: 'v', seq: 2, turn: 1, duplicate: false });
    await tab.settled(4);
    await other.settled(4);
    expect(pending).toContainEqual(['user_message', 'heard sound']);
    for (const t of [tab, other]) expect(t.texts()).toEqual(['Hello', 'heard sound', 'Answer 1']);
    expect(had(tab)).toEqual(truth('s-1'));
  });

  test('a message with options is stored as it is', async () => {
    const tab = new Tab();
    const question: Question = { message: 'q', collections: ['a'], k: 3 };
    await tab.client.send(question);
    await tab.settled(4);
    expect(server.session('s-1').stored[1]!.message).toEqual(question);
    await tab.client.edit(1, { ...question, model: 'm' } satisfies Question);
    await tab.settled(7);
    expect(unreplaced(tab.transcript).map((e) => e.content)).toContainEqual({ ...question, model: 'm' });
  });

  test('a refusal rejects, and the same id can be sent again', async () => {
    const tab = new Tab();
    const refused = tab.client.send('busy', { id: 'a' });
    await expect(refused).rejects.toThrow(DocentError);
    await expect(refused).rejects.toMatchObject({ code: 'busy', retryable: true });
    expect(tab.transcript.pending).toMatchObject([{ id: 'a', error: { code: 'busy' } }]);
    await tab.client.send('q', { id: 'a' });
    await tab.settled(4);
    expect(tab.texts()).toEqual(['Hello', 'q', 'Answer 1']);
  });

  test('variables, stops and feedback that are refused reject, and nothing else is heard of it', async () => {
    const tab = new Tab();
    await tab.client.send('q');
    await tab.settled(4);
    const { client } = tab;
    const heard = tab.frames.length;
    await expect(client.setVariables({ prev_state: 'x' })).rejects.toMatchObject({ code: 'invalid', message: 'prev_state is reserved.' });
    await expect(client.stop(0)).rejects.toMatchObject({ code: 'invalid' });
    await expect(client.feedback({ turn: 0, rating: 1 })).rejects.toMatchObject({ code: 'invalid' });
    await client.setVariables({ a: 1 });
    await client.stop();
    await client.stop(1);
    expect(tab.frames.slice(heard).map((f) => f.action)).toEqual(['error', 'error', 'error', 'ack', 'ack', 'ack']);
    expect([server.hellos.length, server.stops]).toEqual([1, [undefined, 1]]);
  });

  test('what is asked for as the connection is lost is asked for again, but to stop what runs', async () => {
    const tab = new Tab();
    await tab.settled(1);
    const { client } = tab;
    const set = client.setVariables({ b: 2 });
    const stop = client.stop(7);
    const any = client.stop();
    server.drop('s-1'); // nothing of it was read
    await expect(any).rejects.toMatchObject({ code: 'unavailable', retryable: true });
    await set;
    await stop;
    expect([server.variables, server.stops]).toEqual([{ b: 2 }, [7]]);
    expect(tab.transcript.pending).toEqual([]);
  });

  test('what is larger than the server takes is refused before it is sent', async () => {
    server.frameBytes = 300;
    const tab = new Tab();
    const large = tab.client.send('€'.repeat(100), { id: 'l' }); // 300 bytes, and the frame's own
    await expect(large).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining('300 bytes') as string });
    expect(tab.transcript.pending).toMatchObject([{ id: 'l', error: { code: 'invalid' } }]);
    await tab.client.send('€'.repeat(60));
    expect(tab.states).toEqual(['connecting', 'open']);
  });

  test('text that is longer than the server takes is refused before it is sent', async () => {
    const tab = new Tab();
    const { client } = tab;
    const [fits, long] = ['€'.repeat(5461), '€'.repeat(5462)]; // 16383 and 16386 bytes
    const stored = await client.send(fits);
    for (const said of [long, { message: long }, JSON.stringify({ message: long }), { a: long }, [long]]) {
      await expect(client.send(said)).rejects.toMatchObject({ code: 'invalid', message: 'This text is longer than the server takes, which is 16384 bytes.' });
      await expect(client.edit(stored.turn!, said)).rejects.toMatchObject({ code: 'invalid' });
    }
    await client.send({ message: fits, more: long }); // which is no text
    await client.send(JSON.stringify({ message: fits, more: long }));
    expect([server.hellos.length, tab.states]).toEqual([1, ['connecting', 'open']]);
  });

  test('the same id three times from two sockets is one turn', async () => {
    const one = new Tab({ sessionId: 'x', lastSeq: 0 });
    await one.until((t) => t.synced);
    const two = new Tab({ sessionId: 'x', lastSeq: 0 });
    const stored = await Promise.all([one, two, one].map((t) => t.client.send('q', { id: 'same' })));
    expect(new Set(stored.map((s) => s.seq))).toEqual(new Set([2]));
    await one.settled(4);
    await two.settled(4);
    for (const t of [one, two]) expect(had(t)).toEqual(truth('x'));
  });

  test('tokens go where they are asked to', async () => {
    server.token = 'secret';
    new Tab({ token: 'secret', protocolToken: 'other' });
    await expect.poll(() => server.hellos, { timeout: patience }).toEqual([{ token: 'secret' }]);
    expect(server.protocols).toEqual(['docent.v1,docent.token.other']);
    expect(() => new DocentClient({ url: server.url, WebSocket: WebSocket as never, protocolToken: 'a b' })).toThrow('subprotocol');
  });
});

describe('connections that end', () => {
  test('what was said without one is sent when there is one, once', async () => {
    await server.kill();
    const tab = new Tab();
    const sent = [tab.client.send('one'), tab.client.send('two')];
    await expect.poll(() => tab.states, { timeout: patience }).toContain('lost');
    expect(tab.transcript.pending.map((p) => p.content)).toEqual(['one', 'two']);
    await server.start();
    await Promise.all(sent);
    await tab.settled(7);
    expect(had(tab)).toEqual(truth('s-1'));
  });

  test('in the middle of a turn: a snapshot, and on', async () => {
    Object.assign(server, { pace: 1, hold: 'An' });
    const tab = new Tab();
    await tab.client.send('q');
    await tab.until((t) => t.turns.get(1)?.text === 'An');
    const texts: (string | undefined)[] = [];
    tab.client.on('state', ({ state }) => state === 'lost' && texts.push(tab.transcript.turns.get(1)?.text));
    server.drop('s-1');
    await tab.until((t) => texts.length > 0 && t.synced);
    server.hold = '';
    expect(texts).toEqual(['An']);
    await tab.settled(4);
    const snapshot = tab.frames.find((f) => f.action === 'turn_snapshot');
    expect(snapshot?.message).toMatchObject({ turn: 1, text: expect.stringMatching(/^An/) as string, steps: [{ message: { summary: 'looked at 1' } }] });
    expect(tab.frames.findIndex((f) => f === snapshot)).toBeLessThan(tab.frames.findLastIndex((f) => f.action === 'synced'));
    expect(had(tab)).toEqual(truth('s-1'));
  });

  test('a frame that is missing is fetched', async () => {
    const tab = new Tab();
    server.skip = 3;
    await tab.client.send('q');
    await tab.settled(4);
    expect(tab.states.filter((s) => s === 'lost').length).toBe(1);
    expect(had(tab)).toEqual(truth('s-1'));
  });

  test('one that is gone for good is passed over', async () => {
    const tab = new Tab();
    await tab.client.send('q');
    await tab.settled(4);
    server.session('s-1').seq += 3;
    await tab.client.send('r');
    await tab.settled(10);
    expect(tab.texts()).toEqual(['Hello', 'q', 'Answer 1', 'r', 'Answer 2']);
  });

  test('a reset and another database that were missed are noticed', async () => {
    const tab = new Tab();
    await tab.client.send('q');
    await tab.settled(4);
    await server.kill();
    Object.assign(server.session('s-1'), { stored: [], reset: 4, seq: 4 });
    await server.start();
    await tab.client.send('r');
    await tab.settled(7);
    expect(had(tab)).toEqual(truth('s-1'));
    await server.kill();
    server.sessions.clear();
    await server.start();
    await tab.client.send('s');
    await tab.settled(4);
    expect(tab.texts()).toEqual(['Hello', 's', 'Answer 1']);
  });

  test('a refusal is obeyed, and what is kept is sent after the next connect', async () => {
    server.token = 'secret';
    const tab = new Tab({ keep: true });
    const sent = tab.client.send('q');
    await expect.poll(() => tab.client.state, { timeout: patience }).toBe('refused');
    await new Promise((ok) => setTimeout(ok, 50));
    expect(server.hellos.length).toBe(1);
    server.token = '';
    tab.client.connect();
    await sent;
    await tab.settled(4);
  });

  test('a refusal rejects what waits, what is said then, and nothing after the next connect', async () => {
    server.token = 'secret';
    const tab = new Tab();
    const refused = { code: 'unauthorized', message: 'Say who you are.', retryable: false };
    await expect(tab.client.send('q', { id: 'q' })).rejects.toMatchObject(refused);
    expect(tab.transcript.pending).toMatchObject([{ id: 'q', error: refused }]);
    await expect(tab.client.send('r')).rejects.toMatchObject(refused);
    expect(server.hellos.length).toBe(1);
    server.token = '';
    tab.client.connect();
    await tab.client.send('q', { id: 'q' });
    await tab.settled(4);
    for (const [code, says] of [[4503, 'forbidden'], [4501, 'not_found'], [1000, 'conflict']] as const) {
      tab.client.connect();
      await tab.until((t) => t.synced);
      server.chaos = () => true; // nothing is answered any more
      server.drop('s-1', code);
      await expect(tab.client.send('s')).rejects.toMatchObject({ code: says });
      server.chaos = () => false;
    }
  });

  test('a wrong token of the handshake is not tried again', async () => {
    server.unknown = 'wrong';
    const tab = new Tab({ protocolToken: 'wrong' });
    await expect(tab.client.send('q')).rejects.toMatchObject({ code: 'unauthorized', message: 'No such token.' });
    expect(tab.states).toEqual(['connecting', 'refused']);
  });

  test.each([true, false])('a frame that ends the connection is given up, and only that is (keep %s)', async (keep) => {
    server.maxPayload = 2000;
    await server.kill();
    await server.start();
    const tab = new Tab({ keep });
    const small = tab.client.send('small').catch((err: DocentError) => err.code);
    const large = tab.client.send('x'.repeat(3000), { id: 'l' });
    const other = tab.client.send('other').catch((err: DocentError) => `${err.code} ${err.retryable}`);
    await expect(large).rejects.toMatchObject({ code: 'invalid', retryable: false });
    await expect.poll(() => tab.client.state, { timeout: patience }).toBe('refused');
    expect(tab.transcript.pending.find((p) => p.id === 'l')).toMatchObject({ error: { code: 'invalid' } });
    tab.client.connect();
    if (!keep) expect(await other).toBe('unavailable true');
    expect(await tab.client.send('later')).toMatchObject({ duplicate: false });
    if (keep) expect(await other).toMatchObject({ duplicate: false });
    await small;
    expect(server.session('s-1').stored.filter((k) => k.message === 'other').length).toBe(keep ? 1 : 0);
  });

  test('tries in vain are counted, and the pause becomes the longest', async () => {
    const tries: (number | undefined)[] = [];
    const pauses = vi.spyOn(globalThis, 'setTimeout');
    const tab = new Tab({ backoff: [1, 77] });
    tab.client.on('state', (e) => e.state === 'lost' && tries.push(e.tries));
    await tab.until((t) => t.synced);
    await server.kill();
    await expect.poll(() => tries.length, { timeout: patience }).toBeGreaterThan(6);
    expect(tries.slice(0, 7)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    const longest = Math.max(...pauses.mock.calls.map(([, ms]) => ms ?? 0).filter((ms) => ms <= 77));
    pauses.mockRestore();
    expect(longest).toBeGreaterThan(38);
    await server.start();
    await tab.until((t) => t.synced);
    server.drop('s-1');
    await expect.poll(() => tries.at(-1), { timeout: patience }).toBe(0);
  });

  test('a turn that a crash cut short streams again from the beginning', async () => {
    Object.assign(server, { pace: 1, hold: 'Answer ' });
    const tab = new Tab();
    await tab.client.send('q');
    await tab.until((t) => t.turns.get(1)?.text === 'Answer ');
    await server.kill();
    server.hold = '';
    const texts: string[] = [];
    tab.client.on('frame', () => {
      const turn = tab.transcript.turns.get(1);
      if (turn) texts.push(`${turn.steps.length} ${turn.text}`);
    });
    await server.start();
    await tab.settled(4);
    expect(texts).toEqual(['0 ', '0 ', '0 ', '1 ', '1 An', '1 Answer ', '1 Answer 1', '0 Answer 1', '0 ', '0 ']);
    expect(tab.frames.find((f) => f.action === 'turn_snapshot')).toBeUndefined();
  });

  test('a closed client says so to those who wait', async () => {
    await server.kill();
    const tab = new Tab();
    const sent = tab.client.send('q');
    tab.client.close();
    await expect(sent).rejects.toMatchObject({ code: 'canceled' });
    await expect(tab.client.send('r')).rejects.toMatchObject({ code: 'canceled' });
    expect(tab.client.state).toBe('closed');
  });

  test('a server that says nothing is given up', async () => {
    server.chaos = () => false;
    const silent = new Tab({ patience: 2000, url: server.url });
    server.session('mute');
    await silent.until((t) => t.synced);
    const never = new Tab({ patience: 20, WebSocket: class extends WebSocket { override send() {} } as never });
    await expect.poll(() => never.states.filter((s) => s === 'lost').length, { timeout: patience }).toBeGreaterThan(0);
  });

  test('a browser that is online again connects anew at once', async () => {
    let online = () => undefined as void;
    vi.stubGlobal('addEventListener', (_: string, f: () => void) => (online = f));
    const tab = new Tab({ backoff: [60_000, 60_000] });
    vi.unstubAllGlobals();
    await tab.settled(1);
    online();
    expect(tab.client.state).toBe('lost');
    await tab.until((t) => t.synced);
    server.drop('s-1');
    await tab.until((t) => !t.synced);
    online();
    await tab.until((t) => t.synced);
    expect(server.hellos.map((h) => h.last_seq)).toEqual([undefined, 1, 1]);
  });

  test('codes that say to stay away', () => {
    expect([1000, 1008, 1009, 4500, 4599].map(stays)).toEqual(Array(5).fill(true));
    expect([1001, 1006, 1011, 1012, 1013, 4000, 4499, 4600].map(stays)).toEqual(Array(8).fill(false));
  });
});

/** Small, fast and the same each time: mulberry32. */
function random(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let x = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

test.each([1, 2, 3, 4, 5, 6])('random cuts and kills lose, double and reorder nothing (%i)', async (seed) => {
  const dice = random(seed);
  let cuts = 0;
  const first = new Tab({ sessionId: 'x', lastSeq: 0 });
  await first.settled(1);
  const tabs = [first, new Tab({ sessionId: 'x', lastSeq: 0 }), new Tab({ sessionId: 'x', lastSeq: 0 })];
  server.chaos = () => dice() < 0.06 && ++cuts > 0;
  const sent: Promise<unknown>[] = [];
  for (let i = 0; i < 24; i++) {
    const { client, transcript } = tabs[Math.floor(dice() * tabs.length)]!;
    const turns = unreplaced(transcript).filter((e) => e.kind === 'question').map((e) => e.turn!);
    const turn = turns[Math.floor(dice() * turns.length)];
    const choice = dice();
    if (turn && choice < 0.1) sent.push(client.regenerate(turn));
    else if (turn && choice < 0.2) sent.push(client.edit(turn, `edited ${i}`));
    else sent.push(client.send(`message ${i}`));
    if (dice() < 0.2) tabs[Math.floor(dice() * tabs.length)]!.client.connect();
    if (i % 8 === 7) {
      await server.kill();
      await server.start();
    } else await new Promise((ok) => setTimeout(ok, dice() * 8));
  }
  await Promise.all(sent);
  server.chaos = () => false;
  expect(server.session('x').stored.filter((k) => k.action === 'user_message').length).toBe(24);
  await expect.poll(() => server.session('x').running.size + server.session('x').waiting.length, { timeout: patience }).toBe(0);
  for (const tab of tabs) {
    await tab.settled(server.session('x').seq);
    expect(had(tab)).toEqual(truth('x'));
    const seqs = tab.frames.flatMap((f) => (f.action === 'ack' ? (!f.message.duplicate && f.message.seq) || [] : f.seq ?? []));
    expect([...new Set(seqs)]).toEqual([...seqs].sort((a, b) => a - b));
  }
  expect(cuts).toBeGreaterThan(5);
});

test.each(['', 'null', '[]', '7', '{"message":1}', '{"action":5}', '{bad', '{"action":"ack","message":null}', '{"action":"agent_reply_delta","message":{"text":7}}', '{"action":"x","seq":"1"}', new ArrayBuffer(2)])(
  '%j is no frame', (data) => expect(parseFrame(data)).toBeNull());

test('ids are version 4 and differ', () => {
  expect(newId()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(newId()).not.toBe(newId());
});
