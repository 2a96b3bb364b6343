import { describe, expect, it } from 'vitest';
import { plain } from '../../src/markdown/plain';

describe('Markdown as plain text', () => {
  it.each([
    ['**manual.pdf:** The pump is *serviced*.', 'manual.pdf: The pump is serviced.'],
    ['## Tides\n\n- one\n- [x] two\n> three', 'Tides\n\none\ntwo\nthree'],
    ['Use `docent serve` or [the page](https://example.org "title").', 'Use docent serve or the page.'],
    ['```sh\nls *.go\n```', 'ls *.go'],
    ['| a | b |\n| - | -: |\n| 1 | 2 |', 'a, b\n1, 2'],
    ['snake_case_name and __strong__ and 2 * 3 * 4', 'snake_case_name and strong and 2 * 3 * 4'],
    ['~~gone~~ \\*kept\\* [1]', 'gone *kept* [1]'],
  ])('%j', (markdown, said) => expect(plain(markdown)).toBe(said));
});
