package pipeline

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"docent/llm"
	"docent/llm/llmtest"
	"docent/rag"
	"docent/rag/retrieve"
)

// rule is a model of entailment that follows a rule.
type rule struct {
	// says returns yes, no, or "" for a neutral judgment.
	says  func(passage, statement string) string
	err   error
	knows string // the only language, or "" for all
	calls []int  // pairs of each call
	asked []string
}

func (r *rule) Accepts(language string) bool { return r.knows == "" || language == r.knows }

func (r *rule) Judge(ctx context.Context, passages, statements []string) (entailed, contradicted []float64, err error) {
	r.calls = append(r.calls, len(passages))
	r.asked = append(r.asked, statements...)
	if r.err != nil && len(r.calls) > 1 {
		return nil, nil, r.err
	}
	for i, p := range passages {
		yes, no := .1, .1
		switch r.says(p, statements[i]) {
		case "yes":
			yes = .8
		case "no":
			no = .8
		}
		entailed, contradicted = append(entailed, yes), append(contradicted, no)
	}
	return entailed, contradicted, ctx.Err()
}

// judged answers a question from the memory shelf with a model of entailment. Without a text, it quotes.
func judged(t *testing.T, s *shelf, e rag.Entailment, written string) rag.Answer {
	t.Helper()
	cfg := Config{Retriever: s, Shelf: s, Static: testStatic, Entailment: e}
	if written != "" {
		cfg.Models = map[string]llm.Model{"scripted": llmtest.NewModel(llmtest.Script(llmtest.Reply{Text: []string{written}}))}
		cfg.DefaultModel = "scripted"
	}
	r, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	out, err := r.Run(t.Context(), rag.Request{Question: "What is the default of work_mem?"})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func judgments(a rag.Answer) string {
	var out []string
	for _, s := range a.Sentences {
		out = append(out, string(s.Support))
	}
	return strings.Join(out, " ") + " " + string(a.Outcome)
}

// TestEntailmentMarks: the model decides the marks and the outcome of a written answer. The words still decide on numbers.
func TestEntailmentMarks(t *testing.T) {
	t.Parallel()
	always := func(says string) func(string, string) string { return func(string, string) string { return says } }
	for name, c := range map[string]struct {
		written     string
		says        func(passage, statement string) string
		words, want string
	}{
		"paraphrase":   {"Sorting may take space up to such a cap [1].", always("yes"), "none unsure", "strong answered"},
		"contradicted": {"The default of work_mem is 4MB [1].", always("no"), "strong answered", "none unsure"},
		"neutral":      {"The default of work_mem is 4MB [1].", always(""), "strong answered", "weak unsure"},
		"wrong number": {"The default of work_mem is 8MB [1].", always("yes"), "none unsure", "none unsure"},
		"one of two passages": {"The default of work_mem is 4MB [1][2].", func(p, _ string) string {
			if strings.Contains(p, "base maximum") {
				return "yes"
			}
			return "no"
		}, "strong answered", "strong answered"},
		"only the last sentence": {"Elephants forget nothing [2]. The default of work_mem is 4MB [1].", func(_, s string) string {
			if strings.Contains(s, "work_mem") {
				return "yes"
			}
			return "no"
		}, "none strong answered", "none strong answered"},
		"uncited":       {"Elephants forget nothing.", always("yes"), "none unsure", "none unsure"},
		"does not know": {"I don't know.", always("yes"), "none not_found", "none not_found"},
	} {
		if got := judgments(judged(t, memoryShelf(), nil, c.written)); got != c.words {
			t.Errorf("%s: the words give %s, want %s", name, got, c.words)
		}
		e := &rule{says: c.says}
		if got := judgments(judged(t, memoryShelf(), e, c.written)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		for _, s := range e.asked {
			if strings.Contains(s, "[") {
				t.Errorf("%s: the statement %q has a marker", name, s)
			}
		}
	}
}

// TestEntailmentLimits: an answer costs a bounded number of pairs. Sentences behind them, and those of a failed call, keep the
// marks of their words.
func TestEntailmentLimits(t *testing.T) {
	t.Parallel()
	var long string
	for _, who := range strings.Fields("Anna Bert Cleo Dora Emil Finn Gina Hugo Ines Jana Karl Lena Maja Nina Olaf") {
		long += who + " sets the maximum amount of memory [1]. The server of " + who + " uses shared memory buffers [1][2]. "
	}
	no := func(string, string) string { return "no" }
	for name, c := range map[string]struct {
		rule  *rule
		pairs int
		none  int // judged sentences
	}{
		"long":             {&rule{says: no}, maxJudged, 16},
		"failed":           {&rule{says: no, err: errors.New("out of order")}, 2 * judgedAtOnce, 0},
		"another language": {&rule{says: no, knows: "de"}, 0, 0},
	} {
		got := judged(t, memoryShelf(), c.rule, long)
		pairs, none := 0, 0
		for _, n := range c.rule.calls {
			pairs += n
			if n > judgedAtOnce+maxJudgedPassages {
				t.Errorf("%s: a call with %d pairs", name, n)
			}
		}
		for _, s := range got.Sentences {
			if s.Support == rag.None {
				none++
			}
		}
		if name == "failed" {
			c.none = none
			if none == 0 || none > judgedAtOnce {
				t.Errorf("failed: %d sentences of the first call are marked", none)
			}
		}
		if pairs > c.pairs+maxJudgedPassages || pairs < c.pairs-maxJudgedPassages || none != c.none {
			t.Errorf("%s: %d pairs, %d sentences without support, want about %d and %d", name, pairs, none, c.pairs, c.none)
		}
	}
}

// TestEntailmentQuotes: the model decides whether quotes are unsure, but not against a missing subject or the author of a
// request. A neutral judgment changes nothing.
func TestEntailmentQuotes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		evidence float64
		says     string
		subjects []string
		want     rag.Outcome
	}{
		"sure":             {.9, "", nil, rag.Answered},
		"unsure":           {.1, "", nil, rag.Unsure},
		"entailed":         {.1, "yes", nil, rag.Answered},
		"contradicted":     {.9, "no", nil, rag.Unsure},
		"missing subject":  {.1, "yes", []string{"replication"}, rag.Unsure},
		"nothing to quote": {.0001, "yes", nil, rag.NotFound},
	} {
		s := memoryShelf()
		s.evidence, s.subjects = c.evidence, c.subjects
		e := &rule{says: func(string, string) string { return c.says }}
		got := judged(t, s, e, "")
		if got.Outcome != c.want || (got.Lead > 0) != (c.want == rag.Unsure) {
			t.Errorf("%s: %s with a line of %d bytes, want %s", name, got.Outcome, got.Lead, c.want)
		}
		if n := len(e.asked); n > maxJudgedPassages {
			t.Errorf("%s: %d pairs", name, n)
		}
	}
	strict := .05
	s := memoryShelf()
	s.evidence = .9
	r, err := New(Config{Retriever: s, Static: testStatic, Entailment: &rule{says: func(string, string) string { return "no" }}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Run(t.Context(), rag.Request{Question: "What is the default of work_mem?", MinEvidence: &strict})
	if err != nil || got.Outcome != rag.Answered {
		t.Errorf("with a threshold of the request: %s, %v", got.Outcome, err)
	}
}

// TestEntailmentTimeout: an answer does not wait for a model that hangs.
func TestEntailmentTimeout(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	a := &answering{pipeline: &Pipeline{cfg: Config{Entailment: hanging{cancel}, Logger: slog.New(slog.DiscardHandler), Static: testStatic}}}
	got := judge{a}.all(ctx, []asserted{{"The pump is on.", passages([]retrieve.Result{passage(1, "Pump", "On", "The pump is on.")})}})
	if len(got) != 1 || got[0] != unjudged {
		t.Errorf("judged %v", got)
	}
}

// hanging is a model that ends with its context.
type hanging struct{ cancel func() }

func (hanging) Accepts(string) bool { return true }

func (h hanging) Judge(ctx context.Context, _, _ []string) (entailed, contradicted []float64, err error) {
	if _, ok := ctx.Deadline(); !ok {
		return nil, nil, errors.New("no deadline")
	}
	h.cancel()
	<-ctx.Done()
	return nil, nil, ctx.Err()
}
