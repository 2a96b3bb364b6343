// The commands, and their documentation.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { questionContent, sameOptions, sensible } from '../../src/conversation/choice';
import { wordAt } from '../../src/input/scopelist.svelte';
import { fill, placeholders } from '../../src/input/placeholders';
import { matchingPrompts } from '../../src/input/prompts.svelte';
import { commands, matching, read } from '../../src/input/commands';
import { browser, isText, PerConversation, tab } from '../../src/conversation/kept';
import { Recall, remember } from '../../src/conversation/recall';
import { storedUnsent, storeUnsent } from '../../src/conversation/unsent';
import type { Info } from '../../src/api/shapes';
import { account } from '../../src/shell/account.svelte';
import { en } from '../../src/words/en';

const me = (id: string, auth = true) => (account.me = { id, name: id, scopes: ['ask'], auth, manages: false });

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  me('', false);
});

test('the documentation lists each command as the page does', () => {
  const docs = readFileSync(join(import.meta.dirname, '../../../docs/reference/page.md'), 'utf8');
  const rows = [...docs.matchAll(/^\| `\/(\S+?)((?: .+)?)` \| (.+) \|$/gm)].map(([, name, usage, does]) => [name, usage!.trim().replaceAll('\\|', '|'), does]);
  expect(rows).toEqual(commands.map((c) => [c.name, c.usage, en.input.command[c.name]]));
});

describe('a text', () => {
  test.each([
    ['/new', 'command new '],
    ['/K 12', 'command k 12'],
    ['/search  two words ', 'command search two words'],
    ['/collection a\nb', 'command collection a\nb'],
    ['/etc/hosts is what?', 'text /etc/hosts is what?'],
    ['/ or not', 'text / or not'],
    ['//new', 'text /new'],
    ['new', 'text new'],
    ['/nonsense at all', 'unknown nonsense'],
  ])('%j is read', (text, want) => {
    const r = read(text);
    expect(r.kind === 'text' ? `text ${r.text}` : r.kind === 'unknown' ? `unknown ${r.name}` : `command ${r.command.name} ${r.argument}`).toBe(want);
  });

  test('becomes the commands that begin with it', () => {
    expect(matching('/').length).toBe(commands.length);
    expect(matching('/re').map((c) => c.name)).toEqual(['reset', 'retry']);
    for (const none of ['', 're', '/reset ', '//', '/re x']) expect(matching(none)).toEqual([]);
  });
});

describe('prompts', () => {
  const row = (name: string) => ({ id: 1, name, text: 'x', shared: false, own: true, updated_at: '' });
  const rows = ['Weekly report', 'Report', 'Reply to a customer'].map(row);

  test.each([
    ['/', rows.map((r) => r.name)],
    ['/re', ['Weekly report', 'Report', 'Reply to a customer']],
    ['/Weekly rep', ['Weekly report']],
    ['/customer', ['Reply to a customer']],
    ['/port', []],
    ['/etc/re', []],
    ['re', []],
  ])('%j finds words of their names', (text, want) => {
    expect(matchingPrompts(text, rows).map((r) => r.name)).toEqual(want);
  });

  test('have placeholders with values', () => {
    const text = 'To {customer} about {the topic}: {customer}, {"json": 1}, {}, {1}, {Größe_2}';
    expect(placeholders(text)).toEqual(['customer', 'the topic', 'Größe_2']);
    expect(fill(text, { customer: ' Ann {x} ', 'the topic': '$& {customer}', constructor: 'no' })).toBe('To Ann {x} about $& {customer}: Ann {x}, {"json": 1}, {}, {1}, {Größe_2}');
  });
});

