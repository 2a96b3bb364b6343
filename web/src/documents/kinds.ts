const kinds: [RegExp, string][] = [
  [/markdown/, 'Markdown'],
  [/html/, 'HTML'],
  [/pdf/, 'PDF'],
  [/wordprocessing|msword/, 'Word'],
  [/presentation|powerpoint/, 'Slides'],
  [/spreadsheet|excel/, 'Sheet'],
  [/csv|tab-separated/, 'CSV'],
  [/jsonl|ndjson/, 'JSONL'],
  [/json/, 'JSON'],
  [/^text\/plain/, 'Text'],
];

/** monospaced reports whether a type's columns mean something. */
export const monospaced = (mediaType: string): boolean => /json|csv|text\/x-|javascript|css|xml|yaml|toml|sql/.test(mediaType) && !/html|openxml|opendocument/.test(mediaType);

/** kind is a media type as people call it. */
export function kind(mediaType: string): string {
  const known = kinds.find(([pattern]) => pattern.test(mediaType));
  if (known) return known[1];
  const sub = mediaType.split(';')[0]!.split('/')[1]?.replace(/^x-/, '') ?? '';
  return sub ? sub.charAt(0).toUpperCase() + sub.slice(1) : '–';
}
