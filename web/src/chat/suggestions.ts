// Questions to begin with: made of what the documents are called, and a few of
// their sections, and shown only if the documents answer them.
import * as http from '../api/http';
import { words, type Language } from '../words/words.svelte';

// Headings that every document has, and those that speak to their reader.
const empty = /^(?:the rest|introduction|overview|contents|see also|notes?|index|summary|examples?|misc\w*)$|\b(?:your|my|our)\b/i;

/**
 * question makes a question of a document's title, or of what one of its
 * sections is called; '' if none comes naturally. Around a title in another
 * language it stands in the language of the page.
 */
export function question(title: string, section?: string, language: Language = 'en'): string {
  const [of, t] = [tidy(title), tidy(section ?? title)];
  if (!t) return '';
  if (t.endsWith('?')) return t;
  if (/^(?:can|does|do|is|are)\b/i.test(t)) return t + '?';
  if (section === undefined) return isName(t) ? words.chat.whatIs(t) : words.chat.whatIn(t);
  // One word says too little of what a section is about.
  return of && /\s/.test(t) ? words.chat.whatAbout(of, language === 'en' ? lowered(t) : t) : '';
}

// One word that is written like a name is one.
const isName = (t: string): boolean => /^(?:\p{Ll}\S*|\p{Lu}\S*[\p{Lu}\d]\S*)$/u.test(t);

/** tidy is a title as it is said; '' if it says nothing. */
function tidy(title: string): string {
  const t = title
    .replace(/[\s_]+/g, ' ')
    .replace(/^(?:[A-Z]\.)?[\d.]+\s+/, '')
    .replace(/[:.\s]+$/, '')
    .trim();
  if (t.length < 3 || t.length > 60 || /[<>{}|\\/]/.test(t) || /\.[a-z0-9]{1,5}$/i.test(t) || empty.test(t)) return '';
  // The words around it are of Latin letters: about another script they read as a fault.
  if ((t.match(/[a-zà-ÿ]/gi)?.length ?? 0) * 2 < t.length) return '';
  return t;
}

// A title's capital falls inside a sentence, a name's or an acronym's does not.
function lowered(t: string): string {
  const [first = '', ...rest] = t.split(' ');
  const isName = rest.some((w) => /^\p{Lu}/u.test(w)) || /\p{Lu}.*\p{Lu}|\d/u.test(first);
  return isName ? t : first.charAt(0).toLowerCase() + t.slice(1);
}

/** Documents looked at, of so many listed, and questions tried. */
const looked = 6;
const listed = 40;
const tried = 10;

/** suggest yields questions the documents answer, no more than most. */
export async function* suggest(most: number, language: Language): AsyncGenerator<string> {
  const { documents } = await http.listDocuments({ limit: listed, status: 'ready' });
  const titles = [...new Set(documents.map((d) => d.title).filter(Boolean))].slice(0, looked);
  const sections = await Promise.all(titles.map((t) => http.findHeadings(t, 6).catch(() => [])));
  const names = new Set(titles.map((t) => t.toLowerCase()));
  const deep = sections.map((s, i) =>
    s.flatMap((h) => {
      const last = h.split(' › ').at(-1) ?? '';
      return last && !names.has(last.toLowerCase()) ? question(titles[i]!, last, language) || [] : [];
    }),
  );
  const whole = titles.flatMap((t) => question(t, undefined, language) || []);
  const seen = new Set<string>();
  let given = 0;
  // Documents before sections, yet not only these.
  for (const q of [...whole.slice(0, 3), ...interleaved(deep).slice(0, 3), ...whole.slice(3), ...interleaved(deep).slice(3)]) {
    if (seen.has(q.toLowerCase())) continue;
    if (seen.size === tried) return;
    seen.add(q.toLowerCase());
    if ((await http.quote(q)).abstained) continue;
    yield q;
    if (++given === most) return;
  }
}

/** interleaved takes the first of each list, then the second of each, … */
export function interleaved(lists: string[][]): string[] {
  const longest = Math.max(0, ...lists.map((l) => l.length));
  return Array.from({ length: longest }, (_, i) => lists.flatMap((l) => l.slice(i, i + 1))).flat();
}
