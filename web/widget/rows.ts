// Rows of the conversation as elements. A row is made once and again when it
// changes; an answer in the making only grows.
import type { RagDoc, RagSentence } from '../src/api/shapes';
import { counted, numbered } from '../src/evidence/numbers';
import { blocks, draw, plainHtml } from '../src/markdown/render';
import { mark, settled, statements } from '../src/markdown/signs';
import { typeset } from '../src/markdown/typeset';
import { make, sign } from './dom';
import { fields, reasons, type Rating, type Row } from './view';
import type { Words } from '../src/words/widget';

export interface Doing {
  words: Words;
  choose(label: string): void;
  again(turn: number): void;
  rate(turn: number, given: Rating): void;
  /** The address of a person who helps, or ''. */
  contact: string;
}

/** Rows and columns of a table that are shown. */
const mostRows = 20;
const mostColumns = 8;

const kept = new WeakMap<HTMLElement, { key: string; raws: string[]; docs: RagDoc[] }>();

/** docsOf are the passages of the answer that an element is in. */
export function docsOf(el: Element): RagDoc[] {
  const answer = el.closest<HTMLElement>('.answer');
  return (answer && kept.get(answer)?.docs) ?? [];
}

// What a row's element was made of; what a reply says never changes.
const stamp = (row: Row) => JSON.stringify(row.kind === 'reply' ? [row.key, row.newest] : row);

/** drawn is the element of a row; old is the one it had, which is given back if nothing of it changed. */
export function drawn(row: Row, old: HTMLElement | undefined, doing: Doing): HTMLElement {
  const key = stamp(row);
  if (old && kept.get(old)?.key === key) return old;
  // An element with the focus must stay.
  const grows = row.kind === 'rating' || (row.kind === 'pending' && old?.classList.contains('pending'));
  const el = (grows && old) || element(row, doing);
  kept.set(el, { raws: [], docs: [], ...kept.get(el), key });
  if (row.kind === 'pending') stream(el, row.text, doing.words);
  if (row.kind === 'rating') rated(el, row, doing);
  return el;
}

function element(row: Row, doing: Doing): HTMLElement {
  const { words } = doing;
  switch (row.kind) {
    case 'question':
      return make('div', { class: 'question' }, make('p', { class: 'unseen' }, words.you), make('p', { class: 'bubble', dir: 'auto' }, row.text), row.sending && make('p', { class: 'note' }, words.sending));
    case 'pending':
      return make('article', { class: 'answer pending', 'aria-label': words.answer, 'aria-busy': 'true' },
        make('div', { class: 'prose', dir: 'auto' }), make('p', { class: 'working' }, make('i'), make('i'), make('i'), make('span', {}, words.working)));
    case 'ended': {
      const { turn } = row;
      const again = turn !== undefined && make('button', { type: 'button', class: 'button', click: () => doing.again(turn) }, words.again);
      return make('div', { class: 'ended' }, make('p', { dir: 'auto' }, row.how === 'unanswered' ? words.unanswered : row.text || words.failed), again, contact(doing));
    }
    case 'rating':
      return make('div', { class: 'rating', role: 'group', 'aria-label': words.rate });
    case 'reply':
      return reply(row, doing);
  }
}

/** contact is the link to a person, if the site names one. */
const contact = ({ contact, words }: Doing) => contact !== '' && make('a', { class: 'button', href: contact, target: '_blank', rel: 'noopener' }, words.contact);

// rated shows the present rating. The elements stay when it changes.
function rated(el: HTMLElement, row: Row & { kind: 'rating' }, doing: Doing): void {
  const { words } = doing;
  const { turn, given } = row;
  if (el.children.length === 0) {
    const thumb = (rating: number) => make('button', { type: 'button', class: rating > 0 ? 'icon' : 'icon down', 'aria-label': rating > 0 ? words.good : words.bad, title: rating > 0 ? words.good : words.bad }, sign('like'));
    el.append(thumb(100), thumb(-100), make('div', { class: 'options', role: 'group', 'aria-label': words.why },
      ...reasons.map((reason) => make('button', { type: 'button', class: 'button', 'data-reason': reason }, words.reasons[reason]))), make('span', { class: 'note', role: 'status' }));
  }
  const [good, bad, why, thanks] = [...el.children] as [HTMLButtonElement, HTMLButtonElement, HTMLElement, HTMLElement];
  for (const [button, rating] of [[good, 100], [bad, -100]] as const) {
    button.setAttribute('aria-pressed', String(given?.rating === rating));
    button.onclick = () => doing.rate(turn, { rating, reason: rating < 0 ? (given?.reason ?? '') : '' });
  }
  why.hidden = !given || given.rating > 0;
  for (const button of why.children as HTMLCollectionOf<HTMLButtonElement>) {
    const reason = button.dataset.reason!;
    button.setAttribute('aria-pressed', String(given?.reason === reason));
    button.onclick = () => doing.rate(turn, { rating: -100, reason: given?.reason === reason ? '' : reason });
  }
  thanks.textContent = given ? words.thanks : '';
}

