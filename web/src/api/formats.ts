// Code generated from the formats in ingest/extract by "go generate ./ingest/extract"; DO NOT EDIT.

/** Format is a document format that docent reads. */
export interface Format {
  /** Its short name. */
  name: string;
  /** Its media type; one that ends with … stands for all that begin so. */
  media: string;
  endings: string[];
  /** What the page numbers of a document count; '' for pages. */
  unit: '' | 'slide' | 'sheet' | 'image';
  /** Whether it holds documents of any format. */
  archive?: true;
}

export const formats: Format[] = [
  { name: 'OpenAPI', media: 'application/vnd.oai.openapi', endings: ['.openapi'], unit: '' },
  { name: 'Notes', media: 'application/x-notes', endings: ['.canvas'], unit: '' },
  { name: 'Log', media: 'application/x-log', endings: ['.log'], unit: '' },
  { name: 'Source code', media: 'text/x-…', endings: ['.go', '.py', '.js', '.ts', '.java', '.c', '.cpp', '.rs', '.sh', '.sql', '.yaml', '.yml', '.toml'], unit: '' },
  { name: 'Markdown', media: 'text/markdown', endings: ['.md', '.markdown', '.mdown', '.mkd', '.mdx', '.qmd'], unit: '' },
  { name: 'CSV', media: 'text/csv', endings: ['.csv', '.tsv'], unit: '' },
  { name: 'JSON', media: 'application/json', endings: ['.json'], unit: '' },
  { name: 'JSONL', media: 'application/json', endings: ['.jsonl', '.ndjson'], unit: '' },
  { name: 'Plain text', media: 'text/plain', endings: ['.txt'], unit: '' },
  { name: 'Link', media: 'application/x-mswinurl', endings: ['.url', '.webloc'], unit: '' },
  { name: 'HTML', media: 'text/html', endings: ['.html', '.htm', '.xhtml'], unit: '' },
  { name: 'SVG', media: 'image/svg+xml', endings: ['.svg'], unit: '' },
  { name: 'RTF', media: 'application/rtf', endings: ['.rtf'], unit: '' },
  { name: 'PDF', media: 'application/pdf', endings: ['.pdf'], unit: '' },
  { name: 'ODT', media: 'application/vnd.oasis.opendocument.text', endings: ['.odt', '.ott'], unit: '' },
  { name: 'ODS', media: 'application/vnd.oasis.opendocument.spreadsheet', endings: ['.ods', '.ots'], unit: 'sheet' },
  { name: 'ODP', media: 'application/vnd.oasis.opendocument.presentation', endings: ['.odp', '.otp'], unit: 'slide' },
  { name: 'ODG', media: 'application/vnd.oasis.opendocument.graphics', endings: ['.odg'], unit: '' },
  { name: 'iWork', media: 'application/vnd.apple.iwork', endings: ['.pages', '.numbers', '.key'], unit: '' },
  { name: 'Word', media: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', endings: ['.docx', '.docm', '.dotx'], unit: '' },
  { name: 'PPTX', media: 'application/vnd.openxmlformats-officedocument.presentationml.presentation', endings: ['.pptx', '.ppsx', '.pptm'], unit: 'slide' },
  { name: 'XLSX', media: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', endings: ['.xlsx', '.xlsm', '.xltx'], unit: 'sheet' },
  { name: 'VSDX', media: 'application/vnd.ms-visio.drawing', endings: ['.vsdx', '.vsdm'], unit: '' },
  { name: 'DOC', media: 'application/msword', endings: ['.doc'], unit: '' },
  { name: 'XLS', media: 'application/vnd.ms-excel', endings: ['.xls'], unit: 'sheet' },
  { name: 'PPT', media: 'application/vnd.ms-powerpoint', endings: ['.ppt'], unit: 'slide' },
  { name: 'draw.io', media: 'application/vnd.jgraph.mxfile', endings: ['.drawio', '.dio'], unit: '' },
  { name: 'EML', media: 'message/rfc822', endings: ['.eml'], unit: '' },
  { name: 'MSG', media: 'application/vnd.ms-outlook', endings: ['.msg', '.oft'], unit: '' },
  { name: 'MBOX', media: 'application/mbox', endings: ['.mbox'], unit: '' },
  { name: 'MHT', media: 'multipart/related', endings: ['.mht', '.mhtml'], unit: '' },
  { name: 'ICS', media: 'text/calendar', endings: ['.ics', '.ical', '.ifb'], unit: '' },
  { name: 'VCF', media: 'text/vcard', endings: ['.vcf', '.vcard'], unit: '' },
  { name: 'Chat', media: 'application/x-chat', endings: ['.chat'], unit: '' },
  { name: 'EPUB', media: 'application/epub+zip', endings: ['.epub'], unit: '' },
  { name: 'MOBI', media: 'application/x-mobipocket-ebook', endings: ['.mobi', '.azw3', '.azw', '.prc'], unit: '' },
  { name: 'FB2', media: 'application/x-fictionbook+xml', endings: ['.fb2'], unit: '' },
  { name: 'DjVu', media: 'image/vnd.djvu', endings: ['.djvu', '.djv'], unit: '' },
  { name: 'IPYNB', media: 'application/x-ipynb+json', endings: ['.ipynb'], unit: '' },
  { name: 'LaTeX', media: 'text/x-tex', endings: ['.tex', '.latex', '.ltx'], unit: '' },
  { name: 'reStructuredText', media: 'text/x-rst', endings: ['.rst', '.rest'], unit: '' },
  { name: 'AsciiDoc', media: 'text/asciidoc', endings: ['.adoc', '.asciidoc', '.asc'], unit: '' },
  { name: 'Org', media: 'text/org', endings: ['.org'], unit: '' },
  { name: 'SRT', media: 'application/x-subrip', endings: ['.srt'], unit: '' },
  { name: 'VTT', media: 'text/vtt', endings: ['.vtt'], unit: '' },
  { name: 'Subtitles', media: 'text/x-captions', endings: ['.ass', '.ssa', '.sbv', '.ttml', '.dfxp', '.lrc'], unit: '' },
  { name: 'Translation', media: 'text/x-gettext-translation', endings: ['.po', '.pot', '.xliff', '.xlf'], unit: '' },
  { name: 'Outline', media: 'text/x-opml', endings: ['.opml'], unit: '' },
  { name: 'man', media: 'text/troff', endings: ['.man', '.1', '.2', '.3', '.4', '.5', '.6', '.7', '.8'], unit: '' },
  { name: 'DocBook', media: 'application/docbook+xml', endings: ['.dbk', '.docbook'], unit: '' },
  { name: 'DITA', media: 'application/dita+xml', endings: ['.dita', '.ditamap'], unit: '' },
  { name: 'JATS', media: 'application/jats+xml', endings: ['.nxml', '.jats'], unit: '' },
  { name: 'XML', media: 'text/xml', endings: ['.xml'], unit: '' },
  { name: 'PNG, JPEG, TIFF, GIF, BMP, WebP', media: 'image/…', endings: ['.png', '.jpg', '.jpeg', '.tif', '.tiff', '.gif', '.bmp', '.webp'], unit: 'image' },
  { name: 'ZIP', media: 'application/zip', endings: ['.zip', '.jar'], unit: '', archive: true },
  { name: 'TAR', media: 'application/x-tar', endings: ['.tar', '.gz', '.tgz', '.bz2', '.xz', '.zst'], unit: '', archive: true },
  { name: 'WARC', media: 'application/warc', endings: ['.warc'], unit: '', archive: true },
  { name: 'exports of wikis', media: 'application/enex+xml', endings: ['.enex'], unit: '', archive: true },
];

/** The endings of source code. */
export const sourceEndings = ['.asm', '.awk', '.bash', '.bat', '.c', '.cc', '.cfg', '.cjs', '.clj', '.cmake', '.conf', '.cpp', '.cs', '.css', '.cxx', '.dart', '.desktop', '.diff', '.editorconfig', '.el', '.erl', '.ex', '.exs', '.f90', '.fish', '.fs', '.go', '.gradle', '.graphql', '.groovy', '.h', '.hh', '.hpp', '.hs', '.ini', '.java', '.jl', '.js', '.jsx', '.kt', '.kts', '.less', '.lisp', '.lua', '.m', '.mjs', '.mk', '.ml', '.mli', '.mount', '.nix', '.patch', '.php', '.pl', '.pm', '.properties', '.proto', '.ps1', '.py', '.pyi', '.r', '.rb', '.rs', '.s', '.scala', '.scm', '.scss', '.service', '.sh', '.socket', '.sql', '.svelte', '.swift', '.target', '.tf', '.timer', '.toml', '.ts', '.tsx', '.vb', '.vim', '.vue', '.xml', '.xsd', '.xsl', '.yaml', '.yml', '.zig', '.zsh'];
