// What the server says about collections, in German.
import type { Sentences } from '../sentences';

export const collections = {
  collection_color_unknown: (a, b) => `${a} ist keine Farbe für Sammlungen; möglich sind: ${b}`,
  collection_create_forbidden: 'Nur Administratoren dürfen Sammlungen anlegen; bitten Sie darum',
  collection_default: (a) => `Die Sammlung ${a} lässt sich nicht entfernen, aber Sie können alle ihre Dokumente entfernen`,
  collection_description_long: (n) => `Die Beschreibung der Sammlung ist länger als ${n} Byte; kürzen Sie sie`,
  collection_has_documents: (a) => `In die Sammlung ${a} kamen inzwischen Dokumente; entfernen Sie sie noch einmal`,
  collection_has_source: (a, b) => `Die Quelle ${a} legt ihre Dokumente in der Sammlung ${b} ab; entfernen Sie zuerst die Quelle`,
  collection_line_invalid: (a, n) => `${a} muss eine Zeile mit höchstens ${n} Byte sein`,
  collection_name_empty: 'Eine Sammlung braucht einen Namen',
  collection_name_length: (n, m) => `Der Name einer Sammlung hat 1 bis ${n} Byte, dieser hat ${m}`,
  collection_not_managed: (a) => `Sie dürfen die Sammlung ${a} benutzen, aber sie und die Rechte an ihr nicht ändern`,
  collection_read_only: (a) => `Sie dürfen die Dokumente der Sammlung ${a} lesen, aber nicht ändern`,
  collection_question_empty: 'Eine vorgeschlagene Frage ist leer; schreiben oder entfernen Sie sie',
  collection_questions_full: (n, m) => `${n} vorgeschlagene Fragen; höchstens ${m} sind möglich`,
  collection_taken: (a) => `Es gibt schon eine Sammlung ${a}`,
  collection_title_long: (n) => `Titel und Ansprechpartner einer Sammlung dürfen nicht länger als ${n} Byte sein`,
  collections_full: (n) => `Es gibt schon ${n} Sammlungen, mehr sind nicht möglich`,
  document_of_source: (a, b) => `Die Quelle ${a} hält das Dokument ${b} aktuell, deshalb bleibt es in der Sammlung der Quelle; nichts wurde verschoben`,
  document_twin: (a, b) => `Die Sammlung ${a} hat schon das Dokument ${b}; löschen Sie eines von beiden; nichts wurde verschoben`,
  place_empty: 'In diesen Ordnern und mit diesen Schlagwörtern gibt es keine Dokumente',
  place_too_large: (n) => `Die Ordner und Schlagwörter haben mehr als ${n} Dokumente; suchen Sie in ihren Sammlungen oder in kleineren Ordnern`,
  places_invalid: (n) => `folders und tags müssen Listen mit höchstens ${n} Texten sein, von denen keiner leer ist`,
} satisfies Partial<Sentences>;
