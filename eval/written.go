package eval

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"docent/rag"
)

// Written describes the text of an answer.
type Written struct {
	// Answer is the text.
	Answer string `json:"answer,omitempty"`
	// Model is the name of the model, or rag.Extractive.
	Model string `json:"model,omitempty"`
	// Prompts is the version of the prompts.
	Prompts string `json:"prompts,omitempty"`
	// Failed is the error of the model, or "".
	Failed string `json:"failed,omitempty"`
	// Abstained reports that the answer says "I don't know".
	Abstained bool `json:"abstained,omitempty"`
	// Sentences counts the sentences, without those of an answer that abstained.
	Sentences int `json:"sentences"`
	// Supported counts the sentences that passages fully support.
	Supported int `json:"supported"`
	// Citing counts the sentences with citations.
	Citing int `json:"citing"`
	// SupportedCiting counts the sentences that their citations fully support.
	SupportedCiting int `json:"supported_citing"`
	// CitesEvidence reports that the answer cites a passage with evidence.
	CitesEvidence bool `json:"cites_evidence,omitempty"`
	// Usage counts the model's tokens; nil if unknown.
	Usage *rag.Usage `json:"usage,omitempty"`
	// Seconds is the time from the question to the checked answer.
	Seconds float64 `json:"seconds"`
}

// newWritten describes an answer. j knows the evidence of its question.
func newWritten(answer rag.Answer, j *judge) Written {
	w := Written{
		Answer: answer.Text, Model: answer.Model, Prompts: answer.Prompts, Abstained: answer.Abstained(), Usage: answer.Usage,
		Seconds: (answer.Timings.Search + answer.Timings.Answer).Seconds(),
	}
	if answer.Abstained() {
		return w
	}
	for _, s := range answer.Sentences {
		strong := s.Support == rag.Strong
		w.Sentences++
		count(&w.Supported, strong)
		if len(s.Passages) == 0 || s.Found {
			continue
		}
		w.Citing++
		count(&w.SupportedCiting, strong)
		for _, n := range s.Passages {
			if n >= 1 && n <= len(answer.Passages) {
				p := answer.Passages[n-1].Passage
				v := j.judge(newPassage(p.Document.Source, p.Text))
				w.CitesEvidence = w.CitesEvidence || v.also || slices.Contains(v.holds, true)
			}
		}
	}
	return w
}

// Figure is a figure of the answers with its interval.
type Figure struct {
	// Name is the name of the figure.
	Name string `json:"name"`
	// N counts the answers, sentences, or citations behind it.
	N int `json:"n"`
	// Of says which of them N counts.
	Of string `json:"of"`
	// Value is the share, the mean, or the percentile.
	Value float64 `json:"value"`
	// Interval is the interval of Value over questions.
	Interval
}

// observation is one question's part of a figure: a sum and the count behind it.
type observation struct{ sum, n float64 }

// Limits of the percentiles of answer times.
const (
	median = .5
	slow   = .95
)

