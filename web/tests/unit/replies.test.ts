import { describe, expect, test } from 'vitest';
import type { RagMessage } from '../../src/api/shapes';
import { fileReply, named, question, ragMessage, reply, sized } from '../../src/conversation/replies';
import { plainHtml } from '../../src/markdown/render';
import { hostile } from '../mock/corpus';

describe('replies', () => {
  test.each([
    ['str', 'Hi', { type: 'text', text: 'Hi' }],
    ['str', 'Stopped.', { type: 'note', text: 'Stopped.' }],
    ['json', { a: 1 }, { type: 'payload', kind: 'json', content: { a: 1 } }],
    ['str', { a: 1 }, { type: 'payload', kind: 'json', content: { a: 1 } }],
    ['markdown', '**a**', { type: 'markdown', text: '**a**' }],
    ['html', '<b>a</b>', { type: 'html', text: '<b>a</b>' }],
    ['options', '{"0": "Yes", "1": "No", "2": "Yes"}', { type: 'options', labels: ['Yes', 'No'] }],
    ['options', ['Yes'], { type: 'options', labels: ['Yes'] }],
    ['json', [1], { type: 'payload', kind: 'json', content: [1] }],
    ['plotly', '{"data":[]}', { type: 'payload', kind: 'plotly', content: '{"data":[]}' }],
    ['constructor', {}, { type: 'payload', kind: 'constructor', content: {} }],
  ])('%s %j', (type, content, want) => {
    expect(reply(type, content)).toEqual(want);
  });

  test.each([['options', 'nothing'], ['options', '{}'], ['options', null], ['html', { a: 1 }], ['rag_answer', 'x']])('%s %j cannot be read', (type, content) => {
    expect(reply(type, content)).toEqual({ type: 'payload', kind: type, content });
  });

  test('there are no more choices than a page can hold', () => {
    const r = reply('options', Array.from({ length: 5000 }, (_, i) => `Choice ${i}`));
    expect(r.type === 'options' && r.labels.length).toBe(100);
  });
});

test('the content of a file comes from its base64', () => {
  expect(fileReply({ name: '../a.txt', type: 'text/plain', base64: 'YWI=' })).toEqual({ name: '.._a.txt', type: 'text/plain', base64: 'YWI=', size: 2 });
  expect(fileReply('{"base64":""}')).toEqual({ name: 'file', type: '', base64: '', size: 0 });
  expect(fileReply({ base64: 'YW\nI=' })?.base64).toBe('YWI=');
  for (const wrong of ['{"base64":"<script>"}', { base64: 'YWJjY' }, 7, null, {}]) expect(fileReply(wrong)).toBeNull();
  expect([0, 1, 999, 1000, 12_345, 1_500_000].map(sized)).toEqual(['0 bytes', '1 byte', '999 bytes', '1.0 KB', '12 KB', '1.5 MB']);
});

test('an answer without the extra keys of docent is valid', () => {
  const rag: RagMessage = { llm_name: 'm', question: 'q', answer: 'a', docs: [], sentences: [], abstained: false };
  expect(ragMessage({ llm_name: 'm', question: 'q', answer: 'a', docs: null })).toEqual(rag);
  const made = { stopped: true, evidence: 0.5, k: 4, collections: ['manual'], searched: 'a\nb' };
  expect(ragMessage({ ...rag, ...made })).toEqual({ ...rag, ...made });
  expect(ragMessage({ ...rag, stopped: false, evidence: '1', k: null, collections: 'all', searched: ' ' })).toEqual(rag);
  const bare = ragMessage({ answer: 'a', docs: [{ content: 'text', metadata: { source: 'a.pdf', page: 0 } }, null] });
  expect(bare?.docs.map((d) => [d.content, d.metadata.source, d.metadata.page, d.metadata.score])).toEqual([['text', 'a.pdf', 0, 0], ['', '', null, 0]]);
  expect(ragMessage('not json')).toBeNull();
  expect(ragMessage({ docs: [] })).toBeNull();
});

test('a message of the user is a line of text', () => {
  expect(question('user_message', 'Hi')).toBe('Hi');
  expect(question('str', '{"message":"Hi"}')).toBe('Hi');
  expect(question('json', { a: 1 })).toBe('{"a":1}');
  expect(question('user_file', '{"name":"a.txt","base64":"YWI="}')).toBe('a.txt (2 bytes)');
  expect(question('image', null)).toBe('A file');
  expect(question('user_voice', 'UklGRg==')).toBe('A recording');
});

test('a stopped message differs from a reply', () => {
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
