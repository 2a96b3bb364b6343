// The view Today of the console.
import type { Today } from '../en/today';
import { plural } from '../plural';

export const today: Today = {
  things: 'Zu tun',
  nothing: 'Nichts zu tun. Alles funktioniert.',
  numbers: 'Fragen',
  levels: { urgent: 'Jetzt', soon: 'Bald', note: 'Wenn Zeit ist' },

  model: (name) => `Das Modell ${name} antwortet nicht`,
  modelQuotes: 'docent antwortet stattdessen mit Zitaten.',
  modelOthers: 'Stattdessen antworten andere Modelle.',
  sinceTime: (at) => `Seit ${at}.`,
  disk: (percent) => `Der Datenträger des Datenordners ist zu ${percent} % voll`,
  diskNote: 'Ist er voll, kann docent keine Dokumente und Unterhaltungen speichern.',
  sourceStopped: (name) => `docent hat die Quelle ${name} angehalten`,
  sourceStoppedNote: 'docent hat sich beim Lesen dieser Quelle zweimal beendet. Setzen Sie die Quelle fort, um es erneut zu versuchen.',
  sourceFailed: (name, n) => (n === 1 ? `Der letzte Abgleich der Quelle ${name} ist fehlgeschlagen` : `Die letzten ${n} Abgleiche der Quelle ${name} sind fehlgeschlagen`),
  sourceLate: (name, ago) => `Die Quelle ${name} ist überfällig: ${ago}`,
  sourceLateNote: 'docent liest Quellen, solange docent serve läuft.',
  documents: (n, one) => (one ? `${n} Dokument konnte nicht gelesen werden` : `${n} Dokumente konnten nicht gelesen werden`),
  documentsIn: (name) => `In der Sammlung ${name}.`,
  noBackup: 'docent hat noch keine Sicherung erstellt',
  oldBackup: (ago) => `Alter der letzten Sicherung: ${ago}`,
  backupNote: 'Sichern Sie in der Ansicht System, oder mit docent backup DATEI.',
  proposed: (n) => `${plural(n, 'Lücke ist', 'Lücken sind', 'de')} vielleicht gelöst`,
  proposedNote: 'Die Dokumente haben sich geändert, und docent hat eine Antwort gefunden. Vergleichen Sie sie mit der alten.',
  open: (questions) => `${plural(questions, 'Frage', 'Fragen', 'de')} ohne Antwort`,
  openNote: (gaps, fresh) => `${gaps}, ${fresh}.`,
  gaps: (n) => plural(n, 'Thema', 'Themen', 'de'),
  fresh: (n) => `${n} neu in dieser Woche`,
  due: (n) => `${plural(n, 'freigegebene Antwort', 'freigegebene Antworten', 'de')} zu prüfen`,
  dueNote: 'Der Tag der Prüfung ist vorbei, oder ein Dokument darunter hat sich geändert.',

  days: (n) => plural(n, 'Tag', 'Tage', 'de'),
  hours: (n) => plural(n, 'Stunde', 'Stunden', 'de'),

  openModels: 'Modelle öffnen',
  openSystem: 'System öffnen',
  openSources: 'Quellen öffnen',
  retryDocuments: 'Erneut versuchen',
  showDocuments: 'Anzeigen',
  compare: 'Vergleichen',
  openGaps: 'Lücken öffnen',
  openAnswers: 'Prüfen',
};
