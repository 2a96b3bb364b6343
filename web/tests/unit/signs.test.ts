// Marks on the sentences of an answer.
import { describe, expect, test } from 'vitest';
import { encode } from '../../src/api/bytes';
import { blocks, draw } from '../../src/markdown/render';
import { mark, statements } from '../../src/markdown/signs';
import type { RagSentence, Support } from '../../src/api/shapes';

/** at makes sentences of parts of an answer, each looked for behind the one before. */
function at(answer: string, parts: (string | [string, Support])[]): RagSentence[] {
  let from = 0;
  return parts.map((p) => {
    const [text, support] = typeof p === 'string' ? [p, 'none' as const] : p;
    const i = answer.indexOf(text, from);
    expect(i, text).toBeGreaterThanOrEqual(0);
    from = i + text.length;
    const start = encode(answer.slice(0, i)).length;
    return { start, end: start + encode(text).length, docs: [], support };
  });
}

function render(answer: string, sentences: RagSentence[] = []): HTMLElement {
  const out = document.createElement('div');
  for (const b of blocks(mark(answer, sentences))) out.append(draw(b, { labels: ['One', 'Two'] }));
  return out;
}

/** shape is the tree of an answer without what marks add. */
function shape(el: Element): string {
  const copy = el.cloneNode(true) as Element;
  for (const d of copy.querySelectorAll('.doubt')) d.remove();
  for (const d of copy.querySelectorAll('.doubtful, .held')) d.replaceWith(...d.childNodes);
  copy.normalize();
  return copy.innerHTML.replace(/&nbsp;/g, ' ').replace(/\s+/g, ' ').replace(/ (?=<)/g, '');
}

const underlined = (el: Element) => [...el.querySelectorAll('.doubtful')].map((d) => d.textContent!.trim());

const nested = '1. First\n   - nested `code`\n   - [ ] todo\n   - [x] done\n2. Second point\n\n> A quote of somebody.\n> - in it';

describe('structure', () => {
  test('nested lists, tasks and quotes stay what they are', () => {
    const plain = render(nested);
    const marked = render(nested, at(nested, ['First', '- nested `code`', '- [ ] todo', '- [x] done', 'Second point', 'A quote of somebody.', '- in it']));
    expect(shape(marked)).toBe(shape(plain));
    expect(marked.querySelectorAll('ol > li > ul > li').length).toBe(3);
    expect(underlined(marked)).toEqual(['nested', '☐ todo', '☑ done', 'Second point', 'A quote of somebody.', 'in it'].map((t) => t.replace(/^[☐☑] /, '')));
  });
  test.each([
    ['a sentence that begins with the mark of its line', '- a\n  - b c', ['- a', '- b c']],
    ['one over several lines', 'One goes\non and on\n- item here', ['One goes\non and on', 'item here']],
    ['a table in the whole', '| a | b |\n|:-:|--:|\n| one | two |\n| three | 4 |', ['| a | b |\n|:-:|--:|\n| one | two |\n| three | 4 |']],
    ['a table with a pipe in a cell', '| a | b |\n| - | - |\n| x \\| y | `z` |', ['| x \\| y | `z` |']],
    ['a heading in a list', '- ## Head\n- Text of it', ['- ## Head', 'Text of it']],
    ['rows of a table in a quote', '> | a | b |\n> | - | - |\n> | c d | e |', ['| c d | e |']],
    ['a rule', 'Text here.\n\n---\n\nMore text.', ['Text here.', 'More text.']],
  ])('marks leave %s', (_, text, parts) => {
    expect(shape(render(text, at(text, parts)))).toBe(shape(render(text)));
  });
  test('no mark stands between the parts of a table or a list', () => {
    const text = `${nested}\n\n| a | b |\n|---|:-:|\n| 1 | Turn it |\n| 2 | Keep moist |\n`;
    const el = render(text, [{ start: 0, end: encode(text).length, docs: [], support: 'weak' }]);
    for (const d of el.querySelectorAll('.doubtful, .doubt')) expect(d.parentElement!.matches('tr, thead, tbody, table, ul, ol')).toBe(false);
    expect(el.querySelectorAll('td .doubtful').length).toBe(2);
  });
  test('the alignment of columns is kept', () => {
    const el = render('| a | b | c |\n|---|:-:|--:|\n| 1 | 2 | 3 |');
    expect([...el.querySelectorAll('td')].map((c) => c.getAttribute('align'))).toEqual([null, 'center', 'right']);
  });
});

