package eval

import (
	"fmt"
	"io"
	"math"
	"strings"

	"docent/internal/fault"
)

// compared has the figures of one question in one run. They are 0 or 1, except recall, mrr, and facts.
type compared struct {
	recall5, recall10, mrr, facts, complete, refused float64
}

// comparedMetrics are the figures of a comparison in order of display.
var comparedMetrics = []struct {
	name string
	of   func(compared) float64
}{
	{"recall@5", func(c compared) float64 { return c.recall5 }},
	{"recall@10", func(c compared) float64 { return c.recall10 }},
	{"mrr@10", func(c compared) float64 { return c.mrr }},
	{"facts found", func(c compared) float64 { return c.facts }},
	{"complete answers", func(c compared) float64 { return c.complete }},
	{"refused", func(c compared) float64 { return c.refused }},
}

// WriteComparison compares two runs on the same questions: the differences with paired intervals for answerable questions,
// the refused unanswerable questions, and each changed question. It fails if the questions differ or a report is missing.
func WriteComparison(w io.Writer, before, after Report) error {
	if before.Retrieval == nil || before.Answers == nil || after.Retrieval == nil || after.Answers == nil {
		return fault.New(fault.Invalid, "eval_comparison_incomplete", "a comparison needs retrieval and answers in both reports")
	}
	ids, kinds := after.ids()
	old, now := before.questions(), after.questions()
	if len(old) != len(now) {
		return fault.New(fault.Invalid, "eval_questions_differ", "the reports have different questions: %d and %d", len(old), len(now))
	}
	var answerable, unanswerable [2][]compared
	var changes strings.Builder
	for i, id := range ids {
		was, ok := old[id]
		if !ok {
			return fault.New(fault.Invalid, "eval_question_missing", "the earlier report lacks question %q", id)
		}
		is, to := now[id], &answerable
		if kinds[i] == Unanswerable {
			to = &unanswerable
		}
		to[0], to[1] = append(to[0], was), append(to[1], is)
		if was != is {
			fmt.Fprintf(&changes, "- %s (%s): %s\n", id, kinds[i], change(was, is))
		}
	}
	var b strings.Builder
	b.WriteString("| answerable questions | before | after | difference |\n|---|---|---|---|\n")
	for _, m := range comparedMetrics {
		writeDifference(&b, m.name, m.of, answerable)
	}
	b.WriteString("\n| unanswerable questions | before | after | difference |\n|---|---|---|---|\n")
	writeDifference(&b, "refused", func(c compared) float64 { return c.refused }, unanswerable)
	if changes.Len() > 0 {
		b.WriteString("\nChanged questions:\n\n" + changes.String())
	} else {
		b.WriteString("\nNo question changed.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeDifference writes a metric of both runs with the interval of the paired difference.
func writeDifference(b *strings.Builder, name string, of func(compared) float64, runs [2][]compared) {
	if len(runs[0]) == 0 {
		return
	}
	rows := make([][]float64, len(runs))
	for r, run := range runs {
		for _, c := range run {
			rows[r] = append(rows[r], of(c))
		}
	}
	_, differences := bootstrap(rows, 0)
	before, after := mean(rows[0]), mean(rows[1])
	fmt.Fprintf(b, "| %s | %.3f | %.3f | %+.3f [%+.3f, %+.3f] |\n", name, before, after, after-before, differences[1].Low, differences[1].High)
}

// change describes the differences of a question.
func change(was, is compared) string {
	var parts []string
	if was.mrr != is.mrr || was.recall5 != is.recall5 || was.recall10 != is.recall10 {
		parts = append(parts, fmt.Sprintf("rank %s → %s, recall@5 %.2f → %.2f", rank(was.mrr), rank(is.mrr), was.recall5, is.recall5))
	}
	if was.facts != is.facts {
		parts = append(parts, fmt.Sprintf("facts %.2f → %.2f", was.facts, is.facts))
	}
	if was.complete != is.complete {
		parts = append(parts, "complete "+yes(was.complete)+" → "+yes(is.complete))
	}
	if was.refused != is.refused {
		parts = append(parts, "refused "+yes(was.refused)+" → "+yes(is.refused))
	}
	return strings.Join(parts, "; ")
}

func rank(mrr float64) string {
	if mrr == 0 {
		return "none"
	}
	return fmt.Sprint(math.Round(1 / mrr))
}

func yes(x float64) string {
	if x > 0 {
		return "yes"
	}
	return "no"
}

// ids returns the questions in order, with their kinds.
func (r *Report) ids() (ids, kinds []string) {
	for _, o := range r.Answers.Outcomes {
		ids, kinds = append(ids, o.ID), append(kinds, o.Kind)
	}
	return ids, kinds
}

// questions returns the figures by question.
func (r *Report) questions() map[string]compared {
	out := map[string]compared{}
	threshold := r.Answers.Calibration.InForce.Threshold
	for _, o := range r.Answers.Outcomes {
		out[o.ID] = compared{facts: o.Facts, complete: float(o.Complete), refused: float(o.Written.Abstained || o.Evidence < threshold)}
	}
	for _, q := range r.Retrieval.Questions {
		c := out[q.ID]
		c.recall5, c.recall10, c.mrr = q.Values[metrics[recall5]], q.Values[metrics[recall10]], q.Values[metrics[mrr10]]
		out[q.ID] = c
	}
	return out
}

func float(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
