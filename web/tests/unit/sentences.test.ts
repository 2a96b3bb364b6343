// Sentences of the server, in the language of the page.
import { describe, expect, test } from 'vitest';
import { texts } from '../../src/words/de';
import { others } from '../../src/words/languages';
import { inLanguage } from '../../src/words/sentences';

const { server } = texts;
const german = (id: string, params: unknown[] = [], message = 'in English') => inLanguage(server, { id, params, message });

describe('German', () => {
  test.each<[string, unknown[], string]>([
    ['file_type_unsupported', ['application/x'], 'Binärdatei: docent kann Dokumente der Art application/x nicht lesen'],
    ['no_document', [7], 'Das Dokument 7 gibt es nicht'],
    ['container_document', ['archive', 'files'], 'Archiv: enthält Dateien; docent liest sie einzeln'],
    ['too_complex', [{ id: 'reading_memory', params: [640], message: '…' }], 'Zu aufwendig: Das Lesen braucht mehr als 640 MiB Speicher'],
    ['file_larger_than_limit', ['12.5 MiB', '10.0 MiB'], 'Zu groß: 12,5 MiB, die Grenze liegt bei 10,0 MiB'],
    ['larger_than_limit', [{ id: 'the_file', params: [], message: 'the file' }, '20 MiB'], 'Die Datei ist größer als 20 MiB'],
    ['line_unreadable', [3, { id: 'jsonl_line_empty', params: [], message: 'it has no text' }], 'Zeile 3: Die Zeile enthält keinen Text'],
    ['line_unreadable', [3, { id: 'unknown_here', params: [], message: 'in English' }], 'Zeile 3: in English'],
    ['line_unreadable', [3, { message: 'in English' }], 'Zeile 3: in English'],
  ])('%s %j', (id, params, want) => expect(german(id, params)).toBe(want));

  test('unknown or invalid sentences stay in English', () => {
    for (const [id, params] of [['', []], ['unknown_here', [1]], ['toString', []], ['no_document', []], ['no_document', [null]]] as const) {
      expect(german(id, [...params])).toBe('in English');
    }
    expect(inLanguage(server, { message: 'as it is' })).toBe('as it is');
  });

  test('sentences in sentences end', () => {
    let param: unknown = 'x';
    for (let i = 0; i < 2000; i++) param = { id: 'too_complex', params: [param], message: 'in English' };
    expect(german('too_complex', [param])).toContain('in English');
  });
});

test('French puts a reason after a colon and joins names', async () => {
  const { server } = (await others.fr.page()).texts;
  const french = (id: string, params: unknown[]) => inLanguage(server, { id, params, message: 'in English' });
  expect(french('too_complex', [{ id: 'reading_memory', params: [640], message: '…' }])).toBe('Trop complexe\u00a0: la lecture a besoin de plus de 640 MiB de mémoire');
  expect(french('larger_than_limit', [{ id: 'the_file', params: [], message: 'the file' }, '12.5 MiB'])).toBe('Le fichier dépasse 12,5 MiB');
  expect(french('in_collections', ['a, b, c'])).toBe('les collections a, b et c');
  expect(french('in_collections', [7])).toBe('in English'); // a parameter of another type
});
