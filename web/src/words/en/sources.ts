// Sources that stay in sync.
import { digits } from '../digits';
import { plural } from '../plural';

const n = (count: number) => digits(count, 'en');

export const sources = {
  title: 'Sources',
  lead: 'docent checks these sources on a schedule and keeps their documents up to date.',
  loading: 'Loading…',
  none: 'There are no sources yet.',
  noneHint: 'Add a website, a feed, a Git repository, a bucket, a WebDAV folder, a wiki, issues, or a mailbox. docent adds its documents and follows its changes.',
  refused: 'Only administrators can manage sources.',
  tryAgain: 'Try again',
  list: 'Sources',

  kinds: { folder: 'Folder', web: 'Website', feed: 'Feed', git: 'Git repository', s3: 'S3 bucket', webdav: 'WebDAV folder', mediawiki: 'MediaWiki', forge: 'Issues and pull requests', imap: 'Mailbox', singer: 'Singer tap' } as Record<string, string>,

  // One source.
  status: { idle: 'Up to date', new: 'Not synced yet', syncing: 'Syncing', failed: 'Failed', paused: 'Paused' },
  collection: 'Collection',
  location: 'Location',
  schedule: 'Schedule',
  lastSync: 'Last sync',
  nextSync: 'Next sync',
  never: 'Never',
  scheduleOf: (name: string) => `Schedule of “${name}”`,
  manual: 'Manual',
  minutes: (m: number) => (m === 1 ? 'Every minute' : `Every ${n(m)} minutes`),
  hours: (h: number) => (h === 1 ? 'Every hour' : `Every ${n(h)} hours`),
  days: (d: number) => (d === 1 ? 'Every day' : d === 7 ? 'Every week' : `Every ${n(d)} days`),
  justNow: 'just now',
  soon: 'in less than a minute',
  items: (c: number) => plural(c, 'item', 'items'),
  progress: (done: number, total: number) => `${n(done)} of ${n(total)}`,
  progressSoFar: (done: number) => `${n(done)} so far`,
  progressOf: (name: string) => `Progress of “${name}”`,
  result: {
    added: (c: number) => `${n(c)} added`,
    changed: (c: number) => `${n(c)} changed`,
    removed: (c: number) => `${n(c)} removed`,
    unchanged: (c: number) => `${n(c)} unchanged`,
    failed: (c: number) => `${n(c)} failed`,
  },
  empty: 'no items found',
  finished: (name: string) => `“${name}” has finished syncing.`,

  // What can be done.
  sync: 'Sync now',
  syncOf: (name: string) => `Sync now: ${name}`,
  pause: 'Pause',
  pauseOf: (name: string) => `Pause: ${name}`,
  resume: 'Resume',
  resumeOf: (name: string) => `Resume: ${name}`,
  remove: 'Remove',
  removeOf: (name: string) => `Remove: ${name}`,
  notSynced: (name: string) => `“${name}” was not synced.`,
  notChanged: (name: string) => `“${name}” was not changed.`,
  notRemoved: (name: string) => `“${name}” was not removed.`,

  // Failures.
  failures: (c: number) => plural(c, 'failure', 'failures'),
  failuresOf: (name: string) => `Failures of “${name}”`,
  retry: 'Retry',
  retryOf: (name: string) => `Retry the failures of “${name}”`,
  tries: (c: number) => `tried ${c === 1 ? 'once' : `${n(c)} times`}`,
  more: 'Show more',
  noFailures: 'No more failures.',

  // Removing.
  removeTitle: (name: string) => `Remove “${name}”?`,
  removeText: 'docent stops following this source. The original files stay where they are.',
  removeDocuments: 'Also delete its documents from docent',
  keepDocuments: 'Keep its documents without updating them',
  whatOfDocuments: 'Documents of this source',
  cancel: 'Cancel',

  // Adding.
  add: 'Add source',
  addTitle: 'Add a source',
  kind: 'Type',
  choose: 'Choose a type',
  name: 'Name',
  nameHint: 'Optional. Without one, docent uses the location.',
  collectionHint: 'The documents go into this collection.',
  moreOptions: 'More options',
  secretHint: 'docent encrypts this value and never shows it again.',
  noKinds: 'docent could not load the list of source types. Reload the page.',
  required: 'required',
  submit: 'Add and sync',
  adding: 'Adding…',
  added: (name: string) => `Added “${name}”.`,
  localOnly: 'The page cannot add sources of this type, because they read files or run a program on the server. Run this command there:',
  where: {
    web: ['Address', 'The address of a page, a sitemap, or the first page of a site. “More options” sets how far docent follows links. docent obeys robots.txt.'],
    feed: ['Address of the feed', 'The address of an RSS or Atom feed. Each entry becomes a document.'],
    git: ['Address of the repository', 'An address that git clone accepts over HTTPS. After the first sync, docent reads only changed files.'],
    s3: ['Address of the bucket', 'The address of the server with the bucket and, optionally, a prefix. Any S3-compatible server works.'],
    webdav: ['Address of the folder', 'The WebDAV address of a folder, for example in Nextcloud. docent reads everything below it.'],
    forge: ['Address of the repository', 'The address of a repository on GitHub, GitLab, Gitea, or Forgejo. docent reads its issues and pull requests with their comments.'],
    mediawiki: ['Address of the wiki', 'The address of any page of the wiki. Each page becomes a document, with its categories as tags.'],
    imap: ['Mail server', 'The address of the IMAP server. Each message becomes a document, with its attachments.'],
  } as Record<string, readonly [label: string, help: string]>,
  whereElse: ['Location', 'Where the documents are.'] as readonly [label: string, help: string],
};
