// The part of a message that a search has found.
import { expect, test } from 'vitest';
import { snippet } from '../../src/sidebar/snippet';

test.each([
  ['… keeps a **full backup** [1][2] of all', 'Full BACKUP', '… keeps a [full backup] of all'],
  ['see [the manual](https://x.test) for `code`', 'manual', 'see the [manual] for code'],
  ['no such text', 'other', 'no such text'],
  ['text', ' ', 'text'],
  ['A sentence that stands long before the word, and then the word', 'then', '… long before the word, and [then] the word'],
])('%s', (found, searched, shown) => {
  expect(snippet(found, searched).map((p) => (p.on ? `[${p.text}]` : p.text)).join('')).toBe(shown);
});
