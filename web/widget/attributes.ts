// What a site says about its widget, in attributes of the script tag.
import { languageOf, type Language } from '../src/words/languages';

export interface Settings {
  theme: 'light' | 'dark' | 'auto';
  /** A colour of CSS; '' is docent's own. */
  accent: string;
  /** '' is what the language says. */
  title: string;
  greeting: string;
  position: 'start' | 'end';
  language: Language;
  open: boolean;
  token: string;
  /** Which documents are asked; empty is all of them. */
  collections: string[];
  /** The agent that answers; '' is the first one of the server. */
  agent: string;
  /** Questions to begin with. */
  questions: string[];
  /** The address of a person who helps, or ''. */
  contact: string;
}

/** attributes are those that are read, as they are written in HTML. */
export const attributes = [
  'data-title', 'data-greeting', 'data-theme', 'data-accent', 'data-position', 'data-lang', 'data-open', 'data-questions', 'data-contact', 'data-collections', 'data-agent', 'data-token',
] as const;

type Name = (typeof attributes)[number];

/** read takes what a tag says; what it does not say, or wrongly, is the default. */
export function read(script: Element): Settings {
  const of = (name: Name) => script.getAttribute(name)?.trim() ?? '';
  const one = <T extends string>(value: string, choices: readonly T[], otherwise: T): T => choices.find((c) => c === value.toLowerCase()) ?? otherwise;
  const accent = of('data-accent');
  return {
    theme: one(of('data-theme'), ['light', 'dark', 'auto'], 'auto'),
    accent: accent && CSS.supports('color', accent) ? accent : '',
    title: of('data-title'),
    greeting: of('data-greeting'),
    position: one(of('data-position'), ['start', 'end'], 'end'),
    language: language(of('data-lang')),
    open: script.hasAttribute('data-open') && of('data-open') !== 'false',
    token: of('data-token'),
    questions: of('data-questions').split('|').map((q) => q.trim()).filter(Boolean).slice(0, mostQuestions),
    contact: contact(of('data-contact')),
    agent: of('data-agent'),
    collections: of('data-collections').split(',').map((c) => c.trim()).filter(Boolean),
  };
}

/** The largest number of questions to begin with. */
const mostQuestions = 6;

// A script of the site must not become one of the widget.
function contact(address: string): string {
  return /^(?:https?|mailto|tel):\S+$/i.test(address) ? address : '';
}

// The site's own language counts before the browser's: the widget is part of it.
function language(said: string): Language {
  for (const tag of [said, document.documentElement.lang, ...navigator.languages]) {
    const known = languageOf(tag);
    if (known) return known;
  }
  return 'en';
}