// figures describe the answers that users get with a threshold of evidence.
func figures(outcomes []Outcome, threshold float64) []Figure {
	refused := func(o *Outcome) bool { return o.Written.Abstained || o.Evidence < threshold }
	var out []Figure
	add := func(name, of string, value func(o *Outcome) (sum, n float64)) {
		var all []observation
		for i := range outcomes {
			if sum, n := value(&outcomes[i]); n > 0 && outcomes[i].Written.Failed == "" {
				all = append(all, observation{sum, n})
			}
		}
		if len(all) > 0 {
			out = append(out, ratio(name, of, all))
		}
	}
	facts := func(value func(o *Outcome) float64) func(*Outcome) (float64, float64) {
		return func(o *Outcome) (float64, float64) { return value(o), float(o.Kind != Unanswerable && o.hasFacts) }
	}
	add("facts found", "answers", facts(func(o *Outcome) float64 { return o.Facts }))
	add("complete answers", "answers", facts(func(o *Outcome) float64 { return float(o.Complete) }))
	add("supported sentences", "sentences", func(o *Outcome) (float64, float64) {
		return float64(o.Written.Supported), float64(o.Written.Sentences)
	})
	add("sentences with citations", "sentences", func(o *Outcome) (float64, float64) {
		return float64(o.Written.Citing), float64(o.Written.Sentences)
	})
	add("correct citations", "cited sentences", func(o *Outcome) (float64, float64) {
		return float64(o.Written.SupportedCiting), float64(o.Written.Citing)
	})
	add("evidence among the passages", "answers", func(o *Outcome) (float64, float64) {
		return float(o.Rank > 0), float(o.Kind != Unanswerable)
	})
	add("answers that cite evidence", "answers", func(o *Outcome) (float64, float64) {
		return float(o.Written.CitesEvidence), float(o.Kind != Unanswerable)
	})
	add("refused, unanswerable", "answers", func(o *Outcome) (float64, float64) {
		return float(refused(o)), float(o.Kind == Unanswerable)
	})
	add("refused, answerable", "answers", func(o *Outcome) (float64, float64) {
		return float(refused(o)), float(o.Kind != Unanswerable)
	})
	usage := func(count func(rag.Usage) int) func(*Outcome) (float64, float64) {
		return func(o *Outcome) (float64, float64) {
			if o.Written.Usage == nil {
				return 0, 0
			}
			return float64(count(*o.Written.Usage)), 1
		}
	}
	add("words, mean", "answers", func(o *Outcome) (float64, float64) {
		return float64(len(strings.Fields(o.Written.Answer))), 1
	})
	add("prompt tokens, mean", "answers", usage(func(u rag.Usage) int { return u.Prompt }))
	add("completion tokens, mean", "answers", usage(func(u rag.Usage) int { return u.Completion }))
	return append(out, times(outcomes)...)
}

// times returns the percentiles of the answer times in seconds.
func times(outcomes []Outcome) []Figure {
	var seconds []float64
	for i := range outcomes {
		if outcomes[i].Written.Failed == "" {
			seconds = append(seconds, outcomes[i].Written.Seconds)
		}
	}
	if len(seconds) == 0 {
		return nil
	}
	return []Figure{
		percentile("seconds, p50", seconds, median), percentile("seconds, p95", seconds, slow),
	}
}

// ratio returns the ratio of the sums to the counts.
func ratio(name, of string, all []observation) Figure {
	f := Figure{Name: name, Of: of}
	value := func(pick func(int) int) float64 {
		var sum, n float64
		for i := range all {
			o := all[pick(i)]
			sum += o.sum
			n += o.n
		}
		f.N = int(n)
		return sum / n
	}
	f.Interval = resampled(len(all), value)
	f.Value = value(func(i int) int { return i })
	return f
}

// percentile returns the value below which the share q of the values is.
func percentile(name string, values []float64, q float64) Figure {
	drawn := make([]float64, len(values))
	value := func(pick func(int) int) float64 {
		for i := range drawn {
			drawn[i] = values[pick(i)]
		}
		slices.Sort(drawn)
		return drawn[int(q*float64(len(drawn)-1)+.5)]
	}
	return Figure{
		Name: name, Of: "answers", N: len(values), Interval: resampled(len(values), value),
		Value: value(func(i int) int { return i }),
	}
}

// resampled returns the bootstrap interval of a value that is computed from n picks.
func resampled(n int, value func(pick func(int) int) float64) Interval {
	r := rand.New(rand.NewPCG(bootstrapSeed, uint64(n)))
	values := make([]float64, resamples)
	for i := range values {
		values[i] = value(func(int) int { return r.IntN(n) })
	}
	return interval(values)
}

// writeFigures writes the figures as a table.
func (r *AnswersReport) writeFigures(b *strings.Builder) {
	fmt.Fprintf(b, "Answers by %s", r.Model)
	if r.Prompts != "" {
		fmt.Fprintf(b, ", prompts version %s", r.Prompts)
	}
	if r.Failed > 0 {
		fmt.Fprintf(b, ", of which %d failed", r.Failed)
	}
	b.WriteString(":\n\n| figure | n | value | 95% interval |\n|---|---|---|---|\n")
	for _, f := range r.Figures {
		format := decimals
		if f.Value >= 10 {
			format = func(x float64) string { return fmt.Sprintf("%.0f", x) }
		}
		fmt.Fprintf(b, "| %s | %d %s | %s | [%s, %s] |\n", f.Name, f.N, f.Of, format(f.Value), format(f.Low), format(f.High))
	}
}
