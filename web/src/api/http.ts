// All HTTP calls of the page. A failed call throws ApiError, whose message is a sentence
// for users.
import { base } from './base';
import type {
  BriefOutline,
  NewShare,
  PromptRow,
  AgentPicture,
  SessionTrace,
  ShareRow,
  SharedConversation,
  ChunkPage,
  CollectionChanges,
  CollectionRow,
  ConversationPage,
  DocumentDescription,
  DocumentOutline,
  DocumentVersion,
  DocumentPage,
  DocumentRow,
  ErrorShape,
  GroupRow,
  Info,
  Me,
  PageRow,
  Facets,
  Places,
  RightRow,
  SearchResults,
  SessionRow,
  SignInProvider,
  Stored,
  Suggestions,
  UploadResult,
} from './shapes';
import type { Named } from '../words/sentences';
import { words } from '../words/words.svelte';

/** ApiError is a failed call. status is 0 without a response. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly code: string,
    readonly retryable: boolean,
    /** The seconds until a retry can succeed; 0 if unknown. */
    readonly after = 0,
  ) {
    super(message);
  }
}

const unreachable = () =>
  new ApiError(words.shell.unreachable, 0, 'unavailable', true);

/** sentence returns a sentence for a thrown value. */
export function sentence(err: unknown): string {
  if (err instanceof ApiError) return err.message;
  if (err instanceof Error && err.name === 'AbortError') return words.shell.cancelled;
  return words.shell.broken;
}

/** fault reads the body of an error. Proxies can send any content. */
export function fault(status: number, body: string, after = 0): ApiError {
  try {
    const e = JSON.parse(body) as Partial<ErrorShape>;
    if (typeof e.message === 'string' && e.message) {
      return new ApiError(capitalised(words.server({ ...e, message: e.message })), status, e.code ?? 'internal', e.retryable ?? false, after);
    }
  } catch {
    // Not an error of docent: use the status.
  }
  if (status === 404) return new ApiError(words.shell.gone, status, 'not_found', false);
  if (status === 413) return new ApiError(words.shell.tooLarge, status, 'invalid', false);
  return new ApiError(words.shell.status(status), status, 'internal', status >= 500, after);
}

/** capitalised makes a sentence of an error of the server. */
export function capitalised(s: string): string {
  const t = s.charAt(0).toUpperCase() + s.slice(1);
  return /[.!?…]$/.test(t) ? t : t + '.';
}

let logins = 0;
let login = (): Promise<void> => Promise.reject(new Error('there is no form'));

/** onUnauthorized sets the function that lets the user sign in. The refused call is then repeated. */
export function onUnauthorized(f: () => Promise<void>): void {
  login = f;
}

/** known waits for a sign-in, unless there was one since. */
async function known(since: number): Promise<void> {
  if (since === logins) await login();
}

/** call sends a request. It throws ApiError if the request fails. */
export async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const before = logins;
  let res: Response;
  try {
    res = await fetch(base + path, { credentials: 'same-origin', ...init });
  } catch (err) {
    if (err instanceof Error && err.name === 'AbortError') throw err;
    throw unreachable();
  }
  if (res.status === 401 && path !== '/api/login' && path !== '/api/password-link') {
    await known(before);
    return call(path, init);
  }
  if (!res.ok) throw fault(res.status, await res.text().catch(() => ''), Number(res.headers.get('Retry-After')) || 0);
  return res;
}

/** json sends a request and reads the JSON of the response. */
export async function json<T>(path: string, init?: RequestInit): Promise<T> {
  const res = await call(path, init);
  try {
    return (await res.json()) as T;
  } catch {
    throw fault(res.status, '');
  }
}

/** query encodes the parameters that have a value. */
export function query(params: Record<string, string | number | undefined | null>): string {
  const q = new URLSearchParams();
  for (const [key, value] of Object.entries(params)) {
    if (value !== undefined && value !== null && value !== '') q.set(key, String(value));
  }
  const s = q.toString();
  return s ? '?' + s : '';
}

export const getInfo = () => json<Info>('/api/info');

