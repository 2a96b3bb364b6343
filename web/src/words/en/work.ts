// The view Work of the console.
import { plural } from '../plural';

const documents = (n: number) => plural(n, 'document', 'documents');

export const work = {
  lead: 'Everything that reads documents: uploads, sources, docent ingest, and documents that are read again.',
  now: 'Now',
  idle: 'docent reads nothing now.',
  waiting: (n: number) => `${plural(n, 'document waits', 'documents wait')} to be read.`,
  moreWaiting: (n: number) => `${n.toLocaleString('en')} more wait.`,
  failures: 'Failed documents',
  noFailures: 'No document has failed.',
  ended: 'Lately',
  noEnded: 'The work of the last 30 days will appear here.',
  kinds: { upload: 'Upload', sync: 'Source', ingest: 'docent ingest', retry: 'Try again', read_again: 'Read again' },
  stages: { waiting: 'Waits', receiving: 'The file arrives', reading: 'Is read' },
  stopping: 'Stops…',
  states: { queued: 'Waits', running: 'Runs', done: 'Done', failed: 'Failed', canceled: 'Canceled' },
  progress: (done: string, total: string) => `${done} of ${total} documents`,
  failed: (n: number) => `${documents(n)} failed`,
  by: (name: string) => `by ${name}`,
  cancel: 'Cancel',
  cancelOf: (name: string) => `Cancel ${name}`,
  notCanceled: 'The work was not canceled.',
  group: documents,
  andLatest: 'Latest:',
  retry: 'Try again',
  retryOf: (reason: string) => `Try again: ${reason}`,
  retryAll: 'Try all again',
  show: 'Show them',
  advice: {
    damaged: 'Add an undamaged copy.',
    large: 'Split the file, or raise the limit in the settings.',
    empty: 'These files have no text. Delete them, or add them with text.',
    again: 'Try again. If it fails again, the log of the server has the details.',
    left: (n: number) => `docent has not kept ${n === 1 ? 'one of the files' : `${n.toLocaleString('en')} of the files`}. Add ${n === 1 ? 'it' : 'them'} again, or run docent ingest with --retry on the server.`,
  },
};

export type Work = typeof work;
