// What the server says about settings and chat models in the database, in German.
import type { Sentences } from '../sentences';

export const stored = {
  backup_no_folder: 'Dieser Server hat keinen Ordner für Sicherungen; starten Sie docent mit --backup-folder ORDNER',
  backup_open: 'Jeder, der diesen Server erreicht, könnte Sicherungen machen; schalten Sie zuerst die Anmeldung ein, oder verwenden Sie docent backup',
  backup_running: 'Es läuft schon eine Sicherung; warten Sie, bis sie fertig ist',
  other_error: (a) => a,
  system_unknown: 'Dieser Server beschreibt sein System nicht',
  model_fallback: (a, b) => `${a} kann nicht das Modell ${b} ersetzen: Wählen Sie ein anderes, das funktioniert`,
  model_key_lost: (a) => `Der Schlüssel des Modells ${a} kann nicht entschlüsselt werden, weil sich der geheime Schlüssel von docent geändert hat; geben Sie den Schlüssel des Modells noch einmal ein`,
  model_locked: (a, b) => `Das Modell ${a} ist festgelegt (${b}); ändern Sie es dort, oder wählen Sie einen anderen Namen`,
  model_not_stored: (a) => `Es gibt kein gespeichertes Modell ${a}`,
  model_url_password: 'Die Adresse enthält ein Passwort: Geben Sie es als Schlüssel ein',
  models_changed: 'Die Modelle wurden inzwischen geändert; laden Sie die Liste neu',
  auth_without_administrator: 'Mit Anmeldung könnte niemand Einstellungen ändern, denn es gibt noch keinen Administrator. Bitte zuerst einen anlegen, unter „Personen“ oder mit docent user create NAME --scopes admin',
  setting_locked: (a, b) => `Die Einstellung ${a} ist festgelegt (${b}), und das geht einem gespeicherten Wert vor; ändern Sie sie dort`,
  setting_outside: (a) => `Die Einstellung ${a} lässt sich nur mit einer Option, einer Variablen oder der Konfigurationsdatei ändern`,
  setting_too_long: (a, b) => `Der Wert von ${a} hat mehr als ${b} Bytes`,
  setting_unknown: (a) => `Es gibt keine Einstellung ${a}; docent help config nennt alle`,
  settings_insecure: 'Die Anmeldung ist ausgeschaltet, und andere erreichen docent; daher lassen sich Einstellungen nur mit docent config ändern',
  settings_off: 'Dieser Server speichert keine Einstellungen',
} satisfies Partial<Sentences>;
