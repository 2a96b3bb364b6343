package eval

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"docent/internal/fault"
	"docent/rag"
	"docent/rag/retrieve"
)

// author writes answers to the tiny questions like a model.
func author() clerk {
	c := tinyClerk()
	text := "The server listens on port 5432. It costs nothing. It is fast."
	at := func(s string) (start, end int) { start = strings.Index(text, s); return start, start + len(s) }
	var sentences []rag.Sentence
	for i, s := range []string{"The server listens on port 5432.", "It costs nothing.", "It is fast."} {
		start, end := at(s)
		sentences = append(sentences, []rag.Sentence{
			{Start: start, End: end, Passages: []int{1}, Support: rag.Strong},
			{Start: start, End: end, Passages: []int{2}, Support: rag.None},
			{Start: start, End: end, Passages: []int{1}, Support: rag.Strong, Found: true},
		}[i])
	}
	written := message([]retrieve.Result{port, noise}, nil, nil)
	written.Model, written.Prompts, written.Text, written.Sentences = "m", "7", text, sentences
	written.Usage = &rag.Usage{Prompt: 100, Completion: 20}
	written.Timings = rag.Timings{Search: time.Second, Answer: 2 * time.Second}
	c["default port?"] = written
	refusal := c["who pays for this?"]
	refusal.Text, refusal.Outcome = "I don't know.", rag.NotFound
	c["who pays for this?"] = refusal
	return c
}

func TestFiguresOfWrittenAnswers(t *testing.T) {
	t.Parallel()
	s := shelf{grade: map[string]float64{"default port?": .9, "VACUUM or VACUUM FULL?": .01, "and on Windows?": .6, "who pays for this?": .3}}
	r, err := MeasureAnswers(t.Context(), AnswersConfig{Answerer: author(), Retriever: s, Questions: loadTiny(t), Threshold: .05})
	if err != nil {
		t.Fatal(err)
	}
	if r.Model != "m" || r.Prompts != "7" || r.Failed != 0 {
		t.Errorf("model %q, prompts %q, %d failed", r.Model, r.Prompts, r.Failed)
	}
	// Sentences: three of "default port?", two of the comparison, and one of the
	// follow-up. The refusal has none.
	want := map[string]Figure{
		"facts found":                 {N: 3, Value: 2.5 / 3},
		"complete answers":            {N: 3, Value: 2. / 3},
		"supported sentences":         {N: 6, Value: 2. / 6},
		"sentences with citations":    {N: 6, Value: 5. / 6},
		"correct citations":           {N: 5, Value: 1. / 5},
		"answers that cite evidence":  {N: 3, Value: 1},
		"evidence among the passages": {N: 3, Value: 1},
		"words, mean":                 {N: 4, Value: 9.75},
		"refused, unanswerable":       {N: 1, Value: 1},
		"refused, answerable":         {N: 3, Value: 1. / 3},
		"prompt tokens, mean":         {N: 1, Value: 100},
		"completion tokens, mean":     {N: 1, Value: 20},
		"seconds, p50":                {N: 4, Value: 0},
		"seconds, p95":                {N: 4, Value: 3},
	}
	for _, f := range r.Figures {
		w, ok := want[f.Name]
		if !ok || f.N != w.N || math.Abs(f.Value-w.Value) > 1e-9 || f.Low > f.Value || f.High < f.Value {
			t.Errorf("%+v, want %+v", f, w)
		}
		delete(want, f.Name)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
	var b strings.Builder
	if err := r.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"Answers by m, prompts version 7:\n", "| prompt tokens, mean | 1 answers | 100 | [100, 100] |", "| refused, unanswerable | 1 answers | 1.000 | [1.000, 1.000] |"} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("no %q in\n%s", line, b.String())
		}
	}
}

// overloaded fails for the questions whose answer it lacks.
type overloaded struct{ clerk }

func (o overloaded) Run(ctx context.Context, r rag.Request) (rag.Answer, error) {
	a, err := o.clerk.Run(ctx, r)
	if err != nil {
		return a, fault.New(fault.Unavailable, "model_answer_empty", "the model returned an empty answer")
	}
	return a, nil
}

func TestFailedAnswersAreCounted(t *testing.T) {
	t.Parallel()
	some := author()
	delete(some, "and on Windows?")
	cfg := AnswersConfig{Answerer: overloaded{some}, Retriever: shelf{}, Questions: loadTiny(t)}
	r, err := MeasureAnswers(t.Context(), cfg)
	if err != nil || r.Failed != 1 || r.Figures[0].N != 2 {
		t.Fatalf("%v, %+v", err, r)
	}
	cfg.Answerer = overloaded{}
	if _, err := MeasureAnswers(t.Context(), cfg); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("all answers failed: %v", err)
	}
}
