// What the server says about questions of others, in German.
import type { Sentences } from '../sentences';

export const insight = {
  approved_incomplete: (a, b) => `Eine geprüfte Antwort braucht 1 bis ${a} Fragen und einen Text von höchstens ${b} Bytes`,
  approved_not_managed: 'Sie verwalten diese Sammlung nicht; bitten Sie die Administration um das Recht „verwalten“',
  approved_review: 'Der Tag der nächsten Prüfung muss die Form 2026-05-03 haben',
  approved_unreadable: 'docent kann die Antwort nicht als Markdown lesen; ändern Sie ihren Text',
  kept_full: (n) => `Es gibt schon ${n} Testfragen; entfernen Sie zuerst einige`,
  kept_history_long: (a, b) => `Es gibt ${a} frühere Nachrichten; erlaubt sind höchstens ${b}`,
  kept_no_file: 'Das Dokument der erwarteten Stelle fehlt',
  kept_no_quote: 'Die erwartete Stelle ist leer; kopieren Sie einen Satz des Dokuments',
  kept_not_managed: 'Wählen Sie eine Sammlung, die Sie verwalten',
  kept_quote_long: 'Die erwartete Stelle ist zu lang; ein oder zwei Sätze genügen',
  kept_turn: 'Eine frühere Nachricht ist zu lang oder hat eine unbekannte Rolle',
  no_approved_answer: 'Diese geprüfte Antwort gibt es nicht',
  no_gap: 'Diese Lücke gibt es nicht',
  no_question: 'Diese Frage gibt es nicht',
  no_kept_question: 'Diese Testfrage gibt es nicht',
  quality_nothing: 'Es gibt noch keine Testfragen',
  quality_running: 'Die Testfragen werden schon gestellt; warten Sie das Ende des Laufs ab',
  quality_stopped: 'Der Lauf wurde angehalten; starten Sie ihn erneut',
  thresholds_order: 'Die Schwelle unsicherer Antworten darf nicht über der Schwelle sicherer liegen',
  insights_off: 'Dieser Server hebt keine Angaben zu Fragen auf',
  manager_only: 'Das dürfen nur die Administration und Personen mit dem Recht „verwalten“ an einer Sammlung; bitten Sie die Administration um dieses Recht',
} satisfies Partial<Sentences>;