/** getReady returns the failed checks of the server and their reasons. */
export async function getReady(): Promise<Record<string, string>> {
  try {
    const res = await fetch(base + '/api/ready');
    const { checks, sentences } = (await res.json()) as { checks?: Record<string, string>; sentences?: Record<string, Named> };
    const wrong = Object.entries(checks ?? {}).filter(([, said]) => said !== 'ok').map(([what, said]) => [what, words.server({ message: said, ...sentences?.[what] })] as const);
    return res.ok ? {} : wrong.length > 0 ? Object.fromEntries(wrong) : { docent: words.shell.status(res.status) };
  } catch {
    return { docent: words.shell.unreachable };
  }
}

/** Sort is the order of documents; newest is by the time of adding. */
export type Sort = 'newest' | 'title' | 'size' | 'updated' | 'date' | 'cited';

/** Origin is the way by which documents came. */
export type Origin = 'upload' | 'web' | 'file' | 'answer';

export interface DocumentQuery {
  collection?: string;
  match?: string;
  folder?: string;
  tag?: string;
  type?: string;
  language?: string;
  origin?: Origin | '';
  status?: string;
  since?: string;
  cited?: 'never' | 'some' | '';
  sha256?: string;
  sort?: Sort;
  order?: 'asc' | 'desc';
  /** The cursors of a list: after without sort, and cursor with sort. */
  after?: number | undefined;
  cursor?: string | undefined;
  limit?: number;
}

export const listDocuments = (q: DocumentQuery = {}, signal?: AbortSignal) =>
  json<DocumentPage>('/api/documents' + query({ ...q }), signal ? { signal } : {});

/** listPlaces returns the folders and tags whose names contain a text. */
export const listPlaces = (match: string, limit: number, signal?: AbortSignal, collection = '') => json<Places>('/api/places' + query({ match, limit, collection }), signal ? { signal } : {});

/** listFacets counts the documents of a collection, or of all, by type and language. */
export const listFacets = (collection: string, signal?: AbortSignal) => json<Facets>('/api/facets' + query({ collection }), signal ? { signal } : {});

/** tagDocuments adds and removes tags of documents. */
export const tagDocuments = (ids: readonly number[], add: readonly string[], remove: readonly string[]) => call('/api/documents/tag', write('POST', { ids, add, remove }));

/** renameDocument changes the title of a document. '' restores the title in the file. */
export const renameDocument = (id: number, title: string) => call(`/api/documents/${id}`, write('PATCH', { title }));

/** replaceDocument replaces the content of a document by a file. */
export function replaceDocument(id: number, file: File): Promise<UploadResult> {
  const body = new FormData();
  body.append('file', file);
  return json<UploadResult>(documentFile(id), { method: 'PUT', body });
}

/** The maximum number of documents in one request to move. */
const mostMoved = 1000;

/** moveDocuments moves documents to another collection. Each request moves all of its documents or none. */
export async function moveDocuments(ids: readonly number[], collection: string): Promise<void> {
  for (let at = 0; at < ids.length; at += mostMoved) await call('/api/documents/move', write('POST', { ids: ids.slice(at, at + mostMoved), collection }));
}

export const getDocument = (id: number) => json<DocumentRow>(`/api/documents/${id}`);

/** The maximum size of one request to delete, in bytes. Browsers limit requests that outlive a page to 64 KiB. */
const mostBytes = 60 << 10;
/** The maximum number of documents in one request to delete. */
const mostNamed = 10_000;

/** deletions divides documents into as few requests as possible. */
export function deletions(ids: readonly number[]): number[][] {
  const out: number[][] = [];
  let left = 0;
  for (const id of ids) {
    const size = String(id).length + 1;
    if (left < size || out.at(-1)!.length === mostNamed) {
      out.push([]);
      left = mostBytes - '{"ids":[]}'.length;
    }
    out.at(-1)!.push(id);
    left -= size;
  }
  return out;
}

/** deleteDocuments deletes documents. It ignores deleted ones. The request outlives the page. */
export const deleteDocuments = (ids: readonly number[]) =>
  json<{ removed: number }>('/api/documents/delete', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ ids }), keepalive: true });

/** listChunks returns the passages of a document, 200 at a time. */
export const listChunks = (id: number, after?: number, signal?: AbortSignal) =>
  json<ChunkPage>(`/api/documents/${id}/chunks` + query({ after }), signal ? { signal } : {});

/** getPage returns the place of a passage on a page. The passage is a range of bytes in the text of the document. */
export const getPage = (id: number, page: number, span?: { start: number; end: number }, signal?: AbortSignal) =>
  json<PageRow>(`/api/documents/${id}/pages/${page}` + query({ ...span }), signal ? { signal } : {});

