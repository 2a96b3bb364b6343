// Where a passage comes from: the file inside an archive or a mail, and the
// page, slide, or sheet of its document.
import { formats } from '../api/formats';

/** Unit is the kind of place that a document's page numbers count. */
export type Unit = 'page' | 'slide' | 'sheet' | 'image';

/** unitOf returns what the page numbers of a document count. It looks at the media type or, without one, at the name. */
export function unitOf(source: string, mediaType = ''): Unit {
  const type = mediaType.split(';')[0]!.trim();
  const name = source.replace(/^(https?:[^?#]*)[?#].*$/, '$1').toLowerCase();
  const ofType = (media: string) => (media.endsWith('…') ? type !== 'image/svg+xml' && type.startsWith(media.slice(0, -1)) : type === media);
  const found = formats.find((f) => (type ? ofType(f.media) : f.endings.some((e) => name.endsWith(e))));
  return found?.unit || 'page';
}

/** drawable reports whether the server may have pictures of a document's pages. */
export const drawable = (mediaType: string): boolean => /pdf/.test(mediaType) || unitOf('', mediaType) !== 'page';

/** Inner is a document that came inside another file. */
export interface Inner {
  /** The file that holds it, as it is called in the source. */
  container: string;
  /** Its path in there. */
  part: string;
}

/** The ending of a file name. */
const ending = /\.[a-z][a-z0-9]{1,7}$/i;
/** Web addresses have fragments, which are no parts unless the file holds others. */
const holder = /\.(?:zip|tar|t?gz|tbz2?|bz2|t?xz|zst|eml|msg|mbox|jsonl|ndjson)$/i;

/** innerOf splits the source of a document inside another file; null for a document of its own. */
export function innerOf(source: string): Inner | null {
  const wanted = /^https?:/.test(source) ? holder : ending;
  for (let at = source.indexOf('#'); at > 0; at = source.indexOf('#', at + 1)) {
    const container = source.slice(0, at);
    const part = source.slice(at + 1);
    if (part && wanted.test(container)) return { container, part: part.replace(/(\.[a-z][a-z0-9]{1,7})#/gi, '$1 › ') };
  }
  return null;
}
