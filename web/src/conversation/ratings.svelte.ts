// The user's ratings of the turns of the open conversation.

/** Feedback is the user's rating of a turn. */
export interface Feedback {
  /** 0 for a comment without a rating. */
  rating: number;
  /** The reason of a bad rating, or ''. */
  reason: Reason | '';
  comment: string;
}

export const reasons = ['wrong', 'outdated', 'incomplete', 'wrong_source', 'unclear', 'other'] as const;
export type Reason = (typeof reasons)[number];

export class Ratings {
  byTurn = $state<Record<number, Feedback>>({});

  load(stored: readonly { turn: number; rating?: number; reason?: Reason; comment?: string }[]): void {
    for (const { turn, rating = 0, reason = '', comment = '' } of stored) this.byTurn[turn] = { rating, reason, comment };
  }

  clear(): void {
    this.byTurn = {};
  }

  /** rate shows a rating while send stores it. If send fails, rate restores the old rating and throws. */
  async rate(turn: number, feedback: Feedback, send: () => Promise<unknown>): Promise<void> {
    const before = this.byTurn[turn];
    this.byTurn[turn] = feedback;
    try {
      await send();
    } catch (err) {
      if (before) this.byTurn[turn] = before;
      else delete this.byTurn[turn];
      throw err;
    }
  }
}
