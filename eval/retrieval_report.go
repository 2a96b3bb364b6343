package eval

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// All is the name for all kinds together.
const All = "all"

// RetrievalReport compares variants of retrieval.
type RetrievalReport struct {
	// Base is the variant that the others are compared with.
	Base string `json:"base"`
	// Rows are the results by kind and variant. All comes first, then the kinds in the order of the question set. Variants
	// have the configured order.
	Rows []RetrievalRow `json:"rows"`
	// Questions are the results of the variant Base for each question.
	Questions []QuestionResult `json:"questions"`
}

// QuestionResult is the result of one question.
type QuestionResult struct {
	// ID is the ID of the question.
	ID string `json:"id"`
	// Values are the values by metric.
	Values map[string]float64 `json:"values"`
}

// RetrievalRow is the result of one variant for one kind of question.
type RetrievalRow struct {
	// Variant is the variant's name.
	Variant string `json:"variant"`
	// Kind is the kind of question, or All.
	Kind string `json:"kind"`
	// Questions counts the questions.
	Questions int `json:"questions"`
	// Values are the means by metric.
	Values map[string]float64 `json:"values"`
	// Intervals are the 95 % bootstrap intervals of the means.
	Intervals map[string]Interval `json:"intervals"`
	// Differences are the intervals of the paired differences to Base. A difference is significant if its interval excludes
	// zero.
	Differences map[string]Interval `json:"differences"`
}

func newRetrievalReport(cfg RetrievalConfig, results [][]scores) *RetrievalReport {
	r := &RetrievalReport{Base: cfg.Base}
	base := slices.IndexFunc(cfg.Variants, func(v Variant) bool { return v.Name == cfg.Base })
	for i, q := range cfg.Questions {
		values := map[string]float64{}
		for m, name := range metrics {
			values[name] = results[base][i][m]
		}
		r.Questions = append(r.Questions, QuestionResult{q.ID, values})
	}
	kinds := []string{All}
	for _, q := range cfg.Questions {
		if !slices.Contains(kinds, q.Kind) {
			kinds = append(kinds, q.Kind)
		}
	}
	for _, kind := range kinds {
		rows := make([]RetrievalRow, len(cfg.Variants))
		for v, variant := range cfg.Variants {
			rows[v] = RetrievalRow{
				Variant: variant.Name, Kind: kind,
				Values: map[string]float64{}, Intervals: map[string]Interval{}, Differences: map[string]Interval{},
			}
		}
		for m, name := range metrics {
			values := make([][]float64, len(cfg.Variants))
			for v := range cfg.Variants {
				for i, q := range cfg.Questions {
					if kind == All || q.Kind == kind {
						values[v] = append(values[v], results[v][i][m])
					}
				}
				rows[v].Questions = len(values[v])
				rows[v].Values[name] = mean(values[v])
			}
			means, differences := bootstrap(values, base)
			for v := range rows {
				rows[v].Intervals[name], rows[v].Differences[name] = means[v], differences[v]
			}
		}
		r.Rows = append(r.Rows, rows...)
	}
	return r
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(len(values), 1))
}

// Metrics returns the metrics over all kinds for a golden file, with names "VARIANT METRIC".
func (r *RetrievalReport) Metrics() map[string]float64 {
	out := map[string]float64{}
	for _, row := range r.Rows {
		if row.Kind != All {
			continue
		}
		for name, value := range row.Values {
			out[row.Variant+" "+name] = value
		}
	}
	return out
}

// WriteMarkdown writes the report as tables.
func (r *RetrievalReport) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("| kind | questions | variant |")
	for _, name := range metrics {
		b.WriteString(" " + name + " |")
	}
	b.WriteString("\n|---|---|---|" + strings.Repeat("---|", len(metrics)) + "\n")
	for _, row := range r.Rows {
		fmt.Fprintf(&b, "| %s | %d | %s |", row.Kind, row.Questions, row.Variant)
		for _, name := range metrics {
			b.WriteString(" " + decimals(row.Values[name]) + " |")
		}
		b.WriteString("\n")
	}
	names := []string{"recall@5", "recall@10", "mrr@10"}
	fmt.Fprintf(&b, "\nWith 95 %% bootstrap intervals; Δ is the paired difference to %s.\n\n| variant |", r.Base)
	for _, name := range names {
		fmt.Fprintf(&b, " %s | Δ |", name)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|---|", len(names)) + "\n")
	for _, row := range r.Rows {
		if row.Kind != All {
			continue
		}
		fmt.Fprintf(&b, "| %s |", row.Variant)
		for _, name := range names {
			i, d := row.Intervals[name], row.Differences[name]
			fmt.Fprintf(&b, " %s [%s, %s] |", decimals(row.Values[name]), decimals(i.Low), decimals(i.High))
			if row.Variant == r.Base {
				b.WriteString(" |")
			} else {
				fmt.Fprintf(&b, " [%s, %s] |", signed(d.Low), signed(d.High))
			}
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// decimals formats a share for tables, such as .482.
func decimals(x float64) string {
	s := fmt.Sprintf("%.3f", x)
	if rest, ok := strings.CutPrefix(s, "0"); ok {
		return rest
	}
	return s
}

func signed(x float64) string {
	switch s := decimals(max(x, -x)); {
	case s == ".000":
		return "0"
	case x < 0:
		return "−" + s
	default:
		return "+" + s
	}
}
