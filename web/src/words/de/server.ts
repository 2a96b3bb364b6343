// What the server says, in German.
import { plural } from '../plural';
import { sentences, translator, type Said } from '../server';

/** "59 documents", as the server counts. */
const counted = (text: string, one: string, many: string) => plural(parseInt(text, 10), one, many, 'de');
const documents = (text: string) => counted(text, 'Dokument', 'Dokumente');
/** "the collections `a`, `b` and 3 more", behind "in". */
const collections = (text: string) =>
  text
    .replace(/^the collection /, 'der Sammlung ')
    .replace(/^the collections /, 'den Sammlungen ')
    .replace(/ and (\d+) more$/, ' und $1 weiteren');
/** A document takes the dative: "aus 1 Dokument", "in 59 Dokumenten". */
const inDocuments = (text: string) => counted(text, 'Dokument', 'Dokumenten');
/** The lines in which collections and some of their titles are told. */
const holdings = (lines: string) =>
  lines
    .replace(/ \((\d+) documents?\): /g, (_, n: string) => ` (${documents(n)}): `)
    .replace(/ and (\d+) more$/gm, ' und $1 weitere')
    .replace(/^- and (\d+) other collections?$/m, (_, n: string) => `- und ${counted(n, 'weitere Sammlung', 'weitere Sammlungen')}`);
const size = (text: string) => text.replace(/(\d)\.(\d)/g, '$1,$2');
const written = 'für ausformulierte bitte DOCENT_MODEL setzen, mit OPENAI_API_KEY oder mit DOCENT_LLM_URL für einen eigenen Server';
const again = 'Bitte gleich noch einmal versuchen';