/** pageImage returns the address of the image of a page with a width in pixels. */
export const pageImage = (id: number, page: number, width: number) => `${base}/api/documents/${id}/pages/${page}/image` + query({ width });

/** drawPage draws a page of a PDF that is not a document of the server. */
export async function drawPage(pdf: Blob, page: number, width: number, signal?: AbortSignal): Promise<{ image: Blob; pages: number }> {
  const res = await call('/api/pages' + query({ page, width }), { method: 'POST', headers: { 'Content-Type': 'application/pdf' }, body: pdf, ...(signal && { signal }) });
  return { image: await res.blob(), pages: Number(res.headers.get('Docent-Pages')) || 1 };
}

/** search finds passages. */
export function search(q: string, { k, collections = [], documents = [], explain }: { k?: number; collections?: string[]; documents?: number[]; explain?: boolean } = {}, signal?: AbortSignal): Promise<SearchResults> {
  const more = collections.map((c) => '&collection=' + encodeURIComponent(c)).concat(documents.map((d) => `&document=${d}`)).join('');
  return json<SearchResults>('/api/search' + query({ q, k, explain: explain ? 'true' : undefined }) + more, signal ? { signal } : {});
}

/** getSuggestions returns questions that the documents answer. */
export const getSuggestions = (limit: number, language: string) => json<Suggestions>('/api/suggestions' + query({ limit, language })).then((r) => r.questions);

/** getOutline returns the headings, the summary, and the neighbors of a document. */
export const getOutline = (id: number, signal: AbortSignal) => json<DocumentOutline>(`/api/documents/${id}/outline`, { signal });

/** getDescription returns what a model wrote about a document. The model writes it on the first request, which can take a minute. */
export const getDescription = (id: number, signal: AbortSignal) => json<DocumentDescription>(`/api/documents/${id}/description`, { signal });

/** originals is the address of the ZIP file with the original files of a collection, or of a folder in it. */
export const originals = (collection: string, folder: string) => `${base}/api/documents/export` + query({ collection, folder });

/** getVersions returns the changes of a document, latest first. */
export const getVersions = (id: number, signal: AbortSignal) =>
  json<{ versions: DocumentVersion[] }>(`/api/documents/${id}/versions`, { signal }).then((r) => r.versions);

/** getQuestions returns questions that a document answers. docent tries them first, which can take seconds. */
export const getQuestions = (id: number, language: string, signal: AbortSignal) =>
  json<Suggestions>(`/api/documents/${id}/questions` + query({ language }), { signal }).then((r) => r.questions);

export const documentFile = (id: number) => `${base}/api/documents/${id}/file`;

/** getText loads the extracted text of a document as bytes, because offsets count bytes. */
export async function getText(id: number, signal?: AbortSignal): Promise<Uint8Array> {
  const res = await call(`/api/documents/${id}/text`, signal ? { signal } : {});
  return new Uint8Array(await res.arrayBuffer());
}

export const listSessions = ({ match, limit, archived }: { match?: string; limit?: number; archived?: 'open' | 'archived' | 'all' } = {}) =>
  json<SessionRow[] | null>('/api/sessions' + query({ spoken: 'true', match, limit, archived })).then((r) => r ?? []);

/** The maximum number of requests for messages, with 1000 messages each. */
const maxPages = 10;

/** getMessages loads a conversation with all versions of its questions, from its end to its beginning. */
export const getMessages = (session: string) => load(session, '/api/sessions', 'true');

async function load(session: string, of: string, replaced?: 'true'): Promise<Stored> {
  const all: Stored = { messages: [], steps: [], feedback: [] };
  let before: number | undefined;
  for (let i = 0; i < maxPages; i++) {
    const page = await json<{ [K in keyof Stored]?: Stored[K] | null }>(`${of}/${encodeURIComponent(session)}/messages` + query({ before, replaced }));
    all.messages.push(...(page.messages ?? []));
    all.steps.push(...(page.steps ?? []));
    all.feedback.push(...(page.feedback ?? []));
    if (page.solved) all.solved ??= page.solved;
    if (page.hidden) all.hidden ??= page.hidden;
    all.agent_name ??= page.agent_name ?? undefined;
    all.owner_name ??= page.owner_name ?? undefined;
    all.seq ??= page.seq ?? Math.max(0, ...[...all.messages, ...all.steps].map((m) => m.seq));
    before = page.before ?? undefined;
    if (!before) break;
  }
  return all;
}

