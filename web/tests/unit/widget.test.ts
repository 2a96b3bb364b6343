// The attributes of the widget, and their documentation.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyTranscript, type Transcript } from 'docent-client';
import { beforeEach, describe, expect, test } from 'vitest';
import { languages } from '../../src/words/languages';
import { attributes, read } from '../../widget/attributes';
import { rows } from '../../widget/view';

const tag = (values: Record<string, string>) => {
  const script = document.createElement('script');
  for (const [name, value] of Object.entries(values)) script.setAttribute(name, value);
  return script;
};

describe('the attributes of the widget', () => {
  beforeEach(() => {
    document.documentElement.lang = 'en';
    (globalThis as { CSS?: unknown }).CSS = { supports: (_: string, value: string) => /^#|^red$/.test(value) };
  });

  test('are those that docs/how-to/widget.md lists', () => {
    const docs = readFileSync(join(import.meta.dirname, '../../../docs/how-to/widget.md'), 'utf8');
    const table = docs.split('<!-- attributes:')[1]!.split('<!-- end -->')[0]!;
    expect([...table.matchAll(/^\| `(data-[a-z]+)`/gm)].map(([, name]) => name)).toEqual([...attributes]);
    // Also the values, if an attribute has fixed ones.
    for (const [name, ...values] of [['data-theme', 'light', 'dark', 'auto'], ['data-position', 'start', 'end'], ['data-lang', ...languages]]) {
      const line = table.split('\n').find((l) => l.startsWith(`| \`${name}\``))!;
      for (const value of values) expect(line).toContain(`\`${value}\``);
    }
  });

  test('have defaults', () => {
    expect(read(tag({}))).toEqual({ theme: 'auto', accent: '', title: '', greeting: '', position: 'end', language: 'en', open: false, token: '', questions: [], contact: '', agent: '', collections: [] });
  });

  test('are read', () => {
    expect(
      read(tag({
        'data-theme': 'Dark', 'data-accent': ' #abc ', 'data-title': ' Ask ', 'data-greeting': 'Hi', 'data-position': 'start', 'data-lang': 'de-AT',
        'data-open': '', 'data-token': 'dct_1', 'data-collections': 'faq, handbook,', 'data-agent': ' orders ', 'data-questions': 'How much? | When?|', 'data-contact': 'mailto:help@example.org',
      })),
    ).toEqual({ theme: 'dark', accent: '#abc', title: 'Ask', greeting: 'Hi', position: 'start', language: 'de', open: true, token: 'dct_1', questions: ['How much?', 'When?'], contact: 'mailto:help@example.org', agent: 'orders', collections: ['faq', 'handbook'] });
  });

  test('with invalid values are ignored', () => {
    expect(read(tag({ 'data-theme': 'pink', 'data-accent': 'url(https://evil.example)', 'data-position': 'top', 'data-lang': 'tlh', 'data-open': 'false', 'data-contact': 'javascript:alert(1)' }))).toEqual(read(tag({})));
  });

  test('without a language it is the page’s', () => {
    document.documentElement.lang = 'de-CH';
    expect(read(tag({})).language).toBe('de');
    expect(read(tag({ 'data-lang': 'en' })).language).toBe('en');
  });
});

describe('the content of the widget', () => {
  const entry = (seq: number, turn: number, kind: 'question' | 'reply' | 'failure' | 'step', content: unknown, type = 'str') => ({ seq, turn, kind, type, content, id: '', sender: '', replaces: 0 });
  const turn = (state: string, to: object = {}) => ({ state, phase: '', text: '', steps: [], n: 0, replied: false, error: null, ...to });
  const kinds = (t: Partial<Transcript>, greeted = false) => rows({ ...emptyTranscript, synced: true, ...t } as Transcript, 'A recording', greeted).map((r) => r.kind);

  test('questions, replies, and ends of turns, in order', () => {
    const entries = [entry(1, 1, 'question', 'a'), entry(2, 1, 'step', {}), entry(3, 1, 'reply', 'b'), entry(4, 2, 'question', 'c')];
    expect(kinds({ entries })).toEqual(['question', 'reply', 'rating', 'question', 'ended']);
    expect(kinds({ entries, turns: new Map([[2, turn('running', { text: 'so far' })]]) } as never)).toEqual(['question', 'reply', 'rating', 'question', 'pending']);
    expect(kinds({ entries, turns: new Map([[2, turn('failed', { error: { code: 'x', message: 'no', retryable: true } })]]) } as never)).toEqual(['question', 'reply', 'rating', 'question', 'ended']);
    expect(kinds({ entries, synced: false })).toEqual(['question', 'reply', 'rating', 'question']);
  });

  test('the greeting of an agent, unless the site has one or the agent is built-in', () => {
    const entries = [entry(1, 0, 'reply', 'Welcome to the harbour.'), entry(2, 0, 'reply', '["Tides"]', 'options')];
    expect(kinds({ entries })).toEqual(['reply', 'reply']);
    expect(kinds({ entries }, true)).toEqual(['reply']);
    expect(kinds({ entries: [{ ...entry(1, 0, 'reply', 'Hi! Ask me about your documents: I answer.'), sentence: { id: 'greeting', params: [] } }] })).toEqual([]);
  });

  test('a question with options as text, and a refused message with its reason', () => {
    const pending = [{ id: 'x', action: 'user_message', content: { message: 'When?', collections: ['faq'] }, error: { code: 'busy', message: 'Later.', retryable: true } }];
    expect(rows({ ...emptyTranscript, pending } as never, '', false)).toEqual([
      { kind: 'question', key: 'x', text: 'When?', sending: false },
      { kind: 'ended', key: 'x ended', how: 'failed', text: 'Later.', turn: undefined },
    ]);
  });
});
