// What the server says, in English, and how another language finds it: each
// sentence is the format that the server's source writes it with, so that a test
// can look there whether it still says it.

/**
 * sentences are the formats. One that begins or ends with a space has something
 * before or behind it. The first that fits counts, so what says more comes first.
 */
export const sentences = {
  // Answers without passages that say it.
  nearest: ' The nearest passages are listed, but they do not answer it.',
  nothing: "I don't know. I searched %s in %s and found nothing that answers this.",
  nothingAtAll: "I don't know. I searched the documents and found nothing that answers this.",
  noneIn: "I don't know: there are no documents in %s. %s",
  noneYet: "I don't know: there are no documents yet. ",
  noneKnown: 'I know of no documents yet. ',
  holdings: 'I know %s in %s:\n%s\nAsk me about anything that is written in them.',
  addSome: 'Add some with `docent ingest PATH`, or upload them.',
  fallback: 'Sorry, I could not find an answer to that.',
  withoutTools: 'Comparing, summarising and the like need a chat model that can use tools. None is set up here, so I answer from a single search of the documents.',
  notUnderstood: 'Sorry, I did not understand that.',
  emptyQuestion: 'Your message was empty. Ask me about your documents.',
  emptyMessage: 'Your message was empty. What would you like to know?',
  fileSent:
    'I do not read files that are sent here. To have me answer from %s, add it to the documents: upload it on the page, or run: docent ingest FILE',
  stopped: 'Stopped.',

  quotes: 'Answers are quotes; ',
  written: 'for written ones set DOCENT_MODEL, with OPENAI_API_KEY or with DOCENT_LLM_URL for a server of your own',

  // Greeting and small talk.
  greeting: 'Hi! Ask me about your documents: I answer from what they say and show the passages, and I say so when they do not hold the answer.',
  hello: 'Hello! What would you like to know from your documents?',
  thanks: "You're welcome.",
  bye: 'Goodbye!',
  who: 'I am a program, not a person: I look up answers in your documents and show the passages they come from.',
  help: 'Ask me a question in your own words: I answer from your documents and show the passages that say so.',
  mood: 'I am a program, so I am always ready. What would you like to know from your documents?',
  praise: 'Glad that it helped.',
  complaint: 'Sorry about that. The passages show what an answer comes from; other words, or the name of the document, may find better ones.',
  ok: 'All right.',
  leave: 'All right, let us leave it at that.',
  outside: 'I only know what is written in your documents: not the time, the weather or the news, and no jokes.',

  // Why a document cannot be read.
  sameId: 'line %d: another line has the same id',
  line: 'line %d: %s',
  empty: 'empty: there is no text in it',
  noText: 'it has no text',
  scanned: 'no text: its pages are pictures, and text in pictures is not recognised',
  binary: 'binary: %s is not a kind of document that can be read',
  oldOffice: 'binary: documents of Office 2003 and before cannot be read; save it as .docx',
  undecodable: 'undecodable: it is not text in UTF-8, UTF-16 or Windows-1252',
  fonts: 'unreadable: %.0f %% of its characters have no meaning, for its fonts do not say what they show',
  password: 'encrypted: it opens only with a password',
  cipher: 'encrypted: in a way that is not supported',
  notJSON: 'damaged: it is not a JSON object with a text',
  notDrawing: 'damaged: it is not a drawing that can be read',
  nested: 'damaged: it is nested too deeply',
  notCalled: 'damaged: this is not a %s, although it is called one',
  notPDF: 'damaged: it is not a PDF that can be opened, or only a part of one',
  noPages: 'damaged: none of its %d pages can be read',
  notZip: 'damaged: it is not a packed document that can be opened, or only a part of one',
  notUnpacked: 'damaged: its part %s cannot be unpacked',
  emptyWord: 'damaged: it is a Word document without text',
  malformed: 'damaged: a part of it is not well-formed',
  gaveUp: 'damaged: the reader of %s gave up',
  pageUnread: 'damaged: the page cannot be read',
  pageSize: 'damaged: the page has no size',
  longReading: 'it takes longer than %s to read',
  manyPages: 'too large: it has %d pages, the limit is %d',
  longText: 'too large: its text is more than %d MiB',
  manyFiles: 'too large: it packs %d files',
  longPart: 'too large: its part %s unpacks to more than %d MiB',
  longElement: 'too large: one of its elements is longer than %d MiB',
  longLine: 'too large: the line is longer than %s',
  moreThan: 'too large: more than ',
  tooLarge: 'too large: %s, the limit is %s',
  embedderRefuses: 'the embedder refuses it: ',
  badName: 'its name is not valid UTF-8: rename it',
  docentFailed: 'docent failed on it; the log has the details',

  // Why something was not done.
  broken: 'something went wrong here; please try again',
  canceled: 'the request was canceled',
  slow: 'the request took too long',
  notAnswered: 'docent could not answer this.',
  theFile: 'the file',
  theUpload: 'the upload',
  thePDF: 'the PDF',
  larger: '%s is larger than %s',
  stalled: 'the upload came to a standstill',
  cutShort: 'the upload breaks off or is not multipart/form-data',
  collectionName: "the collection's name %q must not have control characters, a / or space around it",
  collectionLong: "the collection's name is longer than %d bytes",
  noDocument: 'there is no document %d',
  noOriginal: 'the original of document %d was not kept',
  noPagesShown: 'document %d has no pages to show: only PDFs have',
  noSession: 'there is no such session',
  noTurn: 'there is no turn %d',
  turnRuns: 'turn %d is not over',
  longMessage: 'a message may have at most %d bytes of text, this has %d',
  longQuestion: 'the question has %d bytes; at most %d are read',
  noQuestion: 'the question is empty',
  newEmpty: 'the new message is empty',
  longComment: 'a comment may have at most %d bytes',
  sessionBusy: 'this conversation is busy; try again in a moment',
  manyWait: '%d messages of this conversation wait already; try again in a moment',
  full: 'docent has as many conversations as it can hold; try again in a moment',
  closing: 'docent is shutting down; try again in a moment',
  closed: 'docent is shutting down',
  uploadsBusy: 'docent is reading as many uploads as it can; try again in a moment',
  answersBusy: 'docent is answering as many questions as it can; try again in a moment',
  pagesBusy: 'docent is drawing as many pages as it can; try again in a moment',
  documentsBusy: 'docent is sending as many documents as it can; try again in a moment',
  notListed: 'looking through the conversations took too long; try again, or with a text that is found sooner',
  wrongLogin: 'the user name or the password is wrong',
  wrongOften: 'too many wrong attempts; try again in %d s',
  loginsBusy: 'too many people sign in right now; try again',
  loginEnded: 'the token or login has ended; sign in again',
  mayLess: 'you may do less than when you connected; connect again',
  mayNotAsk: 'your token does not allow to ask',
  tokenName: 'the name of a %s has 1 to %d letters, digits and characters of . _ @ + -',
  tokenScope: 'a token needs a scope: ask, ingest or admin',
  tokenTaken: 'there is a token %q already; take another name or revoke it first',
  tokensMost: 'this user has %d tokens, which is the most there can be; revoke one first',
  tokensOwn: 'only who is signed in with a name and a password manages tokens here; an administrator makes others with docent token create',
  noListening: 'I cannot listen to recordings here. Please write instead.',
  listeningBusy: 'too many recordings are being listened to; try again in a moment',
  noWords: 'no words could be heard in this recording',
  recordingKind: 'a recording must be WAV, WebM, Ogg, MP3, M4A or FLAC',
  databaseBusy: 'the database is busy; try again',
  databaseSlow: 'the database took too long',
  databaseAway: 'the database is not available',
  databaseSilent: 'the database does not answer; try again',
  diskFull: 'the disk of the database is full',
  modelUnknown: 'there is no model %q; known are %s',
  modelSilent: 'the model did not finish within %v (%s)',
  modelHalf: 'the model server fell silent for %v in the middle of an answer; ask again',
  modelBroke: 'the model server broke off its answer with an error; ask again',
  modelCut: 'the model server broke off its answer; ask again',
  modelAway: 'the model server does not answer; is %s right and the server running?',
  modelUnread: "the model server's answer could not be read; ask again",
  modelKey: 'the model server wants a key: set %s',
  modelKeyWrong: 'the model server does not accept the key or does not allow it the model %q: check %s',
  modelNot: 'the model server knows no model %q, or nothing is at this address: check %s and %s, which often ends in /v1',
  modelCredit: 'the model account has no credit left',
  modelOften: 'the model server is asked too often; try again later',
  modelProblem: 'the model server has a problem (status %d); try again later',
  modelRefused: 'the model server refused the request (status %d)',
  modelLong: 'the question with its passages is too long for the model',
  modelNothing: 'the model returned no answer; ask again',
  modelEmpty: 'the model %s returned an empty answer (finish reason %q); ask again',
  embedderAway: 'the embedding server does not answer; is %s right and the server running?',
  embedderSlow: 'the embedding server did not answer within %v',

  // Rarely said.
  noSuchCollection: 'there is no collection %q; there are: %s',
  noModelHere: 'there is no model %.64q here',
  noCollectionHere: 'there is no collection %.64q',
  notReset: 'this conversation could not be reset yet; try again in a moment',
  resetStuck: 'this conversation is being reset, but what it was doing does not end; try again later',
  nothingInTurn: 'nothing was said in turn %d',
  noAnswerYet: 'there is no answer yet that feedback could be about',
  noFeedback: 'feedback is not kept here',
  muchWaits: 'more than %d MiB of this conversation wait already; try again in a moment',
  oldestWaits: 'too much waits in this conversation, and this was the oldest of it; try again later',
  manyReplies: 'a turn may have at most %d replies',
  noDocuments: 'this agent has no documents to answer from',
  circles: 'the agent goes round in circles',
  othersConversation: 'this conversation belongs to somebody else',
  wasReset: 'the conversation was reset',
  wasDeleted: 'the conversation was deleted',
  stoppedMidway: 'docent was stopped in the middle of this answer; ask again',
  otherAway: 'the other agent cannot be reached',
  otherBroke: 'the connection to the other agent broke',
  signIn: 'sign in, or send a token',
  noOpenTokens: 'nobody has tokens here: authentication is off',
  noSignIn: 'nobody has to sign in here: authentication is off',
  foreignPage: "the page that sent this is not allowed to; the server's setting origins lists those that are",
  wrongName: 'this server does not go by the name in the request; its setting hosts lists further names',
  yoursUnderWay: 'too many of your requests of this kind are under way; try again when one of them has ended',
  manySent: 'more than %d files; those before are stored',
  collectionField: 'the field collection is longer than %d bytes',
  noPage: 'there is no page %d: it has %d, counted from 0',
  pageUndrawn: 'the page cannot be drawn',
  noDrawing: 'this server draws no pages',
  noMoreThanYou: 'a token may do no more than you: you do not have the scope %s',
  tokenPast: 'a token cannot have expired when it is made',
  tokenUnknown: 'the token is not known here, or no longer',
  tokenExpired: 'the token has expired',
  noSuchToken: 'there is no such token',
  embedderOdd: "the embedding server's answer makes no sense: check %s and %s",
  modelSuch: 'the model %q does not take such a request: %v',
  speechSlow: 'the speech server did not answer within %v',
  speechUnread: "the speech server's answer could not be read",
  speechOdd: 'the speech server does not answer as it should',
  speechOften: 'the speech server is asked too often; try again later',
  speechRefused: 'the speech server refused the request (status %d)',
  longPrompt: 'the prompt has %d bytes; at most %d are sent',
  databaseClosed: 'the database is closed',
  databaseShared: 'the database is busy with another process; try again',
  databaseFile: 'the database file cannot be read or written',
  databaseDamaged: 'the database file is damaged or is no database',
  databaseCollides: 'the change collides with what is stored',
  databaseRefuses: 'the database refuses the connection: check user, password and name in the URL',
  manyConnections: 'you have %d connections open, and may not have more',
  connectionsFull: 'docent has as many connections as it can hold, or is shutting down',
  connectOften: 'you connect too often; try again in a moment',
  framesOften: 'at most %g frames a second are taken on a connection',
  framesOftenAll: 'at most %g frames a second are taken of all your connections together',
  longFrame: 'a message may have at most %d bytes, and %d of text',
  longFile: 'a file may have at most %d bytes in base64',
  filesOfYours: 'too many files of yours are being received; try again in a moment',
  filesReceived: 'too many files are being received; try again in a moment',
  recordingGiven: 'this recording was given up before it was understood',
  fileName: "a file's name and type may have at most %d bytes, without control characters",
} as const;

