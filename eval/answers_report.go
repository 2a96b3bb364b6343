package eval

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// AnswersReport says how good answers are.
type AnswersReport struct {
	// Rows hold the numbers by kind, All first; unanswerable questions are not
	// among them.
	Rows []AnswersRow `json:"rows"`
	// Calibration says what abstention would do.
	Calibration Calibration `json:"calibration"`
	// Outcomes are the single questions, in their order.
	Outcomes []Outcome `json:"outcomes"`
}

// AnswersRow are the numbers of one kind of question.
type AnswersRow struct {
	// Kind is the kind of question, or All.
	Kind string `json:"kind"`
	// Questions counts those with facts.
	Questions int `json:"questions"`
	// FactRecall is the mean share of a question's facts in its answer.
	FactRecall float64 `json:"fact_recall"`
	// Complete is the share of answers with all facts.
	Complete float64 `json:"complete"`
	// Found counts the questions whose evidence is in the first three passages.
	Found int `json:"found"`
	// FoundComplete is the share of answers with all facts among those.
	FoundComplete float64 `json:"found_complete"`
	// Citations counts pairs of a sentence and a passage it cites.
	Citations int `json:"citations"`
	// CitationPrecision is the share of them whose passage holds the sentence.
	// It suits answers that quote; a model's own words score lower.
	CitationPrecision float64 `json:"citation_precision"`
}

// Calibration is a threshold found on the odd questions, and what it does.
type Calibration struct {
	// MaxWrong is the share of answerable questions it may turn away.
	MaxWrong float64 `json:"max_wrong"`
	// Odd is what the threshold found does to the questions it was found on.
	Odd Abstention `json:"odd"`
	// Even is what it does to the others.
	Even Abstention `json:"even"`
	// InForce is what the threshold in force does to the even questions.
	InForce Abstention `json:"in_force"`
	// RiskCoverage is what other thresholds do to the even questions.
	RiskCoverage []Abstention `json:"risk_coverage"`
}

func newAnswersReport(cfg AnswersConfig, outcomes []Outcome) *AnswersReport {
	r := &AnswersReport{Outcomes: outcomes}
	kinds := []string{All}
	var odd, even []judgement
	for i := range outcomes {
		o := &outcomes[i]
		if o.Kind != Unanswerable && !slices.Contains(kinds, o.Kind) {
			kinds = append(kinds, o.Kind)
		}
		if o.odd {
			odd = append(odd, o.judgement())
		} else {
			even = append(even, o.judgement())
		}
	}
	for _, kind := range kinds {
		r.Rows = append(r.Rows, answersRow(kind, outcomes))
	}
	threshold := calibrate(odd, cfg.MaxWrong)
	r.Calibration = Calibration{
		MaxWrong: cfg.MaxWrong, Odd: abstain(odd, threshold), Even: abstain(even, threshold),
		InForce: abstain(even, cfg.Threshold), RiskCoverage: riskCoverage(even),
	}
	return r
}

func answersRow(kind string, outcomes []Outcome) AnswersRow {
	row := AnswersRow{Kind: kind}
	var facts float64
	var complete, foundComplete, right int
	for i := range outcomes {
		o := &outcomes[i]
		if o.Kind == Unanswerable || kind != All && o.Kind != kind {
			continue
		}
		row.Citations += o.Citations
		right += o.RightCitations
		if !o.hasFacts {
			continue
		}
		row.Questions++
		facts += o.Facts
		count(&complete, o.Complete)
		if o.Rank > 0 && o.Rank <= firstDocs {
			row.Found++
			count(&foundComplete, o.Complete)
		}
	}
	row.FactRecall = facts / float64(max(row.Questions, 1))
	row.Complete, row.FoundComplete = share(complete, row.Questions), share(foundComplete, row.Found)
	row.CitationPrecision = share(right, row.Citations)
	return row
}

// Metrics returns the numbers that a golden file can hold; all are better when
// higher.
func (r *AnswersReport) Metrics() map[string]float64 {
	out := map[string]float64{
		"answers unanswerable turned away": r.Calibration.InForce.Unanswerable,
		"answers answerable answered":      1 - r.Calibration.InForce.Answerable,
	}
	for _, row := range r.Rows {
		out["answers "+row.Kind+" found complete"] = row.FoundComplete
		if row.Kind == All {
			out["answers fact recall"] = row.FactRecall
			out["answers citation precision"] = row.CitationPrecision
		}
	}
	return out
}

// WriteMarkdown writes the report as tables.
func (r *AnswersReport) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("| kind | questions | fact recall | complete | evidence in the first 3 | of these complete | citations | hold the sentence |\n|---|---|---|---|---|---|---|---|\n")
	for _, row := range r.Rows {
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %d | %s | %d | %s |\n", row.Kind, row.Questions, decimals(row.FactRecall), decimals(row.Complete),
			row.Found, decimals(row.FoundComplete), row.Citations, decimals(row.CitationPrecision))
	}
	c := r.Calibration
	fmt.Fprintf(&b, "\nA threshold that turns away at most %s of the answerable odd-numbered questions:\n\n", decimals(c.MaxWrong))
	abstentionTable(&b, []string{"odd (set on these)", "even", "even, threshold in force"}, []Abstention{c.Odd, c.Even, c.InForce})
	b.WriteString("\nRisk and coverage on the even-numbered questions:\n\n")
	abstentionTable(&b, nil, c.RiskCoverage)
	_, err := io.WriteString(w, b.String())
	return err
}

// abstentionTable writes rows, each with its name if there are names.
func abstentionTable(b *strings.Builder, names []string, rows []Abstention) {
	if names != nil {
		b.WriteString("| questions ")
	}
	b.WriteString("| threshold | coverage | risk | unanswerable turned away | answerable turned away | of these with evidence found |\n")
	if names != nil {
		b.WriteString("|---")
	}
	b.WriteString("|---|---|---|---|---|---|\n")
	for i, a := range rows {
		if names != nil {
			b.WriteString("| " + names[i] + " ")
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n", decimals(a.Threshold), decimals(a.Coverage), decimals(a.Risk),
			decimals(a.Unanswerable), decimals(a.Answerable), decimals(a.Found))
	}
}
