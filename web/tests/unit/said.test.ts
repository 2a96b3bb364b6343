import { expect, test } from 'vitest';
import { encode, slice } from '../../src/evidence/bytes';
import { repeated } from '../../src/evidence/said';

const passage = 'Größe zählt 😀. Run `docent ingest ~/manuals` again whenever files have changed; unchanged ones cost only a hash. Nothing is lost.';
const found = (...sentences: string[]) => repeated(passage, sentences).map((p) => slice(encode(passage), p.start, p.end));

test.each([
  ['a quote, with our citation and other code marks', ['Run `docent ingest` `~/manuals` again whenever files have changed; unchanged ones cost only a hash. [1]'], ['Run `docent ingest ~/manuals` again whenever files have changed; unchanged ones cost only a hash.']],
  ['a part of it', ['Be sure that unchanged ones cost only a hash [2, 3].'], ['unchanged ones cost only a hash.']],
  ['two sentences, in the order of the passage', ['Nothing is lost. [1]', 'Größe zählt 😀 [1]'], ['Größe zählt', 'Nothing is lost.']],
  ['a paraphrase', ['Only files that differ are read once more.'], []],
  ['too few of the words', ['The hash is a number whose size depends on what it cost to make.'], []],
  ['nothing', ['', '[1]'], []],
])('%s', (_, sentences, want) => expect(found(...sentences)).toEqual(want));

test('overlapping finds are one', () => {
  expect(found('again whenever files have changed', 'files have changed; unchanged ones cost').length).toBe(1);
});
