package eval

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"docent/internal/fault"
)

// Report has the results of one run. Its JSON is the output of docent eval --json.
type Report struct {
	// Documents and Chunks count the corpus.
	Documents int `json:"documents"`
	Chunks    int `json:"chunks"`
	// Seconds is the time to read the corpus; 0 if it was stored before.
	Seconds float64 `json:"ingest_seconds,omitempty"`
	// Retrieval is the report on retrieval; nil if it was not measured.
	Retrieval *RetrievalReport `json:"retrieval"`
	// Ablations is the report on retrieval without each feature; nil if it was not measured.
	Ablations *RetrievalReport `json:"ablations,omitempty"`
	// Answers is the report on answers; nil if they were not measured.
	Answers *AnswersReport `json:"answers,omitempty"`
}

// ReadReport reads a report that docent eval --json wrote.
func ReadReport(path string) (Report, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Report{}, fault.Wrap(fault.Invalid, err, "eval_report_unreadable", "cannot read the report %s", path)
	}
	var r Report
	if err := json.Unmarshal(data, &r); err != nil {
		return Report{}, fault.New(fault.Invalid, "eval_report_invalid", "%s is not a report of docent eval --json", path)
	}
	return r, nil
}

// WriteMarkdown writes the report as Markdown tables. Retrieval must have been measured.
func (r *Report) WriteMarkdown(w io.Writer) error {
	line := fmt.Sprintf("Documents: %d. Passages: %d.", r.Documents, r.Chunks)
	if r.Seconds > 0 {
		line += fmt.Sprintf(" Read in %.1f s.", r.Seconds)
	}
	if _, err := fmt.Fprint(w, line, "\n\n"); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	if err := r.Retrieval.WriteMarkdown(w); err != nil {
		return err
	}
	if r.Ablations != nil {
		if _, err := fmt.Fprintln(w, "\nWithout each feature:"); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
		if err := r.Ablations.WriteMarkdown(w); err != nil {
			return err
		}
	}
	if r.Answers == nil {
		return nil
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return r.Answers.WriteMarkdown(w)
}

// Metrics returns the figures for a golden file. Retrieval must have been measured.
func (r *Report) Metrics() map[string]float64 {
	all := r.Retrieval.Metrics()
	if r.Answers != nil {
		for name, v := range r.Answers.Metrics() {
			all[name] = v
		}
	}
	return all
}
