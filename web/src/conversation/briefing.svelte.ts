// The dialog that plans a brief.
import type { Asked } from './turns';

/** Plan is the brief that the dialog begins with. */
export interface Plan {
  task: string;
  /** The headings; none before the outline. */
  headings: readonly string[];
  /** The question whose brief is written again; undefined for a new one. */
  item?: Asked;
  /** The brief was sent. */
  onstart?: () => void;
}

class Briefing {
  /** The plan of the open dialog; null while it is closed. */
  plan = $state.raw<Plan | null>(null);
}

export const briefing = new Briefing();
