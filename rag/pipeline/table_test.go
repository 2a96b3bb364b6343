package pipeline

import (
	"context"
	"strings"
	"testing"

	"docent/internal/fault"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// stock is a shelf with one table in two chunks. It implements table.Chunks.
type stock struct {
	*shelf
	chunks []corpus.Chunk
	broken error
}

func (s *stock) DocumentChunks(_ context.Context, id int64, after, limit int) ([]corpus.Chunk, error) {
	if id != 7 {
		return nil, nil
	}
	return s.chunks[after+1 : min(len(s.chunks), after+1+limit)], s.broken
}

// newStock returns a stock whose first search result is the first chunk.
func newStock() *stock {
	const header = "Item | Price (EUR) | Stock"
	const first, second = header + "\nBolt M8 | 1.50 | 300\nNut M8 | 0.70 | 900", "Anchor | 48.50 | 12\nRope 10 m | 21.00 | -"
	s := &stock{shelf: &shelf{evidence: .9}, chunks: []corpus.Chunk{
		{ID: 1, DocumentID: 7, Kind: corpus.Table, Text: first, End: len(first)},
		{
			ID: 2, DocumentID: 7, Ordinal: 1, Kind: corpus.Table, Text: header + "\n" + second, Start: len(first) + 1,
			End: len(first) + 1 + len(second),
		},
	}}
	document := corpus.Document{ID: 7, Title: "Price list", Source: "/docs/prices.csv", Language: "en"}
	s.results = []retrieve.Result{{Rank: 1, Score: 1, Passage: corpus.Passage{Chunk: s.chunks[0], Document: document}}}
	return s
}

// TestTableAnswer answers from a whole table, although the search found only a part of it.
func TestTableAnswer(t *testing.T) {
	t.Parallel()
	for question, test := range map[string]struct {
		outcome  rag.Outcome
		want     string
		passages []int64
	}{
		"What is the most expensive item?": {rag.Answered, "The highest `Price (EUR)` is `48.50 EUR`, in `Anchor`. Compared rows: 4.\n\n" +
			"| Item | Price (EUR) |\n| --- | --- |\n| Anchor | 48.50 [2] |", []int64{1, 2}},
		"sum of the stock":                 {rag.Answered, "The sum of `Stock` in 3 rows is 1212. Rows without a value: 1.", []int64{1, 2}},
		"items under 2 euro":               {rag.Answered, "2 rows of `Price list` fit", []int64{1}},
		"Welcher Artikel kostet unter 1 €": {rag.Answered, "1 Zeile in `Price list` passt zu", []int64{1}},
		"price of the swan":                {rag.Unsure, "The table in `Price list` has nothing about `swan`.", []int64{1}},
		"stock of rope":                    {rag.Unsure, "`Rope 10 m` has no value for `Stock`.", []int64{1, 2}},
	} {
		s := newStock()
		r, err := New(Config{Retriever: s, Shelf: s, Chunks: s, Static: testStatic})
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Run(t.Context(), rag.Request{Question: question})
		if err != nil {
			t.Fatal(err)
		}
		if got.Outcome != test.outcome || !strings.HasPrefix(got.Text, test.want) || len(got.Passages) != len(test.passages) {
			t.Errorf("%s: got %s %q with %d passages, want %s %q with %d", question, got.Outcome, got.Text, len(got.Passages),
				test.outcome, test.want, len(test.passages))
			continue
		}
		for i, id := range test.passages {
			if got.Passages[i].ID != id {
				t.Errorf("%s: passage %d is chunk %d, want %d", question, i+1, got.Passages[i].ID, id)
			}
		}
		if outcome := got.Outcome; (outcome == rag.Answered) != (len(got.Queries) == 1) {
			t.Errorf("%s: %s with the queries %q", question, outcome, got.Queries)
		}
		marked := 0
		for _, p := range got.Passages {
			for _, c := range p.Cells {
				if marked++; c.Start < p.Start || c.End > p.End || c.Start >= c.End {
					t.Errorf("%s: the cell %v is not in the passage at %d to %d", question, c, p.Start, p.End)
				}
			}
		}
		if (got.Outcome == rag.Answered) != (marked > 0) {
			t.Errorf("%s: %s with %d marked cells", question, got.Outcome, marked)
		}
		for _, sentence := range got.Sentences {
			for _, n := range sentence.Passages {
				row := strings.Fields(got.Text[sentence.Start:sentence.End])[1]
				if text := got.Passages[n-1].Text; !strings.Contains(text, row) {
					t.Errorf("%s: passage %d does not have the row %q", question, n, row)
				}
			}
		}
	}
}

// TestTableBehindTexts answers from a table that the search found behind the texts of many documents.
func TestTableBehindTexts(t *testing.T) {
	t.Parallel()
	s := newStock()
	found := s.results[0]
	s.results = nil
	for id := range int64(maxTableDocuments + 4) {
		text := corpus.Passage{Chunk: corpus.Chunk{ID: 100 + id, DocumentID: 100 + id, Text: "An item of the list has a price."}}
		text.Document = corpus.Document{ID: 100 + id, Title: "Rules", Language: "en"}
		s.results = append(s.results, retrieve.Result{Rank: int(id) + 1, Score: 1, Passage: text})
	}
	s.results = append(s.results, found)
	r, err := New(Config{Retriever: s, Shelf: s, Chunks: s, Static: testStatic})
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Run(t.Context(), rag.Request{Question: "What is the most expensive item?"})
	if err != nil {
		t.Fatal(err)
	}
	if got.Outcome != rag.Answered || !strings.Contains(got.Text, "`Anchor`") {
		t.Errorf("got %s %q", got.Outcome, got.Text)
	}
}

// TestTableOfFile answers from a table in a file of the conversation.
func TestTableOfFile(t *testing.T) {
	t.Parallel()
	r, _ := newRAG(t, memoryShelf())
	got, err := r.First(newStock()).Run(t.Context(), rag.Request{Question: "most expensive item"})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(got.Text, "`Anchor`") || got.Passages[1].DocumentID != -7 || got.Passages[1].ID != -2 {
		t.Errorf("got %q from %+v", got.Text, got.Passages)
	}
}

// TestTableOfQuotes quotes rows as unsure if the table was not understood, or cannot be read.
func TestTableOfQuotes(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]error{"not understood": nil, "not read": fault.New(fault.Unavailable, "test_sentence", "away")} {
		s := newStock()
		s.broken = broken
		r, err := New(Config{Retriever: s, Shelf: s, Chunks: s, Static: testStatic})
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Run(t.Context(), rag.Request{Question: "Why is the bolt M8 sold at this price?"})
		if err != nil {
			t.Fatal(err)
		}
		want := rag.Unsure
		if broken != nil {
			want = rag.Answered
		}
		if got.Outcome != want || !strings.Contains(got.Text, "Bolt M8") {
			t.Errorf("%s: got %s %q", name, got.Outcome, got.Text)
		}
	}
}

