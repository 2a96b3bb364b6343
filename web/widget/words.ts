// The texts of the widget. They are in the folders of the languages.
import { widget as en } from '../src/words/en/widget';
import { others, type Language } from '../src/words/languages';
import type { reasons } from './view';

export interface Words {
  /** The direction of the widget's own texts. Other texts keep their own direction. */
  direction: 'ltr' | 'rtl';
  title: string;
  greeting: string;
  open: (title: string) => string;
  close: string;
  fresh: string;
  conversation: string;
  question: string;
  placeholder: string;
  send: string;
  stop: string;
  you: string;
  answer: string;
  sending: string;
  working: string;
  answered: (text: string) => string;
  stopped: string;
  failed: string;
  unanswered: string;
  again: string;
  absent: string;
  weak: string;
  none: string;
  doubtful: string;
  source: (n: number, what: string) => string;
  sources: (n: number) => string;
  page: (label: string) => string;
  table: string;
  rows: (shown: number, all: number) => string;
  file: (name: string, size: string) => string;
  image: string;
  other: string;
  recording: string;
  choices: string;
  connecting: string;
  lost: string;
  unreachable: string;
  foreign: string;
  token: string;
  refused: string;
  retry: string;
  questions: string;
  contact: string;
  rate: string;
  good: string;
  bad: string;
  why: string;
  reasons: Record<(typeof reasons)[number], string>;
  thanks: string;
}

/** textsOf returns the texts in a language. English is part of the widget, and other languages load when they are used. */
export async function textsOf(language: Language): Promise<Words> {
  if (language === 'en') return en;
  return others[language].widget().then((m) => m.widget, () => en); // English is the default
}
