// What a citation points at, shown over the conversation: on hover, with the
// focus on it, and until it is dismissed once it was pressed.
import { encode } from '../src/api/bytes';
import { pieces } from '../src/evidence/passage';
import { repeated } from '../src/evidence/said';
import { make } from './dom';
import { docsOf, placeOf, titleOf } from './rows';
import type { Words } from '../src/words/widget';

/** Room about the card, in px. */
const room = 8;

export class Card {
  readonly element = make('div', { class: 'card', id: 'card', role: 'tooltip', hidden: true });
  private at: HTMLElement | null = null;
  /** It was asked for by pressing, so it stays. */
  private pinned = false;
  private going: ReturnType<typeof setTimeout> | undefined;

  constructor(area: HTMLElement, private readonly words: Words) {
    const of = (e: Event) => (e.target as Element).closest<HTMLElement>('button.cite, .doubt');
    area.addEventListener('pointerover', (e) => {
      const at = of(e);
      if (e.pointerType === 'mouse' && at && !this.pinned) this.show(at);
    });
    area.addEventListener('pointerout', (e) => of(e) && this.leave());
    area.addEventListener('focusin', (e) => of(e)?.matches(':focus-visible') && this.show(of(e)!));
    area.addEventListener('focusout', (e) => of(e) && this.hide());
    area.addEventListener('click', (e) => {
      const at = of(e);
      const again = at && at === this.at && this.pinned;
      if (!at || again) return this.hide();
      this.show(at);
      this.pinned = true;
    });
    area.addEventListener('scroll', () => this.hide());
    // Who wants to read what is long may go there with the pointer.
    this.element.addEventListener('pointerenter', () => clearTimeout(this.going));
    this.element.addEventListener('pointerleave', () => this.leave());
  }

  get open(): boolean {
    return this.at !== null;
  }

  hide(): void {
    clearTimeout(this.going);
    this.at?.removeAttribute('aria-describedby');
    this.at = null;
    this.pinned = false;
    this.element.hidden = true;
  }

  private leave(): void {
    clearTimeout(this.going);
    if (!this.pinned) this.going = setTimeout(() => this.hide(), 200);
  }

  private show(at: HTMLElement): void {
    if (at === this.at) return clearTimeout(this.going);
    this.hide();
    const content = at.matches('.doubt') ? [make('p', {}, this.words[at.dataset.support === 'weak' ? 'weak' : 'none'])] : this.passage(at);
    if (!content) return;
    this.element.replaceChildren(...content);
    this.at = at;
    at.setAttribute('aria-describedby', 'card');
    this.element.hidden = false;
    this.place(at);
  }

  private passage(at: HTMLElement): HTMLElement[] | null {
    const doc = docsOf(at)[Number(at.dataset.cite) - 1];
    if (!doc) return null;
    const place = placeOf(doc, this.words);
    // The sentence that cites it: where the words of both agree is what was meant.
    const block = at.closest('p, li, td, blockquote')?.textContent ?? '';
    const text = doc.content.trim();
    const bytes = encode(text);
    const quote = make('blockquote', { dir: 'auto' });
    for (const { text: run, marks } of pieces(bytes, 0, bytes.length, repeated(text, block.split(/(?<=[.!?…])\s/)))) quote.append(marks.length > 0 ? make('mark', {}, run) : run);
    return [make('p', { class: 'what', dir: 'auto' }, titleOf(doc)), ...(place ? [make('p', { class: 'where', dir: 'auto' }, place)] : []), quote];
  }

  // Below what it explains, that the sentence can be seen, unless there is only room above.
  private place(at: HTMLElement): void {
    const frame = this.element.parentElement!.getBoundingClientRect();
    const box = at.getBoundingClientRect();
    const above = box.top - frame.top - 2 * room;
    const below = frame.bottom - box.bottom - 2 * room;
    const height = Math.min(this.element.scrollHeight, Math.max(above, below));
    const up = below < height && above > below;
    this.element.style.maxBlockSize = `${up ? above : below}px`;
    this.element.style.top = `${up ? box.top - frame.top - room - Math.min(this.element.offsetHeight, above) : box.bottom - frame.top + room}px`;
  }
}
