// The preview beside a citation or a mark under the pointer.
import type { RagDoc } from '../api/shapes';

export type Card =
  /** sentences are the sentences of the answer at this citation. */
  { kind: 'passage'; n: number; doc: RagDoc; sentences: string[] } | { kind: 'note'; text: string };

/** The time for the pointer to move from a mark to its preview, in ms. */
const grace = 140;

/** The id of the preview, for the element that it describes. */
export const cardId = 'evidence-card';

class Preview {
  card = $state.raw<Card | null>(null);
  anchor = $state.raw<DOMRect | null>(null);
  private about: HTMLElement | null = null;
  private focused = false;
  private leaving: ReturnType<typeof setTimeout> | undefined;

  passage(at: HTMLElement, n: number, doc: RagDoc, sentences: string[] = []): void {
    this.show(at, { kind: 'passage', n, doc, sentences });
  }

  note(at: HTMLElement, text: string): void {
    this.show(at, { kind: 'note', text });
  }

  /** leave hides the preview unless the pointer returns or moves to the preview. */
  leave(): void {
    clearTimeout(this.leaving);
    if (this.card) this.leaving = setTimeout(() => this.hide(), grace);
  }

  stay(): void {
    clearTimeout(this.leaving);
  }

  /** moved follows the described element during scrolling, if it has the focus. */
  moved(): void {
    if (this.focused && this.about?.isConnected) this.place();
    else this.hide();
  }

  hide(): void {
    clearTimeout(this.leaving);
    this.about?.removeAttribute('aria-describedby');
    this.about = null;
    this.card = null;
  }

  private show(at: HTMLElement, card: Card): void {
    clearTimeout(this.leaving);
    if (this.about !== at) this.about?.removeAttribute('aria-describedby');
    this.about = at;
    this.focused = at === document.activeElement;
    if (at.matches('button')) at.setAttribute('aria-describedby', cardId);
    this.place();
    this.card = card;
  }

  private place(): void {
    // A sentence with several lines has its preview at the last line.
    const boxes = this.about?.getClientRects() ?? [];
    this.anchor = boxes[boxes.length - 1] ?? this.about?.getBoundingClientRect() ?? null;
  }
}

export const preview = new Preview();
