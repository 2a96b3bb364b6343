// A passage as running text. Lines of a page end where its column does; what is
// a line of its own (a heading, an item, a row, code) stays one.
const own = /^\s*(?:#{1,6}\s|[-*+•·▪–]\s|\d{1,9}[.)]\s|>|\||```|~~~)|^(?: {4}|\t)|^\s*$/;
const fence = /^\s*(?:```|~~~)/;
/** What looks like a row of a table has gaps in it. */
const row = /\S(?: {3,}|\t)\S|\|.*\|/;
/** These are written without spaces between words. */
const dense = /[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]/;

/** joined is a text whose paragraphs have one line each. */
export function joined(text: string): string {
  let out = '';
  let code = false;
  let flows = false; // the line before may go on
  for (const line of text.split('\n')) {
    const opens = fence.test(line);
    const alone = code || opens || row.test(line);
    const last = out.at(-1) ?? '';
    if (out === '') out = line;
    else if (flows && !alone && !own.test(line)) {
      const next = line.trimStart();
      out = out.trimEnd() + (dense.test(last) && dense.test(next[0] ?? '') ? '' : ' ') + next;
    } else out += `\n${line}`;
    if (opens) code = !code;
    // An item goes on in the next line, a heading does not.
    flows = !alone && line.trim() !== '' && !/^\s*#{1,6}\s/.test(line) && !/^(?: {4}|\t)/.test(line);
  }
  return out;
}
