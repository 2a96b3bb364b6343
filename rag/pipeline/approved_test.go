package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"docent/internal/fault"
	"docent/llm"
	"docent/llm/llmtest"
	"docent/rag"
	"docent/rag/corpus"
)

// approvedList has approved answers.
type approvedList []rag.Approved

func (l approvedList) ApprovedAnswers(context.Context, []int64) ([]rag.Approved, error) {
	return l, nil
}

// TestApprovedAnswer gives an approved answer to one of its questions, with and without a model.
func TestApprovedAnswer(t *testing.T) {
	t.Parallel()
	s := memoryShelf()
	s.results[1].Passage.Document.Source = rag.ApprovedPrefix + "x.md"
	list := approvedList{{
		Document: s.results[1].Passage.DocumentID, Questions: []string{"How do I set the buffers?", "What size have the buffers?"},
		Text: "Set them to a *quarter* of the memory. See [3].", Signed: "Support", At: time.Date(2026, 5, 3, 0, 0, 0, 0, time.UTC),
	}}
	for name, models := range map[string]map[string]llm.Model{
		"quotes": nil, "model": {"scripted": llmtest.NewModel(llmtest.Script(llmtest.Reply{Text: []string{"The model writes. [1]"}}))},
	} {
		cfg := Config{Retriever: s, Shelf: s, Static: testStatic, Approved: list, Models: models}
		if models != nil {
			cfg.DefaultModel = "scripted"
		}
		r, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Run(t.Context(), rag.Request{Question: "Hi, how can I set the buffers?"})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(got.Text, "Answered by Support, 2026-05-03.\n\nSet them to a *quarter* of the memory.") || !strings.HasSuffix(got.Text, " [1]") ||
			strings.Contains(got.Text, "[3]") || got.Outcome != rag.Answered || got.Model != rag.Extractive {
			t.Errorf("%s: the answer is %+v", name, got)
		}
		if len(got.Passages) != 3 || got.Passages[0].DocumentID != list[0].Document || got.Text[got.Sentences[0].Start:got.Sentences[0].Start+3] != "Set" {
			t.Errorf("%s: passages %+v, sentences %+v", name, got.Passages, got.Sentences)
		}
		other, err := r.Run(t.Context(), rag.Request{Question: "Who sets the buffers?"})
		if err != nil || strings.Contains(other.Text, "Answered by") {
			t.Errorf("%s: another question gets %q (%v)", name, other.Text, err)
		}
	}
}

// linkedDocuments are documents with their chunks, in the collection "manuals". It allows no whole text of wholeOnly, and no second
// chunk.
type linkedDocuments map[int64][]corpus.Chunk

// wholeOnly is a document that is only linked as a whole.
const wholeOnly = 52

func (l linkedDocuments) Documents(_ context.Context, f corpus.DocumentFilter) ([]corpus.Document, error) {
	if l[f.ID] == nil || len(f.Collections) > 0 && !slices.Contains(f.Collections, "manuals") {
		return nil, nil
	}
	return []corpus.Document{{ID: f.ID, Title: "Manual", Collection: "manuals"}}, nil
}

func (l linkedDocuments) Document(_ context.Context, id int64) (corpus.Document, error) {
	if id == wholeOnly {
		return corpus.Document{}, errors.New("the whole text was read")
	}
	if l[id] == nil {
		return corpus.Document{}, fault.New(fault.NotFound, "no_document", "there is no document %d", id)
	}
	d := corpus.Document{ID: id, Title: "Manual"}
	for _, c := range l[id] {
		d.Text += c.Text
	}
	return d, nil
}

func (l linkedDocuments) DocumentChunks(_ context.Context, id int64, after, limit int) ([]corpus.Chunk, error) {
	if id == wholeOnly && limit != 1 || limit > chunkPage || after >= maxPages*chunkPage {
		return nil, fmt.Errorf("read %d chunks after %d of document %d", limit, after, id)
	}
	all := l[id]
	return all[min(len(all), after+1):min(len(all), after+1+limit)], nil
}

// placed has one document in each place.
type placed struct{ *shelf }

func (placed) DocumentIDs(context.Context, corpus.DocumentFilter) ([]int64, error) {
	return []int64{50}, nil
}

