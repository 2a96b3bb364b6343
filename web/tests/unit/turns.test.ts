import { emptyTranscript, parseFrame, reduce, versions, type Loaded, type LoadedMessage, type LoadedStep, type Transcript } from 'docent-client';
import { beforeEach, describe, expect, test } from 'vitest';
import type { RagMessage } from '../../src/api/shapes';
import { steps } from '../../src/conversation/reasoning';
import { words } from '../../src/words/words.svelte';
import { byUser, rows as drawn, view, type Asked, type Item } from '../../src/conversation/turns';

interface Frame {
  action: string;
  message: unknown;
  seq?: number;
  turn?: number;
  n?: number;
  id?: string;
  sender?: string;
  replaces?: number;
  history?: boolean;
}

const rag = (answer: string): RagMessage => ({ llm_name: 'm', question: 'q', answer, docs: [], sentences: [], abstained: false });
const frame = (action: string, message: unknown, more: Partial<Frame> = {}): Frame => ({ action, message, ...more });

let t: Transcript;
let calm: boolean;
const items = (): Item[] => view(t, calm);
// The actions of an answer are not part of the turn.
const rows = () => drawn(items()).filter((r) => r.kind !== 'actions');
const apply = (f: Frame) => {
  const read = parseFrame(JSON.stringify(f));
  if (read) t = reduce(t, { type: 'frame', frame: read });
};
const merge = (loaded: Loaded) => void (t = reduce(t, { type: 'loaded', loaded }));
const ask = (text: string, id: string) => void (t = reduce(t, { type: 'queued', outgoing: { id, action: 'user_message', content: text } }));
const synced = (...turns: [number, string][]) => apply(frame('synced', { seq: t.lastSeq, turns: turns.map(([turn, state]) => ({ turn, state })) }));
const interrupt = (...turns: [number, string][]) => {
  t = reduce(t, { type: 'state', state: 'lost' });
  apply(frame('welcome', { session_id: 's', seq: t.lastSeq, resumed: true }));
  synced(...turns);
};
const shape = () =>
  items().map((i) => {
    if (i.kind === 'asked') return `${i.text}:${i.state}`;
    if (i.kind === 'reasoned') return words.payloads.steps(steps(i.entries).length);
    if (i.reply.type === 'rag') return i.reply.rag.answer;
    return 'text' in i.reply ? i.reply.text : i.reply.type;
  });
const first = () => items().find((i): i is Asked => i.kind === 'asked')!;

const anew = () => {
  t = { ...emptyTranscript, synced: true };
  calm = false;
};
beforeEach(anew);

