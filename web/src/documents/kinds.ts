// The names of the formats of documents.
import { formats } from '../api/formats';
import { words } from '../words/words.svelte';

/** Named are the kinds that each language has a word for. */
type Named = keyof typeof words.documents.kindNames;

/** Names of the media types that docent reads, except those with a word in each language. */
const names = new Map(formats.filter((f) => !f.archive && f.media !== 'text/plain').map((f) => [f.media, f.name]));
names.set('application/json', 'JSON'); // and not that of JSON lines

/** Names of other media types. The first pattern that fits counts. */
const others: [RegExp, string][] = [
  [/xhtml/, 'HTML'],
  [/latex/, 'LaTeX'],
  [/asciidoc/, 'AsciiDoc'],
  [/\/x-org\b/, 'Org'],
  [/x-rtf/, 'RTF'],
  [/yaml/, 'YAML'],
  [/toml/, 'TOML'],
  [/\/(?:x-)?sql\b/, 'SQL'],
  [/tab-separated/, 'TSV'],
  [/json/, 'JSON'],
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

/** monospaced reports whether the columns of a type matter. */
export const monospaced = (mediaType: string): boolean =>
  /json|csv|text\/x-|javascript|css|xml|yaml|toml|sql/.test(mediaType) && !/html|openxml|opendocument|docbook|dita|jats|x-tex|x-rst|x-org|asciidoc|ipynb/.test(mediaType);

/** Names of character sets that are not in capitals. */
const charsets: Record<string, string> = {
  shift_jis: 'Shift JIS',
  'shift-jis': 'Shift JIS',
  sjis: 'Shift JIS',
  big5: 'Big5',
  macintosh: 'Mac OS Roman',
  'x-mac-cyrillic': 'Mac OS Cyrillic',
  johab: 'Johab',
};

/** charsetOf returns the name of a media type's character set, or '' for UTF-8. */
export function charsetOf(mediaType: string): string {
  const found = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(mediaType)?.[1]?.toLowerCase() ?? '';
  if (/^(?:utf-?8|us-ascii|ascii|)$/.test(found)) return '';
  return charsets[found] ?? (/^windows-/.test(found) ? found.replace('windows', 'Windows') : found.toUpperCase());
}

/** kind returns the name of a document's format, with its character set. */
export function kind(row: { media_type: string; source: string }): string {
  const charset = charsetOf(row.media_type);
  return charset ? `${format(row)}, ${charset}` : format(row);
}

/** format returns the name of a document's format. It looks at the media type, and at the file name if the type is unknown. */
export function format({ media_type: full, source }: { media_type: string; source: string }): string {
  const type = full.split(';')[0]!.trim();
  const known = names.get(type) ?? others.find(([pattern]) => pattern.test(type))?.[1];
  if (known) return known;
  const say = words.documents.kindNames;
  const word = named.find(([pattern]) => pattern.test(type));
  if (word) return say[word[1]];
  const sub = type.split('/')[1]?.replace(/^x-/, '') ?? '';
  if (type.startsWith('text/') && /^[a-z]{1,12}$/.test(sub)) return sub.charAt(0).toUpperCase() + sub.slice(1);
  // Files of unknown content often have a wrong ending.
  const ending = type === 'application/octet-stream' ? null : /\.([a-z][a-z0-9]{0,4})(?:#[^/]*)?$/i.exec(source);
  return ending ? ending[1]!.toUpperCase() : type ? say.unknown : '–';
}
