// The text in the box: a draft for each conversation, the question that it
// edits, and recalled messages.
import { untrack } from 'svelte';
import { conversation } from '../conversation/conversation.svelte';
import { isText, PerConversation, tab } from '../conversation/kept';
import { Recall } from '../conversation/recall';
import type { Asked } from '../conversation/turns';
import { account } from '../shell/account.svelte';

const drafts = new PerConversation(tab, 'docent.drafts', isText);

export class Draft {
  text = $state('');
  /** The question that the text replaces, and the text before the edit. */
  editing = $state<{ item: Asked; before: string } | undefined>();
  readonly recall = new Recall();

  /** The opened conversation that the text belongs to, as conversation.opened counts; -1 before sign-in. */
  private owner = -1;
  /** The opened conversation without an id, or -1. */
  private unnamed = -1;

  /** follow loads and stores the drafts as conversations are opened. Call it while the component is created. */
  follow(onopen: () => void): void {
    $effect(() => {
      const { opened } = conversation;
      if (!account.me || this.owner === opened) return;
      untrack(() => {
        const early = this.owner === -1 ? this.text : ''; // written before the sign-in check ended
        this.owner = opened;
        this.recall.end();
        this.editing = undefined;
        onopen();
        this.text = early || drafts.get(conversation.session ?? '') || '';
      });
    });
    $effect(() => {
      const draft = this.editing ? this.editing.before : this.text;
      const session = conversation.session ?? '';
      if (this.owner !== conversation.opened) return;
      drafts.set(session, (this.recall.draft ?? draft) || undefined);
      if (session) untrack(() => this.named());
    });
    $effect(() => {
      if (!conversation.session) this.unnamed = conversation.opened;
    });
  }

  /** edit begins to edit a question. The draft before it is dropped. */
  edit(item: Asked): void {
    this.editing = { item, before: '' };
  }

  /** endEdit ends an edit and returns the text before it. */
  endEdit(): string {
    const before = this.editing?.before ?? '';
    this.editing = undefined;
    return before;
  }

  /** typed ends a recall when the user changes the recalled text. */
  typed(): void {
    if (!this.recall.is(this.text)) this.recall.end();
  }

  // A new conversation takes its draft along when it gets its id.
  private named(): void {
    if (this.unnamed === this.owner) drafts.set('', undefined);
    this.unnamed = -1;
  }
}
