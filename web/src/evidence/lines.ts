// The layout of an extracted text: headings, lists, code, and tables. The layout changes no
// byte of the text.
import { slice } from '../api/bytes';
import type { Place } from './passage';

export type Look = 'plain' | 'heading' | 'item' | 'quote' | 'rule' | 'code' | 'table';

/** Line is a line of a text with its line break. */
export interface Line extends Place {
  text: string;
  look: Look;
  /** The level of a heading, from 1. */
  level: number;
  /** The starts of the cells in a table row, in bytes of the text. */
  cells: number[];
}

/** Block is a sequence of lines of the same kind, or the lines of one paragraph. */
export interface Block {
  start: number;
  look: Look;
  lines: Line[];
}

/** Known is the known structure of a document. */
export interface Known {
  markdown: boolean;
  /** Lines end at a margin, so that the lines of a paragraph belong together. */
  flows?: boolean;
  /** The levels of headings by their text. */
  headings: Map<string, number>;
  /** The ranges of code. */
  code: Place[];
}

/** A single line can be a heading up to this length, in characters. */
const longestHeading = 90;

const encoder = new TextEncoder();
const fence = /^ {0,3}(?:```|~~~)/;
const item = /^\s*(?:[-*+•]|\d{1,9}[.)])\s/;

/** layOut finds the blocks in [from, to) of a text. */
export function layOut(bytes: Uint8Array, from: number, to: number, known: Known): Block[] {
  const lines: Line[] = [];
  let fenced = fences(bytes, from) % 2 === 1;
  for (let at = from; at < to; ) {
    const lf = bytes.indexOf(10, at);
    const end = lf < 0 || lf >= to ? to : lf + 1;
    const text = slice(bytes, at, end);
    const line: Line = { start: at, end, text, look: 'plain', level: 0, cells: [] };
    const bare = text.trimEnd();
    if (fence.test(bare)) {
      line.look = 'code';
      fenced = !fenced;
    } else if (fenced || known.code.some((c) => c.start <= at && at < c.end)) line.look = 'code';
    else dress(line, bare, known);
    lines.push(line);
    at = end;
  }
  if (!known.markdown) aloneAreHeadings(lines);
  for (const [i, line] of lines.entries()) underlined(lines, i, line, known);
  return grouped(lines, known.flows ?? false);
}

function dress(line: Line, bare: string, known: Known): void {
  const heading = known.markdown ? /^ {0,3}(#{1,6})\s/.exec(bare)?.[1]?.length : known.headings.get(bare.trim());
  if (heading) [line.look, line.level] = ['heading', heading];
  else if (known.markdown && /^\s*>/.test(bare)) line.look = 'quote';
  else if (item.test(bare)) line.look = 'item';
  else if (known.markdown ? /^\s*\|.*\|$/.test(bare) : / \| /.test(bare)) {
    line.look = /^[\s|:-]+$/.test(bare) ? 'rule' : 'table';
    line.cells = cells(line);
  }
}

/** cells returns the starts of the cells in a row: each bar between two cells. */
function cells(line: Line): number[] {
  const out = [line.start];
  let byte = line.start;
  let done = 0;
  for (const m of line.text.matchAll(/\|(?=.*\S)/g)) {
    if (m.index === 0 || line.text[m.index - 1] === '\\' || line.text.slice(0, m.index).trim() === '') continue;
    byte += encoder.encode(line.text.slice(done, m.index)).length;
    done = m.index;
    out.push(byte);
  }
  return out;
}

/** cellOf returns the drawn part of a cell, without bars and the first space. */
export function cellOf(line: Line, bytes: Uint8Array, i: number): Place {
  const to = line.cells[i + 1] ?? line.end;
  const [, lead, body] = /^([ \t]*\| ?)?([^]*)$/.exec(slice(bytes, line.cells[i]!, to)) as unknown as [string, string | undefined, string];
  const start = line.cells[i]! + (lead?.length ?? 0); // it is ASCII
  const bar = i === line.cells.length - 1 ? /(?<!\\)\|[ \t\r\n]*$/.exec(body) : null;
  return { start, end: bar ? to - bar[0].length : to };
}

/** fences counts the lines before an offset that open or close code. */
function fences(bytes: Uint8Array, before: number): number {
  let n = 0;
  for (let at = 0; at >= 0 && at < before; at = next(bytes, at)) {
    const c = bytes[at];
    if ((c === 96 || c === 126 || c === 32) && fence.test(slice(bytes, at, at + 8))) n++;
  }
  return n;
}

function next(bytes: Uint8Array, at: number): number {
  const lf = bytes.indexOf(10, at);
  return lf < 0 ? -1 : lf + 1;
}

/** aloneAreHeadings turns single short lines without final punctuation into headings, if the text has no other headings. */
function aloneAreHeadings(lines: Line[]): void {
  const empty = (line: Line | undefined) => !line || line.text.trim() === '';
  for (const [i, line] of lines.entries()) {
    const bare = line.text.trim();
    if (line.look !== 'plain' || bare === '' || bare.length > longestHeading) continue;
    if (!empty(lines[i - 1]) || (!empty(lines[i + 1]) && lines[i + 1]!.look === 'plain') || i === lines.length - 1) continue;
    if (/^[\p{Lu}\p{N}]/u.test(bare) && !/[.,;:!?…]$/.test(bare)) [line.look, line.level] = ['heading', 4];
  }
}

/** underlined turns a line above === or --- into a heading. */
function underlined(lines: Line[], i: number, line: Line, known: Known): void {
  const before = lines[i - 1];
  const under = /^ {0,3}(=+|-{2,})\s*$/.exec(line.text)?.[1];
  if (!known.markdown || line.look === 'code' || !under || !before || before.look !== 'plain' || before.text.trim() === '') return;
  [before.look, before.level] = ['heading', under.startsWith('=') ? 1 : 2];
  line.look = 'rule';
}

/** A line that a margin broke has at least this length, in characters. Shorter lines, such as those of an address, stay alone. */
const brokenLine = 40;
const gapped = /\S(?: {3,}|\t)\S/;

/** continues reports whether a line continues the paragraph of the line before it. */
function continues(before: Line, line: Line): boolean {
  const [a, b] = [before.text.trimEnd(), line.text.trim()];
  if (line.look !== 'plain' || (before.look !== 'plain' && before.look !== 'item')) return false;
  return a.length >= brokenLine && b !== '' && !/ {2}\r?\n?$/.test(before.text) && !gapped.test(a.trim()) && !gapped.test(b) && !/^(?: {4}|\t)/.test(line.text);
}

const together: Look[] = ['code', 'table', 'quote'];

function grouped(lines: Line[], flows: boolean): Block[] {
  const out: Block[] = [];
  for (const line of lines) {
    const last = out.at(-1);
    const look = line.look === 'rule' && line.cells.length > 0 ? 'table' : line.look;
    if (last && ((last.look === look && together.includes(look)) || (flows && continues(last.lines.at(-1)!, line)))) last.lines.push(line);
    else out.push({ start: line.start, look, lines: [line] });
  }
  return out;
}

/** emphasis returns the special parts of a line: code, bold text, and the signs of its kind. */
export function emphasis(line: Line): (Place & { kind: 'code' | 'bold' | 'sign' })[] {
  if (line.look === 'code' || !/[`*|#>]/.test(line.text)) return [];
  let byte = line.start;
  let done = 0;
  const pass = (to: number) => {
    byte += encoder.encode(line.text.slice(done, to)).length;
    done = to;
    return byte;
  };
  const sign = { heading: /^ {0,3}#+/, quote: /^\s*>/, table: /(?<!\\)\|/ }[line.look as string]?.source ?? '(?!)';
  return [...line.text.matchAll(new RegExp(`(\`+)(?!\`).+?\\1|\\*\\*(?=\\S)[^*]+\\*\\*|(${sign})`, 'g'))].map((m) => ({
    start: pass(m.index),
    end: pass(m.index + m[0].length),
    kind: m[2] ? ('sign' as const) : m[1] ? ('code' as const) : ('bold' as const),
  }));
}
