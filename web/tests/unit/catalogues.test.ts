// Each language has all texts of the page and of the widget.
import { describe, expect, test } from 'vitest';
import { en } from '../../src/words/en';
import { brief } from '../../src/words/en/brief';
import { console } from '../../src/words/en/console';
import { plot } from '../../src/words/en/plot';
import { profile } from '../../src/words/en/profile';
import { start } from '../../src/words/en/start';
import { way } from '../../src/words/en/way';
import { widget } from '../../src/words/en/widget';
import ids from '../../src/words/ids.ts?raw';
import { others } from '../../src/words/languages';
import { inLanguage } from '../../src/words/sentences';

type Said = string | ((...args: never[]) => string);
type Node = { [key: string]: Said | Node };

/** flat is every text of a catalogue by its path. */
function flat(node: Node, path = ''): Map<string, Said> {
  const out = new Map<string, Said>();
  for (const [key, value] of Object.entries(node)) {
    if (typeof value === 'object') for (const [p, v] of flat(value, `${path}${key}.`)) out.set(p, v);
    else out.set(path + key, value);
  }
  return out;
}

/** read is a text with a number, or a word, for each of its parameters; null if it takes something else. */
function read(text: Said, value: (i: number) => unknown): string | null {
  if (typeof text === 'string') return text;
  try {
    return String((text as (...values: unknown[]) => unknown)(...Array.from({ length: text.length }, (_, i) => value(i))));
  } catch {
    return null;
  }
}

// Texts that are the same in several languages.
const everywhere = /^(?:.{0,3}|[\W\d]*|[A-Z]{2,6}|Plotly|Markdown|JSON|Token|Tokens|Agent|Bucket|Format|Code|Orange|Widget|WebSocket|MediaWiki|Terminal|ltr|docent.*)$/;
const alike: Record<keyof typeof others, RegExp> = {
  de: /^(?:Logo|Name|Status|Version|Uploads|System|Text|Website|Feed|median:)$/,
  es: /^(?:Color|Ctrl|Manual|Normal)$/,
  fr: /^(?:Actions|Archive|Arguments|Citations|Collections?|Contact|Conversations?|Ctrl|Documents?|Image|Index|Logo|Menu|Messages?|Pages?|Passages|Prompts|Questions?|Sources?|Total|Type|Versions?|Webhooks|code|prose)$/,
};

// The sentences of the server that leave a value out.
const without: Record<keyof typeof others, string[]> = {
  de: ['name_characters'],
  es: ['name_characters'],
  fr: [],
};

/** types are the types of the values of each sentence of the server. */
const types: Record<string, string[]> = Object.fromEntries(
  [...ids.matchAll(/^  (\w+): \[(.*)\];$/gm)].map(([, id, values]) => [id!, values ? values!.split(', ') : []]),
);

const want = flat({ ...en, parts: { brief, console, plot, profile, start, way }, widget } as unknown as Node);

describe.each(Object.keys(others) as (keyof typeof others)[])('the language %s', async (code) => {
  const { page, parts, server } = (await others[code].page()).texts;
  const have = flat({ ...page, parts, widget: (await others[code].widget()).widget } as unknown as Node);
  const words = [...have].map(([path, text]) => [path, read(text, (i) => `w${i}`), read(text, (i) => 40 + i)] as const);

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
    const same = [...want].filter(([path, text]) => typeof text === 'string' && have.get(path) === text && !everywhere.test(text) && !alike[code].test(text));
    expect(same).toEqual([]);
  });

  test('has the values of all texts', () => {
    for (const [path, ...said] of words) for (const text of said) expect(text ?? '', path).not.toMatch(/undefined|\$\{|\{\d/);
  });

  test('has the values of all sentences of the server', () => {
    const left = (Object.entries(server) as [keyof typeof server, Said][]).filter(([id, text]) => {
      const values = types[id]!.map((type, i) => (type === 'number' ? 701 + i : `w${i}`));
      const said = read(text, (i) => values[i])!;
      expect(said, id).not.toMatch(/undefined|NaN|\$\{|\{\d/);
      return !values.every((v) => said.toLowerCase().includes(String(v))); // a value can begin a sentence
    }).map(([id]) => id);
    expect(left).toEqual(without[code]);
  });

  test('does not fail at a sentence with other values', () => {
    for (const id of Object.keys(server)) {
      for (const params of [[], [1, 2, 3, 4, 5], ['a', 'b', 'c', 'd', 'e'], [{ id: 'the_file', params: [], message: 'the file' }]]) {
        expect(typeof inLanguage(server, { id, params, message: 'x' }), id).toBe('string');
      }
    }
  });
});

describe('French', async () => {
  const { page, parts, server } = (await others.fr.page()).texts;
  const all = [...flat({ ...page, parts, server, widget: (await others.fr.widget()).widget } as unknown as Node)];

  test('0 and 1 are singular', () => {
    expect([0, 1, 2].map(page.chat.documents)).toEqual(['0 document', '1 document', '2 documents']);
    expect([0, 1, 2].map(page.documents.removedMany)).toEqual(['0 document supprimé', '1 document supprimé', '2 documents supprimés']);
    expect(page.documents.passages(12345)).toBe('12\u202f345 passages');
  });

  test('has no-break spaces before its marks and inside its quotation marks', () => {
    const wrong = all.filter(([, text]) => [read(text, (i) => `w${i}`), read(text, (i) => 40 + i)].some((said) => /[^\s] [;!?»]|[^\s] :(?!\w)|« |\d %/.test(said ?? '')));
    expect(wrong.map(([path]) => path)).toEqual([]);
  });
});
