import { expect, test } from 'vitest';
import { divided } from '../../src/evidence/lead';

test('an answer is divided behind its lead, with the offsets of its sentences', () => {
  const answer = 'Not sure about `Öl`.\n\nThe oil is in the hold [1].';
  const lead = new TextEncoder().encode('Not sure about `Öl`.').length;
  const start = lead + 2;
  const sentences = [{ start, end: start + 27, docs: [1], support: 'strong' as const }];
  expect(divided({ answer, sentences, lead })).toEqual({
    lead: 'Not sure about `Öl`.', quotes: 'The oil is in the hold [1].', sentences: [{ start: 0, end: 27, docs: [1], support: 'strong' }],
  });
  expect(divided({ answer, sentences })).toEqual({ lead: '', quotes: answer, sentences });
});
