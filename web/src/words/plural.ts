import { digits } from './digits';

const rules = new Map<string, Intl.PluralRules>();

/** isOne reports whether a noun is singular after a number: in French also after 0. */
export function isOne(n: number, language: string): boolean {
  if (language === 'en') return n === 1; // without Intl, which takes browsers long to load at first
  let rule = rules.get(language);
  if (!rule) rules.set(language, (rule = new Intl.PluralRules(language)));
  return rule.select(n) === 'one';
}

/** plural returns a number with the singular or plural of a noun. */
export const plural = (n: number, one: string, many: string, language = 'en'): string => `${digits(n, language)} ${isOne(n, language) ? one : many}`;
