import { plural } from '../plural';
import type { brief as en } from '../en/brief';

export const brief: typeof en = {
  title: 'Bericht schreiben',
  about: 'docent sucht einmal für jede Überschrift und fügt die Antworten zu einem Bericht zusammen. Jeder Satz zeigt seine Quelle oder ist markiert.',
  quotes: 'Ohne Sprachmodell hat der Bericht Zitate unter den Überschriften.',
  task: 'Aufgabe',
  example: 'Was versprechen wir bei Rückgaben, in allen Ländern?',
  everywhere: 'Durchsucht alle Ihre Dokumente.',
  within: 'Durchsucht nur:',
  plan: 'Gliederung erstellen',
  planning: 'Die Gliederung entsteht …',
  notPlanned: 'Die Gliederung konnte nicht erstellt werden.',
  outline: 'Gliederung',
  change: (most: number) => `Ändern, verschieben oder entfernen Sie Überschriften. Höchstens ${plural(most, 'Überschrift', 'Überschriften')}.`,
  heading: (n: number) => `Überschrift ${n}`,
  up: (n: number) => `Überschrift ${n} nach oben`,
  down: (n: number) => `Überschrift ${n} nach unten`,
  remove: (n: number) => `Überschrift ${n} entfernen`,
  add: 'Überschrift hinzufügen',
  start: 'Bericht schreiben lassen',
  back: 'Aufgabe ändern',
  cancel: 'Abbrechen',
  again: 'Gliederung ändern …',
};
