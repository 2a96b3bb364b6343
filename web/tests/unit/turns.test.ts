import { beforeEach, describe, expect, test } from 'vitest';
import type { Frame, RagMessage, StoredMessage } from '../../src/api/shapes';
import { apply, asked, interrupt, merge, ragMessage, type Asked, type Item } from '../../src/chat/turns';

const rag = (answer: string): RagMessage => ({ llm_name: 'm', question: 'q', answer, docs: [], sentences: [], abstained: false });
const frame = (action: string, message: unknown, more: Partial<Frame> = {}): Frame => ({ action, message, ...more });

let items: Item[];
const ask = (text: string, id: string) => void items.push(asked(text, id));
const shape = () => items.map((i) => (i.kind === 'asked' ? `${i.text}:${i.state}` : i.reply.type === 'rag' ? i.reply.rag.answer : i.reply.type === 'other' ? i.reply.name : i.reply.text));
const first = () => items.find((i): i is Asked => i.kind === 'asked')!;

beforeEach(() => (items = []));

describe('frames', () => {
  test('a turn from question to answer', () => {
    ask('q', 'a');
    apply(items, frame('agent_reply_str', 'hello', { seq: 1, turn: 0 }));
    apply(items, frame('ack', { id: 'a', seq: 2, duplicate: false }, { turn: 1 }));
    apply(items, frame('status', { phase: 'searching' }, { turn: 1 }));
    expect(shape()).toEqual(['hello', 'q:searching']);
    apply(items, frame('agent_reply_delta', { text: 'an' }, { turn: 1 }));
    apply(items, frame('agent_reply_delta', { text: 'swer' }, { turn: 1 }));
    expect(first().partial).toBe('answer');
    apply(items, frame('agent_reply_rag', rag('answer [1]'), { seq: 3, turn: 1 }));
    apply(items, frame('turn_finished', { outcome: 'done' }, { turn: 1 }));
    expect(shape()).toEqual(['hello', 'q:done', 'answer [1]']);
    expect(first().partial).toBe('');
  });

  test('a server that names no turns is followed in order', () => {
    ask('q', 'a');
    apply(items, frame('agent_reply_str', 'hello'));
    apply(items, frame('ack', { id: 'a', seq: 2 }));
    apply(items, frame('agent_reply_delta', { text: 'x' }));
    apply(items, frame('agent_reply_rag', rag('r')));
    apply(items, frame('turn_finished', { outcome: 'done' }));
    expect(first().state).toBe('done');
    expect(shape().slice(-1)).toEqual(['r']);
  });

  test('two questions at once keep their own answers', () => {
    ask('q1', 'a');
    ask('q2', 'b');
    apply(items, frame('ack', { id: 'a', seq: 1 }, { turn: 1 }));
    apply(items, frame('ack', { id: 'b', seq: 2 }, { turn: 2 }));
    apply(items, frame('agent_reply_rag', rag('r1'), { seq: 3, turn: 1 }));
    apply(items, frame('agent_reply_rag', rag('r2'), { seq: 4, turn: 2 }));
    expect(shape()).toEqual(['q1:done', 'r1', 'q2:done', 'r2']);
  });

  test('a stored frame that comes twice is shown once', () => {
    ask('q', 'a');
    apply(items, frame('ack', { id: 'a', seq: 1 }, { turn: 1 }));
    for (let i = 0; i < 2; i++) apply(items, frame('agent_reply_rag', rag('r'), { seq: 2, turn: 1 }));
    expect(shape()).toEqual(['q:done', 'r']);
  });

  test('a failed turn says why', () => {
    ask('q', 'a');
    apply(items, frame('ack', { id: 'a', seq: 1 }, { turn: 1 }));
    apply(items, frame('error', { code: 'unavailable', message: 'No model.', retryable: true }, { turn: 1 }));
    apply(items, frame('turn_finished', { outcome: 'failed' }, { turn: 1 }));
    expect(first()).toMatchObject({ state: 'failed', error: 'No model.', partial: '' });
  });

  test('a refused message fails alone', () => {
    ask('q1', 'a');
    ask('q2', 'b');
    apply(items, frame('error', { code: 'busy', message: 'Later.', retryable: true, id: 'b' }));
    expect(shape()).toEqual(['q1:sending', 'q2:failed']);
  });

  test('after a lost connection half an answer is not continued', () => {
    ask('q', 'a');
    apply(items, frame('ack', { id: 'a', seq: 1 }, { turn: 1 }));
    apply(items, frame('agent_reply_delta', { text: 'The start' }, { turn: 1 }));
    interrupt(items);
    apply(items, frame('agent_reply_delta', { text: ' end.' }, { turn: 1 }));
    expect(first()).toMatchObject({ state: 'answering', partial: '' });
    apply(items, frame('agent_reply_rag', rag('All.'), { seq: 2, turn: 1 }));
    expect(shape()).toEqual(['q:done', 'All.']);
  });

  test.each([
    ['unknown actions', frame('hologram', { x: 1 })],
    ['no message', frame('ack', null)],
    ['wrong shapes', frame('agent_reply_delta', { text: 7 })],
    ['an error about nothing', frame('error', { message: 'x', id: 'zzz' })],
  ])('%s change nothing', (_, f) => {
    ask('q', 'a');
    apply(items, f);
    expect(shape()).toEqual(['q:sending']);
  });

  test('a reply this page does not know is named', () => {
    apply(items, frame('agent_reply_location', { latitude: 1, longitude: 2 }, { seq: 1, turn: 0 }));
    expect(shape()).toEqual(['location']);
  });
});

