import { expect, test } from 'vitest';
import { encode, slice } from '../../src/api/bytes';
import { repeated } from '../../src/evidence/said';

const passage = 'Größe zählt 😀. Run `docent ingest ~/manuals` again whenever files have changed; unchanged ones cost only a hash. Nothing is lost.';
const found = (...sentences: string[]) => repeated(passage, sentences).map((p) => slice(encode(passage), p.start, p.end));

test.each([
  ['a quote, with our citation and other code marks', ['Run `docent ingest` `~/manuals` again whenever files have changed; unchanged ones cost only a hash. [1]'], ['Run `docent ingest ~/manuals` again whenever files have changed; unchanged ones cost only a hash.']],
  ['a part of it', ['Be sure that unchanged ones cost only a hash [2, 3].'], ['unchanged ones cost only a hash.']],
  ['two sentences, in the order of the passage', ['Nothing is lost. [1]', 'Größe zählt 😀 [1]'], ['Größe zählt', 'Nothing is lost.']],
  ['a paraphrase', ['Only files that differ are read once more.'], ['Run `docent ingest ~/manuals` again whenever files have changed; unchanged ones cost only a hash.']],
  ['a paraphrase without a word of it', ['Solely documents that differ are read once more.'], []],
  ['too few of the words', ['The hash is a number whose size depends on what it cost to make.'], []],
  ['nothing', ['', '[1]'], []],
])('%s', (_, sentences, want) => expect(found(...sentences)).toEqual(want));

test('overlapping finds are one', () => {
  expect(found('again whenever files have changed', 'files have changed; unchanged ones cost').length).toBe(1);
});

test('a sentence in other words leads to the matching sentence among similar ones', () => {
  const boilers = Array.from({ length: 8 }, (_, i) => `The boiler model B4${i} has a relief valve that opens at ${30 + i} bar and is\ninspected every year. Its feed water is treated.`).join('\n');
  const at = (text: string, ...sentences: string[]) => repeated(text, sentences).map((p) => slice(encode(text), p.start, p.end));
  expect(at(boilers, 'The valve of B42 opens at 45 bar [1].')).toEqual(['The boiler model B42 has a relief valve that opens at 32 bar and is\ninspected every year.']);
  expect(at(boilers, 'Nobody knows the way [1].')).toEqual([]);
  expect(at('# Valves of the boilers\n\nOf Größe 2 😀 there is a valve. It leaks!', 'Boilers have a valve of Größe 2 [1].')).toEqual(['Of Größe 2 😀 there is a valve.']);
});
