package eval

import (
	"strings"
	"testing"

	"docent/internal/fault"
)

// run makes the reports of a run. Each question has its reciprocal rank, and whether its answer is complete. The evidence of
// the last one is given.
func run(mrr []float64, complete []bool, last float64) Report {
	m := Report{Retrieval: &RetrievalReport{}, Answers: &AnswersReport{}}
	m.Answers.Calibration.InForce.Threshold = .5
	for i, x := range mrr {
		id := string(rune('a' + i))
		values := map[string]float64{"recall@5": float(x >= .2), "recall@10": float(x > 0), "mrr@10": x}
		m.Retrieval.Questions = append(m.Retrieval.Questions, QuestionResult{id, values})
		m.Answers.Outcomes = append(m.Answers.Outcomes, Outcome{ID: id, Kind: "lookup", Evidence: 1, Complete: complete[i]})
	}
	m.Answers.Outcomes = append(m.Answers.Outcomes, Outcome{ID: "z", Kind: Unanswerable, Evidence: last})
	return m
}

func TestWriteComparison(t *testing.T) {
	t.Parallel()
	before := run([]float64{1, .25, 0}, []bool{true, false, false}, .9)
	after := run([]float64{1, .5, 0.125}, []bool{true, true, false}, .1)
	var out strings.Builder
	if err := WriteComparison(&out, before, after); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"| recall@5 | 0.667 | 0.667 | +0.000 [+0.000, +0.000] |\n",
		"| recall@10 | 0.667 | 1.000 | +0.333 [",
		"| mrr@10 | 0.417 | 0.542 | +0.125 [",
		"| complete answers | 0.333 | 0.667 | +0.333 [",
		"| refused | 0.000 | 1.000 | +1.000 [+1.000, +1.000] |\n",
		"- b (lookup): rank 4 → 2, recall@5 1.00 → 1.00; complete no → yes\n",
		"- c (lookup): rank none → 8, recall@5 0.00 → 0.00\n",
		"- z (unanswerable): refused no → yes\n",
	} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("missing %q in\n%s", line, out.String())
		}
	}
	if strings.Contains(out.String(), "- a ") {
		t.Error("an unchanged question is listed")
	}
	out.Reset()
	if err := WriteComparison(&out, after, after); err != nil || !strings.HasSuffix(out.String(), "|\n\nNo question changed.\n") {
		t.Errorf("equal reports: %v\n%s", err, out.String())
	}
	other := run([]float64{1, 1}, []bool{true, true}, 1)
	other.Answers.Outcomes[0].ID = "x"
	other.Retrieval.Questions = append(other.Retrieval.Questions, QuestionResult{ID: "c"})
	for name, m := range map[string]Report{"empty": {}, "other questions": other, "fewer": run([]float64{1}, []bool{true}, 1)} {
		if err := WriteComparison(&out, m, after); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}
