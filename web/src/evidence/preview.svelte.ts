// The small card beside a citation or a mark that is pointed at.
import type { RagDoc } from '../api/shapes';

export type Card = { kind: 'passage'; n: number; doc: RagDoc } | { kind: 'note'; text: string };

class Preview {
  card = $state.raw<Card | null>(null);
  anchor = $state.raw<DOMRect | null>(null);

  passage(at: HTMLElement, n: number, doc: RagDoc): void {
    this.show(at, { kind: 'passage', n, doc });
  }

  note(at: HTMLElement, text: string): void {
    this.show(at, { kind: 'note', text });
  }

  hide(): void {
    this.card = null;
  }

  private show(at: HTMLElement, card: Card): void {
    // A sentence over several lines is pointed at where its last line is.
    const boxes = at.getClientRects();
    this.anchor = boxes[boxes.length - 1] ?? at.getBoundingClientRect();
    this.card = card;
  }
}

export const preview = new Preview();
