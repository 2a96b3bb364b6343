import { describe, expect, test } from 'vitest';
import { encode, slice } from '../../src/api/bytes';
import { find, mostFound } from '../../src/evidence/find';
import { cellOf, emphasis, layOut, type Known } from '../../src/evidence/lines';

const known = (more: Partial<Known> = {}): Known => ({ markdown: false, headings: new Map(), code: [], ...more });

/** looks is each line with what it looks like; all together are the text. */
function looks(text: string, k: Known, from = 0) {
  const bytes = encode(text);
  const blocks = layOut(bytes, from, bytes.length, k);
  expect(blocks.flatMap((b) => b.lines).map((l) => slice(bytes, l.start, l.end)).join('')).toBe(slice(bytes, from, bytes.length));
  return blocks.map((b) => `${b.look}${b.lines[0]!.level || ''}:${b.lines.map((l) => l.text.trimEnd()).join('⏎')}`).filter((s) => s !== 'plain:');
}

describe('Markdown', () => {
  test('the meaning of its marks', () => {
    const text = '# Größe 😀\n\nWords.\n\n```sh\n# no heading\n```\n\n| a | b |\n| --- | --- |\n| c | d |\n\n> quoted\n> on\n\n- one\n2. two\n\nSetext\n------\n\nEnd';
    expect(looks(text, known({ markdown: true }))).toEqual([
      'heading1:# Größe 😀', 'plain:Words.', 'code:```sh⏎# no heading⏎```', 'table:| a | b |⏎| --- | --- |⏎| c | d |',
      'quote:> quoted⏎> on', 'item:- one', 'item:2. two', 'heading2:Setext', 'rule:------', 'plain:End',
    ]);
  });
  test('a part that begins within code is code', () => {
    const text = '```\none\ntwo\n```\nafter';
    expect(looks(text, known({ markdown: true }), 8)).toEqual(['code:two⏎```', 'plain:after']);
  });
  test('cells begin at their bars', () => {
    const bytes = encode('| ä | b \\| c | d |\n');
    const row = layOut(bytes, 0, bytes.length, known({ markdown: true }))[0]!.lines[0]!;
    expect(row.cells.map((at, i) => slice(bytes, at, row.cells[i + 1] ?? row.end))).toEqual(['| ä ', '| b \\| c ', '| d |\n']);
  });
  test.each([
    ['| ä | b \\| c | d |\n', true, ['ä ', 'b \\| c ', 'd ']],
    ['| ä | |\n', true, ['ä ', '']],
    ['  |ä|b\\||', true, ['ä', 'b\\|']],
    ['Pump | Größe ä | 3 |x\n', false, ['Pump ', 'Größe ä ', '3 ', 'x\n']],
    [' | Young | 7', false, ['Young ', '7']],
  ])('of a row %j the bars are not drawn', (text, markdown, want) => {
    const bytes = encode(text);
    const row = layOut(bytes, 0, bytes.length, known({ markdown }))[0]!.lines[0]!;
    expect(row.cells.map((_, i) => cellOf(row, bytes, i)).map((c) => slice(bytes, c.start, c.end))).toEqual(want);
  });
  test('marked text in a line', () => {
    const bytes = encode('Größe `a*b` and **bold** ``x`y`` ** no **\n');
    const line = layOut(bytes, 0, bytes.length, known({ markdown: true }))[0]!.lines[0]!;
    expect(emphasis(line).map((e) => [e.kind, slice(bytes, e.start, e.end)])).toEqual([['code', '`a*b`'], ['bold', '**bold**'], ['code', '``x`y``']]);
  });
});

describe('other texts', () => {
  test('declared headings, and lines that look like headings', () => {
    const text = 'Guide\n\nRead this.\n\nFees\n- one\n\nA sentence.\n\nName | Fee\nup to 8 m | 30 €\n\nListen to this\nand that\n';
    expect(looks(text, known({ headings: new Map([['Fees', 2]]) }))).toEqual([
      'heading4:Guide', 'plain:Read this.', 'heading2:Fees', 'item:- one', 'plain:A sentence.', 'table:Name | Fee⏎up to 8 m | 30 €', 'plain:Listen to this', 'plain:and that',
    ]);
  });
  test('the lines of a paragraph belong together where margins break them', () => {
    const text = 'The pump moves water from the lake to the\nboiler, and stops at night.\nShort\nlines stay alone\n\n- An item of a list that is also longer than\n  the margin.\n- two\n\nA row with gaps, which is long enough    30 EUR\nand a sentence.\n';
    const alone = looks(text, known());
    expect(alone).toHaveLength(9);
    expect(looks(text, known({ flows: true }))).toEqual([
      'plain:The pump moves water from the lake to the⏎boiler, and stops at night.', 'plain:Short', 'plain:lines stay alone',
      'item:- An item of a list that is also longer than⏎  the margin.', 'item:- two', 'plain:A row with gaps, which is long enough    30 EUR', 'plain:and a sentence.',
    ]);
  });
  test('code between fences', () => {
    expect(looks('Say:\n\n```\nx = 1\n\n- y\n```\n\nEnd.\n', known())).toEqual(['plain:Say:', 'code:```⏎x = 1⏎⏎- y⏎```', 'plain:End.']);
  });
  test('declared code', () => {
    expect(looks('Say:\nx = 1\ny = 2\n', known({ code: [{ start: 5, end: 16 }] }))).toEqual(['plain:Say:', 'code:x = 1⏎y = 2']);
  });
});

describe('find', () => {
  const said = (text: string, what: string) => {
    const bytes = encode(text);
    return find(bytes, what).found.map((p) => slice(bytes, p.start, p.end));
  };
  test('in any case, across lines, and with punctuation', () => {
    expect(said('Größe, 😀 GRÖSSE größe.', 'größe')).toEqual(['Größe', 'größe']);
    expect(said('one\n  two, One two', 'one two')).toEqual(['one\n  two', 'One two']);
    expect(said('f(x) + a.b - “it’s” [1]', 'f(x)')).toEqual(['f(x)']);
    expect(said('a–b a-b a.b', 'a-b')).toEqual(['a–b', 'a-b']);
    expect(said('say “it’s”', '"it\'s"')).toEqual(['“it’s”']);
    expect(said('anything', '  ')).toEqual([]);
  });
  test('ten megabytes are searched at once', () => {
    const bytes = encode('Größe and nothing else. '.repeat(440_000) + 'needle');
    expect(bytes.length).toBeGreaterThan(10_000_000);
    const before = process.cpuUsage(); // the time of the processor, which others do not add to
    expect(find(bytes, 'Needle').found).toEqual([{ start: bytes.length - 6, end: bytes.length }]);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(5000);
    const many = find(bytes, 'nothing');
    expect([many.found.length, many.more]).toEqual([mostFound, true]);
  });
});
