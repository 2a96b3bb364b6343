package pipeline

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"docent/internal/fault"
	"docent/llm"
	"docent/llm/llmtest"
	"docent/rag"
)

// again makes a Pipeline whose model helps to search. The scripted model first
// gets the call for the second query.
func again(t *testing.T, s *shelf, kind SecondQuery, replies ...llmtest.Reply) (*Pipeline, *llmtest.Model) {
	t.Helper()
	model := llmtest.NewModel(llmtest.Script(replies...))
	r, err := New(Config{
		Retriever: s, Static: testStatic, Models: map[string]llm.Model{"m": model}, DefaultModel: "m", SecondQuery: kind,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r, model
}

func TestSecondQuery(t *testing.T) {
	t.Parallel()
	const list = "1. \"sort memory limit\"\n\n- Sort memory LIMIT\n* q?\nmemory per operation\nthird\nfourth"
	const possible = "work_mem limits\n the memory of a sort."
	for name, c := range map[string]struct {
		kind     SecondQuery
		evidence float64
		first    llmtest.Reply
		want     []string
		calls    int
	}{
		"wordings":       {SecondQueryWordings, .2, llmtest.Say(list), []string{"sort memory limit", "memory per operation", "third"}, 2},
		"passage":        {SecondQueryPassage, .2, llmtest.Say(possible), []string{"work_mem limits the memory of a sort."}, 2},
		"cut off":        {SecondQueryWordings, .2, llmtest.Reply{Text: []string{"half a"}, Finish: "length"}, []string{"half a"}, 2},
		"off":            {"", .2, llmtest.Say("4MB [1]."), nil, 1},
		"enough":         {SecondQueryWordings, weakEvidence, llmtest.Say("4MB [1]."), nil, 1},
		"the same":       {SecondQueryWordings, .2, llmtest.Say("Q?"), nil, 2},
		"nothing":        {SecondQueryPassage, .2, llmtest.Say(" \n"), nil, 2},
		"the call fails": {SecondQueryWordings, .2, llmtest.Reply{Err: errors.New("overloaded")}, nil, 2},
	} {
		s := memoryShelf()
		s.evidence = c.evidence
		r, model := again(t, s, c.kind, c.first, llmtest.Say("4MB [1]."))
		got, err := r.Run(t.Context(), rag.Request{Question: "q?"})
		if err != nil || got.Text != "4MB [1]." || len(model.Requests()) != c.calls {
			t.Errorf("%s: %v, %q, %d calls", name, err, got.Text, len(model.Requests()))
			continue
		}
		searches := 1
		if c.want != nil {
			searches = 2
		}
		last := s.queries[len(s.queries)-1]
		if len(s.queries) != searches || !slices.Equal(last.Wordings, c.want) || last.Question != "q?" || !slices.Equal(got.Search.Wordings, c.want) {
			t.Errorf("%s: searched %+v, the answer says %q", name, s.queries, got.Search.Wordings)
		}
	}
}

// Reading the texts stops at their maximum length.
func TestSecondQueryRambles(t *testing.T) {
	t.Parallel()
	pieces := 0
	ramble := llmtest.Reply{Text: slices.Repeat([]string{"and so on "}, 2000), Wait: func(context.Context, int) error {
		pieces++
		return nil
	}}
	s := memoryShelf()
	s.evidence = .2
	r, _ := again(t, s, SecondQueryPassage, ramble, llmtest.Say("4MB [1]."))
	got, err := r.Run(t.Context(), rag.Request{Question: "q?"})
	if err != nil || got.Text != "4MB [1]." || len(s.queries) != 2 || len(s.queries[1].Wordings[0]) > maxWordingsBytes+len(" …") {
		t.Errorf("%v, %+v after %+v", err, got, s.queries)
	}
	if most := maxWordingsBytes/len("and so on ") + 1; pieces > most {
		t.Errorf("%d pieces were read, want at most %d", pieces, most)
	}
}

// The answer does not wait longer than the timeout for a second query.
func TestSecondQueryTakesTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := llmtest.Reply{Text: []string{"memory"}, Wait: func(ctx context.Context, _ int) error {
			<-ctx.Done()
			return ctx.Err()
		}}
		s := memoryShelf()
		s.evidence = .2
		r, _ := again(t, s, SecondQueryWordings, hang, llmtest.Say("4MB [1]."))
		began := time.Now()
		got, err := r.Run(t.Context(), rag.Request{Question: "q?"})
		if took := time.Since(began); err != nil || got.Text != "4MB [1]." || len(s.queries) != 1 || took != wordingsTimeout {
			t.Errorf("%v, %q, %d searches, %v", err, got.Text, len(s.queries), took)
		}
	})
}

// The model helps to search only for questions that it answers.
func TestSecondQueryWithoutModel(t *testing.T) {
	t.Parallel()
	s := memoryShelf()
	s.evidence = .2
	r, model := again(t, s, SecondQueryWordings, llmtest.Say("x"))
	if _, err := r.Run(t.Context(), rag.Request{Question: "q?", Model: rag.Extractive}); err != nil || len(model.Requests()) != 0 || len(s.queries) != 1 {
		t.Errorf("%v, %d calls, %d searches", err, len(model.Requests()), len(s.queries))
	}
}

func TestUnknownVersions(t *testing.T) {
	t.Parallel()
	for want, cfg := range map[string]Config{"wordings, passage": {SecondQuery: "twice"}, "there are: 1, 2": {Prompts: "0"}} {
		cfg.Retriever, cfg.Static = memoryShelf(), testStatic
		if _, err := New(cfg); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestPromptsOfAnAnswer: an answer records the version of its prompts.
func TestPromptsOfAnAnswer(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{"": DefaultPrompts, "2": "2"} {
		model := llmtest.NewModel(llmtest.Script(llmtest.Say("4MB [1].")))
		r, err := New(Config{Retriever: memoryShelf(), Static: testStatic, Models: map[string]llm.Model{"m": model}, DefaultModel: "m", Prompts: version})
		if err != nil {
			t.Fatal(err)
		}
		written, err := r.Run(t.Context(), rag.Request{Question: "What is the default of work_mem?"})
		if err != nil || written.Prompts != want {
			t.Errorf("%v, version %q, want %q", err, written.Prompts, want)
		}
		quoted, err := r.Run(t.Context(), rag.Request{Question: "What is the default of work_mem?", Model: rag.Extractive})
		if err != nil || quoted.Prompts != "" {
			t.Errorf("a quote: %v, version %q", err, quoted.Prompts)
		}
	}
}
