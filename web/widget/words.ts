// What the widget says. A language that lacks a text does not compile.
import type { Language } from './attributes';

export interface Words {
  /** How it is read; what others wrote is read as they wrote it. */
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
}

const en: Words = {
  direction: 'ltr',
  title: 'Ask the documents',
  greeting: 'Ask a question. Answers come from the documents, with their sources.',
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
  failed: 'This could not be answered.',
  unanswered: 'There is no answer to this yet.',
  again: 'Try again',
  absent: 'Not found in the documents',
  weak: 'The cited passage carries only part of this sentence.',
  none: 'No passage found carries this sentence.',
  doubtful: 'Dotted: not fully carried by the passages found.',
  source: (n, what) => `Source ${n}: ${what}`,
  sources: (n) => (n === 1 ? '1 source' : `${n} sources`),
  page: (label) => `page ${label}`,
  table: 'Table',
  rows: (shown, all) => `The first ${shown} of ${all} rows.`,
  file: (name, size) => `Download ${name} (${size})`,
  image: 'Image',
  other: 'This kind of reply can be seen in docent itself only.',
  recording: 'A recording',
  choices: 'Choices',
  connecting: 'Connecting…',
  lost: 'The connection was lost. Trying again…',
  unreachable: 'The server cannot be reached right now. Trying again…',
  foreign: 'This site is not allowed to use this assistant. Whoever runs the assistant can add it to the allowed origins.',
  token: 'This assistant asks for a token, and the one of this site is missing or no longer valid.',
  refused: 'The server does not take this conversation.',
  retry: 'Connect again',
};

const de: Words = {
  direction: 'ltr',
  title: 'Fragen an die Dokumente',
  greeting: 'Stellen Sie eine Frage. Antworten kommen aus den Dokumenten, mit ihren Quellen.',
  open: (title) => `${title}: Chat öffnen`,
  close: 'Schließen',
  fresh: 'Neue Unterhaltung',
  conversation: 'Unterhaltung',
  question: 'Ihre Frage',
  placeholder: 'Frage stellen',
  send: 'Senden',
  stop: 'Anhalten',
  you: 'Sie',
  answer: 'Antwort',
  sending: 'Wird gesendet …',
  working: 'Antwort wird gesucht …',
  answered: (text) => `Antwort: ${text}`,
  stopped: 'Angehalten.',
  failed: 'Das konnte nicht beantwortet werden.',
  unanswered: 'Hierauf gibt es noch keine Antwort.',
  again: 'Noch einmal versuchen',
  absent: 'In den Dokumenten nicht gefunden',
  weak: 'Die angegebene Stelle belegt diesen Satz nur zum Teil.',
  none: 'Keine gefundene Stelle belegt diesen Satz.',
  doubtful: 'Gepunktet: von den gefundenen Stellen nicht ganz belegt.',
  source: (n, what) => `Quelle ${n}: ${what}`,
  sources: (n) => (n === 1 ? '1 Quelle' : `${n} Quellen`),
  page: (label) => `Seite ${label}`,
  table: 'Tabelle',
  rows: (shown, all) => `Die ersten ${shown} von ${all} Zeilen.`,
  file: (name, size) => `${name} herunterladen (${size})`,
  image: 'Bild',
  other: 'Diese Art von Antwort ist nur in docent selbst zu sehen.',
  recording: 'Eine Aufnahme',
  choices: 'Auswahl',
  connecting: 'Verbindung wird aufgebaut …',
  lost: 'Die Verbindung ist abgebrochen. Neuer Versuch …',
  unreachable: 'Der Server ist gerade nicht erreichbar. Neuer Versuch …',
  foreign: 'Diese Website darf diesen Assistenten nicht verwenden. Wer ihn betreibt, kann sie zu den erlaubten Ursprüngen hinzufügen.',
  token: 'Dieser Assistent verlangt ein Token, und das dieser Website fehlt oder gilt nicht mehr.',
  refused: 'Der Server nimmt diese Unterhaltung nicht an.',
  retry: 'Neu verbinden',
};

export const catalogues: Record<Language, Words> = { en, de };
