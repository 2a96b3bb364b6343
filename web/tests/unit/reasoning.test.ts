import { describe, expect, test } from 'vitest';
import { activity, argued, beside, current, done, entry, readable, shortened, steps, tasks, took, visible, type Entry } from '../../src/conversation/reasoning';

const run = (...messages: unknown[]): Entry[] =>
  messages.reduce<Entry[]>((all, m, i) => {
    const e = entry(Array.isArray(m) ? 'task_list_update' : 'reasoning_step', m);
    return e ? [...all, { ...e, seq: i + 1 }] : all;
  }, []);
const step = (kind: string, n: number, details: object = {}) => ({ kind, step: n, summary: `${kind} ${n}`, details });
const calls = (n: number, ...names: string[]) => step('llm_tool_calls', n, { tool_calls: names.map((name) => ({ name, arguments: { n } })) });
const result = (n: number, name: string, content: string, args: object = { n }) => step('tool_result', n, { name, arguments: args, content, is_error: content.startsWith('ERROR') });
const shape = (entries: Entry[]) => steps(entries).map((g) => g.map((p) => (p.type === 'call' ? `${p.call.name}=${p.call.result}${p.call.failed ? '!' : ''}` : p.text)));

describe('steps', () => {
  test('brackets, tasks, and their tools are hidden, and the other steps are numbered again', () => {
    const e = run(
      step('reasoning_started', 0), calls(0, 'add_tasks'), step('task_added', 0), [],
      calls(1, 'search', 'read'), result(1, 'search', 'a'), result(1, 'read', 'b'),
      calls(2, 'complete_task', 'search'), step('task_completed', 2), result(2, 'search', 'c'), step('task_skipped', 3), step('reasoning_finished', 3),
    );
    expect(shape(e)).toEqual([['search=a', 'read=b'], ['search=c']]);
  });

  test('results find their calls by arguments, then in order', () => {
    const two = step('llm_tool_calls', 0, { tool_calls: [{ name: 'f', arguments: { a: 1 } }, { name: 'f', arguments: { a: 2 } }, { name: 'f', arguments: { a: 2 } }] });
    expect(shape(run(two, result(0, 'f', 'second', { a: 2 }), result(0, 'f', 'first', { a: 1 })))).toEqual([['f=first', 'f=second', 'f=null']]);
    expect(shape(run(two, result(0, 'f', 'x', { a: 9 })))).toEqual([['f=x', 'f=null', 'f=null']]);
  });

  test('a failed task tool is shown, and so is a result without a call', () => {
    expect(shape(run(calls(0, 'complete_task'), result(0, 'complete_task', 'ERROR: no task')))).toEqual([['complete_task=ERROR: no task!']]);
  });

  test('texts of the model, and messages to it', () => {
    const e = run(
      step('llm_text', 0, { text: ' Too early ' }), step('pushback', 0, { pending: [{ id: 1 }, { id: 2 }] }),
      step('max_steps', 1, { max_steps: 8, pending: [] }), step('llm_text', 2, { text: ' ' }), step('mystery', 3),
    );
    expect(shape(e)).toEqual([['Too early', 'Not finished: 2 tasks left.'], ['Stopped at the limit of 8 steps.'], ['mystery 3']]);
  });

  test('an empty step is not shown', () => {
    expect(visible(run(step('reasoning_started', 0), step('reasoning_finished', 0), []))).toBe(false);
    expect(visible(run([{ id: 1, description: 'a', status: 'pending', result: '' }]))).toBe(true);
    expect(visible(run(calls(0, 'skip_task')))).toBe(false);
    expect(visible(run(calls(0, 'search')))).toBe(true);
  });

  test('the newest task list counts', () => {
    const task = (status: string) => [{ id: 1, description: 'a', status, result: 'r' }];
    expect(tasks(run(task('pending'), calls(0, 'f'), task('skipped')))).toEqual(task('skipped'));
    expect(tasks([])).toEqual([]);
  });

  test.each([null, 'x', 7, {}, { kind: 1 }])('%j is no step', (content) => {
    expect(entry('reasoning_step', content)).toBeNull();
    expect(entry('task_list_update', content)).toBeNull();
  });
  test('wrong shapes inside one do no harm', () => {
    expect(shape(run({ kind: 'llm_tool_calls', details: { tool_calls: [null, 1, {}] } }, { kind: 'tool_result', details: null }))).toBeDefined();
    expect(tasks(run([null, 'x']))).toHaveLength(2);
  });
});

