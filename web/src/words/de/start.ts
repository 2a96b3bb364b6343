// The first start, in German.
import type { start as Start } from '../en/start';
import { plural } from '../plural';

export const start: typeof Start = {
  step: (n, of) => `Schritt ${n} von ${of}`,
  home: 'Zu docent',
  wait: 'Einen Moment …',

  who: 'Wer nutzt docent?',
  me: 'Nur ich',
  meNote: 'Niemand meldet sich an. Alle, die diesen Rechner nutzen, können auch docent nutzen. Die Anmeldung können Sie später einschalten.',
  team: 'Mein Team',
  teamNote: 'Alle melden sich an. Sie verwalten docent und laden die anderen ein.',
  admin: 'Ihr Konto',
  name: 'Ihr Name',
  nameRule: 'Mit diesem Namen melden Sie sich an. Erlaubt sind Buchstaben, Ziffern und . _ @ + -',
  password: 'Passwort',
  again: 'Passwort wiederholen',
  differ: 'Die Passwörter stimmen nicht überein.',
  next: 'Weiter',
  restarts: 'docent schaltet die Anmeldung ein …',
  late: 'docent antwortet noch nicht. Öffnen Sie die Seite neu, und melden Sie sich an.',

  answers: 'Wie soll docent antworten?',
  answersNote: 'Sie können das jederzeit in der Verwaltung ändern.',
  quotes: 'Mit Zitaten',
  quotesNote: 'docent zitiert die Stellen, die eine Frage beantworten. Es braucht kein Modell, und nichts verlässt diesen Rechner.',
  local: (model, provider) => `Mit ${model} (${provider})`,
  localNote: 'Ein Sprachmodell auf diesem Rechner schreibt Antworten aus den Stellen.',
  key: 'Mit einem anderen Modell …',
  keyNote: 'Von einem Anbieter wie OpenAI oder Mistral oder von einem eigenen Server. Er sieht die Fragen und die Stellen.',
  looking: 'docent sucht Modelle auf diesem Rechner …',
  testing: (model) => `docent spricht mit ${model} …`,
  selected: (model) => `${model} schreibt Antworten.`,

  documents: 'Dokumente hinzufügen',
  documentsNote: 'Daraus antwortet docent. Sie können jederzeit weitere hinzufügen.',
  files: 'Dateien oder ein Ordner',
  site: 'Eine Website',
  address: 'Adresse der Website',
  add: 'Hinzufügen',
  added: (address) => `docent liest ${address} im Hintergrund.`,
  read: (done, total) => `${done} von ${plural(total, 'Datei', 'Dateien')} gelesen`,
  failed: (n) => `${plural(n, 'Datei', 'Dateien')} nicht lesbar`,
  later: 'Später',

  done: 'docent ist bereit',
  doneNote: 'Stellen Sie eine Frage zu Ihren Dokumenten. Jede Antwort zeigt, woher sie stammt.',
  ask: 'Die erste Frage stellen',
  invite: 'Personen einladen',
};
