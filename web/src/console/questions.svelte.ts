// A list of questions that grows by pages, and the decisions about its rows.
import { sentence } from '../api/http';
import { changeQuestion, listQuestions, type AskedQuestion, type QuestionQuery } from '../api/insight';
import { announcer } from '../shell/announcer.svelte';
import { notices } from '../shell/notices.svelte';
import { say } from './say.svelte';

export class Questions {
  rows = $state.raw<readonly AskedQuestion[] | null>(null);
  next = $state<string | undefined>();
  error = $state('');
  loading = $state(false);
  private asked: QuestionQuery = {};
  private loads = 0;

  /** load lists the first page of a query. */
  load(q: QuestionQuery): Promise<void> {
    this.asked = q;
    return this.page(undefined);
  }

  /** more adds the next page. */
  more = (): Promise<void> => this.page(this.next);

  /** again repeats the last request. */
  again = (): Promise<void> => this.load(this.asked);

  private async page(cursor: string | undefined): Promise<void> {
    const mine = ++this.loads;
    this.loading = true;
    this.error = '';
    try {
      const page = await listQuestions({ ...this.asked, cursor });
      if (mine !== this.loads) return; // a later request has newer data
      this.rows = [...(cursor ? (this.rows ?? []) : []), ...page.questions];
      this.next = page.next_cursor;
    } catch (err) {
      if (mine !== this.loads) return;
      this.error = sentence(err);
    }
    this.loading = false;
  }

  /** changed shows a row after a decision. A question that left the gap of the list leaves the list. */
  changed(row: AskedQuestion): void {
    const left = this.asked.gap !== undefined && row.gap !== this.asked.gap;
    this.rows = (this.rows ?? []).flatMap((r) => (r.id !== row.id ? [r] : left ? [] : [{ ...r, mark: row.mark, gap: row.gap ?? 0 }]));
  }
}

/** mark sets the mark of a question, and returns the changed row; undefined after a failure. */
export async function mark(row: AskedQuestion, to: AskedQuestion['mark']): Promise<AskedQuestion | undefined> {
  const t = say().questions;
  try {
    await changeQuestion(row.id, { mark: to });
  } catch (err) {
    notices.failed(t.notChanged, err);
    return undefined;
  }
  announcer.say(to ? t.marks[to] : t.unmarked);
  return { ...row, mark: to, ...(to === 'off_topic' && { gap: 0 }) };
}
