// A turn of the mock server. As in docent, it sends provisional frames at once, and stored ones
// when the turn is committed.

/** Stopped ends a turn that the user stopped. */
export class Stopped extends Error {}

export interface Entry {
  action: string;
  message: unknown;
  /** A message's stored type; '' for a step. */
  type: string;
  /** When a step was made. */
  at?: Date;
}

export class MockTurn {
  replied = false;
  /** The streamed text that is not in a reply yet. */
  said = '';
  private n = 0;
  private entries: Entry[] = [];
  private stopping = false;
  private woken: (() => void) | undefined;

  constructor(
    readonly text: string,
    private readonly pace: number,
    private readonly send: (action: string, message: unknown, n: number) => void,
    private readonly store: (entries: Entry[]) => void,
    private readonly held: (at: string) => boolean,
  ) {}

  private show(action: string, message: unknown): void {
    this.send(action, message, ++this.n);
  }

  status(phase: string): void {
    this.show('status', { phase });
  }

  delta(text: string): void {
    this.said += text;
    this.show('agent_reply_delta', { text });
  }

  step(kind: string, step: number, summary: string, details: object): void {
    this.keep('agent_reply_reasoning_step', { kind, step, summary, details });
  }

  tasks(list: { id: number; description: string; status: string; result: string }[]): void {
    this.keep('agent_reply_task_list_update', list);
  }

  private keep(action: string, message: unknown): void {
    this.said = ''; // it was not the answer
    this.show(action, message);
    this.entries.push({ action, message, type: '', at: new Date() });
  }

  reply(type: string, message: unknown): void {
    this.replied = true;
    this.said = '';
    this.entries.push({ action: type === 'rag_answer' ? 'agent_reply_rag' : `agent_reply_${type}`, message, type });
  }

  /** snapshot returns the part that is not stored yet. */
  snapshot(): { n: number; text: string; steps: { action: string; message: unknown }[] } {
    return { n: this.n, text: this.said, steps: this.entries.filter((e) => !e.type).map(({ action, message }) => ({ action, message })) };
  }

  /** commit stores and sends the part that is not stored yet. */
  commit(): void {
    this.store(this.entries.splice(0));
  }

  stop(): void {
    this.stopping = true;
    this.woken?.();
  }

  /** hold waits while the mock holds this text or step. */
  async hold(at: string): Promise<void> {
    while (this.held(at)) await this.wait();
  }

  /** wait passes some time, in units of the mock's pace. */
  async wait(units = 1): Promise<void> {
    if (!this.stopping) {
      await new Promise<void>((ok) => {
        this.woken = ok;
        setTimeout(ok, units * this.pace);
      });
    }
    if (this.stopping) throw new Stopped();
  }
}
