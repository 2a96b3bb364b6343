package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"docent/llm"
	"docent/llm/llmtest"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// catalog is a shelf with documents.
type catalog struct {
	shelf
	documents []corpus.Document
	chunks    map[int64][]corpus.Chunk
}

func (c *catalog) Documents(_ context.Context, f corpus.DocumentFilter) ([]corpus.Document, error) {
	var out []corpus.Document
	for _, d := range c.documents {
		if f.ID != 0 && d.ID != f.ID || f.Collection != "" && d.Collection != f.Collection || f.Collections != nil && !slices.Contains(f.Collections, d.Collection) ||
			!strings.Contains(strings.ToLower(d.Source+"\n"+d.Title), f.Match) {
			continue
		}
		out = append(out, d)
	}
	if f.Order == corpus.ByDate || f.Order == corpus.ByUpdated {
		slices.SortStableFunc(out, func(a, b corpus.Document) int { return b.Date.Compare(a.Date) })
	}
	return out[:min(len(out), f.Limit)], nil
}

func (c *catalog) DocumentChunks(_ context.Context, id int64, after, limit int) ([]corpus.Chunk, error) {
	all := c.chunks[id]
	return all[min(len(all), after+1):min(len(all), after+1+limit)], nil
}

// newCatalog returns a catalog with three documents in two collections.
func newCatalog() *catalog {
	c := &catalog{chunks: map[int64][]corpus.Chunk{}, shelf: shelf{evidence: .9, infos: []corpus.CollectionInfo{
		{Name: "staff", Documents: 2}, {Name: "sales", Documents: 1},
	}}}
	add := func(id int64, collection, source, title, language string, date time.Time, texts ...string) {
		d := corpus.Document{
			ID: id, Collection: collection, Source: source, Title: title, Language: language, Status: corpus.Ready,
			Date: date, DateFrom: corpus.FrontMatter, UpdatedAt: time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC),
		}
		if date.IsZero() {
			d.DateFrom = ""
		}
		c.documents = append(c.documents, d)
		for i, text := range texts {
			heading, body, found := strings.Cut(text, ": ")
			chunk := corpus.Chunk{ID: 100*id + int64(i), DocumentID: id, Ordinal: i, Kind: corpus.Prose, Text: text}
			if found {
				chunk.Text, chunk.Headings = body, []string{heading}
			}
			c.chunks[id] = append(c.chunks[id], chunk)
			c.results = append(c.results, retrieve.Result{Rank: len(c.results) + 1, Score: 1, Passage: corpus.Passage{Chunk: chunk, Document: d}})
		}
	}
	add(1, "staff", "/srv/staff-handbook.md", "Staff handbook", "en", time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
		"Edition 12, in force since 1 February 2026.\n\n## Being ill\n\nPhone the shift leader. A doctor's note is due on the third day.", "Pay: Pay arrives on the last day of the month.")
	add(2, "staff", "/srv/hausordnung-bad.md", "Haus- und Badeordnung", "de", time.Time{}, "Zutritt: Kinder unter sieben Jahren brauchen eine Begleitung.", "Tiere: Tiere sind nicht erlaubt.")
	add(3, "sales", "upload:fees-2026.csv", "fees-2026.csv", "en", time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC), "| Item | Price |\n| --- | --- |\n| Towel | 3.00 |")
	return c
}

func newCatalogRAG(t *testing.T, c *catalog, replies ...llmtest.Reply) (*Pipeline, *llmtest.Model) {
	t.Helper()
	cfg := Config{Retriever: c, Shelf: c, Static: testStatic}
	model := llmtest.NewModel(llmtest.Script(replies...))
	if len(replies) > 0 {
		cfg.Models, cfg.DefaultModel = map[string]llm.Model{"scripted": model}, "scripted"
	}
	r, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r, model
}

