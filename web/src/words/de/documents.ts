// The library.
import { digits } from '../digits';
import type { Catalogue } from '../en';
import { plural } from '../plural';

const count = (n: number) => digits(n, 'de');
const documents_ = (n: number) => plural(n, 'Dokument', 'Dokumente', 'de');
const passages = (n: number) => plural(n, 'Stelle', 'Stellen', 'de');
const files = (n: number) => plural(n, 'Datei', 'Dateien', 'de');

export const documents: Catalogue['documents'] = {
  title: 'Dokumente',
  passages,
  documents: documents_,
  sum: (documents, chunks, failed) => `${documents_(documents)}, ${passages(chunks)}${failed ? `, ${count(failed)} fehlgeschlagen` : ''}`,
  addFiles: 'Dateien hinzufügen',
  addFolder: 'Ordner hinzufügen',
  addTo: 'Hinzufügen zu',
  newCollection: 'Neue Sammlung…',
  collectionName: 'Name der neuen Sammlung',
  noAdding: 'Dokumente fügt die Administration hinzu.',

  collections: 'Sammlungen',
  all: 'Alle',

  searchIn: 'Suchen in',
  modes: { titles: 'Titeln', passages: 'Inhalten' },
  filter: 'Nach Titel oder Quelle filtern',
  find: 'Stellen in den Dokumenten finden',
  failedOnly: 'Nur fehlgeschlagene',

  columns: { select: 'Auswählen', status: 'Zustand', name: 'Titel', collection: 'Sammlung', type: 'Art', size: 'Größe', passages: 'Stellen', changed: 'Geändert', remove: 'Löschen' },
  selectAll: 'Alle angezeigten auswählen',
  selectOne: (name) => `„${name}“ auswählen`,
  selected: (n) => `${count(n)} ausgewählt`,
  unselect: 'Auswahl aufheben',
  removeSelected: 'Ausgewählte löschen',
  ready: 'Bereit',
  failed: 'Fehlgeschlagen',
  uploaded: (source) => `Hochgeladen: ${source}`,
  unreadable: 'Es konnte nicht gelesen werden.',
  unit: (n) => (n === 1 ? ' Stelle' : ' Stellen'),
  remove: (name) => `„${name}“ löschen`,
  removed: (name) => `„${name}“ gelöscht`,
  removedMany: (n) => `${documents_(n)} gelöscht`,
  notRemoved: (n) => (n === 1 ? 'Das Dokument wurde nicht gelöscht.' : `${documents_(n)} wurden nicht gelöscht.`),
  tryAgain: 'Erneut versuchen',
  more: 'Mehr anzeigen',
  loading: 'Wird geladen…',
  noneMatch: 'Kein passendes Dokument.',
  none: 'Es gibt noch keine Dokumente.',
  begin: 'Dateien oder Ordner hier ablegen oder „Dateien hinzufügen“ wählen.',
  kinds: 'Markdown, Text, HTML, PDF, Word, CSV, JSON und Quelltext.',
  drop: 'Zum Hinzufügen ablegen',
  dropInto: (collection) => `Ablegen, um zu „${collection}“ hinzuzufügen`,

  searching: 'Suche läuft…',
  noPassage: 'Keine Stelle gefunden.',
  askFirst: 'Eine Frage oder ein paar Wörter eingeben: Die Stellen, die am besten passen, erscheinen hier.',
  foundPassages: (n) => `${passages(n)} gefunden, die besten zuerst`,
  results: 'Gefundene Stellen',
  score: (score) => `Wertung ${score}`,

  uploads: 'Hochladen',
  adding: (done, total) => `${count(done)} von ${files(total)} hinzugefügt`,
  walking: (n) => (n ? `Ordner wird gelesen: bisher ${files(n)}` : 'Ordner wird gelesen…'),
  addedNow: 'Gerade hinzugefügt',
  nothingAdded: 'Nichts hinzugefügt',
  overall: 'Fortschritt insgesamt',
  counts: {
    done: (n) => `${count(n)} hinzugefügt`,
    failed: (n) => `${count(n)} fehlgeschlagen`,
    cancelled: (n) => `${count(n)} abgebrochen`,
    skipped: (n) => `${n === 1 ? '1 versteckte oder Systemdatei' : `${count(n)} versteckte oder Systemdateien`} ausgelassen`,
  },
  cancelAll: 'Alle abbrechen',
  cancelOne: (name) => `Hochladen von ${name} abbrechen`,
  retryAll: 'Fehlgeschlagene wiederholen',
  retryOne: (name) => `${name} erneut versuchen`,
  clear: 'Liste leeren',
  waiting: 'Wartet',
  reading: 'Wird gelesen und indiziert…',
  uploadOf: (name) => `Hochladen von ${name}`,
  moreWaiting: (n) => `${files(n)} in der Warteschlange`,
  moreFailed: (n) => `${count(n)} weitere fehlgeschlagen`,
  moreDone: (n) => `${count(n)} weitere hinzugefügt`,
  nothingReadable: 'Darin wurde nichts Lesbares gefunden.',
  tooLarge: (limit) => `Größer als ${limit}, mehr nimmt docent nicht an.`,
  outcome: { added: 'Hinzugefügt', changed: 'Aktualisiert', unchanged: 'Schon vorhanden, unverändert', removed: 'Entfernt' },
  outcomes: {
    added: (n) => `${documents_(n)} hinzugefügt`,
    changed: (n) => `${documents_(n)} aktualisiert`,
    unchanged: (n) => `${documents_(n)} schon vorhanden, unverändert`,
    removed: (n) => `${documents_(n)} entfernt`,
  },
  alsoFailed: (n, reason) => `${count(n)} fehlgeschlagen: ${reason}`,
};
