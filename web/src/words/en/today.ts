// The view Today of the console.
import { plural } from '../plural';

export const today = {
  things: 'To do',
  nothing: 'Nothing to do. Everything works.',
  numbers: 'Questions',
  levels: { urgent: 'Now', soon: 'Soon', note: 'When there is time' },

  model: (name: string) => `The model ${name} does not answer`,
  modelQuotes: 'docent answers with quotes instead.',
  modelOthers: 'Other models answer instead.',
  sinceTime: (at: string) => `Since ${at}.`,
  disk: (percent: number) => `The disk of the data folder is ${percent} % full`,
  diskNote: 'If it is full, docent cannot store documents and conversations.',
  sourceStopped: (name: string) => `docent has paused the source ${name}`,
  sourceStoppedNote: 'docent ended twice while it read this source. Resume the source to try again.',
  sourceFailed: (name: string, n: number) => (n === 1 ? `The last sync of the source ${name} failed` : `The last ${n} syncs of the source ${name} failed`),
  sourceLate: (name: string, ago: string) => `The source ${name} is ${ago} late`,
  sourceLateNote: 'docent reads sources while docent serve runs.',
  documents: (n: string, one: boolean) => `${n} ${one ? 'document' : 'documents'} could not be read`,
  documentsIn: (name: string) => `In the collection ${name}.`,
  noBackup: 'docent has made no backup',
  oldBackup: (ago: string) => `The last backup is ${ago} old`,
  backupNote: 'Back up in the view System, or with docent backup FILE.',
  mail: (name: string, n: number) => (n > 1 ? `The weekly digest was not sent to ${name} and ${n - 1} more` : `The weekly digest was not sent to ${name}`),
  webhooks: 'the webhooks',
  proposed: (n: number) => `${plural(n, 'gap', 'gaps')} may be solved`,
  proposedNote: 'The documents have changed, and docent found an answer. Compare it with the old one.',
  open: (questions: number) => `${plural(questions, 'question', 'questions')} without an answer`,
  openNote: (gaps: string, fresh: string) => `${gaps}, ${fresh}.`,
  gaps: (n: number) => plural(n, 'topic', 'topics'),
  fresh: (n: number) => `${n} new this week`,
  due: (n: number) => `${plural(n, 'approved answer', 'approved answers')} to check`,
  dueNote: 'The day of the check is over, or a document or passage below has changed.',

  days: (n: number) => plural(n, 'day', 'days'),
  hours: (n: number) => plural(n, 'hour', 'hours'),

  openModels: 'Open the models',
  openSystem: 'Open the system',
  openSettings: 'Open the settings',
  openSources: 'Open the sources',
  showDocuments: 'Show them',
  retryDocuments: 'Try again',
  compare: 'Compare',
  openGaps: 'Open the gaps',
  openAnswers: 'Check them',
};

export type Today = typeof today;