describe('frames', () => {
  test('a turn from question to answer', () => {
    ask('q', 'a');
    apply(frame('agent_reply_str', 'hello', { seq: 1, turn: 0 }));
    apply(frame('ack', { id: 'a', seq: 2, duplicate: false }, { turn: 1 }));
    apply(frame('status', { phase: 'searching' }, { turn: 1 }));
    expect(shape()).toEqual(['hello', 'q:working']);
    apply(frame('agent_reply_delta', { text: 'an' }, { turn: 1 }));
    apply(frame('agent_reply_delta', { text: 'swer' }, { turn: 1 }));
    expect(first().partial).toBe('answer');
    apply(frame('agent_reply_rag', rag('answer [1]'), { seq: 3, turn: 1 }));
    apply(frame('turn_finished', { outcome: 'done' }, { turn: 1 }));
    expect(shape()).toEqual(['hello', 'q:done', 'answer [1]']);
    expect(first().partial).toBe('');
  });

  test('two questions at once keep their own answers', () => {
    ask('q1', 'a');
    ask('q2', 'b');
    apply(frame('ack', { id: 'a', seq: 1 }, { turn: 1 }));
    apply(frame('ack', { id: 'b', seq: 2 }, { turn: 2 }));
    apply(frame('agent_reply_rag', rag('r1'), { seq: 3, turn: 1 }));
    apply(frame('agent_reply_rag', rag('r2'), { seq: 4, turn: 2 }));
    expect(shape()).toEqual(['q1:working', 'r1', 'q2:working', 'r2']);
  });

  test('a stored frame that comes twice is shown once', () => {
    ask('q', 'a');
    apply(frame('ack', { id: 'a', seq: 1 }, { turn: 1 }));
    for (let i = 0; i < 2; i++) apply(frame('agent_reply_rag', rag('r'), { seq: 2, turn: 1 }));
    expect(shape()).toEqual(['q:working', 'r']);
  });

  test('a failed turn says why', () => {
    ask('q', 'a');
    apply(frame('ack', { id: 'a', seq: 1 }, { turn: 1 }));
    apply(frame('error', { code: 'unavailable', message: 'No model.', retryable: true }, { turn: 1 }));
    apply(frame('turn_finished', { outcome: 'failed' }, { turn: 1 }));
    expect(first()).toMatchObject({ state: 'failed', error: { message: 'No model.' }, partial: '' });
  });

  test('the reasoning of a model is shown apart from its answer', () => {
    ask('q', 'a');
    apply(frame('ack', { id: 'a', seq: 1 }, { turn: 1 }));
    apply(frame('thinking_delta', { text: 'Which ' }, { turn: 1, n: 1 }));
    apply(frame('thinking_delta', { text: 'boat?' }, { turn: 1, n: 2 }));
    apply(frame('agent_reply_delta', { text: 'Ten' }, { turn: 1, n: 3 }));
    expect(first()).toMatchObject({ thinking: 'Which boat?', partial: 'Ten', phase: 'answering' });
    apply(frame('agent_reply_rag', { ...rag('Ten.'), thinking: 'Which boat?' }, { seq: 2, turn: 1 }));
    expect(items()[1]).toMatchObject({ reply: { type: 'rag', rag: { answer: 'Ten.', thinking: 'Which boat?' } } });
  });

  test('messages of another agent are shown as its own, and only its failures are announced', () => {
    ask('q', 'a');
    apply(frame('ack', { id: 'a', seq: 1 }, { turn: 1 }));
    apply(frame('user_message', 'an answer', { seq: 2, turn: 2, sender: 'ws://bob:1/' }));
    apply(frame('turn_finished', { outcome: 'done' }, { turn: 1 }));
    apply(frame('turn_finished', { outcome: 'held' }, { turn: 2 }));
    expect(items().map((i) => i.kind === 'asked' && i.sender)).toEqual(['', 'ws://bob:1/']);
    expect(items().filter(byUser).map((i) => i.text)).toEqual(['q']);
    expect(rows().map((r) => r.kind)).toEqual(['asked', 'asked']);
    apply(frame('error', { code: 'internal', message: 'No.' }, { turn: 2, seq: 3 }));
    expect(rows().map((r) => r.kind)).toEqual(['asked', 'asked', 'ended']);
    const stored: LoadedMessage = { seq: 4, turn: 3, type: 'str', content: 'more', is_user: true, sender: 'agent' };
    merge({ messages: [stored], steps: [] });
    expect(items().at(-1)).toMatchObject({ text: 'more', sender: 'agent' });
  });

  test('a chosen option is a message of the user, not of another agent', () => {
    apply(frame('agent_reply_options', '{"0":"Yes"}', { seq: 1, turn: 0 }));
    apply(frame('user_message', 'hm', { seq: 2, turn: 1, sender: 'agent' }));
    ask('Yes', 'a');
    expect(rows()[0]).toMatchObject({ chosen: 'Yes' });
  });

  test('the stored text before a stop replaces the streamed text, with one note', () => {
    ask('q', 'a');
    apply(frame('ack', { id: 'a', seq: 1 }, { turn: 1 }));
    apply(frame('agent_reply_delta', { text: 'Half a' }, { turn: 1 }));
    apply(frame('agent_reply_markdown', 'Half a\n\n*Stopped.*', { seq: 2, turn: 1 }));
    expect(rows().map((r) => r.kind)).toEqual(['asked', 'replied']);
    apply(frame('turn_finished', { outcome: 'stopped' }, { turn: 1 }));
    expect(rows().map((r) => r.kind)).toEqual(['asked', 'replied']);
    expect(items().at(-1)).toMatchObject({ reply: { type: 'markdown', text: 'Half a', stopped: true } });
  });

  test('a refused message fails alone', () => {
    ask('q1', 'a');
    ask('q2', 'b');
    apply(frame('error', { code: 'busy', message: 'Later.', retryable: true }, { id: 'b' }));
    expect(shape()).toEqual(['q1:sending', 'q2:failed']);
  });

  test('after a lost connection, an answer continues at its current place', () => {
    ask('q', 'a');
    apply(frame('ack', { id: 'a', seq: 1 }, { turn: 1 }));
    apply(frame('agent_reply_delta', { text: 'The start' }, { turn: 1, n: 1 }));
    t = reduce(t, { type: 'state', state: 'lost' });
    expect(first()).toMatchObject({ state: 'working', partial: 'The start' });
    apply(frame('welcome', { session_id: 's', seq: 1, resumed: true }));
    apply(frame('turn_snapshot', { turn: 1, n: 3, text: 'The start, the middle', steps: [] }));
    synced([1, 'running']);
    apply(frame('agent_reply_delta', { text: ', the middle' }, { turn: 1, n: 3 }));
    apply(frame('agent_reply_delta', { text: ', the end.' }, { turn: 1, n: 4 }));
    expect(first()).toMatchObject({ state: 'working', phase: 'answering', partial: 'The start, the middle, the end.' });
    apply(frame('agent_reply_rag', rag('All.'), { seq: 2, turn: 1 }));
    expect(shape()).toEqual(['q:working', 'All.']);
  });

  test.each([
    ['unknown actions', frame('hologram', { x: 1 })],
    ['no message', frame('ack', null)],
    ['wrong shapes', frame('agent_reply_delta', { text: 7 })],
    ['an error about nothing', frame('error', { message: 'x' }, { id: 'zzz' })],
  ])('%s change nothing', (_, f) => {
    ask('q', 'a');
    apply(f);
    expect(shape()).toEqual(['q:sending']);
  });
});