// TestApprovedLinks cites the passages below an approved answer that exist and that the reader may read.
func TestApprovedLinks(t *testing.T) {
	t.Parallel()
	s := memoryShelf()
	s.results[1].Passage.Document.Source = rag.ApprovedPrefix + "x.md"
	var long []corpus.Chunk
	for i := range maxPages*chunkPage + 1500 {
		long = append(long, corpus.Chunk{ID: int64(10_000 + i), DocumentID: 50, Ordinal: i, Text: fmt.Sprintf("%05d\n", i), Start: 6 * i, End: 6*i + 6})
	}
	found := s.results[2].Passage.Chunk
	found.Start, found.End, found.Ordinal = 0, len(found.Text), 0
	r, err := New(Config{
		Retriever: s, Shelf: placed{s}, Static: testStatic, Documents: linkedDocuments{50: long, wholeOnly: long[:3], found.DocumentID: {found}},
		Approved: approvedList{{
			Document: s.results[1].Passage.DocumentID, Questions: []string{"How do I set the buffers?"}, Text: "Set them to a quarter of the memory. More memory does not help.", Signed: "Support",
			Links: []rag.Link{
				{Document: 50, Quote: "01200\n01201"},
				{Document: 50, Quote: "01200"},
				{Document: 50, Quote: "gone"},
				{Document: 50, Quote: "11200"}, // too far
				{Document: 51, Quote: "unreadable"},
				{Document: 50},
				{Document: found.DocumentID, Quote: "performance of sorting"},
			},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Run(t.Context(), rag.Request{Question: "How do I set the buffers?"})
	if err != nil {
		t.Fatal(err)
	}
	var ids []int64
	for _, p := range got.Passages {
		ids = append(ids, p.ID)
	}
	want := []int64{s.results[1].Passage.ID, 11_200, 10_000, found.ID, s.results[0].Passage.ID}
	last := got.Sentences[len(got.Sentences)-1]
	if !slices.Equal(ids, want) || !strings.HasSuffix(got.Text, "More memory does not help. [1][2][3][4]") || !slices.Equal(last.Passages, []int{1, 2, 3, 4}) ||
		!slices.Equal(got.Sentences[0].Passages, []int{1}) {
		t.Errorf("passages %d, want %d, with %q and %+v", ids, want, got.Text, got.Sentences)
	}
	for name, c := range map[string]struct {
		req  rag.Request
		want []int64
	}{
		"other collection": {rag.Request{Collections: []string{"blog"}}, nil},
		"collection":       {rag.Request{Collections: []string{"manuals"}}, []int64{11_200, 10_000, found.ID}},
		"documents":        {rag.Request{Documents: []int64{found.DocumentID}}, []int64{found.ID}},
		"tag":              {rag.Request{Place: corpus.Place{Tags: []string{"pumps"}}}, []int64{11_200, 10_000}}, // of placed
	} {
		c.req.Question = "How do I set the buffers?"
		got, err := r.Run(t.Context(), c.req)
		if err != nil {
			t.Fatal(err)
		}
		var cited []int64
		for _, p := range got.Passages[1:max(1, strings.Count(got.Text, "][")+1)] {
			cited = append(cited, p.ID)
		}
		if !slices.Equal(cited, c.want) || !strings.Contains(got.Text, "Answered by") {
			t.Errorf("%s: cited %d, want %d, with %q", name, cited, c.want, got.Text)
		}
	}
	if got.Passages[1].Document.Title != "Manual" || got.Passages[1].Document.Text != "" {
		t.Errorf("the document is %+v", got.Passages[1].Document)
	}
}

// TestFallback shows a text above the nearest passages if the documents do not answer its question.
func TestFallback(t *testing.T) {
	t.Parallel()
	list := approvedList{{
		Document: 77, Questions: []string{"Which color has the buffer cache?"}, Text: "We do not say. Ask Ms. Roth.", Signed: "Support",
		At: time.Date(2026, 5, 3, 0, 0, 0, 0, time.UTC),
	}}
	const text = "Answered by Support, 2026-05-03.\n\nWe do not say. Ask Ms. Roth."
	weak, strong := .01, .9
	admits := llmtest.NewModel(llmtest.Script(llmtest.Reply{Text: []string{"I don't know."}}))
	for name, c := range map[string]struct {
		question    string
		evidence    float64
		documents   []int64
		model       llm.Model
		want, after string
		outcome     rag.Outcome
	}{
		"unsure":           {"The buffer cache has which color?", weak, []int64{77}, nil, text + "\n\nThese passages come closest", "", rag.Unsure},
		"not found":        {"Which color has the buffer cache?", 0, []int64{77}, nil, text, "", rag.NotFound},
		"answered":         {"Which color has the buffer cache?", strong, []int64{77}, nil, "", "", rag.Answered},
		"another question": {"Who paints the buffer cache?", 0, []int64{77}, nil, "I don't know", "", rag.NotFound},
		"not readable":     {"Which color has the buffer cache?", 0, nil, nil, "I don't know", "", rag.NotFound},
		"a model":          {"Which color has the buffer cache?", 0, []int64{77}, admits, "I don't know.", text, rag.NotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := memoryShelf()
			s.evidence, s.fallbacks = c.evidence, c.documents
			cfg := Config{Retriever: s, Shelf: s, Static: testStatic, Approved: list}
			if c.model != nil {
				cfg.Models, cfg.DefaultModel = map[string]llm.Model{"scripted": c.model}, "scripted"
			}
			r, err := New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			got, err := r.Run(t.Context(), rag.Request{Question: c.question})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(got.Text, c.want) || !strings.HasSuffix(got.Text, c.after) || got.Outcome != c.outcome ||
				c.want == "" && strings.Contains(got.Text, "Ms. Roth") {
				t.Errorf("the answer is %s: %q", got.Outcome, got.Text)
			}
			for _, s := range got.Sentences {
				if s.End > len(got.Text) || strings.HasPrefix(got.Text[s.Start:s.End], "Answered by") {
					t.Errorf("a sentence at %d to %d of %q", s.Start, s.End, got.Text)
				}
			}
			if len(got.Passages) == 0 {
				t.Error("there are no passages")
			}
		})
	}
}
