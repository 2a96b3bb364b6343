// Questions from titles and headings of documents.
import type { Language } from '../words/languages';
import { words } from '../words/words.svelte';

// Headings without a topic, and headings that address the reader.
const empty = /^(?:the rest|introduction|overview|contents|see also|notes?|index|summary|examples?|misc\w*)$|\b(?:your|my|our)\b/i;

/**
 * question makes a question from the title of a document or from a heading in it; '' if
 * none sounds natural. The question is in the language of the page.
 */
export function question(title: string, section?: string, language: Language = 'en'): string {
  const [of, t] = [tidy(title), tidy(section ?? title)];
  if (!t) return '';
  if (t.endsWith('?')) return t;
  if (/^(?:can|does|do|is|are)\b/i.test(t)) return t + '?';
  if (section === undefined) return isName(t) ? words.chat.whatIs(t) : words.chat.whatIn(t);
  // A single word does not describe a section.
  return of && /\s/.test(t) ? words.chat.whatAbout(of, language === 'en' ? lowered(t) : t) : '';
}

// A single word in the spelling of a name is a name.
const isName = (t: string): boolean => /^(?:\p{Ll}\S*|\p{Lu}\S*[\p{Lu}\d]\S*)$/u.test(t);

/** tidy returns a title without decoration; '' if it has no meaning. */
function tidy(title: string): string {
  const t = title
    .replace(/[\s_]+/g, ' ')
    .replace(/^(?:[A-Z]\.)?[\d.]+\s+/, '')
    .replace(/[:.\s]+$/, '')
    .trim();
  if (t.length < 3 || t.length > 60 || /[<>{}|\\/]/.test(t) || /\.[a-z0-9]{1,5}$/i.test(t) || empty.test(t)) return '';
  // A title in another script does not fit into the sentence.
  if ((t.match(/[a-zà-ÿ]/gi)?.length ?? 0) * 2 < t.length) return '';
  return t;
}

// lowered lowers the first letter of a title, but not of a name or an acronym.
function lowered(t: string): string {
  const [first = '', ...rest] = t.split(' ');
  const isName = rest.some((w) => /^\p{Lu}/u.test(w)) || /\p{Lu}.*\p{Lu}|\d/u.test(first);
  return isName ? t : first.charAt(0).toLowerCase() + t.slice(1);
}
