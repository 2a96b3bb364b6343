// The console of operators.
import type { Console } from '../en/console';
import { plural } from '../plural';

export const console: Console = {
  navigation: 'Verwaltung',
  back: 'Zurück zum Chat',
  loading: 'Wird geladen …',
  denied: 'Nur Administratoren können die Verwaltung öffnen.',
  views: { system: 'System' },

  system: {
    lead: 'Der Zustand dieses Servers.',
    ready: 'Bereit',
    notReady: 'Nicht bereit',
    checking: 'Wird geprüft …',
    refresh: 'Aktualisieren',
    checks: 'Prüfungen',
    ok: 'in Ordnung',
    server: 'Server und Programm',
    search: 'Suche',
    documents: 'Dokumente',
    rows: {
      version: 'Version', started: 'Gestartet', database: 'Datenbank', agent: 'Agent', model: 'Modell', embedder: 'Einbettung', index: 'Suchindex', passages: 'Stellen im Index',
      login: 'Anmeldung',
    },
    quotes: 'keines: docent zitiert die Dokumente',
    dimensions: (n) => plural(n, 'Dimension', 'Dimensionen', 'de'),
    encoding: (model, done, total) => `${model}: ${done} von ${total} Stellen kodiert`,
    needed: 'erforderlich',
    notNeeded: 'nicht erforderlich: Jeder, der docent erreicht, ist Administrator',
    collection: 'Sammlung',
    failed: 'Fehlgeschlagen',
    count: 'Dokumente',
    chunks: 'Stellen',
    total: 'Summe',
    none: 'Es gibt noch keine Dokumente.',
  },
};
