// The texts of the widget in a language.

/** Words are the texts of the widget. */
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
  reasons: Record<'wrong' | 'outdated' | 'incomplete' | 'wrong_source' | 'unclear' | 'other', string>;
  thanks: string;
}
