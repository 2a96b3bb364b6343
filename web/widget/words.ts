// The texts of the widget. They are in the folders of the languages.
import { widget as en } from '../src/words/en/widget';
import { others, type Language } from '../src/words/languages';
import type { Words } from '../src/words/widget';

/** textsOf returns the texts in a language. English is part of the widget, and other languages load when they are used. */
export async function textsOf(language: Language): Promise<Words> {
  if (language === 'en') return en;
  return others[language].widget().then((m) => m.widget, () => en); // English is the default
}
