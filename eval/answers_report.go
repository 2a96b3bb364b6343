package eval

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"docent/internal/fault"
)

// AnswersReport describes the quality of answers.
type AnswersReport struct {
	// Model is the name of the model that answered, or rag.Extractive.
	Model string `json:"model"`
	// Prompts is the version of the model's prompts, or "".
	Prompts string `json:"prompts,omitempty"`
	// Failed counts the answers that failed because the model was unavailable. Figures exclude them.
	Failed int `json:"failed"`
	// Figures describe the answers that users get with the current threshold.
	Figures []Figure `json:"figures"`
	// Rows are the results by kind, All first. They exclude unanswerable questions.
	Rows []AnswersRow `json:"rows"`
	// Calibration describes the effect of abstention.
	Calibration Calibration `json:"calibration"`
	// Outcomes are the results of the questions, in order.
	Outcomes []Outcome `json:"outcomes"`
}

// AnswersRow is the result for one kind of question.
type AnswersRow struct {
	// Kind is the kind of question, or All.
	Kind string `json:"kind"`
	// Questions counts the questions with facts.
	Questions int `json:"questions"`
	// FactRecall is the mean share of a question's facts in its answer.
	FactRecall float64 `json:"fact_recall"`
	// Complete is the share of answers with all facts.
	Complete float64 `json:"complete"`
	// Found counts the questions with evidence in the first three passages.
	Found int `json:"found"`
	// FoundComplete is the share of found questions whose answer has all facts.
	FoundComplete float64 `json:"found_complete"`
	// Citations counts pairs of a sentence and a cited passage.
	Citations int `json:"citations"`
	// CitationPrecision is the share of pairs whose passage contains the sentence. It suits answers made of quotes. A model's
	// own words score lower.
	CitationPrecision float64 `json:"citation_precision"`
}

// Calibration is a threshold that was set on the odd questions, with its effects.
type Calibration struct {
	// MaxWrong is the share of answerable questions for which it may abstain.
	MaxWrong float64 `json:"max_wrong"`
	// Odd is its effect on the odd questions.
	Odd Abstention `json:"odd"`
	// Even is its effect on the even questions.
	Even Abstention `json:"even"`
	// InForce is the effect of the current threshold on the even questions.
	InForce Abstention `json:"in_force"`
	// RiskCoverage is the effect of other thresholds on the even questions.
	RiskCoverage []Abstention `json:"risk_coverage"`

	counts calibrationCounts
}

func newAnswersReport(cfg AnswersConfig, outcomes []Outcome) *AnswersReport {
	r := &AnswersReport{Outcomes: outcomes, Figures: figures(outcomes, cfg.Threshold)}
	kinds := []string{All}
	var odd, even []judgement
	for i := range outcomes {
		o := &outcomes[i]
		count(&r.Failed, o.Written.Failed != "")
		r.Model, r.Prompts = cmp.Or(o.Written.Model, r.Model), cmp.Or(o.Written.Prompts, r.Prompts)
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
	threshold := calibrate(odd, maxWrong)
	r.Calibration = Calibration{
		MaxWrong: maxWrong, Odd: abstain(odd, threshold), Even: abstain(even, threshold),
		InForce: abstain(even, cfg.Threshold), RiskCoverage: riskCoverage(even),
		counts: calibrationCounts{odd: answerable(odd), even: answerable(even), evenUnanswerable: len(even) - answerable(even)},
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

// Metrics returns the metrics for a golden file. Higher is better for all.
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
	r.writeFigures(&b)
	b.WriteString("\n| kind | questions | fact recall | complete | evidence in the first 3 | of these complete | citations | hold the sentence |\n|---|---|---|---|---|---|---|---|\n")
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

// WriteCalibration writes the calibrated threshold and its effect. It fails without a question that sets the threshold.
func (r *AnswersReport) WriteCalibration(w io.Writer) error {
	c := r.Calibration
	if c.counts.odd == 0 {
		return fault.New(fault.Invalid, "eval_calibration_empty",
			"cannot calibrate without an answerable question with an odd number; add questions with evidence")
	}
	_, err := fmt.Fprintf(w, "--min-evidence %s\n\n"+
		"of the odd-numbered questions: refuses %s of the unanswerable and %s of the answerable\n"+
		"of the even-numbered questions: refuses %s of the unanswerable and %s of the answerable\n"+
		"with the current value %s: refuses %s of the unanswerable and %s of the answerable (even-numbered)\n",
		decimals(c.Odd.Threshold), decimals(c.Odd.Unanswerable), decimals(c.Odd.Answerable), decimals(c.Even.Unanswerable),
		decimals(c.Even.Answerable), decimals(c.InForce.Threshold), decimals(c.InForce.Unanswerable), decimals(c.InForce.Answerable))
	return err
}

// abstentionTable writes the rows, with their names if names is not empty.
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
