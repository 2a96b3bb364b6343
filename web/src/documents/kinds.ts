// What the formats of documents are called.
import { words } from '../words/words.svelte';

/** Named are the kinds that each language has a word for. */
type Named = keyof typeof words.documents.kindNames;

// The first pattern that fits counts.
const kinds: [RegExp, string][] = [
  [/markdown/, 'Markdown'],
  [/xhtml|text\/html/, 'HTML'],
  [/pdf/, 'PDF'],
  [/wordprocessingml/, 'Word'],
  [/presentationml/, 'PPTX'],
  [/spreadsheetml/, 'XLSX'],
  [/opendocument\.text/, 'ODT'],
  [/opendocument\.spreadsheet/, 'ODS'],
  [/opendocument\.presentation/, 'ODP'],
  [/opendocument\.graphics/, 'ODG'],
  [/msword/, 'DOC'],
  [/ms-excel/, 'XLS'],
  [/ms-powerpoint/, 'PPT'],
  [/ms-outlook/, 'MSG'],
  [/\/(?:x-)?rtf/, 'RTF'],
  [/rfc822/, 'EML'],
  [/mbox/, 'MBOX'],
  [/mimearchive|multipart\/related|mhtml/, 'MHT'],
  [/epub/, 'EPUB'],
  [/ipynb|jupyter|notebook/, 'IPYNB'],
  [/(?:x-|\/)(?:la)?tex\b/, 'LaTeX'],
  [/x-rst|\.rst|restructuredtext/, 'reStructuredText'],
  [/asciidoc/, 'AsciiDoc'],
  [/text\/(?:x-)?org\b/, 'Org'],
  [/docbook/, 'DocBook'],
  [/dita/, 'DITA'],
  [/jats/, 'JATS'],
  [/subrip|srt\b/, 'SRT'],
  [/\/vtt/, 'VTT'],
  [/yaml/, 'YAML'],
  [/toml/, 'TOML'],
  [/\/(?:x-)?sql\b/, 'SQL'],
  [/csv/, 'CSV'],
  [/tab-separated/, 'TSV'],
  [/jsonl|ndjson/, 'JSONL'],
  [/json/, 'JSON'],
  [/svg/, 'SVG'],
  [/\/xml|\+xml/, 'XML'],
  [/^text\/(?:x-)?c\+\+/, 'C++'],
  [/^text\/(?:x-)?csharp/, 'C#'],
  [/^text\/(?:x-)?php/, 'PHP'],
  [/^text\/css/, 'CSS'],
  [/javascript/, 'JavaScript'],
  [/typescript/, 'TypeScript'],
  [/^video\//, 'Video'],
];
const named: [RegExp, Named][] = [
  [/presentation|powerpoint/, 'slides'],
  [/spreadsheet|excel/, 'sheet'],
  [/^text\/plain/, 'text'],
  [/^image\//, 'image'],
  [/^audio\//, 'sound'],
  [/^font\//, 'font'],
  [/executable|x-elf|x-object|sharedlib|x-coredump|x-msdownload|mach-binary|java-applet|java-archive|wasm|x-msi|android\.package/, 'program'],
  [/zip|x-tar|x-7z|x-rar|x-xz|zstd|compress|archive|debian/, 'archive'],
];

/** monospaced reports whether a type's columns mean something. */
export const monospaced = (mediaType: string): boolean =>
  /json|csv|text\/x-|javascript|css|xml|yaml|toml|sql/.test(mediaType) && !/html|openxml|opendocument|docbook|dita|jats|x-tex|x-rst|x-org|asciidoc|ipynb/.test(mediaType);

/** Character sets whose names are not just written in capitals. */
const charsets: Record<string, string> = {
  shift_jis: 'Shift JIS',
  'shift-jis': 'Shift JIS',
  sjis: 'Shift JIS',
  big5: 'Big5',
  macintosh: 'Mac OS Roman',
  'x-mac-cyrillic': 'Mac OS Cyrillic',
  johab: 'Johab',
};

/** charsetOf is the name of the character set that a media type states; '' for Unicode text in UTF-8, which needs no mention. */
export function charsetOf(mediaType: string): string {
  const found = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(mediaType)?.[1]?.toLowerCase() ?? '';
  if (/^(?:utf-?8|us-ascii|ascii|)$/.test(found)) return '';
  return charsets[found] ?? (/^windows-/.test(found) ? found.replace('windows', 'Windows') : found.toUpperCase());
}

/** kind is a document's format as people call it, with its character set. */
export function kind(row: { media_type: string; source: string }): string {
  const charset = charsetOf(row.media_type);
  return charset ? `${format(row)}, ${charset}` : format(row);
}

/** format names a document's format by its media type or, where that says nothing to people, by its name. */
function format({ media_type: full, source }: { media_type: string; source: string }): string {
  const type = full.split(';')[0]!.trim();
  const known = kinds.find(([pattern]) => pattern.test(type));
  if (known) return known[1];
  const say = words.documents.kindNames;
  const word = named.find(([pattern]) => pattern.test(type));
  if (word) return say[word[1]];
  const sub = type.split('/')[1]?.replace(/^x-/, '') ?? '';
  if (type.startsWith('text/') && /^[a-z]{1,12}$/.test(sub)) return sub.charAt(0).toUpperCase() + sub.slice(1);
  // The ending of an unknown type's name says nothing.
  const ending = type === 'application/octet-stream' ? null : /\.([a-z][a-z0-9]{0,4})(?:#[^/]*)?$/i.exec(source);
  return ending ? ending[1]!.toUpperCase() : type ? say.unknown : '–';
}
