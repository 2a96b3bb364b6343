// What the evidence panel shows: passages of one answer, or one document.
import { tick } from 'svelte';
import type { RagDoc, RagMessage } from '../api/shapes';
import { encode, slice } from './bytes';

export interface Cited {
  /** Number in the answer, from 1. */
  n: number;
  doc: RagDoc;
  /** The answer's sentences that cite it. */
  sentences: string[];
}

class Evidence {
  /** The answer's passages; empty when a document is opened on its own. */
  cited = $state.raw<Cited[]>([]);
  index = $state(0);
  document = $state<number | null>(null);
  /** What opened it, and gets the focus back. */
  private opener: HTMLElement | null = null;

  open = $derived(this.document !== null);
  current = $derived<Cited | undefined>(this.cited[this.index]);

  /** show opens passage n of an answer. */
  show(rag: RagMessage, n: number, opener?: HTMLElement): void {
    const doc = rag.docs[n - 1];
    if (!doc) return;
    const answer = encode(rag.answer);
    this.cited = rag.docs.map((d, i) => ({
      n: i + 1,
      doc: d,
      sentences: rag.sentences.filter((s) => s.docs.includes(i + 1)).map((s) => slice(answer, s.start, s.end)),
    }));
    this.index = n - 1;
    this.document = doc.metadata.document_id;
    if (opener) this.opener = opener;
  }

  /** read opens a document at its beginning. */
  read(document: number, opener?: HTMLElement): void {
    this.cited = [];
    this.index = 0;
    this.document = document;
    if (opener) this.opener = opener;
  }

  step(by: number): void {
    const next = this.cited[this.index + by];
    if (!next) return;
    this.index += by;
    this.document = next.doc.metadata.document_id;
  }

  close(): void {
    if (this.document === null) return;
    this.document = null;
    this.cited = [];
    const opener = this.opener;
    this.opener = null;
    // A sheet's page takes the focus only once the sheet is gone.
    void tick().then(() => opener?.isConnected && opener.focus({ preventScroll: true }));
  }
}

export const evidence = new Evidence();

/** title is what to call a passage's document. */
export function title(doc: { title: string; source: string }): string {
  return doc.title || shortSource(doc.source).split('/').at(-1) || 'Untitled';
}

/** shortSource is a source without what a reader does not need. */
export function shortSource(source: string): string {
  const bare = source.replace(/^(?:upload|stdin):/, '');
  if (/^https?:/.test(bare)) return bare.replace(/^https?:\/\//, '');
  return bare.split('/').filter(Boolean).slice(-2).join('/');
}

/** pageOf says where in a paginated document a passage is; '' if it is not. */
export function pageOf(m: { page: number | null; page_label: string | null }): string {
  if (m.page_label) return `p. ${m.page_label}`;
  return m.page === null || m.page === undefined ? '' : `p. ${m.page + 1}`;
}
