import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Link, newId, parseFrame, type LinkState } from '../../src/api/socket';

class FakeSocket {
  static made: FakeSocket[] = [];
  sent: { action: string; message: unknown; id?: string }[] = [];
  onopen?: () => void;
  onmessage?: (e: { data: unknown }) => void;
  onclose?: (e: { code: number }) => void;
  constructor(readonly url: string) {
    FakeSocket.made.push(this);
  }
  send(data: string) {
    this.sent.push(JSON.parse(data) as FakeSocket['sent'][number]);
  }
  close() {
    this.onclose?.({ code: 1006 });
  }
  receive(action: string, message: unknown) {
    this.onmessage?.({ data: JSON.stringify({ action, message }) });
  }
  welcome(session: string) {
    this.onopen?.();
    this.receive('welcome', { session_id: session, seq: 0, resumed: false });
  }
  texts = () => this.sent.filter((f) => f.action === 'user_message').map((f) => `${f.message as string}#${f.id}`);
}

let states: LinkState[];
let resumed: number;
const latest = () => FakeSocket.made.at(-1)!;
const link = (session?: string) =>
  new Link(
    { frame: () => undefined, state: (s) => states.push(s), resumed: () => resumed++ },
    { origin: 'http://127.0.0.1:8765', session, WebSocket: FakeSocket as unknown as typeof WebSocket },
  );

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.made = [];
  states = [];
  resumed = 0;
});
afterEach(() => void vi.useRealTimers());

describe('link', () => {
  test('says hello first, and speaks once it is welcome', () => {
    const l = link();
    l.send('q', 'a');
    expect(latest().url).toBe('ws://127.0.0.1:8765/ws?protocol=docent.v1');
    expect(latest().sent).toEqual([]);
    latest().welcome('s1');
    expect(latest().sent).toEqual([
      { action: 'hello', message: {} },
      { action: 'user_message', message: 'q', id: 'a' },
    ]);
    expect(l.session).toBe('s1');
  });

  test('a turn is stopped, but not by a connection that is not there', () => {
    const l = link('s1');
    l.stop(3);
    l.open();
    l.stop(3);
    latest().welcome('s1');
    l.stop(3);
    expect(latest().sent).toEqual([{ action: 'hello', message: {} }, { action: 'stop', message: { turn: 3 } }]);
  });

  test('comes back to its session and sends what was not acknowledged, once', () => {
    const l = link();
    l.send('q1', 'a');
    l.send('q2', 'b');
    latest().welcome('s1');
    latest().receive('ack', { id: 'a', seq: 1, duplicate: false });
    latest().close();
    expect(states).toEqual(['connecting', 'open', 'lost']);
    vi.advanceTimersByTime(1000);
    expect(latest().url).toContain('session_id=s1');
    latest().welcome('s1');
    expect(latest().texts()).toEqual(['q2#b']);
    expect(resumed).toBe(1);
  });

  test('waits longer each time, and not at all when told', () => {
    const l = link('s1');
    l.open();
    for (let i = 0; i < 6; i++) {
      latest().close();
      vi.advanceTimersByTime(700 * 2 ** i);
    }
    expect(FakeSocket.made.length).toBe(7);
    latest().close();
    vi.advanceTimersByTime(5000);
    expect(FakeSocket.made.length).toBe(7);
    l.now();
    expect(FakeSocket.made.length).toBe(8);
  });

  test('a server that never says welcome is given up', () => {
    link('s1').open();
    latest().onopen?.();
    vi.advanceTimersByTime(10_000);
    expect(states.at(-1)).toBe('lost');
  });

  test('a refused message is not sent again', () => {
    const l = link();
    l.send('q', 'a');
    latest().welcome('s1');
    latest().receive('error', { code: 'busy', message: 'later', retryable: true, id: 'a' });
    latest().close();
    vi.advanceTimersByTime(1000);
    latest().welcome('s1');
    expect(latest().texts()).toEqual([]);
  });

  test('a final refusal is not argued with, and a closed link stays closed', () => {
    const l = link('s1');
    l.open();
    latest().onclose?.({ code: 1008 });
    vi.advanceTimersByTime(60_000);
    expect(states.at(-1)).toBe('refused');
    const other = link('s2');
    other.open();
    other.close();
    vi.advanceTimersByTime(60_000);
    expect(FakeSocket.made.length).toBe(2);
    void l;
  });
});

test.each(['', 'null', '[]', '7', '{"message":1}', '{"action":5}', '{bad', new ArrayBuffer(2)])('%j is no frame', (data) =>
  expect(parseFrame(data)).toBeNull());

test('ids are version 4 and differ', () => {
  expect(newId()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(newId()).not.toBe(newId());
});