function stream(el: HTMLElement, text: string, words: Words): void {
  const prose = el.querySelector<HTMLElement>('.prose')!;
  const memory = kept.get(el)!;
  memory.raws = fill(prose, settled(counted(text)), null, words, memory.raws);
  el.classList.toggle('said', text !== '');
}

// fill draws Markdown block by block, and only those that changed.
function fill(prose: HTMLElement, text: string, labels: string[] | null, words: Words, raws: string[] = []): string[] {
  const parts = blocks(text);
  parts.forEach((part, i) => {
    if (raws[i] === part.raw && prose.children[i]) return;
    const block = make('div', {}, draw(part, { labels }));
    name(block, labels ?? [], words);
    if (prose.children[i]) prose.children[i].replaceWith(block);
    else prose.append(block);
  });
  while (prose.children.length > parts.length) prose.lastChild!.remove();
  void typeset(prose).catch(() => undefined); // on failure, the source stays visible
  return parts.map((p) => p.raw);
}

// The page's own words are in the page's language; the widget has its own.
function name(block: HTMLElement, labels: string[], words: Words): void {
  for (const b of block.querySelectorAll<HTMLElement>('button.cite')) {
    const n = Number(b.dataset.cite);
    b.setAttribute('aria-label', words.source(n, labels[n - 1] ?? ''));
  }
  for (const b of block.querySelectorAll<HTMLElement>('.doubt')) b.setAttribute('aria-label', words[b.dataset.support === 'weak' ? 'weak' : 'none']);
  for (const b of block.querySelectorAll('.scroller')) b.setAttribute('aria-label', words.table);
}

/** titleOf is what a passage's document is called. */
export const titleOf = ({ metadata: m }: RagDoc): string => m.title || m.source?.split(/[/\\]/).at(-1) || '';

/** placeOf is where in it the passage stands. */
export const placeOf = ({ metadata: m }: RagDoc, words: Words): string =>
  [m.heading, m.page_label || m.page != null ? words.page(m.page_label || String(m.page! + 1)) : ''].filter(Boolean).join(' · ');

function reply(row: Row & { kind: 'reply' }, doing: Doing): HTMLElement {
  const { words } = doing;
  const el = make('article', { class: 'answer', 'aria-label': words.answer });
  const text = typeof row.content === 'string' ? row.content : JSON.stringify(row.content);
  if (row.type === 'rag_answer' && rag(el, row.content, doing)) return el;
  const made = Object.hasOwn(readers, row.type) ? readers[row.type]!(row.content, doing, row.newest) : null;
  if (made) el.append(made);
  else if (row.type === 'str' || row.type === 'json') el.append(make('p', { class: text === 'Stopped.' ? 'note' : 'text', dir: 'auto' }, text === 'Stopped.' ? words.stopped : text));
  else el.append(make('p', { class: 'note' }, words.other));
  return el;
}

function rag(el: HTMLElement, content: unknown, doing: Doing): boolean {
  const { words } = doing;
  const m = fields(content);
  if (typeof m.answer !== 'string') return false;
  const found = (Array.isArray(m.docs) ? m.docs : []).filter((d): d is RagDoc => typeof d?.content === 'string' && typeof d.metadata === 'object' && d.metadata !== null);
  const absent = m.abstained === true && m.outcome !== 'replied';
  const marks = Array.isArray(m.sentences) && m.abstained !== true ? (m.sentences as RagSentence[]) : [];
  const { answer, docs, sentences } = numbered({ answer: m.answer, docs: found, sentences: marks, abstained: absent });
  const labels = docs.map((d) => [titleOf(d), d.metadata.heading].filter(Boolean).join(', ').replace(/\n/g, ' '));
  kept.set(el, { key: '', raws: [], docs });
  const prose = make('div', { class: 'prose', dir: 'auto' });
  fill(prose, mark(answer, sentences), labels, words);
  el.classList.toggle('absent', absent);
  if (absent) el.append(make('p', { class: 'verdict' }, sign('search'), words.absent));
  el.append(prose);
  const person = absent && contact(doing);
  if (person) el.append(person);
  if (m.stopped === true) el.append(make('p', { class: 'note' }, words.stopped));
  if (statements(answer, sentences).length > 0) el.append(make('p', { class: 'note' }, words.doubtful));
  const cited = new Set([...prose.querySelectorAll<HTMLElement>('button.cite')].map((b) => Number(b.dataset.cite)));
  if (cited.size > 0) {
    const list = [...cited].sort((a, b) => a - b).map((n) => make('li', { value: String(n), dir: 'auto' }, titleOf(docs[n - 1]!), make('span', {}, placeOf(docs[n - 1]!, words))));
    el.append(make('details', { class: 'sources' }, make('summary', {}, words.sources(cited.size)), make('ol', {}, ...list)));
  }
  return true;
}

