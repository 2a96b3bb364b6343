// Finds the statements in an answer. Headings, table heads, labels, and introductions state
// nothing, so they need no support.
import { formula } from './formula';

/** Line is a line of Markdown with its kind. */
export interface Line {
  start: number;
  end: number;
  /** The start of the text, after the marks of lists, quotes, and tasks. */
  body: number;
  /** A line of kind off contains no statement. */
  kind: 'text' | 'item' | 'row' | 'off';
  /** The number of the paragraph, item, or row of the line. */
  unit: number;
}

const opening = /^(?:\s|>|#{1,6}\s|[-*+]\s|\d{1,9}[.)]\s|\[[ xX]\]\s)*/;
const listed = /^[\s>]*(?:[-*+]|\d{1,9}[.)])\s/;
const fence = /^\s*(?:```|~~~)/;
const delimiter = /^[\s>]*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
/** The maximum number of words in a label before a nested list. */
const labelled = 6;

/** says reports whether a text has a word or number. */
export const says = (s: string): boolean => /[\p{L}\p{N}]/u.test(s);
/** bare replaces formulas by spaces and keeps the length of the text. */
export const bare = (text: string): string => text.replace(formula, (f) => f.replace(/[^\n]/g, ' '));
/** introduces reports whether a sentence only introduces the next part. */
export const introduces = (s: string): boolean => /[:：](?:\s|\[\d[\d,\s]*\]|[*_])*$/.test(s);

/** linesOf reads the kinds of lines. It parses no more of the Markdown. */
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

// isLabel reports whether a line is bold, or a few words above a nested list.
function isLabel(raws: string[], lines: Line[], i: number): boolean {
  const line = lines[i]!;
  if ((line.kind !== 'text' && line.kind !== 'item') || lines[i - 1]?.unit === line.unit || lines[i + 1]?.unit === line.unit) return false;
  const said = raws[i]!.slice(line.body - line.start).trim();
  if (/^(\*\*|__)(?:(?!\1).)*[^.!?…。]\1:?$/.test(said)) return true;
  const below = raws[i + 1] ?? '';
  const deep = (s: string) => /^[\s>]*/.exec(s)![0].length;
  return line.kind === 'item' && lines[i + 1]?.kind === 'item' && deep(below) > deep(raws[i]!) && !/[.!?…。\d]/.test(said) && said.split(/\s+/).length <= labelled;
}

/** cellsOf returns the ranges of the cells in a row. */
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
