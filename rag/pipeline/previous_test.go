package pipeline

import (
	"slices"
	"strings"
	"testing"

	"docent/llm/llmtest"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/talk"
)

// lastAnswer is an answer with two passages of the catalog.
func lastAnswer() *rag.LastAnswer {
	c := newCatalog()
	p := func(i int) rag.Passage { return rag.Passage{Passage: c.results[i].Passage, Score: 1} }
	return &rag.LastAnswer{
		Text:     "Do this:\n\n1. Phone the shift leader. [1]\n2. Bring the note. [1]\n\nPay arrives on the last day. [2]",
		Passages: []rag.Passage{p(0), p(1)},
	}
}

func afterAnswer(message string) rag.Request {
	last := lastAnswer()
	return rag.Request{
		Question: message, History: 9, Last: last,
		Turns: []talk.Turn{{Role: talk.User, Text: "I am sick, when do I get paid?"}, {Role: talk.Assistant, Text: last.Text}},
	}
}

func TestPreviousWithoutModel(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"repeat that":      lastAnswer().Text,
		"shorter please":   "1. Phone the shift leader. [1]",
		"nur die Schritte": "1. Phone the shift leader. [1]\n2. Bring the note. [1]",
		"source?":          "The last answer is from:\n\n- Staff handbook (staff-handbook.md, 1 March 2026) [1]\n- Staff handbook › Pay (staff-handbook.md, 1 March 2026) [2]",
		"Quelle?": "Die letzte Antwort ist aus:\n\n- Staff handbook (staff-handbook.md, 1. März 2026) [1]\n" +
			"- Staff handbook › Pay (staff-handbook.md, 1. März 2026) [2]",
		"translate that to German":    "That needs a chat model. Without one, I can only quote the documents. I can repeat the answer, or show its source.",
		"what was my first question?": "Your last questions:\n\n1. I am sick, when do I get paid?",
	} {
		c := newCatalog()
		r, _ := newCatalogRAG(t, c)
		got, err := r.Run(t.Context(), afterAnswer(message))
		if err != nil || got.Text != want || len(c.queries) != 0 {
			t.Errorf("%s: %d searches, %v\ngot  %q\nwant %q", message, len(c.queries), err, got.Text, want)
		}
		if cites := strings.Contains(want, "[1]"); cites != (got.Outcome == rag.Answered) || cites == (len(got.Passages) == 0) {
			t.Errorf("%s: %s with %d passages", message, got.Outcome, len(got.Passages))
		}
	}
	short := afterAnswer("only the steps")
	short.Last.Text = "Phone the shift leader. [1]"
	short.Last.Passages[0].Text = "If you are ill:\n\n1. Phone the shift leader.\n2. Bring the note."
	r, _ := newCatalogRAG(t, newCatalog())
	got, err := r.Run(t.Context(), short)
	if want := "1. Phone the shift leader. [1]\n2. Bring the note. [1]"; err != nil || got.Text != want {
		t.Errorf("the list behind the answer: %q %v, want %q", got.Text, err, want)
	}
	got, err = r.Run(t.Context(), afterAnswer("are you sure?"))
	if err != nil || !strings.Contains(got.Text, "> Edition 12, in force since 1 February 2026.") || len(got.Sentences) != 2 {
		t.Errorf("%q %v", got.Text, err)
	}
}

// TestFirstCited checks that a shorter answer is the first quoted sentence, although the marker stands behind the
// last one.
func TestFirstCited(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		"**Mentors:** The list helps beginners. All can join it. [2]\n\nMore is on the page. [1]": "**Mentors:** The list helps beginners. [2]",
		"A line of docent.\n\nThe pump stops. [1][2]":                                             "The pump stops. [1][2]",
		"To stop the pump: [1]\n\n1. Close the valve. [1]\n2. Wait. [1]\n\nIt is loud. [2]":       "To stop the pump: [1]\n\n1. Close the valve. [1]\n2. Wait. [1]",
		"| pump | price |\n| --- | --- |\n| A | 3 [1] |\n| B | 4 [1] |":                           "| pump | price |\n| --- | --- |\n| A | 3 [1] |",
		"Nothing is cited. At all.": "Nothing is cited.",
	} {
		if got := firstCited(answer, 2); got != want {
			t.Errorf("%q became %q, want %q", answer, got, want)
		}
	}
}

// TestPreviousWithModel checks that a model gets the last answer and its passages, without a search.
func TestPreviousWithModel(t *testing.T) {
	t.Parallel()
	for _, message := range []string{"translate that to German", "shorter please", "source?", "why?", "what was my first question?", "make a table of it"} {
		c := newCatalog()
		r, model := newCatalogRAG(t, c, llmtest.Say("Melden Sie sich bei der Schichtleitung [1]."))
		got, err := r.Run(t.Context(), afterAnswer(message))
		if err != nil || len(c.queries) != 0 || len(model.Requests()) != 1 || len(got.Passages) != 2 || got.Sentences[0].Passages[0] != 1 {
			t.Errorf("%s: %d searches, %d requests, %+v %v", message, len(c.queries), len(model.Requests()), got, err)
		}
	}
}

// TestPreviousSearchesAgain checks that a request without the passages of the last answer, or with some that the reader may not
// read any more, leads to another search for the question.
func TestPreviousSearchesAgain(t *testing.T) {
	t.Parallel()
	gone := afterAnswer("source?")
	gone.Last.Passages[0].DocumentID = 99
	none := afterAnswer("source?")
	none.Last = nil
	none.Turns = append(none.Turns, talk.Turn{Role: talk.User, Text: "thanks"}, talk.Turn{Role: talk.Assistant, Text: "You're welcome."})
	for what, req := range map[string]rag.Request{"gone": gone, "none": none} {
		c := newCatalog()
		r, _ := newCatalogRAG(t, c)
		got, err := r.Run(t.Context(), req)
		if err != nil || len(c.queries) != 1 || c.queries[0].Question != "I am sick, when do I get paid?" || got.Outcome != rag.Answered {
			t.Errorf("%s: %+v, %+v %v", what, c.queries, got, err)
		}
		if slices.ContainsFunc(got.Passages, func(p rag.Passage) bool { return p.DocumentID == 99 }) {
			t.Errorf("%s: a passage of a document that is gone", what)
		}
	}
	c := newCatalog()
	r, _ := newCatalogRAG(t, c)
	first := rag.Request{Question: "why?", History: 9}
	if got, err := r.Run(t.Context(), first); err != nil || len(c.queries) != 0 || got.Text != talk.Unclear.Message {
		t.Errorf("without an answer: %+v, %+v %v", c.queries, got, err)
	}
	page := 2
	p := rag.Passage{Passage: corpus.Passage{Chunk: corpus.Chunk{Page: &page}, Document: corpus.Document{Source: "/a/b.pdf", Title: "B"}}}
	a := &answering{}
	if got := a.place(p.Passage); got != "B (b.pdf, page 3)" {
		t.Errorf("the place is %q", got)
	}
}
