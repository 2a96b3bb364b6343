import { beforeEach, describe, expect, test } from 'vitest';
import type { Frame, RagMessage, StoredMessage, StoredStep } from '../../src/api/shapes';
import { counted, steps } from '../../src/chat/reasoning';
import { apply, asked, byUser, interrupt, merge, rows, type Asked, type Item } from '../../src/chat/turns';

const rag = (answer: string): RagMessage => ({ llm_name: 'm', question: 'q', answer, docs: [], sentences: [], abstained: false });
const frame = (action: string, message: unknown, more: Partial<Frame> = {}): Frame => ({ action, message, ...more });

let items: Item[];
const ask = (text: string, id: string) => void items.push(asked(text, id));
const shape = () =>
  items.map((i) => {
    if (i.kind === 'asked') return `${i.text}:${i.state}`;
    if (i.kind === 'reasoned') return counted(steps(i.entries).length, 'step');
    if (i.reply.type === 'rag') return i.reply.rag.answer;
    return 'text' in i.reply ? i.reply.text : i.reply.type;
  });
const first = () => items.find((i): i is Asked => i.kind === 'asked')!;

beforeEach(() => (items = []));

describe('frames', () => {
  test('a turn from question to answer', () => {
    ask('q', 'a');
    apply(items, frame('agent_reply_str', 'hello', { seq: 1, turn: 0 }));
    apply(items, frame('ack', { id: 'a', seq: 2, duplicate: false }, { turn: 1 }));
    apply(items, frame('status', { phase: 'searching' }, { turn: 1 }));
    expect(shape()).toEqual(['hello', 'q:working']);
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
    expect(shape()).toEqual(['q1:working', 'r1', 'q2:working', 'r2']);
  });

  test('a stored frame that comes twice is shown once', () => {
    ask('q', 'a');
    apply(items, frame('ack', { id: 'a', seq: 1 }, { turn: 1 }));
    for (let i = 0; i < 2; i++) apply(items, frame('agent_reply_rag', rag('r'), { seq: 2, turn: 1 }));
    expect(shape()).toEqual(['q:working', 'r']);
  });

  test('a failed turn says why', () => {
    ask('q', 'a');
    apply(items, frame('ack', { id: 'a', seq: 1 }, { turn: 1 }));
    apply(items, frame('error', { code: 'unavailable', message: 'No model.', retryable: true }, { turn: 1 }));
    apply(items, frame('turn_finished', { outcome: 'failed' }, { turn: 1 }));
    expect(first()).toMatchObject({ state: 'failed', error: 'No model.', partial: '' });
  });

  test('what another agent says is its own, and stays quiet unless it fails', () => {
    ask('q', 'a');
    apply(items, frame('ack', { id: 'a', seq: 1 }, { turn: 1 }));
    apply(items, frame('user_message', 'an answer', { seq: 2, turn: 2, sender: 'ws://bob:1/' }));
    apply(items, frame('turn_finished', { outcome: 'done' }, { turn: 1 }));
    apply(items, frame('turn_finished', { outcome: 'held' }, { turn: 2 }));
    expect(items.map((i) => i.kind === 'asked' && i.sender)).toEqual(['', 'ws://bob:1/']);
    expect(items.filter(byUser).map((i) => i.text)).toEqual(['q']);
    expect(rows(items).map((r) => r.kind)).toEqual(['asked', 'asked']);
    apply(items, frame('error', { code: 'internal', message: 'No.' }, { turn: 2, seq: 3 }));
    expect(rows(items).map((r) => r.kind)).toEqual(['asked', 'asked', 'ended']);
    const stored: StoredMessage = { seq: 4, turn: 3, type: 'str', content: 'more', is_user: true, sender: 'agent', timestamp: '' };
    merge(items, { messages: [stored], steps: [] });
    expect(items.at(-1)).toMatchObject({ text: 'more', sender: 'agent' });
  });

  test('an option that was chosen is what the user said, not another agent', () => {
    apply(items, frame('agent_reply_options', '{"0":"Yes"}', { seq: 1, turn: 0 }));
    apply(items, frame('user_message', 'hm', { seq: 2, turn: 1, sender: 'agent' }));
    ask('Yes', 'a');
    expect(rows(items)[0]).toMatchObject({ chosen: 'Yes' });
  });

  test('what was said before a stop replaces what was streamed, and says so once', () => {
    ask('q', 'a');
    apply(items, frame('ack', { id: 'a', seq: 1 }, { turn: 1 }));
    apply(items, frame('agent_reply_delta', { text: 'Half a' }, { turn: 1 }));
    apply(items, frame('agent_reply_markdown', 'Half a\n\n*Stopped.*', { seq: 2, turn: 1 }));
    expect(rows(items).map((r) => r.kind)).toEqual(['asked', 'replied']);
    apply(items, frame('turn_finished', { outcome: 'stopped' }, { turn: 1 }));
    expect(rows(items).map((r) => r.kind)).toEqual(['asked', 'replied']);
    expect(items.at(-1)).toMatchObject({ reply: { type: 'markdown', text: 'Half a', stopped: true } });
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
    expect(first()).toMatchObject({ state: 'working', phase: 'answering', partial: '' });
    apply(items, frame('agent_reply_rag', rag('All.'), { seq: 2, turn: 1 }));
    expect(shape()).toEqual(['q:working', 'All.']);
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
});

const stored = (seq: number, turn: number, is_user: boolean, type: string, content: unknown): StoredMessage => ({ seq, turn, is_user, type, content, timestamp: '' });
const row = (seq: number, turn: number, payload: object): StoredStep => ({
  seq, turn, payload, chat_id: null, kind: Array.isArray(payload) ? 'task_list_update' : 'reasoning_step', step_kind: '', step: 0, summary: '', timestamp: '',
});

describe('stored messages', () => {
  test('a conversation is read back', () => {
    merge(items, { messages: [stored(1, 0, false, 'str', 'hello'), stored(2, 1, true, 'str', 'q'), stored(3, 1, false, 'rag_answer', rag('r'))], steps: [] });
    expect(shape()).toEqual(['hello', 'q:done', 'r']);
  });

  test('an answer may be JSON in a string', () => {
    merge(items, { messages: [stored(1, 1, true, 'str', 'q'), stored(2, 1, false, 'rag_answer', JSON.stringify(rag('r')))], steps: [] });
    expect(shape()).toEqual(['q:done', 'r']);
  });

  test('an old question without answer says so; the newest may still be at work', () => {
    merge(items, { messages: [stored(1, 1, true, 'str', 'q1'), stored(2, 2, true, 'str', 'q2')], steps: [] });
    expect(shape()).toEqual(['q1:unanswered', 'q2:working']);
  });

  test('what was missed is filled in, what is known stays', () => {
    ask('q', 'a');
    apply(items, frame('ack', { id: 'a', seq: 1 }, { turn: 1 }));
    const key = first().key;
    merge(items, { messages: [stored(1, 1, true, 'str', 'q'), stored(2, 1, false, 'rag_answer', rag('r'))], steps: [] });
    expect(shape()).toEqual(['q:done', 'r']);
    expect(first().key).toBe(key);
  });

  test('a message that was stored though its ack was lost is not shown twice', () => {
    ask('q', 'a');
    merge(items, { messages: [stored(1, 1, true, 'str', 'q'), stored(2, 1, false, 'rag_answer', rag('r'))], steps: [] });
    apply(items, frame('ack', { id: 'a', seq: 1, duplicate: true }, { turn: 1 }));
    merge(items, { messages: [], steps: [] });
    expect(shape()).toEqual(['q:done', 'r']);
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
    apply(items, frame('ack', { id: 'a', seq: 1 }, { turn: 1 }));
  };
  const provisional = (...messages: object[]) => messages.forEach((m, i) => apply(items, told(m, { turn: 1, n: i + 1 })));
  const commit = (from = 0) => run.slice(from).forEach((m, i) => apply(items, told(m, { turn: 1, seq: 2 + from + i })));
  const entries = () => items.flatMap((i) => (i.kind === 'reasoned' ? i.entries : []));
  const kinds = () => rows(items).map((r) => (r.kind === 'reasoned' && r.asked ? 'live' : r.kind));

  test('is shown as it happens, in place of the line that says what goes on', () => {
    begin();
    expect(kinds()).toEqual(['asked', 'pending']);
    provisional(started);
    expect(kinds()).toEqual(['asked', 'pending']);
    apply(items, told(calls(0), { turn: 1, n: 2 }));
    apply(items, frame('status', { phase: 'search' }, { turn: 1, n: 3 }));
    expect(kinds()).toEqual(['asked', 'live']);
    expect(first().phase).toBe('search');
    apply(items, frame('agent_reply_delta', { text: 'The answer' }, { turn: 1, n: 4 }));
    expect(kinds()).toEqual(['asked', 'reasoned', 'pending']);
  });

  test('what is stored takes the place of what was provisional, above the answer', () => {
    begin();
    provisional(...run);
    const before = items.find((i) => i.kind === 'reasoned')!.key;
    run.slice(0, 7).forEach((m, i) => apply(items, told(m, { turn: 1, seq: 2 + i })));
    apply(items, frame('agent_reply_rag', rag('r'), { turn: 1, seq: 9 }));
    apply(items, told(ended, { turn: 1, seq: 10 }));
    apply(items, frame('turn_finished', { outcome: 'done' }, { turn: 1 }));
    expect(shape()).toEqual(['q:done', '2 steps', 'r']);
    expect(entries().map((e) => e.seq)).toEqual([2, 3, 4, 5, 6, 7, 8, 10]);
    expect(items[1]!.key).toBe(before);
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
    [started, calls(0), calls(0)].forEach((m, i) => apply(items, told(m, { turn: 1, seq: 2 + i })));
    expect(entries().map((e) => e.seq)).toEqual([2, 3, 4]);
  });

  test('a part that is stored early leaves what came after it', () => {
    begin();
    provisional(...run.slice(0, 5));
    run.slice(0, 4).forEach((m, i) => apply(items, told(m, { turn: 1, seq: 2 + i })));
    expect(entries().map((e) => e.seq)).toEqual([2, 3, 4, 5, null]);
    commit(4);
    expect(entries().map((e) => e.seq)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('what is not stored at the end of its turn goes', () => {
    begin();
    provisional(...run.slice(0, 3));
    apply(items, told(started, { turn: 1, seq: 2 }));
    apply(items, told(calls(0), { turn: 1, seq: 3 }));
    apply(items, frame('turn_finished', { outcome: 'stopped' }, { turn: 1 }));
    expect(entries().map((e) => e.seq)).toEqual([2, 3]);
  });

  test('after a lost connection the server fills in what was missed, once', () => {
    begin();
    provisional(...run.slice(0, 3));
    interrupt(items);
    apply(items, told(result(1), { turn: 1, n: 7 }));
    // The store writes the keys of an object in another order.
    const stepRows = run.map((m, i) => row(2 + i, 1, Array.isArray(m) ? m : Object.fromEntries(Object.entries(m).reverse())));
    merge(items, { messages: [stored(1, 1, true, 'str', 'q'), stored(20, 1, false, 'rag_answer', rag('r'))], steps: stepRows });
    commit();
    expect(entries().map((e) => e.seq)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    expect(shape()).toEqual(['q:done', '2 steps', 'r']);
  });

  test('a conversation is read back with its steps, whatever their order', () => {
    const two = run.map((m, i) => row(12 + i, 2, m));
    merge(items, {
      messages: [stored(1, 1, true, 'str', 'q'), stored(10, 1, false, 'str', 'r'), stored(11, 2, true, 'str', 'q2'), stored(30, 2, false, 'str', 'r2')],
      steps: [...two, ...run.map((m, i) => row(2 + i, 1, m))].reverse(),
    });
    expect(shape()).toEqual(['q:done', '2 steps', 'r', 'q2:done', '2 steps', 'r2']);
    expect(kinds()).toEqual(['asked', 'reasoned', 'replied', 'asked', 'reasoned', 'replied']);
    // A model wrote these answers.
    expect(rows(items).map((r) => r.kind === 'replied' && r.reasoned)).toEqual([false, false, true, false, false, true]);
  });

  test('two runs of a turn stay two, each above what it led to', () => {
    begin();
    const again = [started, calls(5), ended];
    [...run, ...again].forEach((m, i) => apply(items, told(m, { turn: 1, n: i + 1 })));
    expect(shape()).toEqual(['q:working', '2 steps', '1 step']);
    commit();
    apply(items, frame('agent_reply_str', 'r', { turn: 1, seq: 10 }));
    again.forEach((m, i) => apply(items, told(m, { turn: 1, seq: 11 + i })));
    apply(items, frame('agent_reply_str', 's', { turn: 1, seq: 14 }));
    expect(shape()).toEqual(['q:working', '2 steps', 'r', '1 step', 's']);
  });

  test('text that turns out not to be the answer is taken back', () => {
    begin();
    apply(items, frame('agent_reply_delta', { text: 'Let me look.' }, { turn: 1, n: 1 }));
    apply(items, told({ kind: 'llm_text', step: 0, summary: 's', details: { text: 'Let me look.' } }, { turn: 1, n: 2 }));
    expect(first().partial).toBe('');
    interrupt(items);
    apply(items, frame('status', { phase: 'thinking' }, { turn: 1, n: 3 }));
    apply(items, frame('agent_reply_delta', { text: 'The whole answer' }, { turn: 1, n: 4 }));
    expect(first().partial).toBe('The whole answer');
  });

  test('a run with nothing to see is not shown', () => {
    begin();
    provisional(started, ended);
    expect(kinds()).toEqual(['asked', 'pending']);
  });
});

describe('how a turn ends', () => {
  const begin = () => {
    ask('q', 'a');
    apply(items, frame('ack', { id: 'a', seq: 1 }, { turn: 1 }));
  };
  const end = (outcome: string) => apply(items, frame('turn_finished', { outcome }, { turn: 1 }));
  const kinds = () => rows(items).map((r) => r.kind);

  test('stopped is said once, by the server or by the page', () => {
    begin();
    apply(items, frame('agent_reply_delta', { text: 'Half' }, { turn: 1 }));
    apply(items, told(calls(0), { turn: 1, seq: 2 }));
    apply(items, frame('agent_reply_str', 'Stopped.', { turn: 1, seq: 3 }));
    end('stopped');
    expect(rows(items).find((r) => r.kind === 'reasoned')).toMatchObject({ asked: null, answered: false });
    expect(first()).toMatchObject({ state: 'stopped', partial: '' });
    expect(kinds()).toEqual(['asked', 'reasoned', 'replied']);
    items = [];
    begin();
    apply(items, frame('agent_reply_str', 'So far', { turn: 1, seq: 2 }));
    end('stopped');
    expect(kinds()).toEqual(['asked', 'replied', 'ended']);
  });

  test('held waits, and runs when the agent takes it', () => {
    begin();
    end('held');
    expect(first().state).toBe('held');
    expect(kinds()).toEqual(['asked', 'ended']);
    apply(items, frame('status', { phase: 'searching' }, { turn: 1 }));
    expect(kinds()).toEqual(['asked', 'pending']);
    apply(items, frame('agent_reply_str', 'r', { turn: 1, seq: 2 }));
    end('done');
    expect(kinds()).toEqual(['asked', 'replied']);
  });

  test('a failure and its stored apology are one, whichever comes first', () => {
    begin();
    const error = frame('error', { code: 'unavailable', message: 'No model.', id: 'a' }, { turn: 1, seq: 2 });
    const apology = { messages: [stored(2, 1, false, 'str', 'Sorry, that did not work: No model.')], steps: [] };
    apply(items, error);
    end('failed');
    merge(items, apology);
    expect(shape()).toEqual(['q:failed']);
    items = [];
    begin();
    merge(items, apology);
    apply(items, error);
    expect(shape()).toEqual(['q:failed']);
    expect(kinds()).toEqual(['asked', 'ended']);
  });

  test('a failure of what nobody here asked is said', () => {
    apply(items, frame('error', { code: 'internal', message: 'No greeting.' }, { turn: 0, seq: 1 }));
    expect(shape()).toEqual(['No greeting.']);
  });

  test('a reply that is not the last is followed by what goes on', () => {
    begin();
    apply(items, frame('agent_reply_str', 'One moment', { turn: 1, seq: 2 }));
    expect(kinds()).toEqual(['asked', 'replied']);
    apply(items, frame('status', { phase: 'searching' }, { turn: 1 }));
    expect(kinds()).toEqual(['asked', 'replied', 'pending']);
    end('done');
    expect(kinds()).toEqual(['asked', 'replied']);
  });
});

describe('other clients', () => {
  test('what they ask is shown with its answer', () => {
    apply(items, frame('user_message', 'theirs', { turn: 1, seq: 1, id: 'x' }));
    apply(items, frame('status', { phase: 'searching' }, { turn: 1 }));
    apply(items, frame('agent_reply_delta', { text: 'an' }, { turn: 1 }));
    expect(first()).toMatchObject({ state: 'working', partial: 'an' });
    apply(items, frame('agent_reply_rag', rag('r'), { turn: 1, seq: 2 }));
    apply(items, frame('turn_finished', { outcome: 'done' }, { turn: 1 }));
    expect(shape()).toEqual(['theirs:done', 'r']);
  });

  test('twice, or stored already, it is shown once', () => {
    const theirs = frame('user_message', { message: 'theirs' }, { turn: 1, seq: 1 });
    for (let i = 0; i < 2; i++) apply(items, theirs);
    merge(items, { messages: [stored(1, 1, true, 'str', 'theirs')], steps: [] });
    expect(shape()).toEqual(['theirs:working']);
  });

  test('a message of ours that the last connection delivered is ours', () => {
    ask('q', 'a');
    apply(items, frame('user_message', 'q', { turn: 1, seq: 1, id: 'a' }));
    apply(items, frame('ack', { id: 'a', seq: 1, duplicate: true }, { turn: 1 }));
    expect(shape()).toEqual(['q:working']);
  });

  test('their turns are not taken for ours', () => {
    ask('mine', 'a');
    apply(items, frame('status', { phase: 'searching' }, { turn: 7 }));
    apply(items, frame('agent_reply_str', 'r', { turn: 7, seq: 3 }));
    apply(items, frame('ack', { id: 'a', seq: 4 }, { turn: 8 }));
    expect(first()).toMatchObject({ turn: 8, phase: '', replied: false });
    expect(shape()).toEqual(['r', 'mine:working']);
  });

  test('what the agent says by itself stands where it was said', () => {
    merge(items, {
      messages: [stored(1, 0, false, 'str', 'hello'), stored(2, 1, true, 'str', 'q'), stored(3, 2, true, 'str', 'q2'), stored(4, 1, false, 'str', 'r'), stored(5, 2, false, 'str', 'r2'), stored(6, 0, false, 'str', 'Still there?')],
      steps: [],
    });
    expect(shape()).toEqual(['hello', 'q:done', 'r', 'q2:done', 'r2', 'Still there?']);
  });
});

test('the newest options can be chosen from, and the choice is marked', () => {
  const offer = (seq: number, turn: number) => stored(seq, turn, false, 'options', '{"0": "Yes", "1": "No"}');
  merge(items, { messages: [offer(1, 0), stored(2, 1, true, 'str', 'No'), offer(3, 1), stored(4, 2, true, 'str', 'Why?')], steps: [] });
  expect(rows(items).flatMap((r) => (r.kind === 'replied' ? [[r.newest, r.chosen]] : []))).toEqual([[false, 'No'], [true, '']]);
});