const stored = (seq: number, turn: number, is_user: boolean, type: string, content: unknown): LoadedMessage => ({ seq, turn, is_user, type, content, });
const row = (seq: number, turn: number, payload: object): LoadedStep => ({ seq, turn, payload, kind: Array.isArray(payload) ? 'task_list_update' : 'reasoning_step' });

describe('stored messages', () => {
  test('a conversation is read back', () => {
    merge({ messages: [stored(1, 0, false, 'str', 'hello'), stored(2, 1, true, 'str', 'q'), stored(3, 1, false, 'rag_answer', rag('r'))], steps: [] });
    expect(shape()).toEqual(['hello', 'q:done', 'r']);
  });

  test('an answer may be JSON in a string', () => {
    merge({ messages: [stored(1, 1, true, 'str', 'q'), stored(2, 1, false, 'rag_answer', JSON.stringify(rag('r')))], steps: [] });
    expect(shape()).toEqual(['q:done', 'r']);
  });

  test('a question without an answer says so when this is certain', () => {
    t = emptyTranscript;
    merge({ messages: [stored(1, 1, true, 'str', 'q1'), stored(2, 2, true, 'str', 'q2'), stored(3, 3, true, 'str', 'q3')], steps: [] });
    expect(shape()).toEqual(['q1:working', 'q2:working', 'q3:working']);
    synced([2, 'running'], [3, 'waiting']);
    expect(shape()).toEqual(['q1:unanswered', 'q2:working', 'q3:working']);
    calm = true;
    expect(shape()).toEqual(['q1:unanswered', 'q2:working', 'q3:working']);
    apply(frame('turn_finished', { outcome: 'done' }, { turn: 2 }));
    expect(shape()).toEqual(['q1:unanswered', 'q2:done', 'q3:held']);
  });

  test('an edit or a new answer replaces the old text at once', () => {
    merge({ messages: [1, 2].flatMap((turn) => [stored(turn * 2, turn, true, 'str', `q${turn}`), stored(turn * 2 + 1, turn, false, 'str', `r${turn}`)]), steps: [] });
    t = reduce(t, { type: 'queued', outgoing: { id: 'e', action: 'edit', content: 'q2, better', replaces: 2 } });
    expect(shape()).toEqual(['q1:done', 'r1', 'q2, better:sending']);
    const { key } = items().at(-1)!;
    apply(frame('ack', { id: 'e', seq: 6 }, { turn: 3, id: 'e', replaces: 2 }));
    expect(items().at(-1)).toMatchObject({ key, state: 'working' });
    apply(frame('user_message', 'q1', { turn: 4, seq: 7, replaces: 1 }));
    apply(frame('agent_reply_str', 'r4', { turn: 4, seq: 8 }));
    expect(shape()).toEqual(['q1:working', 'r4']);
    t = reduce(t, { type: 'queued', outgoing: { id: 'g', action: 'regenerate', content: undefined, replaces: 4 } });
    expect(shape()).toEqual(['q1:sending']);
    apply(frame('error', { code: 'not_found', message: 'No.' }, { id: 'g' }));
    expect(shape()).toEqual(['q1:working', 'r4', 'q1:failed']);
  });

  test('another version of a question is shown, and later versions are added', () => {
    merge({ messages: [1, 2].flatMap((turn) => [stored(turn * 2, turn, true, 'str', `q${turn}`), stored(turn * 2 + 1, turn, false, 'str', `r${turn}`)]), steps: [] });
    apply(frame('user_message', 'q2, better', { turn: 3, seq: 6, replaces: 2 }));
    apply(frame('agent_reply_str', 'r3', { turn: 3, seq: 7 }));
    expect(shape()).toEqual(['q1:done', 'r1', 'q2, better:working', 'r3']);
    apply(frame('turns_shown', { hidden: [{ first: 3, until: 4 }] }));
    expect(shape()).toEqual(['q1:done', 'r1', 'q2:done', 'r2']);
    apply(frame('user_message', 'q4', { turn: 4, seq: 8 }));
    expect(shape()).toEqual(['q1:done', 'r1', 'q2:done', 'r2', 'q4:working']);
    apply(frame('user_message', 'q2, best', { turn: 5, seq: 9, replaces: 2 }));
    expect(shape()).toEqual(['q1:done', 'r1', 'q2, best:working']);
    expect([...versions(t)]).toEqual([2, 3, 5].map((turn) => [turn, [2, 3, 5]]));
    apply(frame('welcome', { session_id: 's', seq: 9, resumed: true }));
    apply(frame('synced', { seq: 9, turns: [], hidden: [{ first: 2, until: 3 }, { first: 4, until: 6 }] }));
    expect(shape()).toEqual(['q1:done', 'r1', 'q2, better:done', 'r3']);
  });

  test('missed entries are added, and known ones stay', () => {
    ask('q', 'a');
    apply(frame('ack', { id: 'a', seq: 1 }, { turn: 1 }));
    const { key } = first();
    t = reduce(t, { type: 'state', state: 'lost' });
    apply(frame('welcome', { session_id: 's', seq: 2, resumed: true }));
    apply(frame('agent_reply_rag', rag('r'), { turn: 1, seq: 2, history: true }));
    synced();
    expect(shape()).toEqual(['q:done', 'r']);
    expect(first().key).toBe(key);
  });

  test('a message that was stored though its ack was lost is not shown twice', () => {
    ask('q', 'a');
    const { key } = first();
    apply(frame('user_message', 'q', { turn: 1, seq: 1, id: 'a', history: true }));
    apply(frame('agent_reply_rag', rag('r'), { turn: 1, seq: 2, history: true }));
    apply(frame('ack', { id: 'a', seq: 1, duplicate: true }, { turn: 1 }));
    expect(shape()).toEqual(['q:done', 'r']);
    expect(first().key).toBe(key);
  });
});

