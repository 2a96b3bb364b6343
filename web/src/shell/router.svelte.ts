// Where the page is, as its address says: #/, #/c/SESSION, #/documents,
// #/documents/ID, #/settings.

export type Route =
  | { view: 'chat'; session: string | undefined }
  | { view: 'documents'; document: number | undefined }
  | { view: 'settings' };

export function parseRoute(hash: string): Route {
  const [, first, second] = hash.replace(/^#/, '').split('/');
  if (first === 'documents') {
    const id = Number(second);
    return { view: 'documents', document: second && Number.isSafeInteger(id) && id > 0 ? id : undefined };
  }
  if (first === 'settings') return { view: 'settings' };
  if (first === 'c' && second) {
    try {
      return { view: 'chat', session: decodeURIComponent(second) };
    } catch {
      return { view: 'chat', session: undefined };
    }
  }
  return { view: 'chat', session: undefined };
}

export const chatAddress = (session?: string) => (session ? `#/c/${encodeURIComponent(session)}` : '#/');
export const documentAddress = (id?: number) => (id ? `#/documents/${id}` : '#/documents');

class Router {
  route = $state<Route>(parseRoute(location.hash));

  constructor() {
    addEventListener('hashchange', () => (this.route = parseRoute(location.hash)));
  }

  go(hash: string): void {
    if (location.hash === hash || (hash === '#/' && location.hash === '')) this.route = parseRoute(hash);
    else location.hash = hash;
  }

  /** replace changes the address without a step back to the old one. */
  replace(hash: string): void {
    history.replaceState(history.state, '', hash);
    this.route = parseRoute(hash);
  }
}

export const router = new Router();
