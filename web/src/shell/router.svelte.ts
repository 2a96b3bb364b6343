// The view of the page, from its address: #/, #/c/SESSION, #/c/SESSION/TURN, #/documents?FILTER, #/documents/ID?FILTER,
// #/documents/search/TEXT, #/read/ID/START-END?chat=SESSION, #/sources, #/others, #/others/SESSION, #/settings, and
// #/links, #/console/PAGE/REST, #/join/LINK, and #/start/CODE. main.ts shows #/shared/ID without the rest of the page.

/** Reading is the route of one document in full width. */
export interface Reading {
  view: 'read';
  document: number;
  /** The marked part of its text, in bytes. */
  span?: { start: number; end: number; page: number | null };
  /** The conversation beside the document; '' for a new one. Without it, there is none. */
  chat?: string;
}

export type Route =
  /** With turn, the view shows this turn of the conversation. */
  | { view: 'chat'; session: string | undefined; turn?: number }
  /** query is the filter of the list; '' for all documents. */
  | { view: 'documents'; document: number | undefined; query: string; search?: string }
  | Reading
  | { view: 'sources' }
  | { view: 'others'; session: string | undefined }
  | { view: 'settings' }
  | { view: 'links' }
  | { view: 'join'; link: string }
  | { view: 'start'; code: string }
  | { view: 'console'; page: string; rest: string };

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?');
  const [, first, second, third = '', ...further] = path.split('/');
  if (first === 'documents') {
    const id = Number(second);
    const search = second === 'search' && decoded(third);
    return { view: 'documents', document: second && Number.isSafeInteger(id) && id > 0 ? id : undefined, query, ...(search && { search }) };
  }
  if (first === 'read' && Number.isSafeInteger(Number(second)) && Number(second) > 0) return reading(Number(second), third, query);
  if (first === 'sources') return { view: 'sources' };
  if (first === 'others') return { view: 'others', session: (second && decoded(second)) || undefined };
  if (first === 'settings') return { view: 'settings' };
  if (first === 'links') return { view: 'links' };
  if (first === 'join') return { view: 'join', link: second ?? '' };
  if (first === 'start') return { view: 'start', code: second ?? '' };
  if (first === 'console') return { view: 'console', page: second ?? '', rest: [third, ...further].join('/') };
  const session = (first === 'c' && second && decoded(second)) || undefined;
  const turn = session ? Number(third) : 0;
  return { view: 'chat', session, ...(Number.isSafeInteger(turn) && turn > 0 && { turn }) };
}

function reading(document: number, marked: string, query: string): Reading {
  const [, start, end, page] = /^(\d+)-(\d+)(?:@(\d+))?$/.exec(marked) ?? [];
  const chat = new URLSearchParams(query).get('chat');
  return { view: 'read', document, ...(end && { span: { start: Number(start), end: Number(end), page: page ? Number(page) : null } }), ...(chat !== null && { chat }) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

export const chatAddress = (session?: string, turn?: number) => (session ? `#/c/${encodeURIComponent(session)}${turn ? `/${turn}` : ''}` : '#/');
/** othersAddress is the address of a conversation of another user. */
export const othersAddress = (session: string) => `#/others/${encodeURIComponent(session)}`;
/** consoleAddress is the address of a view of the console. */
export const consoleAddress = (page = '', rest = '') => ['#/console', page, rest].filter(Boolean).join('/');
/** readAddress is the address of a document in full width. */
export const readAddress = (id: number, chat?: string, span?: { start: number; end: number; page?: number | null }) =>
  [`#/read/${id}`, span ? `/${span.start}-${span.end}${typeof span.page === 'number' ? `@${span.page}` : ''}` : '', chat === undefined ? '' : `?${new URLSearchParams({ chat }).toString()}`].join('');
/** documentAddress is the address of the documents view. query is the filter of its list. */
export const documentAddress = (id?: number, query = '') => (id ? `#/documents/${id}` : '#/documents') + (query && `?${query}`);

class Router {
  route = $state<Route>(parseRoute(location.hash));

  constructor() {
    addEventListener('hashchange', () => (this.route = parseRoute(location.hash)));
  }

  go(hash: string): void {
    if (location.hash === hash || (hash === '#/' && location.hash === '')) this.route = parseRoute(hash);
    else location.hash = hash;
  }

  /** replace changes the address without a new history entry. */
  replace(hash: string): void {
    history.replaceState(history.state, '', hash);
    this.route = parseRoute(hash);
  }
}

export const router = new Router();
