// Where a passage comes from: the file inside an archive or a mail, and the
// page, slide, or sheet of its document.

/** Unit is the kind of place that a document's page numbers count. */
export type Unit = 'page' | 'slide' | 'sheet' | 'image';

const units: [Unit, RegExp, RegExp][] = [
  ['slide', /presentation|powerpoint/, /\.(?:pp[st][xm]?|potx|odp|otp)$/i],
  ['sheet', /spreadsheet|excel/, /\.(?:xls[xmb]?|xltx|ods|ots)$/i],
  ['image', /^image\/(?!svg)/, /\.(?:png|jpe?g|tiff?|webp|bmp|gif)$/i],
];

/** unitOf is what the page numbers of a document count, by its media type or, without one, by its name. */
export function unitOf(source: string, mediaType = ''): Unit {
  const name = source.replace(/^(https?:[^?#]*)[?#].*$/, '$1');
  const found = units.find(([, type, ending]) => (mediaType ? type.test(mediaType) : ending.test(name)));
  return found ? found[0] : 'page';
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
