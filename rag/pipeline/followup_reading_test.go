package pipeline

import (
	"context"
	"slices"
	"strings"
	"testing"

	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/talk"
)

// library is a shelf of documents with one passage each. It finds the passages with a word of the question, those with the most
// words first, and observes the documents of a query.
type library struct {
	documents []retrieve.Result
	queries   []retrieve.Query
}

func newLibrary() *library {
	l := &library{}
	for i, s := range []string{
		"Wifi | The guest wifi voucher lasts for 24 hours. A voucher for a course is valid up to 14 days.",
		"Courses | Each course has a fee for the week. A course lasts a week.",
		"Handbook | Employees get 27 days of leave. Sick employees phone the desk.",
		"Parking | The garage is open for visitors of the museum.",
	} {
		title, body, _ := strings.Cut(s, " | ")
		l.documents = append(l.documents, retrieve.Result{Passage: corpus.Passage{
			Chunk:    corpus.Chunk{ID: int64(i + 1), DocumentID: int64(i + 1), Kind: corpus.Prose, Text: body, End: len(body)},
			Document: corpus.Document{ID: int64(i + 1), Title: title, Source: "/" + title, Status: corpus.Ready},
		}})
	}
	return l
}

func (l *library) Retrieve(ctx context.Context, q retrieve.Query) (retrieve.Retrieval, error) {
	l.queries = append(l.queries, q)
	out := retrieve.Retrieval{Question: talk.SearchText(q.Question, q.Turns), Evidence: .1}
	own := ownStems(out.Question)
	for _, r := range l.documents {
		r.Score = shareIn(own, r.Passage, nil)
		if r.Score > 0 && (len(q.Documents) == 0 || slices.Contains(q.Documents, r.Passage.DocumentID)) {
			out.Results, out.Evidence = append(out.Results, r), max(out.Evidence, r.Score)
		}
	}
	slices.SortStableFunc(out.Results, func(a, b retrieve.Result) int { return int(1000 * (b.Score - a.Score)) })
	out.Results = out.Results[:min(q.K, len(out.Results))]
	return out, ctx.Err()
}

// TestFollowUpStaysWithLastAnswer: a message without a subject of its own is about the documents of the last answer, and other
// messages are not.
func TestFollowUpStaysWithLastAnswer(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"i have a course for a week though":                       "valid up to 14 days", // although the courses have more of its words
		"how many hours?":                                         "24 hours",            // it omits its subject
		"and for sick employees?":                                 "phone the desk",      // only other documents have its subject
		"when is the garage open for visitors?":                   "garage is open",      // it stands alone
		"ok thanks. other question: what is the fee of a course?": "fee for the week",    // it says so
	} {
		l := newLibrary()
		r, err := New(Config{Retriever: l, Static: testStatic})
		if err != nil {
			t.Fatal(err)
		}
		const asked = "how long does a guest wifi voucher last?"
		first, err := r.Run(t.Context(), rag.Request{Question: asked})
		if err != nil || !strings.Contains(first.Text, "24 hours") {
			t.Fatalf("%+v %v", first, err)
		}
		l.queries = nil
		got, err := r.Run(t.Context(), rag.Request{
			Question: message, History: 2, Last: &rag.LastAnswer{Text: first.Text, Passages: first.Passages[:1]},
			Turns: []talk.Turn{{Role: talk.User, Text: asked}, {Role: talk.Assistant, Text: first.Text}},
		})
		if err != nil || !strings.Contains(got.Text, want) {
			t.Errorf("%s: %q %v, want %q", message, got.Text, err, want)
		}
		if len(l.queries) > 3 {
			t.Errorf("%s: %d searches", message, len(l.queries))
		}
	}
}

// TestFollowUpOfTable: a part of the question before it takes the place that the table has for it, and a number of things multiplies
// the amount.
func TestFollowUpOfTable(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"and the anchor?":              "`Price (EUR)` of `Anchor`: `48.50 EUR`.",
		"and the stock?":               "`Stock` of `Nut M8`: `900`.",
		"how much is that for 12?":     "`12` × `0.70` = `8.40 EUR`.\n\n| Item | Price (EUR) |\n| --- | --- |\n| Nut M8 | 0.70 [1] |",
		"how much is that for 2 days?": "", // nothing says that it is a price for a day
	} {
		s := newStock()
		r, err := New(Config{Retriever: s, Shelf: s, Chunks: s, Static: testStatic})
		if err != nil {
			t.Fatal(err)
		}
		const asked = "what is the price of the nut m8"
		first, err := r.Run(t.Context(), rag.Request{Question: asked})
		if err != nil || !strings.Contains(first.Text, "0.70 EUR") {
			t.Fatalf("%+v %v", first, err)
		}
		got, err := r.Run(t.Context(), rag.Request{
			Question: message, History: 2, Last: &rag.LastAnswer{Text: first.Text, Passages: first.Passages},
			Turns: []talk.Turn{{Role: talk.User, Text: asked}, {Role: talk.Assistant, Text: first.Text}},
		})
		if err != nil || !strings.HasPrefix(got.Text, want) || want == "" && strings.Contains(got.Text, "×") || got.Outcome == rag.Replied {
			t.Errorf("%s: %s %q %v, want %q", message, got.Outcome, got.Text, err, want)
		}
	}
}
