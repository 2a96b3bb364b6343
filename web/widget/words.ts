// The texts of the widget. A language with a missing text does not compile.
import type { Language } from './attributes';
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

const en: Words = {
  direction: 'ltr',
  title: 'Ask the documents',
  greeting: 'Ask a question. The answer comes from the documents and names its sources.',
  open: (title) => `${title}: open chat`,
  close: 'Close',
  fresh: 'New conversation',
  conversation: 'Conversation',
  question: 'Your question',
  placeholder: 'Ask a question',
  send: 'Send',
  stop: 'Stop',
  you: 'You',
  answer: 'Answer',
  sending: 'Sending…',
  working: 'Looking for an answer…',
  answered: (text) => `Answer: ${text}`,
  stopped: 'Stopped.',
  failed: 'The assistant could not answer this question.',
  unanswered: 'No answer yet.',
  again: 'Try again',
  absent: 'Not found in the documents',
  weak: 'The cited passage supports only part of this sentence.',
  none: 'No source supports this sentence.',
  doubtful: 'Dotted: the passages do not fully support this sentence.',
  source: (n, what) => `Source ${n}: ${what}`,
  sources: (n) => (n === 1 ? '1 source' : `${n} sources`),
  page: (label) => `page ${label}`,
  table: 'Table',
  rows: (shown, all) => `Showing the first ${shown} of ${all} rows.`,
  file: (name, size) => `Download ${name} (${size})`,
  image: 'Image',
  other: 'Open docent to see this kind of reply.',
  recording: 'A recording',
  choices: 'Choices',
  connecting: 'Connecting…',
  lost: 'Connection lost. Reconnecting…',
  unreachable: 'The server does not respond. Reconnecting…',
  foreign: 'This site is not allowed to use this assistant. An administrator of the assistant can allow it in the setting origins.',
  token: 'This assistant requires a token. The token of this site is missing or expired.',
  refused: 'The server refused this conversation.',
  retry: 'Reconnect',
  questions: 'Questions to begin with',
  contact: 'Contact a person',
  rate: 'Rate this answer',
  good: 'Good answer',
  bad: 'Bad answer',
  why: 'Reason of your rating',
  reasons: { wrong: 'Not right', outdated: 'Out of date', incomplete: 'Incomplete', wrong_source: 'Wrong source', unclear: 'Hard to read', other: 'Other' },
  thanks: 'Thank you.',
};

const de: Words = {
  direction: 'ltr',
  title: 'Fragen an die Dokumente',
  greeting: 'Stellen Sie eine Frage. Die Antwort kommt aus den Dokumenten und nennt ihre Quellen.',
  open: (title) => `${title}: Chat öffnen`,
  close: 'Schließen',
  fresh: 'Neue Unterhaltung',
  conversation: 'Unterhaltung',
  question: 'Ihre Frage',
  placeholder: 'Frage stellen',
  send: 'Senden',
  stop: 'Stoppen',
  you: 'Sie',
  answer: 'Antwort',
  sending: 'Wird gesendet …',
  working: 'Antwort wird gesucht …',
  answered: (text) => `Antwort: ${text}`,
  stopped: 'Gestoppt.',
  failed: 'Der Assistent konnte diese Frage nicht beantworten.',
  unanswered: 'Noch keine Antwort.',
  again: 'Erneut versuchen',
  absent: 'In den Dokumenten nicht gefunden',
  weak: 'Die zitierte Stelle belegt diesen Satz nur zum Teil.',
  none: 'Keine Quelle belegt diesen Satz.',
  doubtful: 'Gepunktet: Die Stellen belegen diesen Satz nicht ganz.',
  source: (n, what) => `Quelle ${n}: ${what}`,
  sources: (n) => (n === 1 ? '1 Quelle' : `${n} Quellen`),
  page: (label) => `Seite ${label}`,
  table: 'Tabelle',
  rows: (shown, all) => `Die ersten ${shown} von ${all} Zeilen werden gezeigt.`,
  file: (name, size) => `${name} herunterladen (${size})`,
  image: 'Bild',
  other: 'Öffnen Sie docent, um diese Art von Antwort zu sehen.',
  recording: 'Eine Aufnahme',
  choices: 'Auswahl',
  connecting: 'Verbindung wird aufgebaut …',
  lost: 'Verbindung unterbrochen. Sie wird wiederhergestellt …',
  unreachable: 'Der Server antwortet nicht. Die Verbindung wird wiederhergestellt …',
  foreign: 'Diese Website darf diesen Assistenten nicht verwenden. Die Administration des Assistenten kann sie in der Einstellung origins erlauben.',
  token: 'Dieser Assistent verlangt ein Token. Das Token dieser Website fehlt oder ist abgelaufen.',
  refused: 'Der Server hat diese Unterhaltung abgelehnt.',
  retry: 'Neu verbinden',
  questions: 'Fragen für den Anfang',
  contact: 'Einen Menschen fragen',
  rate: 'Diese Antwort bewerten',
  good: 'Gute Antwort',
  bad: 'Schlechte Antwort',
  why: 'Grund Ihrer Bewertung',
  reasons: { wrong: 'Nicht richtig', outdated: 'Veraltet', incomplete: 'Unvollständig', wrong_source: 'Falsche Quelle', unclear: 'Schwer zu lesen', other: 'Anderes' },
  thanks: 'Vielen Dank.',
};

export const catalogues: Record<Language, Words> = { en, de };
