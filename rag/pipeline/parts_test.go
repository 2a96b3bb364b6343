package pipeline

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"docent/llm"
	"docent/llm/llmtest"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/talk"
)

// finder finds a passage for each word that it knows.
type finder struct {
	shelf
	known map[string]retrieve.Result
}

func (f *finder) Retrieve(ctx context.Context, q retrieve.Query) (retrieve.Retrieval, error) {
	out, err := f.shelf.Retrieve(ctx, q)
	out.Results, out.Evidence = nil, 0
	for _, word := range slices.Backward(slices.Sorted(maps.Keys(f.known))) {
		r := f.known[word]
		if strings.Contains(q.Question, word) {
			out.Results, out.Evidence = append(out.Results, r), .9
		}
	}
	return out, err
}

func newFinder() *finder {
	p := func(id int64, title, text string) retrieve.Result {
		return retrieve.Result{Rank: 1, Score: 1, Passage: corpus.Passage{
			Chunk:    corpus.Chunk{ID: id, DocumentID: id, Kind: corpus.Prose, Text: text, End: len(text)},
			Document: corpus.Document{ID: id, Title: title},
		}}
	}
	return &finder{known: map[string]retrieve.Result{
		"vacation": p(1, "Handbook", "Employees get 27 days of vacation a year."),
		"filter":   p(2, "Prices", "The oil filter has the price of 14.20 EUR."),
	}}
}

// TestTwoQuestions checks that each question of a message has a search of its own.
func TestTwoQuestions(t *testing.T) {
	t.Parallel()
	const both = "how many days of vacation do I get and what is the price of the oil filter"
	for question, want := range map[string]string{
		both: "**how many days of vacation do I get**\n\nEmployees get 27 days of vacation a year. [1]\n\n" +
			"**what is the price of the oil filter**\n\nThe oil filter has the price of 14.20 EUR. [2]",
		"what is the price of the oil filter? how deep is the harbor?": "**what is the price of the oil filter?**\n\nThe oil filter has the price of 14.20 EUR. [1]\n\n" +
			"**how deep is the harbor?**\n\nI found nothing that answers this part.",
		"how many days of vacation do I get? who gets days of vacation?": "**how many days of vacation do I get?**\n\n" +
			"**who gets days of vacation?**\n\nEmployees get 27 days of vacation a year. [1]",
	} {
		f := newFinder()
		r, err := New(Config{Retriever: f, Static: testStatic})
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Run(t.Context(), rag.Request{Question: question})
		if err != nil || got.Text != want || got.Outcome != rag.Answered || len(f.queries) != 2 || got.Search != nil {
			t.Errorf("%s: %s, %d searches, %v\ngot  %q\nwant %q", question, got.Outcome, len(f.queries), err, got.Text, want)
		}
		for _, s := range got.Sentences {
			if cited := got.Passages[s.Passages[0]-1].Text; !strings.HasPrefix(got.Text[s.Start:s.End], cited) {
				t.Errorf("%q cites %q", got.Text[s.Start:s.End], cited)
			}
		}
	}
	f := newFinder()
	model := llmtest.NewModel(llmtest.Script(llmtest.Say("27 days [1] and 14.20 EUR [2].")))
	r, err := New(Config{Retriever: f, Static: testStatic, Models: map[string]llm.Model{"m": model}, DefaultModel: "m"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Run(t.Context(), rag.Request{Question: both})
	if err != nil || len(f.queries) != 2 || len(model.Requests()) != 1 || len(got.Passages) != 2 {
		t.Errorf("with a model: %d searches, %d requests, %+v %v", len(f.queries), len(model.Requests()), got, err)
	}
	// Nothing for either part: one search for the whole question, and one answer.
	f = newFinder()
	if r, err = New(Config{Retriever: f, Static: testStatic}); err != nil {
		t.Fatal(err)
	}
	if got, err = r.Run(t.Context(), rag.Request{Question: "how deep is the harbor? how long is the pier?"}); err != nil || got.Outcome != rag.NotFound || len(f.queries) != 3 {
		t.Errorf("%d searches, %+v %v", len(f.queries), got, err)
	}
}

// TestPastedLog checks that the search is for the error in a pasted log.
func TestPastedLog(t *testing.T) {
	t.Parallel()
	f := newFinder()
	r, err := New(Config{Retriever: f, Static: testStatic})
	if err != nil {
		t.Fatal(err)
	}
	const log = "12:00:01 pump INFO start\n12:00:02 pump INFO flow\n12:00:03 pump ALARM filter clogged\n12:00:04 pump INFO stopped\nwhat now?"
	if _, err := r.Run(t.Context(), rag.Request{Question: log}); err != nil || !strings.HasPrefix(f.queries[0].Question, "pump ALARM filter clogged") {
		t.Errorf("searched for %q, %v", f.queries[0].Question, err)
	}
}

// TestContinued checks that the search is for the whole question, and for the part alone if the whole finds nothing about it.
func TestContinued(t *testing.T) {
	t.Parallel()
	turns := []talk.Turn{{Role: talk.User, Text: "how many days of vacation do I get?"}, {Role: talk.Assistant, Text: "27 days."}}
	for message, want := range map[string]string{
		"what about the oil filter?": "The oil filter has the price of 14.20 EUR. [1]", // another subject
		"employees?":                 "Employees get 27 days of vacation a year. [1]",  // a detail
	} {
		f := newFinder()
		r, err := New(Config{Retriever: f, Static: testStatic})
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Run(t.Context(), rag.Request{Question: message, History: 9, Turns: turns})
		if err != nil || got.Text != want {
			t.Errorf("%s: %q %v, want %q", message, got.Text, err, want)
		}
	}
}