/** A run of reasoning that calls a tool twice, as the server tells of it. */
const started = { kind: 'reasoning_started', step: 0, summary: 'reasoning started', details: {} };
const calls = (step: number, name = 'search') => ({ kind: 'llm_tool_calls', step, summary: `calling 1 tool(s): ${name}`, details: { tool_calls: [{ id: 'c', name, arguments: { q: step } }] } });
const result = (step: number, name = 'search') => ({ details: { name, arguments: { q: step }, content: `found ${step}`, is_error: false }, kind: 'tool_result', step, summary: 'returned' });
const ended = { kind: 'reasoning_finished', step: 2, summary: 'reasoning finished', details: { final_task_list: [] } };
const list = (status: string) => [{ id: 1, description: 'Look', status, result: '' }];
const run = [started, calls(0), list('pending'), result(0), calls(1), list('completed'), result(1), ended];
const told = (message: object, more: Partial<Frame>) =>
  frame(Array.isArray(message) ? 'agent_reply_task_list_update' : 'agent_reply_reasoning_step', message, more);

describe('reasoning', () => {
  const begin = () => {
    ask('q', 'a');
    apply(frame('ack', { id: 'a', seq: 1 }, { turn: 1 }));
  };
  const provisional = (...messages: object[]) => messages.forEach((m, i) => apply(told(m, { turn: 1, n: i + 1 })));
  const commit = (from = 0) => run.slice(from).forEach((m, i) => apply(told(m, { turn: 1, seq: 2 + from + i })));
  const entries = () => items().flatMap((i) => (i.kind === 'reasoned' ? i.entries : []));
  const kinds = () => rows().map((r) => (r.kind === 'reasoned' && r.asked ? 'live' : r.kind));

  test('live steps keep their time of arrival, and loaded steps their time of creation', () => {
    begin();
    run.forEach((m, i) => (t = reduce(t, { type: 'frame', frame: parseFrame(JSON.stringify(told(m, { turn: 1, n: i + 1 })))!, at: 1000 + i })));
    expect(entries().map((e) => e.at)).toEqual(run.map((_, i) => 1000 + i));
    commit();
    expect(entries().map((e) => [e.seq !== null, e.at])).toEqual(run.map((_, i) => [true, 1000 + i]));
    t = reduce(emptyTranscript, { type: 'loaded', loaded: { messages: [], steps: run.map((m, i) => ({ seq: i + 2, turn: 1, kind: Array.isArray(m) ? 'task_list_update' : 'reasoning_step', payload: m, timestamp: `2026-02-03T04:05:0${i}.5Z` })) } });
    expect(entries().map((e) => e.at! % 60_000)).toEqual(run.map((_, i) => 500 + i * 1000));
  });

  test('is shown live, in place of the status line', () => {
    begin();
    expect(kinds()).toEqual(['asked', 'pending']);
    provisional(started);
    expect(kinds()).toEqual(['asked', 'pending']);
    apply(told(calls(0), { turn: 1, n: 2 }));
    apply(frame('status', { phase: 'search' }, { turn: 1, n: 3 }));
    expect(kinds()).toEqual(['asked', 'live']);
    expect(first().phase).toBe('search');
    apply(frame('agent_reply_delta', { text: 'The answer' }, { turn: 1, n: 4 }));
    expect(kinds()).toEqual(['asked', 'reasoned', 'pending']);
  });

  test('stored steps replace provisional ones, above the answer', () => {
    begin();
    provisional(...run);
    const before = items().find((i) => i.kind === 'reasoned')!.key;
    run.slice(0, 7).forEach((m, i) => apply(told(m, { turn: 1, seq: 2 + i })));
    apply(frame('agent_reply_rag', rag('r'), { turn: 1, seq: 9 }));
    apply(told(ended, { turn: 1, seq: 10 }));
    apply(frame('turn_finished', { outcome: 'done' }, { turn: 1 }));
    expect(shape()).toEqual(['q:done', '2 steps', 'r']);
    expect(entries().map((e) => e.seq)).toEqual([2, 3, 4, 5, 6, 7, 8, 10]);
    expect(items()[1]!.key).toBe(before);
    expect(kinds()).toEqual(['asked', 'reasoned', 'replied']);
  });

  test('frames that come twice are shown once', () => {
    begin();
    provisional(...run);
    provisional(...run);
    expect(entries().length).toBe(run.length);
    commit();
    commit();
    expect(entries().length).toBe(run.length);
  });

  test('equal steps each replace one', () => {
    begin();
    provisional(started, calls(0), calls(0));
    [started, calls(0), calls(0)].forEach((m, i) => apply(told(m, { turn: 1, seq: 2 + i })));
    expect(entries().map((e) => e.seq)).toEqual([2, 3, 4]);
  });

  test('storing a part early keeps the later steps', () => {
    begin();
    provisional(...run.slice(0, 5));
    run.slice(0, 4).forEach((m, i) => apply(told(m, { turn: 1, seq: 2 + i })));
    expect(entries().map((e) => e.seq)).toEqual([2, 3, 4, 5, null]);
    commit(4);
    expect(entries().map((e) => e.seq)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('steps that are not stored at the end of the turn disappear', () => {
    begin();
    provisional(...run.slice(0, 3));
    apply(told(started, { turn: 1, seq: 2 }));
    apply(told(calls(0), { turn: 1, seq: 3 }));
    apply(frame('turn_finished', { outcome: 'stopped' }, { turn: 1 }));
    expect(entries().map((e) => e.seq)).toEqual([2, 3]);
  });

  test('after a lost connection, the server adds the missed steps once', () => {
    begin();
    provisional(...run.slice(0, 3));
    t = reduce(t, { type: 'state', state: 'lost' });
    apply(frame('welcome', { session_id: 's', seq: 3, resumed: true }));
    run.slice(0, 2).forEach((m, i) => apply(told(m, { turn: 1, seq: 2 + i, history: true })));
    const rest = run.slice(2, 5);
    apply(frame('turn_snapshot', { turn: 1, n: 5, text: '', steps: rest.map((m) => ({ action: told(m, {}).action, message: m })) }));
    synced([1, 'running']);
    expect(entries().map((e) => e.seq)).toEqual([2, 3, null, null, null]);
    commit(2);
    apply(frame('agent_reply_rag', rag('r'), { turn: 1, seq: 20 }));
    apply(frame('turn_finished', { outcome: 'done' }, { turn: 1 }));
    expect(entries().map((e) => e.seq)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    expect(shape()).toEqual(['q:done', '2 steps', 'r']);
  });

  test('a conversation is read back with its steps, whatever their order', () => {
    const two = run.map((m, i) => row(12 + i, 2, m));
    merge({
      messages: [stored(1, 1, true, 'str', 'q'), stored(10, 1, false, 'str', 'r'), stored(11, 2, true, 'str', 'q2'), stored(30, 2, false, 'str', 'r2')],
      steps: [...two, ...run.map((m, i) => row(2 + i, 1, m))].reverse(),
    });
    expect(shape()).toEqual(['q:done', '2 steps', 'r', 'q2:done', '2 steps', 'r2']);
    expect(kinds()).toEqual(['asked', 'reasoned', 'replied', 'asked', 'reasoned', 'replied']);
    // A model wrote these answers.
    expect(rows().map((r) => r.kind === 'replied' && r.reasoned)).toEqual([false, false, true, false, false, true]);
  });

  test('two runs of a turn stay apart, each above its answer', () => {
    begin();
    const again = [started, calls(5), ended];
    [...run, ...again].forEach((m, i) => apply(told(m, { turn: 1, n: i + 1 })));
    expect(shape()).toEqual(['q:working', '2 steps', '1 step']);
    commit();
    apply(frame('agent_reply_str', 'r', { turn: 1, seq: 10 }));
    again.forEach((m, i) => apply(told(m, { turn: 1, seq: 11 + i })));
    apply(frame('agent_reply_str', 's', { turn: 1, seq: 14 }));
    expect(shape()).toEqual(['q:working', '2 steps', 'r', '1 step', 's']);
  });

  test('text that is not the answer is removed', () => {
    begin();
    apply(frame('agent_reply_delta', { text: 'Let me look.' }, { turn: 1, n: 1 }));
    apply(told({ kind: 'llm_text', step: 0, summary: 's', details: { text: 'Let me look.' } }, { turn: 1, n: 2 }));
    expect(first().partial).toBe('');
    interrupt([1, 'running']);
    apply(frame('status', { phase: 'thinking' }, { turn: 1, n: 3 }));
    apply(frame('agent_reply_delta', { text: 'The whole answer' }, { turn: 1, n: 4 }));
    expect(first().partial).toBe('The whole answer');
  });

  test('an empty run is not shown', () => {
    begin();
    provisional(started, ended);
    expect(kinds()).toEqual(['asked', 'pending']);
  });
});

describe('the end of a turn', () => {
  const begin = () => {
    ask('q', 'a');
    apply(frame('ack', { id: 'a', seq: 1 }, { turn: 1 }));
  };
  const end = (outcome: string) => apply(frame('turn_finished', { outcome }, { turn: 1 }));
  const kinds = () => rows().map((r) => r.kind);

  test('"stopped" appears once, from the server or the page', () => {
    begin();
    apply(frame('agent_reply_delta', { text: 'Half' }, { turn: 1 }));
    apply(told(calls(0), { turn: 1, seq: 2 }));
    apply(frame('agent_reply_str', 'Stopped.', { turn: 1, seq: 3 }));
    end('stopped');
    expect(rows().find((r) => r.kind === 'reasoned')).toMatchObject({ asked: null, answered: false });
    expect(first()).toMatchObject({ state: 'stopped', partial: '' });
    expect(kinds()).toEqual(['asked', 'reasoned', 'replied']);
    anew();
    begin();
    apply(frame('agent_reply_str', 'So far', { turn: 1, seq: 2 }));
    end('stopped');
    expect(kinds()).toEqual(['asked', 'replied', 'ended']);
  });

  test('a held message waits, and runs when the agent takes it', () => {
    begin();
    end('held');
    expect(first().state).toBe('held');
    expect(kinds()).toEqual(['asked', 'ended']);
    apply(frame('status', { phase: 'searching' }, { turn: 1 }));
    expect(kinds()).toEqual(['asked', 'pending']);
    apply(frame('agent_reply_str', 'r', { turn: 1, seq: 2 }));
    end('done');
    expect(kinds()).toEqual(['asked', 'replied']);
  });

  test('a failure shows its reason, and after a reload its apology', () => {
    begin();
    apply(frame('error', { code: 'unavailable', message: 'No model.' }, { turn: 1, seq: 2, id: 'a' }));
    end('failed');
    expect(shape()).toEqual(['q:failed']);
    expect(first().error.message).toBe('No model.');
    expect(kinds()).toEqual(['asked', 'ended']);
    anew();
    merge({ messages: [stored(1, 1, true, 'str', 'q'), stored(2, 1, false, 'str', 'Sorry: no model.')], steps: [] });
    expect(shape()).toEqual(['q:done', 'Sorry: no model.']);
    anew();
    apply(frame('user_message', 'q', { turn: 1, seq: 1, history: true }));
    apply(frame('error', { code: 'unavailable', message: 'No model.' }, { turn: 1, seq: 2, history: true }));
    synced();
    expect(first()).toMatchObject({ state: 'failed', error: { message: 'No model.' } });
  });

  test('the text before a failure stays, with the failure', () => {
    const broken = { answer: 'A backup is', docs: [], sentences: [], abstained: false, stopped: true };
    const shown = () => [kinds(), shape(), first().state === 'failed' && first().error.message, drawn(items()).flatMap((r) => (r.kind === 'replied' ? [r.broken] : []))];
    begin();
    apply(frame('agent_reply_rag', broken, { turn: 1, seq: 2 }));
    apply(frame('error', { code: 'unavailable', message: 'No model.' }, { turn: 1, seq: 3, id: 'a' }));
    end('failed');
    const live = shown();
    expect(live).toEqual([['asked', 'replied', 'ended'], ['q:failed', 'A backup is'], 'No model.', [true]]);
    anew();
    merge({ messages: [stored(1, 1, true, 'str', 'q'), stored(2, 1, false, 'rag_answer', broken), { ...stored(3, 1, false, 'str', 'Sorry, that did not work: No model.'), client_id: 'failed' }], steps: [] });
    expect(shown()).toEqual(live);
    synced();
    expect(shown()).toEqual(live);
  });

  test('only answers from a search can cite', () => {
    begin();
    apply(frame('agent_reply_delta', { text: 'a[2]' }, { turn: 1, n: 1 }));
    expect(first()).toMatchObject({ partial: 'a[2]', searched: false });
    apply(frame('status', { phase: 'searching' }, { turn: 1, n: 2 }));
    apply(frame('status', { phase: 'answering' }, { turn: 1, n: 3 }));
    expect(first().searched).toBe(true);
  });

  test('a failure of a turn without a question is shown', () => {
    apply(frame('error', { code: 'internal', message: 'No greeting.' }, { turn: 0, seq: 1 }));
    expect(shape()).toEqual(['No greeting.']);
  });

  test('the status follows a reply that is not the last', () => {
    begin();
    apply(frame('agent_reply_str', 'One moment', { turn: 1, seq: 2 }));
    expect(kinds()).toEqual(['asked', 'replied']);
    apply(frame('status', { phase: 'searching' }, { turn: 1 }));
    expect(kinds()).toEqual(['asked', 'replied', 'pending']);
    end('done');
    expect(kinds()).toEqual(['asked', 'replied']);
  });
});

describe('other clients', () => {
  test('their questions are shown with the answers', () => {
    apply(frame('user_message', 'theirs', { turn: 1, seq: 1, id: 'x' }));
    apply(frame('status', { phase: 'searching' }, { turn: 1 }));
    apply(frame('agent_reply_delta', { text: 'an' }, { turn: 1 }));
    expect(first()).toMatchObject({ state: 'working', partial: 'an' });
    apply(frame('agent_reply_rag', rag('r'), { turn: 1, seq: 2 }));
    apply(frame('turn_finished', { outcome: 'done' }, { turn: 1 }));
    expect(shape()).toEqual(['theirs:done', 'r']);
  });

  test('a repeated or stored message is shown once', () => {
    const theirs = frame('user_message', { message: 'theirs' }, { turn: 1, seq: 1 });
    for (let i = 0; i < 2; i++) apply(theirs);
    merge({ messages: [stored(1, 1, true, 'str', 'theirs')], steps: [] });
    expect(shape()).toEqual(['theirs:working']);
  });

  test('a message of this client from its last connection is its own', () => {
    ask('q', 'a');
    apply(frame('user_message', 'q', { turn: 1, seq: 1, id: 'a' }));
    apply(frame('ack', { id: 'a', seq: 1, duplicate: true }, { turn: 1 }));
    expect(shape()).toEqual(['q:working']);
  });

  test('their turns are not taken for own turns', () => {
    ask('mine', 'a');
    apply(frame('status', { phase: 'searching' }, { turn: 7 }));
    apply(frame('agent_reply_str', 'r', { turn: 7, seq: 3 }));
    apply(frame('ack', { id: 'a', seq: 4 }, { turn: 8 }));
    expect(first()).toMatchObject({ turn: 8, phase: '', replied: false });
    expect(shape()).toEqual(['r', 'mine:working']);
  });

  test('unprompted messages of the agent keep their place', () => {
    merge({
      messages: [stored(1, 0, false, 'str', 'hello'), stored(2, 1, true, 'str', 'q'), stored(3, 2, true, 'str', 'q2'), stored(4, 1, false, 'str', 'r'), stored(5, 2, false, 'str', 'r2'), stored(6, 0, false, 'str', 'Still there?')],
      steps: [],
    });
    expect(shape()).toEqual(['hello', 'q:done', 'r', 'q2:done', 'r2', 'Still there?']);
  });
});

test('the newest options can be chosen from, and the choice is marked', () => {
  const offer = (seq: number, turn: number) => stored(seq, turn, false, 'options', '{"0": "Yes", "1": "No"}');
  merge({ messages: [offer(1, 0), stored(2, 1, true, 'str', 'No'), offer(3, 1), stored(4, 2, true, 'str', 'Why?')], steps: [] });
  expect(rows().flatMap((r) => (r.kind === 'replied' ? [[r.newest, r.chosen]] : []))).toEqual([[false, 'No'], [true, '']]);
});
