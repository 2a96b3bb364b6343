// The dialog that shares an answer or a conversation.

/** Subject is what the user wants to share. */
export interface Subject {
  session: string;
  /** The last turn to share; undefined for the whole conversation. */
  turn?: number;
  /** The conversation may have attached files. */
  files: boolean;
}

class Sharing {
  /** The subject of the open dialog; null while it is closed. */
  subject = $state.raw<Subject | null>(null);

  ask(subject: Subject): void {
    this.subject = subject;
  }

  close(): void {
    this.subject = null;
  }
}

export const sharing = new Sharing();
