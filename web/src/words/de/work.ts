// The view Work of the console.
import type { Work } from '../en/work';
import { plural } from '../plural';

const documents = (n: number) => plural(n, 'Dokument', 'Dokumente', 'de');

export const work: Work = {
  lead: 'Alles, was Dokumente einliest: hochgeladene Dateien, Quellen, docent ingest und Dokumente, die neu eingelesen werden.',
  now: 'Jetzt',
  idle: 'docent liest gerade nichts ein.',
  waiting: (n) => (n === 1 ? '1 Dokument wartet.' : `${documents(n)} warten.`),
  moreWaiting: (n) => `${n.toLocaleString('de')} weitere warten.`,
  failures: 'Fehlgeschlagene Dokumente',
  noFailures: 'Kein Dokument ist fehlgeschlagen.',
  ended: 'Zuletzt',
  noEnded: 'Hier erscheint die Arbeit der letzten 30 Tage.',
  kinds: { upload: 'Hochgeladen', sync: 'Quelle', ingest: 'docent ingest', retry: 'Erneut versucht', read_again: 'Neu eingelesen' },
  stages: { waiting: 'Wartet', receiving: 'Die Datei kommt an', reading: 'Wird gelesen' },
  stopping: 'Hört auf …',
  states: { queued: 'Wartet', running: 'Läuft', done: 'Fertig', failed: 'Fehlgeschlagen', canceled: 'Abgebrochen' },
  progress: (done, total) => `${done} von ${total} Dokumenten`,
  failed: (n) => `${documents(n)} fehlgeschlagen`,
  by: (name) => `von ${name}`,
  cancel: 'Abbrechen',
  cancelOf: (name) => `${name} abbrechen`,
  notCanceled: 'Die Arbeit wurde nicht abgebrochen.',
  group: documents,
  andLatest: 'Zuletzt:',
  retry: 'Erneut versuchen',
  retryOf: (reason) => `Erneut versuchen: ${reason}`,
  retryAll: 'Alle erneut versuchen',
  show: 'Anzeigen',
  advice: {
    damaged: 'Fügen Sie eine unbeschädigte Kopie hinzu.',
    large: 'Teilen Sie die Datei, oder heben Sie die Grenze in den Einstellungen an.',
    empty: 'Diese Dateien haben keinen Text. Löschen Sie sie, oder fügen Sie sie mit Text hinzu.',
    again: 'Versuchen Sie es erneut. Scheitert es wieder, hat das Protokoll des Servers die Einzelheiten.',
    left: (n) => `docent hat ${n === 1 ? 'eine der Dateien' : `${n.toLocaleString('de')} der Dateien`} nicht aufbewahrt. Fügen Sie sie erneut hinzu, oder führen Sie auf dem Server docent ingest mit --retry aus.`,
  },
};