type Reader = (content: unknown, doing: Doing, newest: boolean) => Node | null;

const readers: Record<string, Reader> = {
  markdown(content, { words }) {
    const text = String(content);
    const said = text.replace(/\s*\*Stopped\.\*\s*$/, '');
    const prose = make('div', { class: 'prose', dir: 'auto' });
    fill(prose, mark(said, []), [], words);
    const out = document.createDocumentFragment();
    out.append(prose);
    if (said !== text) out.append(make('p', { class: 'note' }, words.stopped));
    return out;
  },
  html: (content) => (typeof content === 'string' ? make('div', { class: 'prose', dir: 'auto' }, plainHtml(content)) : null),
  options(content, { words, choose }, newest) {
    const labels = [...new Set(Object.values(fields(content)).filter((l): l is string => typeof l === 'string' && l.trim() !== ''))];
    const button = (label: string) => make('button', { type: 'button', class: 'button', dir: 'auto', disabled: !newest, click: () => choose(label) }, label);
    return labels.length > 0 ? make('div', { class: 'options', role: 'group', 'aria-label': words.choices }, ...labels.map(button)) : null;
  },
  file(content, { words }) {
    const { name, base64 } = fields(content);
    return download(typeof name === 'string' && name ? name : 'file', base64, words);
  },
  image(content, { words }) {
    const link = download('image', content, words);
    if (!link) return null;
    const image = make('img', { alt: words.image, src: `data:${imageType(String(content))};base64,${String(content).replace(/\s/g, '')}` });
    // The site's own policy may not take it; it can still be had.
    image.addEventListener('error', () => image.replaceWith(link));
    return image;
  },
  location(content) {
    const { latitude, longitude } = fields(content);
    return typeof latitude === 'number' && typeof longitude === 'number' ? make('p', { class: 'text' }, `${latitude}, ${longitude}`) : null;
  },
  dataframe(content, { words }) {
    const frame = fields(content);
    const columns = Object.keys(frame).slice(0, mostColumns);
    const keys = Object.keys(fields(frame[columns[0] ?? '']));
    if (columns.length === 0) return null;
    const cell = (v: unknown) => (v == null ? '' : typeof v === 'string' ? v : JSON.stringify(v));
    const body = keys.slice(0, mostRows).map((key) => make('tr', {}, ...columns.map((c) => make('td', { dir: 'auto' }, cell(fields(frame[c])[key])))));
    const table = make('table', {}, make('thead', {}, make('tr', {}, ...columns.map((c) => make('th', { scope: 'col', dir: 'auto' }, c)))), make('tbody', {}, ...body));
    return make('div', { class: 'prose' }, make('div', { class: 'scroller', tabindex: '0', role: 'group', 'aria-label': words.table }, table),
      keys.length > mostRows && make('p', { class: 'note' }, words.rows(mostRows, keys.length)));
  },
};

function download(name: string, base64: unknown, words: Words): HTMLElement | null {
  const text = typeof base64 === 'string' ? base64.replace(/\s/g, '') : '';
  if (!text || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  const size = Math.floor((text.replace(/=+$/, '').length * 3) / 4);
  const plain = name.replace(/[/\\]/g, '_');
  const label = words.file(plain, size < 1e6 ? `${Math.max(1, Math.round(size / 1e3))} KB` : `${(size / 1e6).toFixed(1)} MB`);
  return make('button', {
    type: 'button', class: 'button',
    click() {
      const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
      const url = URL.createObjectURL(new Blob([bytes])); // of no type: nothing opens it by itself
      make('a', { href: url, download: plain }).click();
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
    },
  }, label);
}

const imageType = (base64: string) =>
  base64.startsWith('iVBORw0KGgo') ? 'image/png' : base64.startsWith('R0lGOD') ? 'image/gif' : base64.startsWith('UklGR') ? 'image/webp' : 'image/jpeg';
