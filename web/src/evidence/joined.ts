// Joins the lines of a paragraph, because pages break lines at their margins. Headings,
// items, rows, and code keep their own lines.
const own = /^\s*(?:#{1,6}\s|[-*+•·▪–]\s|\d{1,9}[.)]\s|>|\||```|~~~)|^(?: {4}|\t)|^\s*$/;
const fence = /^\s*(?:```|~~~)/;
/** A row of a table has gaps or bars. */
const row = /\S(?: {3,}|\t)\S|\|.*\|/;
/** These scripts have no spaces between words. */
const dense = /[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]/;

/** joined returns a text with one line for each paragraph. */
export function joined(text: string): string {
  let out = '';
  let code = false;
  let flows = false; // the next line can continue the line before
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
    // An item can continue in the next line, but a heading cannot.
    flows = !alone && line.trim() !== '' && !/^\s*#{1,6}\s/.test(line) && !/^(?: {4}|\t)/.test(line);
  }
  return out;
}
