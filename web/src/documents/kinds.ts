import { words } from '../words/words.svelte';

/** Named are the kinds that are called otherwise in each language. */
type Named = keyof typeof words.documents.kindNames;

const kinds: [RegExp, string][] = [
  [/markdown/, 'Markdown'],
  [/html/, 'HTML'],
  [/pdf/, 'PDF'],
  [/wordprocessing|msword/, 'Word'],
  [/csv|tab-separated/, 'CSV'],
  [/jsonl|ndjson/, 'JSONL'],
  [/json/, 'JSON'],
  [/svg/, 'SVG'],
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
export const monospaced = (mediaType: string): boolean => /json|csv|text\/x-|javascript|css|xml|yaml|toml|sql/.test(mediaType) && !/html|openxml|opendocument/.test(mediaType);

/** kind is a document's type as people call it: by what is in it or, where that says nothing to them, by its name. */
export function kind({ media_type: type, source }: { media_type: string; source: string }): string {
  const known = kinds.find(([pattern]) => pattern.test(type));
  if (known) return known[1];
  const say = words.documents.kindNames;
  const word = named.find(([pattern]) => pattern.test(type));
  if (word) return say[word[1]];
  const sub = type.split(';')[0]!.split('/')[1]?.replace(/^x-/, '') ?? '';
  if (type.startsWith('text/') && /^[a-z]{1,12}$/.test(sub)) return sub.charAt(0).toUpperCase() + sub.slice(1);
  // What nobody knows is not what its name says.
  const ending = type === 'application/octet-stream' ? null : /\.([a-z][a-z0-9]{0,4})(?:#[^/]*)?$/i.exec(source);
  return ending ? ending[1]!.toUpperCase() : type ? say.unknown : '–';
}