// TestLibraryQuestions checks questions about the documents as such.
func TestLibraryQuestions(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"How many documents are there?": "I know 3 documents in the collections `staff`, `sales`.\n- Collection `staff`: 2\n- Collection `sales`: 1\n\n" +
			"- Staff handbook (staff-handbook.md, 1 March 2026) [1]\n- Haus- und Badeordnung (hausordnung-bad.md) [2]\n- fees-2026.csv (5 January 2026) [3]",
		"any spreadsheets?":              "Documents that fit (1 of 3):\n\n- fees-2026.csv (5 January 2026) [1]",
		"list everything in german":      "Documents that fit (1 of 3):\n\n- Haus- und Badeordnung (hausordnung-bad.md) [1]",
		"Which documents are in sales?":  "I know 1 document in the collection `sales`.\n\n- fees-2026.csv (5 January 2026) [1]",
		"What is the newest document?":   "These documents are the newest:\n\n- Staff handbook (staff-handbook.md, 1 March 2026) [1]\n- fees-2026.csv (5 January 2026) [2]\n- Haus- und Badeordnung (hausordnung-bad.md) [3]",
		"when was the handbook changed?": "> Edition 12, in force since 1 February 2026. [1]\n\nStaff handbook: dated 1 March 2026, last read on 9 March 2026. [1]",
		"wie alt ist die Hausordnung?":   "Haus- und Badeordnung: Die Quelle hat kein Datum. Zuletzt gelesen am 9. März 2026. [1]",
		"summarize the staff handbook": "**Staff handbook**\n\n- Edition 12, in force since 1 February 2026. [1]\n- **Being ill**: Phone the shift leader. A doctor's note is due on the third day. [1]\n" +
			"- **Pay**: Pay arrives on the last day of the month. [2]",
		"which topics do you cover": "I know 3 documents in the collections `staff`, `sales`.\n\n- Staff handbook: Being ill, Pay [1]\n- Haus- und Badeordnung: Zutritt, Tiere [2]\n- fees-2026.csv [3]",
		"hast du was zu tieren":     "Diese Dokumente erwähnen das:\n\n- Haus- und Badeordnung, Tiere [1]",
	} {
		r, _ := newCatalogRAG(t, newCatalog())
		got, err := r.Run(t.Context(), rag.Request{Question: question, K: 7})
		if err != nil {
			t.Fatal(err)
		}
		if got.Text != want {
			t.Errorf("%s\ngot  %q\nwant %q", question, got.Text, want)
		}
		if got.Outcome != rag.Answered || len(got.Passages) == 0 {
			t.Errorf("%s: %s with %d passages", question, got.Outcome, len(got.Passages))
		}
		for _, s := range got.Sentences {
			if s.Support != rag.Strong || !strings.HasSuffix(got.Text[s.Start:s.End], fmt.Sprintf("[%d]", s.Passages[0])) {
				t.Errorf("%s: sentence %q cites %v", question, got.Text[s.Start:s.End], s.Passages)
			}
		}
	}
}

// TestLibraryScope checks that answers about the documents name only those of the requested collections.
func TestLibraryScope(t *testing.T) {
	t.Parallel()
	for question, list := range map[string]bool{
		"list all documents": true, "what is the newest document?": true, "which topics do you cover": true,
		"summarize the staff handbook": false, "when was the handbook changed?": false,
	} {
		c := newCatalog()
		r, _ := newCatalogRAG(t, c)
		got, err := r.Run(t.Context(), rag.Request{Question: question, Collections: []string{"sales"}})
		if err != nil {
			t.Fatal(err)
		}
		if list && (len(got.Passages) != 1 || got.Passages[0].Document.Collection != "sales") {
			t.Errorf("%s: %s", question, got.Text)
		}
		if !list && (len(c.queries) != 1 || !slices.Equal(c.queries[0].Collections, []string{"sales"})) { // no document has this name
			t.Errorf("%s: %+v", question, c.queries)
		}
	}
}

