// Files that are dropped into the library, and searches in it.
import { describe, expect, test } from 'vitest';
import { deletions } from '../../src/api/http';
import { dropped, unwanted } from '../../src/documents/files';
import { marked } from '../../src/documents/marked';

const show = (passage: string, query: string, length?: number) => marked(passage, query, length).map((p) => (p.on ? `[${p.text}]` : p.text)).join('');

describe('the words of a search are marked', () => {
  test.each([
    ['Neap tides occur at the quarter moons.', 'When do neap tides occur?', '[Neap] [tides] [occur] at the quarter moons.'],
    ['The tide is read.', 'tides', 'The [tide] is read.'],
    ['Die Größe der Flut', 'größe', 'Die [Größe] der Flut'],
    ['潮の干満は月による。', '干満', '潮の[干満]は月による。'],
    ['To be or not', 'to be', '[To] [be] or not'],
    ['Nothing  of\nit', 'else', 'Nothing of it'],
    ['', 'x', ''],
  ])('%j with %j', (passage, query, want) => expect(show(passage, query)).toBe(want));

  test('a long passage is cut to the part with the most words', () => {
    const text = `${'alpha beta gamma '.repeat(60)}the old gauge of Quelmouth ${'delta '.repeat(100)}`;
    const got = show(text, 'gauge Quelmouth', 200);
    expect(got).toContain('old [gauge] of [Quelmouth]');
    expect(got.startsWith('… ') && got.endsWith(' …')).toBe(true);
    expect(got.length).toBeLessThan(220);
  });
});

test.each([
  ['notes.txt', false], ['guide/readme.md', false], ['.env', false], ['.DS_Store', true], ['guide/.DS_Store', true], ['guide/.git/config', true],
  ['guide/Thumbs.db', true], ['__MACOSX/a.txt', true], ['guide/~$letter.docx', true],
])('%s is left out: %s', (path, want) => expect(unwanted(path)).toBe(want));

test('a dropped folder is read in parts, with all levels, without hidden files', async () => {
  const file = (fullPath: string) => ({ isDirectory: false, fullPath, file: (ok: (f: File) => void) => ok(new File(['x'], fullPath.split('/').at(-1)!)) });
  const folder = (fullPath: string, children: object[]) => ({
    isDirectory: true, fullPath,
    createReader: () => {
      const left = [...children];
      return { readEntries: (ok: (some: object[]) => void) => ok(left.splice(0, 2)) };
    },
  });
  const broken = { isDirectory: false, fullPath: '/a/broken', file: (_: unknown, fail: (e: Error) => void) => fail(new Error('gone')) };
  const root = folder('/a', [file('/a/1'), folder('/a/.git', [file('/a/.git/x')]), folder('/a/b', [file('/a/b/2'), file('/a/b/3'), file('/a/b/4')]), broken, file('/a/5')]);
  const items = [root, file('/single.txt')].map((entry) => ({ kind: 'file', webkitGetAsEntry: () => entry })) as unknown as DataTransferItem[];
  const { files, unread } = await dropped(items);
  expect(files.map((p) => p.path)).toEqual(['a/1', 'a/b/2', 'a/b/3', 'a/b/4', 'a/5', 'single.txt']);
  expect(unread).toEqual(['a/broken']);
});

test('a request to delete can outlive the page', () => {
  expect(deletions([])).toEqual([]);
  expect(deletions([1, 2])).toEqual([[1, 2]]);
  for (const first of [1, 9_000_000]) {
    const ids = Array.from({ length: 25_000 }, (_, i) => first + i);
    const requests = deletions(ids);
    expect(requests.flat()).toEqual(ids);
    for (const some of requests) {
      expect(JSON.stringify({ ids: some }).length).toBeLessThanOrEqual(60 << 10);
      expect(some.length).toBeLessThanOrEqual(10_000); // the limit of the server
    }
  }
});