const said: Said = {
  nearest: (answer) => `${answer} Die nächstliegenden Stellen sind aufgeführt, sie beantworten die Frage aber nicht.`,
  nothing: (n, where) => `Das weiß ich nicht. In ${inDocuments(n)} aus ${collections(where)} habe ich nichts gefunden, was die Frage beantwortet.`,
  nothingAtAll: 'Das weiß ich nicht. In den Dokumenten habe ich nichts gefunden, was die Frage beantwortet.',
  noneIn: (where, hint) => `Das weiß ich nicht: In ${collections(where)} gibt es keine Dokumente. ${hint}`,
  noneYet: 'Das weiß ich nicht: Es gibt noch keine Dokumente. {1}',
  noneKnown: 'Ich kenne noch keine Dokumente. {1}',
  holdings: (n, m, lines) => `Ich kenne ${documents(n)} in ${counted(m, 'Sammlung', 'Sammlungen')}:\n${holdings(lines)}\nFragen Sie mich nach allem, was darin steht.`,
  addSome: 'Hinzufügen lassen sie sich mit `docent ingest PFAD` oder durch Hochladen.',
  fallback: 'Darauf konnte ich leider keine Antwort finden.',
  withoutTools:
    'Vergleichen, Zusammenfassen und Ähnliches brauchen ein Sprachmodell, das Werkzeuge benutzen kann. Hier ist keines eingerichtet, daher antworte ich aus einer einzigen Suche in den Dokumenten.',
  notUnderstood: 'Das habe ich leider nicht verstanden.',
  emptyQuestion: 'Die Nachricht war leer. Fragen Sie mich nach Ihren Dokumenten.',
  emptyMessage: 'Die Nachricht war leer. Was möchten Sie wissen?',
  fileSent:
    'Dateien, die hierher gesendet werden, lese ich nicht. Damit ich aus {1} antworten kann, muss die Datei zu den Dokumenten: auf der Seite hochladen oder docent ingest DATEI ausführen.',
  stopped: 'Angehalten.',
  quotes: (more) => `Antworten sind Zitate; ${more === `${sentences.written}.` ? `${written}.` : more}`,
  written,

  greeting: 'Hallo! Fragen Sie mich nach Ihren Dokumenten: Ich antworte mit dem, was darin steht, zeige die Stellen und sage es, wenn die Antwort nicht darin ist.',
  hello: 'Hallo! Was möchten Sie aus Ihren Dokumenten wissen?',
  thanks: 'Gern geschehen.',
  bye: 'Auf Wiedersehen!',
  who: 'Ich bin ein Programm, kein Mensch: Ich suche Antworten in Ihren Dokumenten und zeige die Stellen, aus denen sie stammen.',
  help: 'Stellen Sie eine Frage in eigenen Worten: Ich antworte aus Ihren Dokumenten und zeige die Stellen, an denen es steht.',
  mood: 'Ich bin ein Programm und daher immer bereit. Was möchten Sie aus Ihren Dokumenten wissen?',
  praise: 'Schön, dass es geholfen hat.',
  complaint: 'Das tut mir leid. Die Stellen zeigen, woher eine Antwort stammt; mit anderen Wörtern oder dem Namen des Dokuments finden sich vielleicht bessere.',
  ok: 'In Ordnung.',
  leave: 'In Ordnung, belassen wir es dabei.',
  outside: 'Ich weiß nur, was in Ihren Dokumenten steht: nicht die Uhrzeit, das Wetter oder die Nachrichten, und Witze kenne ich auch keine.',

  line: 'Zeile {1}: {2}',
  empty: 'Leer: Es ist kein Text darin',
  noText: 'Es ist kein Text darin',
  scanned: 'Kein Text: Die Seiten sind Bilder, und Text in Bildern wird nicht erkannt',
  binary: 'Binärdatei: {1} ist keine Art von Dokument, die gelesen werden kann',
  oldOffice: 'Binärdatei: Dokumente aus Office 2003 und älter können nicht gelesen werden; bitte als .docx speichern',
  undecodable: 'Nicht zu entziffern: Es ist kein Text in UTF-8, UTF-16 oder Windows-1252',
  fonts: 'Unlesbar: {1} % der Zeichen haben keine Bedeutung, weil die Schriften nicht sagen, was sie zeigen',
  password: 'Verschlüsselt: Es lässt sich nur mit einem Passwort öffnen',
  cipher: 'Verschlüsselt: auf eine Weise, die nicht unterstützt wird',
  notJSON: 'Beschädigt: Es ist kein JSON-Objekt mit einem Text',
  notDrawing: 'Beschädigt: Es ist keine lesbare Zeichnung',
  nested: 'Beschädigt: Es ist zu tief verschachtelt',
  notCalled: 'Beschädigt: Das ist kein {1}, obwohl es so heißt',
  notPDF: 'Beschädigt: Es ist kein PDF, das sich öffnen lässt, oder nur ein Teil davon',
  noPages: 'Beschädigt: Keine der {1} Seiten ist lesbar',
  notZip: 'Beschädigt: Es ist kein gepacktes Dokument, das sich öffnen lässt, oder nur ein Teil davon',
  notUnpacked: 'Beschädigt: Der Teil {1} lässt sich nicht entpacken',
  emptyWord: 'Beschädigt: Es ist ein Word-Dokument ohne Text',
  malformed: 'Beschädigt: Ein Teil davon ist nicht wohlgeformt',
  gaveUp: 'Beschädigt: {1} konnte nicht zu Ende gelesen werden',
  pageUnread: 'Beschädigt: Die Seite ist nicht lesbar',
  pageSize: 'Beschädigt: Die Seite hat keine Größe',
  longReading: 'Das Lesen dauert länger als {1}',
  manyPages: 'Zu groß: Es hat {1} Seiten, die Grenze liegt bei {2}',
  longText: 'Zu groß: Der Text hat mehr als {1} MiB',
  manyFiles: 'Zu groß: Es sind {1} Dateien darin gepackt',
  longPart: 'Zu groß: Der Teil {1} hat entpackt mehr als {2} MiB',
  longElement: 'Zu groß: Eines der Elemente ist länger als {1} MiB',
  longLine: (limit) => `Zu groß: Die Zeile ist länger als ${size(limit)}`,
  moreThan: (limit) => `Zu groß: mehr als ${size(limit)}`,
  tooLarge: (is, limit) => `Zu groß: ${size(is)}, die Grenze liegt bei ${size(limit)}`,
  sameId: 'Zeile {1}: Eine andere Zeile hat dieselbe id',
  embedderRefuses: 'Die Einbettung weist es zurück: {1}',
  badName: 'Der Name ist kein gültiges UTF-8: bitte umbenennen',
  docentFailed: 'docent ist daran gescheitert; Näheres steht im Protokoll',

  broken: 'In docent ist etwas schiefgegangen; Näheres steht im Protokoll des Servers',
  canceled: 'Die Anfrage wurde abgebrochen',
  slow: 'Die Anfrage hat zu lange gedauert',
  notAnswered: 'docent konnte das nicht beantworten.',
  theFile: 'Die Datei',
  theUpload: 'Die Übertragung',
  thePDF: 'Das PDF',
  larger: (what, limit) => `${what} ist größer als ${size(limit)}`,
  stalled: 'Das Hochladen ist ins Stocken geraten',
  cutShort: 'Das Hochladen bricht ab oder ist kein multipart/form-data',
  collectionName: 'Der Name der Sammlung {1} darf keine Steuerzeichen, kein / und am Rand keine Leerzeichen haben',
  collectionLong: 'Der Name der Sammlung ist länger als {1} Byte',
  noDocument: 'Das Dokument {1} gibt es nicht',
  noOriginal: 'Das Original des Dokuments {1} wurde nicht aufbewahrt',
  noPagesShown: 'Das Dokument {1} hat keine Seiten, die sich zeigen lassen: nur PDFs haben welche',
  noSession: 'Diese Unterhaltung gibt es nicht',
  noTurn: 'Die Frage {1} gibt es nicht',
  turnRuns: 'Die Antwort auf die Frage {1} ist noch nicht fertig',
  longMessage: 'Eine Nachricht darf höchstens {1} Byte Text haben, diese hat {2}',
  longQuestion: 'Die Frage hat {1} Byte; höchstens {2} werden gelesen',
  noQuestion: 'Die Frage ist leer',
  newEmpty: 'Die neue Nachricht ist leer',
  longComment: 'Ein Kommentar darf höchstens {1} Byte haben',
  sessionBusy: `Diese Unterhaltung ist beschäftigt. ${again}`,
  manyWait: `{1} Nachrichten dieser Unterhaltung warten schon. ${again}`,
  full: `docent hat so viele Unterhaltungen, wie es halten kann. ${again}`,
  closing: `docent wird gerade beendet. ${again}`,
  closed: 'docent wird gerade beendet',
  uploadsBusy: `docent liest so viele Dateien, wie es kann. ${again}`,
  answersBusy: `docent beantwortet so viele Fragen, wie es kann. ${again}`,
  pagesBusy: `docent zeichnet so viele Seiten, wie es kann. ${again}`,
  documentsBusy: `docent sendet so viele Dokumente, wie es kann. ${again}`,
  notListed: 'Das Durchsuchen der Unterhaltungen hat zu lange gedauert. Bitte erneut versuchen oder mit einem anderen Text',
  wrongLogin: 'Name oder Passwort stimmt nicht',
  wrongOften: 'Zu viele falsche Versuche. Bitte in {1} s erneut versuchen',
  loginsBusy: 'Gerade melden sich zu viele an. Bitte erneut versuchen',
  loginEnded: 'Das Token oder die Anmeldung ist abgelaufen. Bitte erneut anmelden',
  mayLess: 'Sie dürfen weniger als zu Beginn der Verbindung. Bitte neu verbinden',
  mayNotAsk: 'Das Token erlaubt keine Fragen',
  tokenName: 'Der Name hat 1 bis {2} Buchstaben (ohne Umlaute), Ziffern und Zeichen aus . _ @ + -',
  tokenScope: 'Ein Token braucht eine Berechtigung: fragen, Dokumente hinzufügen oder verwalten',
  tokenTaken: 'Es gibt schon ein Token {1}. Bitte anders benennen oder das andere zuerst widerrufen',
  tokensMost: 'Es gibt schon {1} Tokens, mehr sind nicht möglich. Bitte zuerst eines widerrufen',
  tokensOwn: 'Tokens verwaltet hier nur, wer mit Name und Passwort angemeldet ist; weitere erstellt die Administration mit docent token create',
  noListening: 'Aufnahmen kann ich hier nicht anhören. Bitte stattdessen schreiben.',
  listeningBusy: `Gerade werden zu viele Aufnahmen angehört. ${again}`,
  noWords: 'In dieser Aufnahme waren keine Wörter zu hören',
  recordingKind: 'Eine Aufnahme muss WAV, WebM, Ogg, MP3, M4A oder FLAC sein',
  databaseBusy: 'Die Datenbank ist beschäftigt. Bitte erneut versuchen',
  databaseSlow: 'Die Datenbank hat zu lange gebraucht',
  databaseAway: 'Die Datenbank ist nicht erreichbar',
  databaseSilent: 'Die Datenbank antwortet nicht. Bitte erneut versuchen',
  diskFull: 'Der Datenträger der Datenbank ist voll',
  modelUnknown: 'Das Modell {1} gibt es nicht; bekannt sind {2}',
  modelSilent: 'Das Modell wurde in {1} nicht fertig ({2})',
  modelHalf: 'Der Modellserver ist mitten in der Antwort für {1} verstummt. Bitte erneut fragen',
  modelBroke: 'Der Modellserver hat seine Antwort mit einem Fehler abgebrochen. Bitte erneut fragen',
  modelCut: 'Der Modellserver hat seine Antwort abgebrochen. Bitte erneut fragen',
  modelAway: 'Der Modellserver antwortet nicht. Stimmt {1}, und läuft der Server?',
  modelUnread: 'Die Antwort des Modellservers konnte nicht gelesen werden. Bitte erneut fragen',
  modelKey: 'Der Modellserver will einen Schlüssel: Bitte {1} setzen',
  modelKeyWrong: 'Der Modellserver nimmt den Schlüssel nicht an oder erlaubt ihm das Modell {1} nicht: Bitte {2} prüfen',
  modelNot: 'Der Modellserver kennt das Modell {1} nicht, oder unter dieser Adresse ist nichts: Bitte {2} prüfen und {3}, das oft auf /v1 endet',
  modelCredit: 'Das Konto für das Modell hat kein Guthaben mehr',
  modelOften: 'Der Modellserver wird zu oft gefragt. Bitte später erneut versuchen',
  modelProblem: 'Der Modellserver hat ein Problem (Status {1}). Bitte später erneut versuchen',
  modelRefused: 'Der Modellserver hat die Anfrage abgelehnt (Status {1})',
  modelLong: 'Die Frage mit ihren Stellen ist zu lang für das Modell',
  modelNothing: 'Das Modell hat keine Antwort gegeben. Bitte erneut fragen',
  modelEmpty: 'Das Modell {1} hat eine leere Antwort gegeben (Grund {2}). Bitte erneut fragen',
  embedderAway: 'Der Einbettungsserver antwortet nicht. Stimmt {1}, und läuft der Server?',
  embedderSlow: 'Der Einbettungsserver hat in {1} nicht geantwortet',
};

/** server words what the server says. */
export const server = translator(said);