test('the current step in words', () => {
  expect(['', 'thinking', 'searching', 'answering', 'search, search, read', 'add_tasks', 'skip_task, read'].map(activity)).toEqual([
    'Thinking…', 'Thinking…', 'Searching the documents…', 'Answering…', 'Calling search, read…', 'Planning…', 'Calling read…',
  ]);
  expect(['search_knowledge', 'add_tasks, read_file', 'search_knowledge, weather'].map(activity)).toEqual(['Searching the documents…', 'Reading a file…', 'Calling search_knowledge, weather…']);
});

describe('the current step', () => {
  const at = (phase: string, ...messages: unknown[]) => current(steps(run(...messages)), phase);
  const call = (name: string, args: unknown) => step('llm_tool_calls', 1, { tool_calls: [{ name, arguments: args }] });
  test('is the open call, in plain words', () => {
    expect(at('search_knowledge', call('search_knowledge', { query: 'compost' }))).toBe('Searching for “compost”…');
    expect(at('read_file', call('read_file', { relative_path: 'a/b.md' }))).toBe('Reading a/b.md…');
    expect(at('list_directory', call('list_directory', { relative_path: '.' }))).toBe('Listing the files…');
    expect(at('weather', call('weather', { city: 'x' }))).toBe('Calling weather…');
    expect(at('constructor', call('constructor', {}))).toBe('Calling constructor…');
    expect(at('answering', call('search_knowledge', { query: 'x' }))).toBe('Answering…');
  });
  test('is thinking again after the call', () => {
    const over = [calls(1, 'f'), result(1, 'f', 'ok')];
    expect([at('thinking'), at('thinking', ...over), at('thinking', calls(1, 'f'), result(1, 'f', 'ERROR: no'))]).toEqual(['Thinking…', 'Thinking about the results…', 'Thinking…']);
  });
  test('texts are not repeated, and cannot change the text direction', () => {
    expect(done('search_knowledge', { query: 'a\n b' })).toBe('Searched for “a b”');
    expect(done('read_file', { relative_path: 'x\u202egpj.exe' })).toBe('Read x\ufffdgpj.exe');
    expect([done('search_knowledge', null), done('read_document', { id: 7 }), done('other', {})]).toEqual(['Searched the documents', 'Read document 7', null]);
    expect([beside('search_knowledge', { query: 'a', k: 3 }), beside('other', { query: 'a' }), beside('read_file', 'raw')]).toEqual([{ k: 3 }, { query: 'a' }, 'raw']);
    const long = 'x'.repeat(300);
    expect([done('search_knowledge', { query: long })!.length, beside('search_knowledge', { query: long })]).toEqual([95, { query: long }]);
  });
});

test('passages are readable', () => {
  expect(readable('<passage number="1" from="A › B" source="/x" bytes="0-3">\nText <i>.\n</passage>\n<passage number="2">\nMore\n</passage>')).toBe('[1] A › B\nText <i>.\n\n[2] \nMore');
  expect(readable('plain')).toBe('plain');
});

test('arguments are lines', () => {
  expect(argued({ query: 'a b', k: 3, list: ['x'] })).toBe('query: a b\nk: 3\nlist: ["x"]');
  expect([argued('raw'), argued([1]), argued(undefined), argued({})]).toEqual(['raw', '[1]', '', '']);
});

test('long texts are cut at a word', () => {
  expect(shortened('short')).toBe('short');
  const cut = shortened('word '.repeat(200));
  expect(cut.length).toBeLessThan(330);
  expect(cut).toMatch(/word$/);
  expect(shortened('x'.repeat(1000)).length).toBe(320);
  expect(shortened('line\n'.repeat(50)).split('\n')).toHaveLength(10);
});

describe('took', () => {
  const timed = (ms: number | null, from: number | null = 1000) =>
    run(step('reasoning_started', 0), calls(0, 'search'), step('reasoning_finished', 1)).map((e, i) => ({ ...e, at: i === 0 ? from : i === 2 ? ms : null }));

  test('gives the duration of a run with a useful precision', () => {
    expect([1050, 1100, 3300, 10_940, 10_960, 43_000, 60_600, 186_000].map((at) => took(timed(at)))).toEqual(['', '0.1 s', '2.3 s', '9.9 s', '10 s', '42 s', '1 min 0 s', '3 min 5 s']);
  });

  test('gives no duration without times, or while the run goes on', () => {
    expect([took(timed(null)), took(timed(3000, null)), took(timed(3000).slice(0, 2)), took(timed(3000).slice(1)), took([])]).toEqual(['', '', '', '', '']);
  });
});
