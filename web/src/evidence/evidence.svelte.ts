// What the evidence panel shows: passages of one answer, one document, or what
// was searched for an answer.
import { tick } from 'svelte';
import type { RagDoc, RagMessage } from '../api/shapes';
import { honest } from '../shell/names';
import { words } from '../words/words.svelte';
import { encode, slice } from '../api/bytes';
import { innerOf, unitOf } from './place';

export interface Cited {
  /** Number in the answer, from 1. */
  n: number;
  doc: RagDoc;
  /** The answer's sentences that cite it. */
  sentences: string[];
}

/** Span is a part of a document: bytes of its text, and the page they are on. */
export interface Span {
  start: number;
  end: number;
  /** Counts from 0; null where there are no pages. */
  page?: number | null;
}

/** View is a way to look at a document. */
export type View = 'page' | 'text' | 'passages';

/** citedBy are an answer's passages with the sentences that cite them. */
export function citedBy(rag: RagMessage): Cited[] {
  const answer = encode(rag.answer);
  return rag.docs.map((doc, i) => ({
    n: i + 1,
    doc,
    sentences: rag.sentences.filter((s) => s.docs.includes(i + 1)).map((s) => slice(answer, s.start, s.end)),
  }));
}

class Evidence {
  /** The answer whose passages are shown; null when a document is opened on its own. */
  rag = $state.raw<RagMessage | null>(null);
  cited = $state.raw<Cited[]>([]);
  index = $state(0);
  document = $state<number | null>(null);
  /** What was searched is shown, and no document. */
  searching = $state(false);
  /** A part of the document that was chosen, which is marked instead of the passage. */
  span = $state.raw<Span | null>(null);
  /** How documents are looked at, if that was chosen. */
  view = $state<View | ''>('');
  /** Counts what was opened: what is opened again is brought into sight again. */
  opened = $state(0);
  /** The focus is being given back, which is no wish to see a card. */
  returning = false;
  /** What opened it, and gets the focus back. */
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

  /** read opens a document at its beginning, or with a part of it marked. */
  read(document: number, opener?: HTMLElement, span?: Span): void {
    this.rag = null;
    this.cited = [];
    this.index = 0;
    this.turn(document, opener);
    this.span = span ?? null;
  }

  /** search shows what was searched for an answer. */
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

  /** mark marks a part of the document that is open. */
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
    // A sheet's page takes the focus only once the sheet is gone.
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

/** title is what to call a passage's document. */
export function title(doc: { title: string; source: string }): string {
  const name = innerOf(doc.source)?.part ?? shortSource(doc.source);
  return honest(doc.title || name.split('/').at(-1) || words.evidence.untitled);
}

/** shortSource is a source without what a reader does not need. */
export function shortSource(source: string): string {
  const inner = innerOf(source);
  if (inner) return words.evidence.inside(honest(inner.part), shortSource(inner.container));
  const bare = honest(source).replace(/^(?:upload|stdin):/, '');
  if (/^https?:/.test(bare)) return bare.replace(/^https?:\/\//, '');
  return bare.split('/').filter(Boolean).slice(-2).join('/');
}

/** pageOf says on which page, slide, or sheet of its document a passage is; '' if it has none. */
export function pageOf(m: { page: number | null; page_label: string | null; source?: string }, mediaType = ''): string {
  if (!m.page_label && (m.page === null || m.page === undefined)) return '';
  const label = m.page_label || String(m.page! + 1);
  if (/^\d+:\d\d/.test(label)) return label; // a time in subtitles
  return words.evidence.places[unitOf(m.source ?? '', mediaType)](label);
}
