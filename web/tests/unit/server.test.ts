// What the server says, in the language of the page.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { server } from '../../src/words/de/server';
import { sentences } from '../../src/words/server';

const root = join(import.meta.dirname, '../../..');

/** sources is the Go of the program, in which texts on several lines are one. */
function sources(of = ['agent', 'api', 'auth', 'cmd/docent', 'embed', 'ingest', 'internal/fault', 'llm', 'payload', 'rag', 'store', 'ws']): string {
  const read = (dir: string): string =>
    readdirSync(join(root, dir), { withFileTypes: true })
      .map((e) => (e.isDirectory() ? read(`${dir}/${e.name}`) : /(?<!_test)\.go$/.test(e.name) ? readFileSync(join(root, dir, e.name), 'utf8') : ''))
      .join('\n');
  const page = readFileSync(join(root, 'web/src/chat/turns.ts'), 'utf8');
  return [...of.map(read), page].join('\n').replace(/"\s*\+\s*"/g, '');
}

test('what is worded is still said', () => {
  const go = sources();
  const gone = Object.entries(sentences).filter(([, text]) => {
    const written = text.replaceAll('\n', '\\n');
    return !['"', '`', "'"].some((q) => go.includes(q + written + q));
  });
  expect(gone).toEqual([]);
});

/** Said only to programs, or where the page does not come. */
const programs = [
  'this id was used for another message', 'turn %d was replaced already', 'the change collides with what is stored', 'hello was said already', 'the token is mistyped or cut short',
  "one signs in and out on docent's own page; other pages send a token", 'the token is not valid here: its issuer, audience, signature or time is not right',
  'this needs a token: send it as Authorization: Bearer, as a subprotocol, or in hello', 'too many clients of your address have not said who they are; say hello, or bring a token at the handshake',
];

test('what somebody may not do, or has to wait for, is worded', () => {
  const go = sources(['api', 'auth', 'ws']);
  const said = [...go.matchAll(/fault\.(?:New|Wrap)\(fault\.(?:Busy|RateLimited|Forbidden|Unauthorized|Conflict), (?:err, )?"((?:[^"\\]|\\.)+)"/g)].map(([, text]) => text!.replaceAll('\\"', '"'));
  expect(said.length).toBeGreaterThan(20);
  const known: string[] = [...Object.values(sentences), ...programs, '%s'];
  expect(said.filter((text) => !known.includes(text))).toEqual([]);
});

describe('German', () => {
  test.each([
    [
      "I don't know. I searched 59 documents in the collections `default`, `b` and 3 more and found nothing that answers this. The nearest passages are listed, but they do not answer it.",
      'Das weiß ich nicht. In 59 Dokumenten aus den Sammlungen `default`, `b` und 3 weiteren habe ich nichts gefunden, was die Frage beantwortet. Die nächstliegenden Stellen sind aufgeführt, sie beantworten die Frage aber nicht.',
    ],
    ["I don't know. I searched 1 document in the collection `default` and found nothing that answers this.", 'Das weiß ich nicht. In 1 Dokument aus der Sammlung `default` habe ich nichts gefunden, was die Frage beantwortet.'],
    ["I don't know: there are no documents yet. Add some with `docent ingest PATH`, or upload them.", 'Das weiß ich nicht: Es gibt noch keine Dokumente. Hinzufügen lassen sie sich mit `docent ingest PFAD` oder durch Hochladen.'],
    [
      'I know 12 documents in 2 collections:\n- a (11 documents): One, Two and 9 more\n- b (1 document): Three\nAsk me about anything that is written in them.',
      'Ich kenne 12 Dokumente in 2 Sammlungen:\n- a (11 Dokumente): One, Two und 9 weitere\n- b (1 Dokument): Three\nFragen Sie mich nach allem, was darin steht.',
    ],
    [
      'Answers are quotes; for written ones set DOCENT_MODEL, with OPENAI_API_KEY or with DOCENT_LLM_URL for a server of your own.',
      'Antworten sind Zitate; für ausformulierte bitte DOCENT_MODEL setzen, mit OPENAI_API_KEY oder mit DOCENT_LLM_URL für einen eigenen Server.',
    ],
    ['Goodbye!', 'Auf Wiedersehen!'],
    ['binary: application/octet-stream is not a kind of document that can be read', 'Binärdatei: application/octet-stream ist keine Art von Dokument, die gelesen werden kann'],
    [
      'unreadable: 45 % of its characters have no meaning, for its fonts do not say what they show; save it anew or use OCR',
      'Unlesbar: 45 % der Zeichen haben keine Bedeutung, weil die Schriften nicht sagen, was sie zeigen. Bitte neu speichern oder Texterkennung benutzen',
    ],
    ['archive: it holds files, which are read one by one', 'Archiv: Es enthält Dateien, die einzeln gelesen werden'],
    ['too complex: soffice takes longer than 2m0s for it', 'Zu aufwendig: soffice braucht dafür länger als 2m0s'],
    ['too complex: it needs more than 640 MiB of memory to read', 'Zu aufwendig: Das Lesen braucht mehr als 640 MiB Speicher'],
    [
      'document 7 has no pages to show: its pages cannot be shown: LibreOffice is not installed on the server',
      'Das Dokument 7 hat keine Seiten zum Anzeigen: Die Seiten lassen sich nicht zeigen: LibreOffice ist auf dem Server nicht installiert',
    ],
    ['the server answered 503 Service Unavailable; try again later', 'Der Server hat 503 Service Unavailable geantwortet; bitte später erneut versuchen'],
    ['how many links a crawl follows', 'Wie vielen Links hintereinander crawl folgt'],
    ['too large: it has 9000 pages, the limit is 5000', 'Zu groß: Es hat 9000 Seiten, die Grenze liegt bei 5000'],
    ['too large: 12.5 MiB, the limit is 10.0 MiB', 'Zu groß: 12,5 MiB, die Grenze liegt bei 10,0 MiB'],
    ['line 3: it has no text', 'Zeile 3: Es ist kein Text darin'],
    ['line 3: another line has the same id', 'Zeile 3: Eine andere Zeile hat dieselbe id'],
    ['the file is larger than 20 MiB', 'Die Datei ist größer als 20 MiB'],
    ['there is a token "ci" already; take another name or revoke it first', 'Es gibt schon ein Token "ci". Bitte anders benennen oder das andere zuerst widerrufen'],
  ])('%s', (said, want) => expect(server(said)).toBe(want));

  test('what is not known stays', () => {
    for (const said of ['The tide is high.', '', 'Goodbye! And thanks.', 'x'.repeat(9000)]) expect(server(said)).toBe(said);
  });

  test('every sentence is worded, with all that it names', () => {
    for (const [key, text] of Object.entries(sentences)) {
      // Numbers and names that no sentence has.
      let n = 0;
      const verbs = text.replace(/%%|%[\d.]*([a-z])/g, (v, kind: string) => (v === '%%' ? '%' : kind === 'd' || kind === 'f' ? String(7000 + ++n) : `Qx${++n}`));
      const whole = (text.startsWith(' ') ? 'Qx0' : '') + verbs + (text.endsWith(' ') ? 'Qx9' : '');
      const got = server(whole);
      expect(got, key).not.toBe(whole);
      if (!['nothing', 'holdings', 'tokenName'].includes(key)) for (const arg of whole.match(/Qx\d|700\d/g) ?? []) expect(got, key).toContain(arg);
      expect(got, key).not.toMatch(/\{\d|undefined|NaN Qx/);
    }
  });
});
