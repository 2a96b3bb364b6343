// Questions to begin with, made of what the documents call themselves.

const asks = /^(?:can|does|do|is|are)\b/i;

/** question makes a question of a title; '' if none comes naturally. */
export function question(title: string): string {
  const t = title.replace(/\s+/g, ' ').replace(/^[\d.\s]+/, '').replace(/[:.\s]+$/, '').trim();
  if (t.length < 3 || t.length > 60 || /[<>{}|\\/]/.test(t) || /\.[a-z0-9]{1,5}$/i.test(t)) return '';
  if (t.endsWith('?')) return t;
  if (asks.test(t)) return t + '?';
  // The template is English: around another script it would read as a fault.
  if ((t.match(/[a-z]/gi)?.length ?? 0) * 2 < t.length) return '';
  if (!t.includes(' ') && !/(?:s|ing)$/i.test(t)) return `What is ${t}?`;
  return `What do the documents say about ${lowered(t)}?`;
}

// A title's capital falls inside a sentence, a name's or an acronym's does not.
function lowered(t: string): string {
  const [first = '', ...rest] = t.split(' ');
  const isName = rest.length > 0 && rest.some((w) => /^\p{Lu}/u.test(w)) || /\p{Lu}.*\p{Lu}|\d/u.test(first);
  return isName ? t : first.charAt(0).toLowerCase() + t.slice(1);
}

/** suggest picks questions from titles and headings, each once. */
export function suggest(titles: string[], most: number): string[] {
  const out: string[] = [];
  for (const t of titles) {
    const q = question(t);
    if (q && !out.some((o) => o.toLowerCase() === q.toLowerCase())) out.push(q);
    if (out.length === most) break;
  }
  return out;
}
