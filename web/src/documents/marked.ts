// Marks the search words in a found passage.

export interface Part {
  text: string;
  /** The part is a search word. */
  on: boolean;
}

/** Words without a meaning for the search. */
const small = new Set(
  ('a an and are as at be by do does for from how i in is it its of on or that the this to was what when where which who why with ' +
    'aber als am an auch auf aus bei das dem den der des die ein eine einem einen einer es für hat ich im in ist mit nach nicht oder sich sie sind und von war was wie wird wo zu zum zur').split(' '),
);

/** stem returns the approximate stem of a word. */
function stem(word: string): string {
  const w = word.toLocaleLowerCase().normalize('NFKD').replace(/\p{M}/gu, '');
  return w.length > 3 ? w.replace(/(?:ies|ing|ern|est|es|ed|en|er|em|(?<!s)s|e|y)$/, '') : w;
}

/** Scripts without spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

const words = (text: string) => [...text.matchAll(/[\p{L}\p{M}\p{N}_]+/gu)];

/** found returns the ranges of a text that match the words of a query. */
function found(text: string, query: string): [number, number][] {
  const asked = words(query).map((m) => m[0]);
  const content = asked.filter((w) => !small.has(w.toLowerCase()));
  const stems = new Set((content.length > 0 ? content : asked).map(stem));
  const out: [number, number][] = words(text).flatMap((m) => (stems.has(stem(m[0])) ? [[m.index, m.index + m[0].length] as [number, number]] : []));
  for (const w of asked.filter((x) => unspaced.test(x))) {
    for (let at = text.indexOf(w); at >= 0; at = text.indexOf(w, at + w.length)) out.push([at, at + w.length]);
  }
  out.sort((a, b) => a[0] - b[0]);
  return out.filter(([from], i) => i === 0 || from >= out[i - 1]![1]);
}

/** marked returns the part of a passage with most words of a query, and marks them. */
export function marked(passage: string, query: string, length = 320): Part[] {
  const text = passage.replace(/\s+/g, ' ').trim();
  const hits = found(text, query);
  let [from, to] = [0, text.length];
  if (text.length > length) {
    const within = (start: number) => hits.filter(([a, b]) => a >= start && b <= start + length).length;
    const starts = [0, ...hits.map(([a]) => Math.max(0, Math.min(a - 60, text.length - length)))];
    from = starts.reduce((best, start) => (within(start) > within(best) ? start : best), 0);
    if (from > 0) from = Math.max(from, text.indexOf(' ', from) + 1); // start with a whole word
    to = Math.min(text.length, from + length);
    if (to < text.length) to = Math.max(text.lastIndexOf(' ', to), from + length / 2);
  }
  const parts: Part[] = [];
  let at = from;
  const put = (end: number, on: boolean) => {
    if (end > at) parts.push({ text: text.slice(at, end), on });
    at = Math.max(at, end);
  };
  for (const [a, b] of hits) {
    if (a < from || b > to) continue;
    put(a, false);
    put(b, true);
  }
  put(to, false);
  if (from > 0) parts.unshift({ text: '… ', on: false });
  if (to < text.length) parts.push({ text: ' …', on: false });
  return parts;
}
