// What agents say that is not text, and how an answer was found.
import { digits } from '../digits';
const count = (n: number, what: string) => `${digits(n, 'en')} ${what}${n === 1 ? '' : 's'}`;

export const payloads = {
  // Kinds and sizes.
  bytes: (n: number) => count(n, 'byte'),
  agent: 'another agent',
  agentAt: (host: string) => `another agent (${host})`,
  recording: 'A recording',
  aFile: 'A file',
  unnamed: 'file',
  loading: 'Loading…',
  unloaded: 'The part of the page that shows this could not be loaded.',
  retry: 'Try again',
  unknown: (kind: string) => `A reply of the kind “${kind}” cannot be shown here yet.`,
  unreadable: (kind: string) => `This reply of the kind “${kind}” is not written as it should be.`,
  content: 'Its content',
  tooLarge: (size: string) => `It is too large to be shown here (${size}).`,
  downloadIt: 'Download',

  // Choices.
  choices: 'Choices',
  chosen: '(chosen)',

  // Files and pictures.
  preview: 'Preview',
  hidePreview: 'Hide preview',
  previewOf: (name: string) => `Preview of ${name}`,
  cutText: (size: string) => `Only the first ${size} are shown.`,
  page: (n: number, of: number) => `Page ${n} of ${of}`,
  pageImage: (n: number, name: string) => `Page ${n} of ${name}`,
  previousPage: 'Previous page',
  nextPage: 'Next page',
  drawing: 'Drawing the page…',
  image: 'Sent by the agent',
  enlarge: 'Enlarge the picture',
  picture: 'Picture',
  closePicture: 'Close',
  broken: 'This image cannot be shown.',
  savePicture: 'Download the picture',

  // HTML.
  html: 'HTML from the agent',
  cutHtml: 'It is too long; only its beginning is shown.',
  showAll: 'Show all',
  showLess: 'Show less',

  // Places.
  compass: { north: 'N', south: 'S', east: 'E', west: 'W' },
  openMap: 'Open in OpenStreetMap',
  copyPlace: 'Copy the coordinates',
  copied: 'Copied',
  notCopied: 'The browser does not allow it: please select and copy them.',

  // Tables.
  table: 'Table',
  rows: (n: number) => count(n, 'row'),
  rowsOf: (n: number, of: number) => `${digits(n, 'en')} of ${count(of, 'row')}`,
  cutRows: (n: number) => `Only the first ${count(n, 'row')} are here.`,
  filter: 'Filter the rows',
  noRows: 'No row contains that.',
  emptyTable: 'The table is empty.',
  csv: 'Download CSV',
  sortBy: (name: string) => `Sort by ${name}`,
  index: 'Row',
  yes: 'yes',
  no: 'no',

  // Plots.
  charts: { scatter: 'Chart', line: 'Line chart', bar: 'Bar chart', pie: 'Pie chart', heatmap: 'Heat map', histogram: 'Histogram', box: 'Box plot', mixed: 'Chart' },
  series: (n: number) => (n === 1 ? '1 series' : `${digits(n, 'en')} series`),
  points: (n: number) => count(n, 'value'),
  noPlot: (types: string) => `A chart of the type ${types} cannot be drawn here; its data is below.`,
  somePlot: (types: string) => `Parts of the type ${types} are not drawn.`,
  cutPlot: (n: number) => `Only the first ${count(n, 'value')} are drawn.`,
  plotFailed: 'The chart could not be drawn; its data is below.',
  asTable: 'Show as a table',
  asChart: 'Show as a chart',
  savePlot: 'Download PNG',
  seriesName: 'Series',

  // Sound.
  sound: 'Recording from the agent',
  saveSound: 'Download the recording',
  noSound: 'This recording cannot be played here.',

  // Models of user interfaces, and JSON.
  gui: 'A user interface',
  guiNamed: (name: string) => `A user interface: ${name}`,
  guiUpdate: 'A change of a user interface',
  json: 'Data',
  entries: (n: number) => (n === 1 ? '1 entry' : `${digits(n, 'en')} entries`),
  items: (n: number) => count(n, 'item'),
  none: 'none',
  more: (n: number) => `Show ${digits(n, 'en')} more`,
  allText: (n: number) => `Show all ${count(n, 'character')}`,
  saveJson: 'Download JSON',

  // Reasoning.
  searching: 'Searching the documents…',
  answering: 'Answering…',
  thinking: 'Thinking…',
  weighing: 'Thinking about what was found…',
  planning: 'Planning…',
  calling: (tools: string) => `Calling ${tools}…`,
  // What a tool does, and did: of something, if that is known.
  tools: {
    search_knowledge: (of: string, done: boolean) => `${done ? 'Searched' : 'Searching'} ${of ? `for “${of}”` : 'the documents'}`,
    read_document: (of: string, done: boolean) => `${done ? 'Read' : 'Reading'} ${of ? `document ${of}` : 'a document'}`,
    list_documents: (of: string, done: boolean) => `${done ? 'Listed' : 'Listing'} the documents${of ? ` with “${of}”` : ''}`,
    list_directory: (of: string, done: boolean) => `${done ? 'Listed' : 'Listing'} the files${of ? ` in ${of}` : ''}`,
    read_file: (of: string, done: boolean) => `${done ? 'Read' : 'Reading'} ${of || 'a file'}`,
    write_file: (of: string, done: boolean) => `${done ? 'Wrote' : 'Writing'} ${of || 'a file'}`,
    create_file: (of: string, done: boolean) => `${done ? 'Created' : 'Creating'} ${of || 'a file'}`,
    delete_file: (of: string, done: boolean) => `${done ? 'Deleted' : 'Deleting'} ${of || 'a file'}`,
  },
  triedTo: (what: string) => `${what}: this did not work`,
  report: 'What was reported',
  found: 'How this was found',
  done: 'What was done',
  steps: (n: number) => count(n, 'step'),
  seconds: (n: string) => `${n} s`,
  minutes: (m: string, s: string) => `${m} min ${s} s`,
  tasks: (n: number) => count(n, 'task'),
  ofTasks: (done: number, of: number) => `${done} of ${count(of, 'task')}`,
  taskList: 'Tasks',
  stepList: 'Steps',
  states: { pending: 'to do', in_progress: 'under way', completed: 'done', skipped: 'skipped', failed: 'failed' },
  inState: (n: number, state: string) => `${n} ${state}`,
  failed: 'failed',
  running: 'running…',
  arguments: 'Arguments',
  result: 'Result',
  pushback: (n: number) => `Not finished: ${count(n, 'task')} still open.`,
  maxSteps: (n: number) => `Ended here: no more than ${count(n, 'step')} allowed.`,
};
