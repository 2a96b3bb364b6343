import { describe, expect, test } from 'vitest';
import type { RagMessage } from '../../src/api/shapes';
import { fileBytes, named, question, ragMessage, reply, sized } from '../../src/chat/replies';
import { plainHtml } from '../../src/markdown/render';
import { hostile } from '../mock/corpus';

describe('replies', () => {
  test.each([
    ['str', 'Hi', { type: 'text', text: 'Hi' }],
    ['str', 'Stopped.', { type: 'note', text: 'Stopped.' }],
    ['json', { a: 1 }, { type: 'text', text: '{"a":1}' }],
    ['markdown', '**a**', { type: 'markdown', text: '**a**' }],
    ['html', '<b>a</b>', { type: 'html', text: '<b>a</b>' }],
    ['options', '{"0": "Yes", "1": "No", "2": "Yes"}', { type: 'options', labels: ['Yes', 'No'] }],
    ['options', ['Yes'], { type: 'options', labels: ['Yes'] }],
    ['location', { latitude: 1.5, longitude: -2 }, { type: 'location', latitude: 1.5, longitude: -2 }],
    ['location', '{"latitude":0,"longitude":0}', { type: 'location', latitude: 0, longitude: 0 }],
    ['file', { name: '../a.txt', type: 'text/plain', base64: 'YWI=' }, { type: 'file', file: { name: '.._a.txt', base64: 'YWI=', size: 2 } }],
    ['file', '{"base64":""}', { type: 'file', file: { name: 'file', base64: '', size: 0 } }],
    ['image', '/9j/4AAQ', { type: 'image', url: 'data:image/jpeg;base64,/9j/4AAQ' }],
    ['image', 'iVBORw0KGgoA', { type: 'image', url: 'data:image/png;base64,iVBORw0KGgoA' }],
    ['dataframe', '{"n":{"0":"Ada","1":"Alan"},"age":{"0":36,"1":null}}', { type: 'table', table: { columns: ['n', 'age'], rows: [['Ada', '36'], ['Alan', '']], total: 2 } }],
    ['dataframe', '{}', { type: 'table', table: { columns: [], rows: [], total: 0 } }],
    ['plotly', '{"data":[]}', { type: 'other', name: 'plotly' }],
    ['audio', {}, { type: 'other', name: 'audio' }],
    ['constructor', {}, { type: 'other', name: 'constructor' }],
  ])('%s %j', (type, content, want) => {
    expect(reply(type, content)).toEqual(want);
  });

  test.each([
    ['options', 'nothing'], ['options', '{}'], ['options', null], ['file', '{"base64":"<script>"}'], ['file', 7], ['image', 'javascript:1'], ['image', ''],
    ['location', { latitude: 91, longitude: 0 }], ['location', { latitude: 'a' }], ['dataframe', '[1]'], ['html', { a: 1 }], ['rag_answer', 'x'],
  ])('%s %j cannot be shown', (type, content) => {
    expect(reply(type, content)).toEqual({ type: 'other', name: type });
  });

  test('a long table is cut', () => {
    const column = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [i, i]));
    const r = reply('dataframe', JSON.stringify({ a: column }));
    expect(r.type === 'table' && [r.table.rows.length, r.table.total]).toEqual([200, 1000]);
  });

  test('a file is its bytes', () => {
    const r = reply('file', { name: 'a', base64: 'w6TDtg==' });
    expect(r.type === 'file' && [r.file.size, new TextDecoder().decode(fileBytes(r.file))]).toEqual([4, 'äö']);
    expect([0, 999, 1000, 12_345, 1_500_000].map(sized)).toEqual(['0 bytes', '999 bytes', '1.0 KB', '12 KB', '1.5 MB']);
  });
});

test('an answer without our extra keys is one all the same', () => {
  const rag: RagMessage = { llm_name: 'm', question: 'q', answer: 'a', docs: [], sentences: [], abstained: false };
  expect(ragMessage({ llm_name: 'm', question: 'q', answer: 'a', docs: null })).toEqual(rag);
  expect(ragMessage('not json')).toBeNull();
  expect(ragMessage({ docs: [] })).toBeNull();
});

test('what the user sent is a line of text', () => {
  expect(question('user_message', 'Hi')).toBe('Hi');
  expect(question('str', '{"message":"Hi"}')).toBe('Hi');
  expect(question('json', { a: 1 })).toBe('{"a":1}');
  expect(question('user_file', '{"name":"a.txt","base64":"YWI="}')).toBe('a.txt (2 bytes)');
  expect(question('image', null)).toBe('A file');
  expect(question('user_voice', 'UklGRg==')).toBe('A recording');
});

test('what was stopped is told from what was said', () => {
  expect(reply('markdown', 'Half\n\n*Stopped.*')).toEqual({ type: 'markdown', text: 'Half', stopped: true });
  expect(reply('markdown', '*Stopped.*')).toEqual({ type: 'note', text: 'Stopped.' });
  expect(reply('markdown', 'It *Stopped.* there')).toEqual({ type: 'markdown', text: 'It *Stopped.* there' });
});

test('another agent is named by its host', () => {
  expect(named('wss://bob.example:8765/ws')).toBe('another agent (bob.example:8765)');
  expect(named('agent')).toBe('another agent');
  expect(named('mailto:x')).toBe('another agent');
});

describe("an agent's HTML", () => {
  const draw = (html: string) => {
    const el = document.createElement('div');
    el.append(plainHtml(html));
    return el;
  };
  test('keeps its structure and loses everything that acts', () => {
    const el = draw(`<h1>Title</h1><p style="color:red" onclick="x()">A <b>bold</b> <a href="https://example.org/">link</a></p>${hostile}`);
    expect(el.querySelector('h3')!.textContent).toBe('Title');
    expect(el.querySelector('b')!.textContent).toBe('bold');
    expect(el.querySelectorAll('script, img, svg, iframe, form, input, button, style, base, meta, h1, [style], [onclick]').length).toBe(0);
    for (const a of el.querySelectorAll('a')) expect([a.protocol, a.target, a.rel]).toEqual(['https:', '_blank', 'noopener noreferrer nofollow']);
  });
});