describe('stored messages', () => {
  const stored = (seq: number, turn: number, is_user: boolean, type: string, content: unknown): StoredMessage => ({ seq, turn, is_user, type, content, timestamp: '' });

  test('a conversation is read back', () => {
    merge(items, [stored(1, 0, false, 'str', 'hello'), stored(2, 1, true, 'str', 'q'), stored(3, 1, false, 'rag_answer', rag('r'))]);
    expect(shape()).toEqual(['hello', 'q:done', 'r']);
  });

  test('an answer may be JSON in a string', () => {
    merge(items, [stored(1, 1, true, 'str', 'q'), stored(2, 1, false, 'rag_answer', JSON.stringify(rag('r')))]);
    expect(shape()).toEqual(['q:done', 'r']);
  });

  test('an old question without answer says so; the newest may still be at work', () => {
    merge(items, [stored(1, 1, true, 'str', 'q1'), stored(2, 2, true, 'str', 'q2')]);
    expect(shape()).toEqual(['q1:unanswered', 'q2:waiting']);
  });

  test('what was missed is filled in, what is known stays', () => {
    ask('q', 'a');
    apply(items, frame('ack', { id: 'a', seq: 1 }, { turn: 1 }));
    const key = first().key;
    merge(items, [stored(1, 1, true, 'str', 'q'), stored(2, 1, false, 'rag_answer', rag('r'))]);
    expect(shape()).toEqual(['q:done', 'r']);
    expect(first().key).toBe(key);
  });

  test('a message that was stored though its ack was lost is not shown twice', () => {
    ask('q', 'a');
    merge(items, [stored(1, 1, true, 'str', 'q'), stored(2, 1, false, 'rag_answer', rag('r'))]);
    apply(items, frame('ack', { id: 'a', seq: 1, duplicate: true }, { turn: 1 }));
    merge(items, []);
    expect(shape()).toEqual(['q:done', 'r']);
  });
});

test('an answer without our extra keys is one all the same', () => {
  expect(ragMessage({ llm_name: 'm', question: 'q', answer: 'a', docs: null })).toEqual({ ...rag('a'), sentences: [] });
  expect(ragMessage('not json')).toBeNull();
  expect(ragMessage({ docs: [] })).toBeNull();
});
