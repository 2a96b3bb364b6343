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
  /** The outline that was changed but not written; null if there is none. */
  private kept: Plan | null = null;

  /** open opens the dialog. It shows again what was kept for the same task. */
  open(plan: Plan): void {
    const { kept } = this;
    const same = kept?.item?.turn === plan.item?.turn && (kept?.task === plan.task || !plan.task);
    this.plan = kept && same ? { ...plan, task: kept.task, headings: kept.headings } : plan;
  }

  /** keep keeps an outline until another is written. */
  keep(plan: Plan | null): void {
    this.kept = plan;
  }
}

export const briefing = new Briefing();
