package suggest

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"docent/internal/fault"
	"docent/llm"
	"docent/llm/llmtest"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/describe"
)

// described keeps descriptions in memory.
type described map[int64]describe.Description

func (d described) Description(_ context.Context, id int64) (describe.Description, error) {
	return d[id], nil
}

func (d described) PutDescription(_ context.Context, id int64, written describe.Description) error {
	d[id] = written
	return nil
}

// usedUpError is the error of a reader whose tokens are used up.
type usedUpError struct{ error }

func (usedUpError) RetryAfter() time.Duration { return time.Hour }

func (u usedUpError) Unwrap() error { return u.error }

// TestDescription describes a document once for each content, also after a restart, and leaves out what does not fit the document.
func TestDescription(t *testing.T) {
	l := newShelf()
	l.docs[1].Status, l.docs[1].SHA256 = corpus.Ready, "one"
	written := []string{
		"Summary of your request.\n\n1. The feed pump has a filter behind two valves.\n- Close both valves before you open the filter.\n" +
			"What do I close before I open the filter?\nWhere is the lost filter of the pump?\nWho is the mayor of Lisbon?\nHow do I open the filter?",
		"I am a language model.", "The valves of the filter.\nWhich valves?",
	}
	fails, failure := false, errors.New("no key")
	model := llmtest.NewModel(func(n int, _ llmtest.Request) llmtest.Reply {
		if fails {
			return llmtest.Reply{Err: failure}
		}
		return llmtest.Say(written[n])
	})
	store := described{}
	var present llm.Model = model
	restart := func() routes {
		return newRoutes(Config{Library: l, Answers: l, Describing: &Describing{
			Store: store, Model: func() llm.Model { return present }, Logger: slog.New(slog.DiscardHandler),
		}})
	}
	s := restart()
	check := func(what string, calls int, want ...string) {
		t.Helper()
		out, err := s.description(t.Context(), &describeInput{ID: 2})
		if err != nil {
			t.Fatal(err)
		}
		got := slices.Concat([]string{out.Body.Model}, out.Body.Summary, out.Body.Questions)
		if !slices.Equal(got, append([]string{}, want...)) || len(model.Requests()) != calls {
			t.Errorf("%s: %q after %d calls, want %q after %d", what, got, len(model.Requests()), want, calls)
		}
	}
	first := []string{
		"scripted", "The feed pump has a filter behind two valves.", "Close both valves before you open the filter.",
		"What do I close before I open the filter?", "How do I open the filter?",
	}
	check("the first request", 1, first...)
	check("the second request", 1, first...)
	prompt := model.Requests()[0].Messages[0].Content
	for _, part := range []string{`title="Feed pump manual"`, "Headings: Cleaning the filter | Finding lost parts", "Close both valves"} {
		if !strings.Contains(prompt, part) {
			t.Errorf("the prompt lacks %q: %s", part, prompt)
		}
	}
	for _, req := range l.asked {
		if req.Model != rag.Extractive || !slices.Equal(req.Documents, []int64{2}) {
			t.Errorf("%q was tried with the model %q in %d", req.Question, req.Model, req.Documents)
		}
	}
	s = restart()
	check("after a restart", 1, first...)
	present = nil
	check("without a model", 1, "")
	present = model
	l.docs[1].SHA256 = "two"
	check("unusable text about another content", 2, "")
	s = restart()
	check("unusable text is remembered", 2, "")
	l.docs[1].SHA256, fails = "three", true
	check("a failure", 3, "")
	check("a failure is remembered for a while", 3, "")
	if store[2].Key == describe.Key(l.docs[1], "scripted") {
		t.Error("a failure was stored")
	}
	l.docs[1].SHA256, failure = "four", fault.New(fault.RateLimited, "test_sentence", "no tokens")
	failure = usedUpError{failure}
	if _, err := s.description(t.Context(), &describeInput{ID: 2}); !errors.Is(err, failure) {
		t.Errorf("a reader without tokens: %v", err)
	}
	fails = false
	written = append(written, "", "The feed pump has a filter behind two valves.")
	check("another reader", 5, "scripted", "The feed pump has a filter behind two valves.")
	l.docs[1].Status = corpus.Failed
	s = restart()
	check("a failed document", 5, "")
}
