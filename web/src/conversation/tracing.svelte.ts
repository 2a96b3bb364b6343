// The dialog with the graph of the agent and the way of a conversation.

class Tracing {
  /** The conversation in the open dialog; null while it is closed. */
  session = $state<string | null>(null);

  open(session: string): void {
    this.session = session;
  }

  close(): void {
    this.session = null;
  }
}

export const tracing = new Tracing();