/** Said is each sentence in another language: a text, whose {1}, {2}… are what stands for the format's verbs, or a function of those. */
export type Said = Record<keyof typeof sentences, string | ((...args: string[]) => string)>;

const escaped = (s: string) => s.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** pattern matches what a format writes. */
function pattern(format: string): RegExp {
  const parts = format.split(/(%%|%[\d.]*[a-z])/);
  const body = parts.map((p, i) => (i % 2 === 0 ? escaped(p) : p === '%%' ? '%' : p.endsWith('d') || p.endsWith('f') ? '(-?\\d+)' : '(.+?)')).join('');
  return new RegExp(`^${format.startsWith(' ') ? '(.+?)' : ''}${body}${format.endsWith(' ') ? '(.+)' : ''}$`, 's');
}

/** What is longer is none of these sentences, in UTF-16 units. */
const longest = 8000;

/** translator words what the server says; what is not known stays as it is. */
export function translator(said: Said): (text: string) => string {
  let known: [RegExp, Said[keyof Said]][] | undefined;
  const translate = (text: string): string => {
    if (text.length > longest) return text;
    known ??= (Object.keys(sentences) as (keyof typeof sentences)[]).map((key) => [pattern(sentences[key]), said[key]]);
    for (const [written, as] of known) {
      const args = written.exec(text)?.slice(1);
      if (!args) continue;
      const worded = args.map(translate);
      return typeof as === 'function' ? as(...worded) : as.replace(/\{(\d)\}/g, (_, n: string) => worded[Number(n) - 1] ?? '');
    }
    return text;
  };
  return translate;
}
