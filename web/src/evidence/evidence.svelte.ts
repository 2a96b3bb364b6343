// The state of the source panel: passages of an answer, a document, or the search details
// of an answer.
import { tick } from 'svelte';
import { encode, slice } from '../api/bytes';
import type { RagDoc, RagMessage } from '../api/shapes';
import { honest } from '../shell/names';
import { words } from '../words/words.svelte';
import { innerOf, unitOf } from './place';

export interface Cited {
  /** The number in the answer, from 1. */
  n: number;
  doc: RagDoc;
  /** The sentences of the answer that cite it. */
  sentences: string[];
}

/** Span is a range of bytes in the text of a document, and its page. */
export interface Span {
  start: number;
  end: number;
  /** The page from 0; null without pages. */
  page?: number | null;
}

/** View is a view of a document. */
export type View = 'page' | 'text' | 'passages';

/** citedBy returns the passages of an answer with the sentences that cite them. */
export function citedBy(rag: RagMessage): Cited[] {
  const answer = encode(rag.answer);
  return rag.docs.map((doc, i) => ({
    n: i + 1,
    doc,
    sentences: rag.sentences.filter((s) => s.docs.includes(i + 1)).map((s) => slice(answer, s.start, s.end)),
  }));
}

class Evidence {
  /** The answer of the shown passages; null for a document without an answer. */
  rag = $state.raw<RagMessage | null>(null);
  cited = $state.raw<Cited[]>([]);
  index = $state(0);
  document = $state<number | null>(null);
  /** The panel shows the search details and no document. */
  searching = $state(false);
  /** A selected part of the document, which is marked instead of the passage. */
  span = $state.raw<Span | null>(null);
  /** The selected view of documents, or ''. */
  view = $state<View | ''>('');
  /** The number of opened passages. Opening one again scrolls to it again. */
  opened = $state(0);
  /** The focus is returning to the opener, and must not open a preview. */
  returning = false;
  /** The element that opened the panel and gets the focus back. */
  private opener: HTMLElement | null = null;

  open = $derived(this.document !== null || this.searching);
  current = $derived<Cited | undefined>(this.searching ? undefined : this.cited[this.index]);

  /** show opens passage n of an answer. */
  show(rag: RagMessage, n: number, opener?: HTMLElement): void {
    const doc = rag.docs[n - 1];
    if (!doc) return;
    if (this.rag !== rag) this.cited = citedBy(rag);
    this.rag = rag;
    this.index = n - 1;
    if (this.view === 'passages') this.view = '';
    this.turn(doc.metadata.document_id, opener);
  }

  /** read opens a document at its start, or at a marked part. */
  read(document: number, opener?: HTMLElement, span?: Span): void {
    this.rag = null;
    this.cited = [];
    this.index = 0;
    this.turn(document, opener);
    this.span = span ?? null;
  }

  /** search shows the search details of an answer. */
  search(rag: RagMessage, opener?: HTMLElement): void {
    if (this.rag !== rag) this.cited = citedBy(rag);
    this.rag = rag;
    this.turn(null, opener);
    this.searching = true;
  }

  step(by: number): void {
    const next = this.cited[this.index + by];
    if (!next) return;
    this.index += by;
    if (this.view === 'passages') this.view = '';
    this.turn(next.doc.metadata.document_id);
  }

  /** mark marks a part of the open document. */
  mark(span: Span, view: View): void {
    this.span = span;
    this.view = view;
    this.opened++;
  }

  close(): void {
    if (!this.open) return;
    this.document = null;
    this.searching = false;
    this.rag = null;
    this.cited = [];
    this.span = null;
    const opener = this.opener;
    this.opener = null;
    // On narrow screens, the page can take the focus only after the panel is closed.
    void tick().then(() => {
      if (!opener?.isConnected) return;
      this.returning = true;
      opener.focus({ preventScroll: true });
      this.returning = false;
    });
  }

  private turn(document: number | null, opener?: HTMLElement): void {
    this.document = document;
    this.searching = false;
    this.span = null;
    this.opened++;
    if (opener) this.opener = opener;
  }
}

export const evidence = new Evidence();

/** title returns the name of the document of a passage. */
export function title(doc: { title: string; source: string; unavailable?: boolean }): string {
  if (doc.unavailable) return words.evidence.unavailable;
  const name = innerOf(doc.source)?.part ?? shortSource(doc.source);
  return honest(doc.title || name.split('/').at(-1) || words.evidence.untitled);
}

/** shortSource returns a source without parts that users do not need. */
export function shortSource(source: string): string {
  if (source.startsWith('answer:')) return words.evidence.approved; // the rest is an id
  const inner = innerOf(source);
  if (inner) return words.evidence.inside(honest(inner.part), shortSource(inner.container));
  const bare = honest(source).replace(/^(?:upload|stdin):/, '');
  if (/^https?:/.test(bare)) return bare.replace(/^https?:\/\//, '');
  return bare.split('/').filter(Boolean).slice(-2).join('/');
}

/**
 * dateOf returns the date and the version of a document; '' without both. The date of a file says little, so only
 * weak includes it, with its name.
 */
export function dateOf(m: { date?: string; date_from?: string; version?: string }, weak = false): string {
  const at = /^\d{4}-\d\d-\d\d$/.test(m.date ?? '') ? new Date(`${m.date}T00:00:00Z`) : null;
  const day = at && !Number.isNaN(at.getTime()) ? new Intl.DateTimeFormat(words.language, { dateStyle: 'medium', timeZone: 'UTC' }).format(at) : '';
  const version = m.version ? words.evidence.version(honest(m.version)) : '';
  return [version, m.date_from !== 'file_time' ? day : weak && day ? words.evidence.fileTime(day) : ''].filter(Boolean).join(' · ');
}

/** pageOf returns the page, slide, or sheet of a passage; '' without one. */
export function pageOf(m: { page: number | null; page_label: string | null; source?: string }, mediaType = ''): string {
  if (!m.page_label && (m.page === null || m.page === undefined)) return '';
  const label = m.page_label || String(m.page! + 1);
  if (/^\d+:\d\d/.test(label)) return label; // a time in subtitles
  return words.evidence.places[unitOf(m.source ?? '', mediaType)](label);
}
