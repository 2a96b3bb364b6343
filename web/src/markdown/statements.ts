// What of an answer states something. A heading, the head of a table, a label or
// an introduction does not, and nothing can be said of what carries it.
import { formula } from './formula';

/** Line is a line of Markdown, by what it is part of. */
export interface Line {
  start: number;
  end: number;
  /** What there is to read begins here, after marks of lists, quotes and tasks. */
  body: number;
  /** off: nothing in it is a statement. */
  kind: 'text' | 'item' | 'row' | 'off';
  /** Lines of one paragraph, item or row have one number. */
  unit: number;
}

const opening = /^(?:\s|>|#{1,6}\s|[-*+]\s|\d{1,9}[.)]\s|\[[ xX]\]\s)*/;
const listed = /^[\s>]*(?:[-*+]|\d{1,9}[.)])\s/;
const fence = /^\s*(?:```|~~~)/;
const delimiter = /^[\s>]*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
/** A label that a nested list follows has no more words than this. */
const labelled = 6;

/** says tells whether there is a word or number in a text. */
export const says = (s: string): boolean => /[\p{L}\p{N}]/u.test(s);
/** bare is a text with blanks for its formulas, as long as it was. */
export const bare = (text: string): string => text.replace(formula, (f) => f.replace(/[^\n]/g, ' '));
/** introduces tells whether a sentence only leads to what follows it. */
export const introduces = (s: string): boolean => /[:：](?:\s|\[\d[\d,\s]*\]|[*_])*$/.test(s);

/** linesOf reads Markdown only so far as to know what a line is. */
export function linesOf(text: string): Line[] {
  const out: Line[] = [];
  const raws = text.split('\n');
  let start = 0;
  let unit = 0;
  let code = '';
  let table = false;
  raws.forEach((raw, i) => {
    const line: Line = { start, end: start + raw.length, body: start + opening.exec(raw)![0].length, kind: 'text', unit: ++unit };
    start = line.end + 1;
    out.push(line);
    const mark = fence.exec(raw)?.[0].trim() ?? '';
    if (code || mark) {
      line.kind = 'off';
      if (!code) code = mark;
      else if (mark === code) code = '';
      table = false;
      return;
    }
    const before = out[i - 1];
    if (/^[\s>]*$/.test(raw)) [line.kind, table] = ['off', false];
    else if (table) [line.kind, line.body] = ['row', line.start + /^[\s>]*/.exec(raw)![0].length];
    else if (raw.includes('|') && delimiter.test(raw) && raws[i - 1]?.includes('|')) {
      line.kind = before!.kind = 'off'; // and the head above it
      table = true;
    } else if (/^\s{0,3}(?:=+|-+)\s*$/.test(raw) && before?.kind === 'text') {
      for (let k = i - 1; k >= 0 && out[k]!.unit === before.unit; k--) out[k]!.kind = 'off';
      line.kind = 'off';
    } else if (/^#{1,6}(?:\s|$)/.test(raw.replace(/^(?:[\s>]|[-*+]\s|\d{1,9}[.)]\s)*/, ''))) line.kind = 'off';
    else if (listed.test(raw)) line.kind = 'item';
    else if (before && (before.kind === 'text' || before.kind === 'item')) [line.kind, line.unit] = [before.kind, before.unit];
  });
  out.forEach((line, i) => {
    if (isLabel(raws, out, i)) line.kind = 'off';
  });
  return out;
}

// A line of its own that is bold throughout, or a few words over a nested list.
function isLabel(raws: string[], lines: Line[], i: number): boolean {
  const line = lines[i]!;
  if ((line.kind !== 'text' && line.kind !== 'item') || lines[i - 1]?.unit === line.unit || lines[i + 1]?.unit === line.unit) return false;
  const said = raws[i]!.slice(line.body - line.start).trim();
  if (/^(\*\*|__)(?:(?!\1).)*[^.!?…。]\1:?$/.test(said)) return true;
  const below = raws[i + 1] ?? '';
  const deep = (s: string) => /^[\s>]*/.exec(s)![0].length;
  return line.kind === 'item' && lines[i + 1]?.kind === 'item' && deep(below) > deep(raws[i]!) && !/[.!?…。\d]/.test(said) && said.split(/\s+/).length <= labelled;
}

/** cellsOf are the places of what is in the cells of a row. */
export function cellsOf(text: string, line: Line): [number, number][] {
  const out: [number, number][] = [];
  let from = line.body;
  for (let at = line.body; at <= line.end; at++) {
    if (at < line.end && (text[at] !== '|' || text[at - 1] === '\\')) continue;
    const cell = text.slice(from, at);
    if (cell.trim()) out.push([from + cell.length - cell.trimStart().length, from + cell.trimEnd().length]);
    from = at + 1;
  }
  return out;
}