const others = '/api/admin/conversations';

/** listOthers lists conversations of other users. The server logs the request. */
export const listOthers = (q: { match?: string; cursor?: string | undefined } = {}) => json<ConversationPage>(others + query({ ...q }));

/** readOthers loads a conversation of another user. The server logs the request. */
export const readOthers = (session: string) => load(session, others);

/** exportOthersAddress returns the address of a conversation of another user as a file. */
export const exportOthersAddress = (session: string, format: 'json' | 'markdown') => `${base}${others}/${encodeURIComponent(session)}/export` + query({ format });

/** ShareWish is a link to create. Without a turn, the whole conversation is shared. */
export interface ShareWish {
  session_id: string;
  turn?: number;
  only?: boolean;
  files?: boolean;
  public?: boolean;
  expires_at?: string;
}

/** getPicture returns the graph of an agent. */
export const getPicture = (agent: string) => json<AgentPicture>('/api/agent/picture' + query({ agent_name: agent }));

/** getTrace returns the way of a conversation through the states of its agent. */
export const getTrace = (session: string) => json<SessionTrace>(`/api/sessions/${encodeURIComponent(session)}/trace`);

export const listShares = () => json<ShareRow[]>('/api/shares');

/** BriefScope is where a brief searches, and its model. */
interface BriefScope {
  collections?: string[];
  documents?: { id: number }[];
  folders?: string[];
  tags?: string[];
  model?: string;
}

/** outlineBrief returns headings for a brief about a task. */
export const outlineBrief = (task: string, { collections, documents, folders, tags, model }: BriefScope, signal: AbortSignal) =>
  json<BriefOutline>('/api/briefs/outline', {
    ...write('POST', { task, collections, documents: documents?.map((d) => d.id), folders, tags, model }), signal,
  }).then((r) => r.headings);

export const createShare = (wish: ShareWish) => json<NewShare>('/api/shares', write('POST', wish));

export const revokeShare = (id: string) => call(`/api/shares/${encodeURIComponent(id)}`, { method: 'DELETE' });

/** getShared loads the content of a shared link. */
export const getShared = (id: string) => json<SharedConversation>(`/api/shared/${encodeURIComponent(id)}`);

/** sharedAddress returns the address that readers of a link open. */
export const sharedAddress = (id: string) => `${location.origin}${base}/#/shared/${encodeURIComponent(id)}`;

export const getMe = () => json<Me>('/api/me');

export async function logIn(username: string, password: string): Promise<Me> {
  const me = await json<Me>('/api/login', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ username, password }) });
  logins++;
  return me;
}

/** getProvider returns the name of the provider for sign-in, and the error with an id. */
export const getProvider = (error: string) => json<SignInProvider>('/api/sign-in' + query({ error }));

/** toProvider leaves the page to sign in with the provider. link is that of an invited user. */
export const toProvider = (q: { to?: string; link?: string }) => location.assign(`${base}/api/sign-in/start${query(q)}`);

/** openLink returns the user of a link to set a password. */
export const openLink = (link: string) => json<{ name: string }>('/api/password-link', write('POST', { link }));

/** useLink sets the password with a link, and signs in. */
export const useLink = (link: string, password: string) => json<Me>('/api/password-link', write('PUT', { link, password }));

export const listPrompts = () => json<PromptRow[]>('/api/prompts');

export const logOut = () => call('/api/logout', { method: 'POST' });

/** SessionChange is a change of how lists show a conversation. */
export interface SessionChange {
  session_name?: string;
  pinned?: boolean;
  archived?: boolean;
  folder?: string;
}

/** branchSession begins a conversation with the messages of another one up to a turn. */
export const branchSession = (session: string, turn: number) =>
  json<{ session_id: string }>(`/api/sessions/${encodeURIComponent(session)}/branch`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ turn }),
  }).then((r) => r.session_id);

/** changeSession changes how lists show a conversation. The request outlives the page, which the user may close at once. */
export const changeSession = (session: string, change: SessionChange) =>
  call(`/api/sessions/${encodeURIComponent(session)}`, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(change),
    keepalive: true,
  });

export const listCollections = () => json<CollectionRow[]>('/api/collections');

