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
  unloaded: 'This part of the page could not be loaded. Try again.',
  retry: 'Try again',
  unknown: (kind: string) => `This page cannot show replies of the kind “${kind}”.`,
  unreadable: (kind: string) => `This “${kind}” reply is malformed and cannot be shown.`,
  content: 'Content',
  tooLarge: (size: string) => `This content is too large to show here (${size}).`,
  downloadIt: 'Download',

  // Choices.
  choices: 'Choices',
  chosen: '(chosen)',

  // Files and pictures.
  preview: 'Preview',
  hidePreview: 'Hide preview',
  previewOf: (name: string) => `Preview of ${name}`,
  cutText: (size: string) => `Showing only the first ${size}.`,
  page: (n: number, of: number) => `Page ${n} of ${of}`,
  pageImage: (n: number, name: string) => `Page ${n} of ${name}`,
  previousPage: 'Previous page',
  nextPage: 'Next page',
  drawing: 'Loading the page…',
  image: 'Sent by the agent',
  enlarge: 'Enlarge the picture',
  picture: 'Picture',
  closePicture: 'Close',
  broken: 'This image cannot be shown.',
  savePicture: 'Download the picture',

  // HTML.
  html: 'HTML from the agent',
  cutHtml: 'This HTML is too long. Only its beginning is shown.',
  showAll: 'Show all',
  showLess: 'Show less',

  // Places.
  compass: { north: 'N', south: 'S', east: 'E', west: 'W' },
  openMap: 'Open in OpenStreetMap',
  copyPlace: 'Copy the coordinates',
  copied: 'Copied',
  notCopied: 'Your browser did not allow copying. Select the coordinates and copy them.',

  // Tables.
  table: 'Table',
  rows: (n: number) => count(n, 'row'),
  rowsOf: (n: number, of: number) => `${digits(n, 'en')} of ${count(of, 'row')}`,
  cutRows: (n: number) => `Showing only the first ${count(n, 'row')}.`,
  filter: 'Filter the rows',
  noRows: 'No rows match the filter.',
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
  noPlot: (types: string) => `This page cannot draw a chart of the type ${types}. Its data is below.`,
  somePlot: (types: string) => `This page cannot draw the parts of the type ${types}.`,
  cutPlot: (n: number) => `The chart shows only the first ${count(n, 'value')}.`,
  plotFailed: 'The chart could not be drawn. Its data is below.',
  asTable: 'Show as a table',
  asChart: 'Show as a chart',
  savePlot: 'Download PNG',
  seriesName: 'Series',

  // Sound.
  sound: 'Recording from the agent',
  saveSound: 'Download the recording',
  noSound: 'Your browser cannot play this recording.',

  // Models of user interfaces, and JSON.
  gui: 'User interface',
  guiNamed: (name: string) => `User interface: ${name}`,
  guiUpdate: 'Change to a user interface',
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
  weighing: 'Thinking about the results…',
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
  triedTo: (what: string) => `${what}: failed`,
  report: 'Report',
  found: 'How docent found this',
  done: 'Steps taken',
  steps: (n: number) => count(n, 'step'),
  seconds: (n: string) => `${n} s`,
  minutes: (m: string, s: string) => `${m} min ${s} s`,
  tasks: (n: number) => count(n, 'task'),
  ofTasks: (done: number, of: number) => `${done} of ${count(of, 'task')}`,
  taskList: 'Tasks',
  stepList: 'Steps',
  states: { pending: 'to do', in_progress: 'in progress', completed: 'done', skipped: 'skipped', failed: 'failed' },
  inState: (n: number, state: string) => `${n} ${state}`,
  failed: 'failed',
  running: 'running…',
  arguments: 'Arguments',
  result: 'Result',
  pushback: (n: number) => `Not finished: ${count(n, 'task')} left.`,
  maxSteps: (n: number) => `Stopped at the limit of ${count(n, 'step')}.`,
};