// TestTableOfOtherQuotes: a question whose words another table has is unsure if only rows of this table are quoted.
func TestTableOfOtherQuotes(t *testing.T) {
	t.Parallel()
	s := newStock()
	const fees = "Boat | Per night (EUR) | Per week (EUR)\nSkiff | 14 | 84\nSloop | 22 | 135"
	s.chunks[1] = corpus.Chunk{
		ID: 2, DocumentID: 7, Ordinal: 1, Kind: corpus.Table, Text: fees,
		Start: s.chunks[0].End + 2, End: s.chunks[0].End + 2 + len(fees),
	}
	r, err := New(Config{Retriever: s, Shelf: s, Chunks: s, Static: testStatic})
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Run(t.Context(), rag.Request{Question: "When does the night leave?"})
	if err != nil {
		t.Fatal(err)
	}
	if got.Outcome == rag.Answered {
		t.Errorf("got %s %q", got.Outcome, got.Text)
	}
}

// TestTableGroups answers with the number of rows of each group. Each group cites the passages of its rows.
func TestTableGroups(t *testing.T) {
	t.Parallel()
	const text = "Order | Customer | Total (EUR)\nA1 | Ebner | 10.00\nA2 | Farrow | 20.00\nA3 | Ebner | 5.50"
	s := newStock()
	s.chunks = []corpus.Chunk{{ID: 1, DocumentID: 7, Kind: corpus.Table, Text: text, End: len(text)}}
	s.results[0].Passage.Chunk = s.chunks[0]
	r, err := New(Config{Retriever: s, Shelf: s, Chunks: s, Static: testStatic})
	if err != nil {
		t.Fatal(err)
	}
	for question, want := range map[string]string{
		"how many orders per customer":      "Rows of `Price list` for each `Customer`. Groups: 2.\n\n| Customer | # |\n| --- | --- |\n| Ebner | 2 [1] |\n| Farrow | 1 [1] |",
		"Wie hoch ist die Summe pro Kunde?": "Summe von `Total (EUR)` je `Customer`. Gruppen: 2.\n\n| Customer | Total (EUR) |\n| --- | --- |\n| Farrow | 20 EUR [1] |\n| Ebner | 15.50 EUR [1] |",
	} {
		got, err := r.Run(t.Context(), rag.Request{Question: question})
		if err != nil {
			t.Fatal(err)
		}
		if got.Outcome != rag.Answered || got.Text != want || len(got.Sentences) != 2 || len(got.Queries) != 1 {
			t.Errorf("%s: got %s %q with %d sentences", question, got.Outcome, got.Text, len(got.Sentences))
		}
	}
}
