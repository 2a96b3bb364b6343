// The small card beside a citation or a mark that is pointed at.
import type { RagDoc } from '../api/shapes';

export type Card =
  /** sentences are those of the answer that are about the passage here. */
  { kind: 'passage'; n: number; doc: RagDoc; sentences: string[] } | { kind: 'note'; text: string };

/** How long the pointer may be between a mark and its card, in ms. */
const grace = 140;

/** The card's id, by which what it is about names it. */
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

  /** leave hides the card unless the pointer comes back, or goes to the card. */
  leave(): void {
    clearTimeout(this.leaving);
    if (this.card) this.leaving = setTimeout(() => this.hide(), grace);
  }

  stay(): void {
    clearTimeout(this.leaving);
  }

  /** moved follows what the card is about when it is scrolled, if the keyboard is there. */
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
    // A sentence over several lines is pointed at where its last line is.
    const boxes = this.about?.getClientRects() ?? [];
    this.anchor = boxes[boxes.length - 1] ?? this.about?.getBoundingClientRect() ?? null;
  }
}

export const preview = new Preview();