describe('marks', () => {
  test.each<[string, string, (string | [string, Support])[], string[], number]>([
    ['no heading', '## A heading\n\nSome text.', ['## A heading', 'Some text.'], ['Some text.'], 1],
    ['no heading that is underlined', 'A heading\n===\n\nText here.', ['A heading', 'Text here.'], ['Text here.'], 1],
    ['no line that is bold as a heading is', '**Step one**\n\n**It is so.** Yes.', ['**Step one**', '**It is so.**'], ['It is so.'], 1],
    ['no head of a table, one mark in a row', '| Step | What | How often |\n|--|--|--|\n| 1 | Turn it | weekly |', ['| Step | What | How often |', '| 1 | Turn it | weekly |'], ['Turn it', 'weekly'], 1],
    ['no single number in a cell', '| a | b |\n|--|--|\n| 1 | x |', ['1'], [], 0],
    ['a row of numbers', '| year | m |\n|--|--|\n| 1900 | 4 |', ['| 1900 | 4 |'], ['1900', '4'], 1],
    ['no label of a list', '- First\n  - nested text\n- Pumps:\n- Bolts', ['First', 'nested text', 'Pumps:', 'Bolts'], ['nested text', 'Bolts'], 2],
    ['no introduction', 'Inline $E = mc^2$ and display [1]:\n\n$$\\int_0^1 x$$\n\nIt is so.', ['Inline $E = mc^2$ and display [1]:', '$$\\int_0^1 x$$', 'It is so.'], ['It is so.'], 1],
    ['no code', '```py\nx = 1\n```\n\nIt is so.', ['```py\nx = 1\n```', 'It is so.'], ['It is so.'], 1],
    ['a number that is the answer', '42.', ['42.'], ['42.'], 1],
    ['one mark for sentences in a row', 'One is so. Two is so. Three is [1]. Four is so.', ['One is so.', 'Two is so.', ['Three is [1].', 'strong'], 'Four is so.'], ['One is so.', 'Two is so.', 'Four is so.'], 2],
    ['one mark for an item', '- One is so. Two is [1]. Three is so.\n- Four is so.', [['One is so.', 'weak'], ['Two is [1].', 'strong'], 'Three is so.', ['Four is so.', 'weak']], ['One is so.', 'Three is so.', 'Four is so.'], 2],
    ['different marks beside each other', 'One is so. Two is so.', [['One is so.', 'weak'], 'Two is so.'], ['One is so.', 'Two is so.'], 2],
  ])('%s', (_, text, parts, lines, marks) => {
    const el = render(text, at(text, parts));
    expect(underlined(el)).toEqual(lines);
    expect(el.querySelectorAll('.doubt').length).toBe(marks);
  });
  test('the mark of an item shows its worst sentence', () => {
    const text = '- One is so. Two is so.';
    const el = render(text, at(text, ['One is so.', ['Two is so.', 'weak']]));
    expect([...el.querySelectorAll<HTMLElement>('.doubt')].map((d) => d.dataset.support)).toEqual(['none']);
    expect([...el.querySelectorAll<HTMLElement>('.doubtful')].map((d) => d.dataset.support)).toEqual(['none', 'weak']);
  });
  test('statements are counted', () => {
    const text = '# Title\n\nOne is so. Two is so:\n\n| a | b |\n|--|--|\n| c | d |';
    const all = at(text, ['# Title', 'One is so.', 'Two is so:', '| a | b |', '| c | d |']);
    expect(statements(text, all)).toEqual([all[1], all[4]]);
    expect(statements(text, all.map((s) => ({ ...s, support: 'strong' })))).toEqual([]);
  });
});