export const write = (method: string, body?: unknown): RequestInit =>
  body === undefined ? { method } : { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };

const collectionAt = (name: string) => `/api/collections/${encodeURIComponent(name)}`;

export const createCollection = (name: string, about: CollectionChanges) => call('/api/collections', write('POST', { name, ...about }));

export const changeCollection = (name: string, about: CollectionChanges) => call(collectionAt(name), write('PATCH', about));

/** deleteCollection removes a collection with its documents. The request outlives the page. */
export const deleteCollection = (name: string) => call(collectionAt(name), { ...write('DELETE'), keepalive: true });

/** emptyCollection removes all documents of a collection. The request outlives the page. */
export const emptyCollection = (name: string) => call(collectionAt(name) + '/empty', { ...write('POST'), keepalive: true });

const rightsOf = (collection: string) => `/api/collections/${encodeURIComponent(collection)}/rights`;

/** setRight sets the right of a subject; none removes it. */
export const setRight = (collection: string, subject: string, right: RightRow['right']) =>
  call(rightsOf(collection), write('PUT', { subject, right }));

/** openCollection removes all rights on a collection. */
export const openCollection = (collection: string) => call(rightsOf(collection), write('DELETE'));

export const listGroups = () => json<GroupRow[]>('/api/groups');

export const createGroup = (name: string) => call('/api/groups', write('POST', { name }));

export const deleteGroup = (name: string) => call(`/api/groups/${encodeURIComponent(name)}`, write('DELETE'));

export const setMember = (group: string, member: string, is: boolean) =>
  call(`/api/groups/${encodeURIComponent(group)}/members`, write('PUT', { member, is }));

/** exportAddress returns the address of a conversation, or of one turn, as a file. */
export const exportAddress = (session: string, format: 'json' | 'markdown' | 'docx' | 'pdf' | 'recording', turn?: number) => `${base}/api/sessions/${encodeURIComponent(session)}/export` + query({ format, turn });

// The request outlives the page, which deletes unused sessions when it is closed.
export const deleteSession = (session: string) =>
  call(`/api/sessions/${encodeURIComponent(session)}`, { method: 'DELETE', keepalive: true });

/** seeSolved marks a question that has an answer now as seen. */
export const seeSolved = (session: string, turn: number) => call(`/api/sessions/${encodeURIComponent(session)}/solved/${turn}`, { method: 'DELETE' });

/** removeFile removes the file of a turn from its conversation. */
export const removeFile = (session: string, turn: number) => call(`/api/sessions/${encodeURIComponent(session)}/files/${turn}`, { method: 'DELETE' });

/** publishFile adds the file of a turn to the library. */
export const publishFile = (session: string, turn: number, collection: string) =>
  json<{ results: UploadResult[] | null }>(`/api/sessions/${encodeURIComponent(session)}/files/${turn}/publish`, write('POST', { collection })).then((r) => r.results ?? []);

/** upload sends one file and reports the sent part from 0 to 1. It uses XMLHttpRequest, because fetch cannot report progress. */
export function upload(
  file: File,
  onProgress: (share: number) => void,
  { signal, collection, path }: { signal?: AbortSignal | undefined; collection?: string | undefined; path?: string | undefined } = {},
): Promise<UploadResult[]> {
  const before = logins;
  return new Promise<UploadResult[]>((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    const form = new FormData();
    if (collection) form.append('collection', collection); // the server needs it before the files
    form.append('file', file, path || file.webkitRelativePath || file.name);
    xhr.open('POST', base + '/api/documents');
    xhr.upload.onprogress = (e) => {
      if (e.lengthComputable && e.total > 0) onProgress(e.loaded / e.total);
    };
    xhr.onload = () => {
      if (xhr.status === 401) return known(before).then(() => upload(file, onProgress, { signal, collection, path })).then(resolve, reject);
      if (xhr.status < 200 || xhr.status > 299) return reject(fault(xhr.status, xhr.responseText));
      try {
        resolve((JSON.parse(xhr.responseText) as { results: UploadResult[] | null }).results ?? []);
      } catch {
        reject(fault(xhr.status, ''));
      }
    };
    xhr.onerror = () => reject(unreachable());
    xhr.onabort = () => reject(new DOMException('cancelled', 'AbortError'));
    signal?.addEventListener('abort', () => xhr.abort(), { once: true });
    xhr.send(form);
  });
}
