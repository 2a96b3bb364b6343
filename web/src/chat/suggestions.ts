// Suggested questions, made from titles and headings of documents. Only questions that the
// documents answer are suggested.
import * as http from '../api/http';
import { browser, isText } from '../conversation/kept';
import { words, type Language } from '../words/words.svelte';

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

/** The number of documents to read, of listed documents, and of questions to try. */
const maxRead = 6;
const maxListed = 40;
const maxTried = 10;

/** Found are the questions for the documents that key names. */
interface Found {
  key: string;
  questions: string[];
}

const isFound = (v: unknown): v is Found => typeof v === 'object' && v !== null && isText((v as Found).key) && Array.isArray((v as Found).questions) && (v as Found).questions.every(isText);

/**
 * suggest returns at most count questions that the documents answer. The browser keeps them until
 * the documents change, so that a visit costs neither searches nor answers.
 */
export async function suggest(count: number, language: Language): Promise<string[]> {
  const { documents } = await http.listDocuments({ limit: maxListed, status: 'ready' });
  const key = JSON.stringify([count, language, ...documents.map((d) => [d.id, d.updated_at])]);
  const kept = browser.read('docent-suggestions', isFound);
  if (kept?.key === key) return kept.questions;
  const titles = [...new Set(documents.map((d) => d.title).filter(Boolean))].slice(0, maxRead);
  const sections = await Promise.all(titles.map((t) => http.findHeadings(t, 6).catch(() => [])));
  const names = new Set(titles.map((t) => t.toLowerCase()));
  const aboutSections = sections.map((s, i) =>
    s.flatMap((h) => {
      const last = h.split(' › ').at(-1) ?? '';
      return last && !names.has(last.toLowerCase()) ? question(titles[i]!, last, language) || [] : [];
    }),
  );
  const aboutDocuments = titles.flatMap((t) => question(t, undefined, language) || []);
  // Prefer questions about documents, but include some about sections.
  const all = [...aboutDocuments.slice(0, 3), ...interleaved(aboutSections).slice(0, 3), ...aboutDocuments.slice(3), ...interleaved(aboutSections).slice(3)];
  const distinct = all.filter((q, i) => all.findIndex((other) => other.toLowerCase() === q.toLowerCase()) === i);
  const questions: string[] = [];
  for (const q of distinct.slice(0, maxTried)) {
    if (questions.length === count) break;
    if (!(await http.quote(q)).abstained) questions.push(q);
  }
  browser.write('docent-suggestions', { key, questions } satisfies Found);
  return questions;
}

/** interleaved returns the first element of each list, then the second of each, and so on. */
export function interleaved(lists: string[][]): string[] {
  const longest = Math.max(0, ...lists.map((l) => l.length));
  return Array.from({ length: longest }, (_, i) => lists.flatMap((l) => l.slice(i, i + 1))).flat();
}
