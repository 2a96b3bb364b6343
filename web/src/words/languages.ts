// The languages of the page and of the widget. Another language is a folder beside this file,
// and one line in this list. CONTRIBUTING.md has the steps.
import type { Texts } from './texts';
import type { Words } from './widget';

/** Source is where the texts of a language come from. They load when the language is used. */
interface Source {
  /** The name of the language in this language. */
  name: string;
  page: () => Promise<{ texts: Texts }>;
  widget: () => Promise<{ widget: Words }>;
}

/** others are the languages other than English, which is part of the first load. */
export const others = {
  de: { name: 'Deutsch', page: () => import('./de'), widget: () => import('./de/widget') },
  es: { name: 'Español', page: () => import('./es'), widget: () => import('./es/widget') },
  fr: { name: 'Français', page: () => import('./fr'), widget: () => import('./fr/widget') },
} satisfies Record<string, Source>;

/** Language is the code of a language of the page, from ISO 639-1. */
export type Language = 'en' | keyof typeof others;

/** languages are all codes. */
export const languages: readonly Language[] = ['en', ...(Object.keys(others) as (keyof typeof others)[])];

/** nameOf returns the name of a language in this language. */
export const nameOf = (language: Language): string => (language === 'en' ? 'English' : others[language].name);

/** languageOf returns the language of a tag such as de-CH, or undefined if docent does not have it. */
export function languageOf(tag: string): Language | undefined {
  const code = tag.split('-')[0]!.toLowerCase();
  return languages.find((l) => l === code);
}
