// The selection and the order of the listed documents, and their form in the address.
import type { DocumentQuery, Origin, Sort } from '../api/http';

export interface Filter {
  /** A text in the title or the source. */
  readonly match: string;
  /** The listed collection; '' for all. */
  readonly collection: string;
  readonly folder: string;
  readonly tag: string;
  /** A media type. */
  readonly type: string;
  readonly language: string;
  readonly origin: Origin | '';
  readonly status: Status | '';
  /** The number of days since the change; 0 for any time. */
  readonly days: number;
  /** Only documents that no answer cites. */
  readonly uncited: boolean;
  readonly sort: Sort;
  readonly descending: boolean;
}

export const statuses = ['ready', 'failed', 'skipped'] as const;
export type Status = (typeof statuses)[number];
export const origins = ['upload', 'web', 'file', 'answer'] as const;
export const spans = [1, 7, 30, 365] as const;
const sorts = ['newest', 'title', 'size', 'updated', 'date', 'cited'] as const;

/** all selects all documents, the newest first. */
export const all: Filter = {
  match: '', collection: '', folder: '', tag: '', type: '', language: '', origin: '', status: '', days: 0, uncited: false, sort: 'newest', descending: true,
};

/** ascends reports whether an order begins with the lowest value. */
export const ascends = (sort: Sort): boolean => sort === 'title';

const texts = ['match', 'collection', 'folder', 'tag', 'type', 'language'] as const;
const oneOf = <T extends string>(list: readonly T[], v: string | null): T | undefined => list.find((x) => x === v);

/** parseFilter reads the query of an address. It ignores what it does not know. */
export function parseFilter(query: string): Filter {
  const q = new URLSearchParams(query);
  const sort = oneOf(sorts, q.get('sort')) ?? 'newest';
  return {
    ...all,
    ...Object.fromEntries(texts.map((key) => [key, (q.get(key) ?? '').slice(0, 500)])),
    origin: oneOf(origins, q.get('origin')) ?? '',
    status: oneOf(statuses, q.get('status')) ?? '',
    days: spans.find((d) => String(d) === q.get('days')) ?? 0,
    uncited: q.get('cited') === 'never',
    sort,
    descending: q.has('order') ? q.get('order') !== 'asc' : !ascends(sort),
  };
}

/** filterQuery is the query of the address for a filter; '' for all documents. */
export function filterQuery(f: Filter): string {
  const q = new URLSearchParams();
  for (const key of [...texts, 'origin', 'status'] as const) if (f[key]) q.set(key, f[key]);
  if (f.days) q.set('days', String(f.days));
  if (f.uncited) q.set('cited', 'never');
  if (f.sort !== 'newest') q.set('sort', f.sort);
  if (f.descending === ascends(f.sort)) q.set('order', f.descending ? 'desc' : 'asc');
  return q.toString();
}

/** properties are the parts of a filter beyond the text and the collection. */
export const properties = ['status', 'type', 'language', 'origin', 'days', 'uncited', 'folder', 'tag'] as const;

/** request is the filter in a request for a list. */
export function request(f: Filter, now = Date.now()): DocumentQuery {
  return {
    match: f.match, collection: f.collection, folder: f.folder, tag: f.tag, type: f.type, language: f.language, origin: f.origin, status: f.status,
    since: f.days ? new Date(now - f.days * 86_400_000).toISOString() : '', cited: f.uncited ? 'never' : '',
    sort: f.sort, order: f.descending ? 'desc' : 'asc',
  };
}