describe('earlier messages', () => {
  test('are recalled from this conversation, then from others, and back to the draft', () => {
    remember('elsewhere');
    const recall = new Recall();
    const here = ['first', 'second', 'second'];
    expect([recall.older('', here), recall.older('second', here), recall.older('first', here), recall.older('elsewhere', here)]).toEqual(['second', 'first', 'elsewhere', undefined]);
    expect(recall.is('elsewhere')).toBe(true);
    expect([recall.newer(), recall.newer(), recall.newer(), recall.newer()]).toEqual(['first', 'second', '', undefined]);
  });

  test('are limited, without long ones', () => {
    for (let i = 0; i < 300; i++) remember(`${i} ${'x'.repeat(i % 2 ? 10 : 2000)}`);
    remember('y'.repeat(5000));
    expect(localStorage.getItem('docent.said')!.length).toBeLessThan(70_000);
    expect(new Recall().older('', [])).toMatch(/^299 /);
  });

  test('belong to one user', () => {
    me('ada');
    remember('my secret');
    tab.write('x', 'mine');
    me('bob');
    expect(new Recall().older('', [])).toBeUndefined();
    expect(tab.read('x', isText)).toBeUndefined();
    remember('hello');
    expect(localStorage.getItem('docent.said')).not.toContain('secret');
    account.me = null; // the user is unknown yet
    remember('early');
    expect(localStorage.getItem('docent.said')).not.toContain('early');
  });

  test('are not recalled without storage', () => {
    const broken = Object.getPrototypeOf(localStorage) as Storage;
    const { setItem, getItem } = broken;
    try {
      broken.setItem = broken.getItem = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
      remember('a');
      expect(new Recall().older('', ['b'])).toBe('b');
    } finally {
      Object.assign(broken, { setItem, getItem });
    }
  });
});

test('kept drafts are limited, and the oldest is dropped', () => {
  const drafts = new PerConversation(browser, 'd', isText);
  for (let i = 0; i < 60; i++) drafts.set(`s${i}`, `text ${i}`);
  expect([drafts.get('s0'), drafts.get('s10'), drafts.get('s59')]).toEqual([undefined, 'text 10', 'text 59']);
  drafts.set('s59', undefined);
  expect(drafts.get('s59')).toBeUndefined();
});

test('waiting messages are kept, except refused and large ones', () => {
  const p = (id: string, more: object = {}) => ({ id, action: 'user_message' as const, content: id, error: null, ...more });
  const refused = (retryable: boolean) => ({ error: { code: 'x', message: 'no', retryable } });
  storeUnsent('s', [p('a'), p('b', refused(true)), p('c', refused(false)), p('d', { content: { name: 'f', base64: 'A'.repeat(2 << 20) } })]);
  expect(storedUnsent('s').map((o) => o.id)).toEqual(['a', 'b']);
  expect(storedUnsent('s')[0]).toEqual({ id: 'a', action: 'user_message', content: 'a' });
  storeUnsent('s', []);
  expect([storedUnsent('s'), sessionStorage.length]).toEqual([[], 0]);
});

test('a choice is available on the server and differs from the default', () => {
  const info = { built_in: true, model: { name: 'big' }, models: ['big', 'extractive'], limits: { k: 8 }, collections: [{ name: 'a' }, { name: 'b' }] } as unknown as Info;
  expect(sensible({ collections: ['b', 'gone'], model: 'extractive', k: 3 }, info)).toEqual({ collections: ['b'], model: 'extractive', k: 3 });
  expect(sensible({ collections: ['b', 'a'], model: 'big', k: 8 }, info)).toEqual({});
  expect(sensible({ collections: [], model: 'gone', k: 51 }, info)).toEqual({});
  expect(sensible({ k: 3 }, { ...info, built_in: false })).toEqual({});
  expect([questionContent('q', {}), questionContent('q', { k: 3 })]).toEqual(['q', { message: 'q', k: 3 }]);
  expect([sameOptions({ collections: ['a', 'b'] }, { collections: ['b', 'a'] }), sameOptions({}, { k: 1 })]).toEqual([true, false]);
});

test('an @ at the beginning of a word opens the list of documents', () => {
  expect(wordAt('What is @pump man', 17)).toBe('pump man');
  expect(wordAt('@', 1)).toBe('');
  for (const text of ['mail ann@example.com', 'no', '@@', '@ x', '@one\ntwo']) expect(wordAt(text, text.length)).toBeUndefined();
});