// TestChosenDocuments checks that answers about the documents name only chosen ones.
func TestChosenDocuments(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"list all documents":        "I search only these chosen documents:\n\n- fees-2026.csv (5 January 2026) [1]",
		"which topics do you cover": "I search only these chosen documents:\n\n- fees-2026.csv [1]",
	} {
		r, _ := newCatalogRAG(t, newCatalog())
		got, err := r.Run(t.Context(), rag.Request{Question: question, Documents: []int64{3}})
		if err != nil || got.Text != want {
			t.Errorf("%s: %q %v, want %q", question, got.Text, err, want)
		}
	}
	c := newCatalog()
	r, _ := newCatalogRAG(t, c)
	if _, err := r.Run(t.Context(), rag.Request{Question: "summarize the staff handbook", Documents: []int64{3}}); err != nil || len(c.queries) != 1 {
		t.Errorf("%d searches, %v", len(c.queries), err)
	}
}

// TestWithinDocument checks that a question about one document searches only there.
func TestWithinDocument(t *testing.T) {
	t.Parallel()
	c := newCatalog()
	r, _ := newCatalogRAG(t, c)
	if _, err := r.Run(t.Context(), rag.Request{Question: "what does the staff-handbook say about pay?"}); err != nil {
		t.Fatal(err)
	}
	if q := c.queries[0]; !slices.Equal(q.Documents, []int64{1}) || q.Question != "pay" {
		t.Errorf("searched for %+v", q)
	}
	c.evidence = .1
	got, err := r.Run(t.Context(), rag.Request{Question: "steht in der hausordnung was zu drohnen?"})
	if want := "Zu `drohnen` habe ich in Haus- und Badeordnung nichts gefunden."; err != nil || got.Text != want || got.Outcome != rag.NotFound {
		t.Errorf("%s %q %v, want %q", got.Outcome, got.Text, err, want)
	}
	// A name that no document has is part of a question.
	if _, err := r.Run(t.Context(), rag.Request{Question: "what does the router manual say about resets?"}); err != nil {
		t.Fatal(err)
	}
	if q := c.queries[len(c.queries)-1]; len(q.Documents) > 0 || !strings.Contains(q.Question, "router") {
		t.Errorf("searched for %+v", q)
	}
}

// TestSummaryByModel checks that a model writes a summary from the outline's passages.
func TestSummaryByModel(t *testing.T) {
	t.Parallel()
	c := newCatalog()
	r, model := newCatalogRAG(t, c, llmtest.Say("It is about illness [1] and pay [2]."))
	got, err := r.Run(t.Context(), rag.Request{Question: "summarize the staff handbook"})
	if err != nil || len(model.Requests()) != 1 || len(c.queries) != 0 || len(got.Passages) != 2 || got.Passages[0].DocumentID != 1 {
		t.Errorf("%d requests, %d searches, %+v %v", len(model.Requests()), len(c.queries), got, err)
	}
}

// TestTask checks that an order goes to a model, and that docent says without one what it does.
func TestTask(t *testing.T) {
	t.Parallel()
	order := rag.Request{Question: "Schreib eine E-Mail an meinen Chef"}
	r, _ := newCatalogRAG(t, newCatalog())
	got, err := r.Run(t.Context(), order)
	if err != nil || got.Outcome != rag.Replied || !strings.HasPrefix(got.Text, "Das kann ich nicht.") || got.Named.ID != "talk_task" {
		t.Errorf("without a model: %+v %v", got, err)
	}
	c := newCatalog()
	c.results = nil
	r, model := newCatalogRAG(t, c, llmtest.Say("Sehr geehrte Damen und Herren"))
	if got, err = r.Run(t.Context(), order); err != nil || len(model.Requests()) != 1 || got.Text != "Sehr geehrte Damen und Herren" {
		t.Errorf("with a model: %+v %v", got, err)
	}
}
