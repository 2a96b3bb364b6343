package ask

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"docent/internal/fault"
	"docent/rag"
	"docent/rag/corpus"
)

// answerer is a RAG whose answers are the given parts, followed by err.
type answerer struct {
	parts []rag.Part
	err   error
	ended int // streams that have ended
}

func (a *answerer) Stream(context.Context, rag.Request) iter.Seq2[rag.Part, error] {
	return func(yield func(rag.Part, error) bool) {
		defer func() { a.ended++ }()
		for _, p := range a.parts {
			if !yield(p, nil) {
				return
			}
		}
		if a.err != nil {
			yield(rag.Part{}, a.err)
		}
	}
}

func (a *answerer) Run(context.Context, rag.Request) (rag.Answer, error) {
	return rag.Answer{Text: "whole"}, a.err
}

func (a *answerer) Collections(context.Context) ([]corpus.CollectionInfo, error) {
	return []corpus.CollectionInfo{{Name: "default"}, {Name: "manuals"}}, nil
}

func (a *answerer) DocumentIDs(context.Context, corpus.DocumentFilter) ([]int64, error) {
	return nil, nil
}

// TestStream checks the order of parts and errors, and that each call gives its
// slot back.
func TestStream(t *testing.T) {
	t.Parallel()
	away := fault.New(fault.Unavailable, "test_sentence", "the model is away")
	a := &answerer{}
	s := NewService(a, a, 1, nil)
	if _, err := s.Stream(t.Context(), rag.Request{}); err == nil || fault.KindOf(err) != fault.Internal {
		t.Errorf("an answer without parts: %v", err)
	}
	a.err = away
	if _, err := s.Stream(t.Context(), rag.Request{}); !errors.Is(err, away) {
		t.Errorf("an early error: %v", err)
	}
	a.parts = []rag.Part{{Delta: "a"}, {Delta: "b"}}
	parts, err := s.Stream(t.Context(), rag.Request{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Answer(t.Context(), rag.Request{}); fault.KindOf(err) != fault.Busy {
		t.Errorf("a second question at the same time: %v", err)
	}
	var got []string
	for part, err := range parts {
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		got = append(got, part.Delta)
	}
	if strings.Join(got, " ") != "a b "+away.Error() {
		t.Errorf("the parts are %q", got)
	}
	parts, err = s.Stream(t.Context(), rag.Request{})
	if err != nil {
		t.Fatal(err)
	}
	for range parts {
		break
	}
	if a.ended != 4 {
		t.Errorf("%d of 4 streams have ended", a.ended)
	}
	a.err = nil
	if answer, err := s.Answer(t.Context(), rag.Request{}); err != nil || answer.Text != "whole" {
		t.Errorf("the answer is %q, %v", answer.Text, err)
	}
}

func TestCheckCollections(t *testing.T) {
	t.Parallel()
	a := &answerer{}
	s := NewService(a, a, 1, nil)
	_, err := s.Answer(t.Context(), rag.Request{Collections: []string{"manuals", "elsewhere"}})
	if fault.KindOf(err) != fault.NotFound || !strings.Contains(err.Error(), "default, manuals") {
		t.Errorf("an unknown collection: %v", err)
	}
	if err := s.CheckCollections(t.Context(), []string{"default", "manuals"}); err != nil {
		t.Errorf("known collections: %v", err)
	}
}
