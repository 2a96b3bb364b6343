// Each language has all texts of the page.
import { describe, expect, test } from 'vitest';
import { de } from '../../src/words/de';
import { console as consoleDe } from '../../src/words/de/console';
import { en } from '../../src/words/en';
import { console as consoleEn } from '../../src/words/en/console';

type Node = { [key: string]: string | Node | ((...args: never[]) => string) };

/** flat is every text of a catalogue by its path. */
function flat(node: Node, path = ''): Map<string, string | ((...args: never[]) => string)> {
  const out = new Map<string, string | ((...args: never[]) => string)>();
  for (const [key, value] of Object.entries(node)) {
    if (typeof value === 'object') for (const [p, v] of flat(value, `${path}${key}.`)) out.set(p, v);
    else out.set(path + key, value);
  }
  return out;
}

// Texts that are the same in both languages.
const alike = /^(?:.{0,3}|[\W\d]*|[A-Z]{2,6}|Name|Status|Version|Plotly|Markdown|JSON|Token|Tokens|Agent|Uploads|System|Text|Website|Feed|Bucket|Format|Code|Orange|Widget|WebSocket|MediaWiki|Terminal|docent.*)$/;

describe.each([['de', { ...de, console: consoleDe }]] as const)('the catalogue %s', (_, other) => {
  const [want, have] = [flat({ ...en, console: consoleEn } as unknown as Node), flat(other as unknown as Node)];

  test('has the same texts as English', () => {
    expect([...have.keys()].sort()).toEqual([...want.keys()].sort());
  });

  test('has a text where English has one, and a function of as much where it has one', () => {
    for (const [path, text] of want) {
      const said = have.get(path)!;
      expect(typeof said, path).toBe(typeof text);
      if (typeof said === 'function' && typeof text === 'function') expect(said.length, path).toBe(text.length);
      else expect((said as string).trim(), path).not.toBe('');
    }
  });

  test('is not English', () => {
    const same = [...want].filter(([path, text]) => typeof text === 'string' && have.get(path) === text && !alike.test(text));
    expect(same).toEqual([]);
  });
});
