package indextest

import (
	"context"
	"math"
	"slices"
	"testing"

	"docent/embed"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// Model is an Embedder for tests, with vectors by Vector. Its value is its name.
type Model string

// Name implements embed.Embedder.
func (m Model) Name() string { return string(m) }

// Dimensions implements embed.Embedder.
func (Model) Dimensions() int { return dimensions }

// EmbedQuery implements embed.Embedder.
func (Model) EmbedQuery(_ context.Context, text string) ([]float32, error) { return Vector(text), nil }

// EmbedDocuments implements embed.Embedder.
func (Model) EmbedDocuments(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = Vector(text)
	}
	return out, nil
}

// EncoderCorpus is an empty corpus, and retrievers of it.
type EncoderCorpus struct {
	corpus.Corpus
	corpus.Encodings
	// Put stores a document with a chunk for each text, or replaces the one with the
	// same source. It returns the id of the document.
	Put func(t *testing.T, source, language string, texts ...string) int64
	// Remove removes a document.
	Remove func(t *testing.T, id int64)
	// Move moves a document to a new collection.
	Move func(t *testing.T, id int64, collection string)
	// Open opens a retriever and loads it. Each one is like another process. It sets
	// Vectors or Index of the encoders. A Snapshot belongs to the corpus.
	Open func(t *testing.T, encoders ...retrieve.Encoder) *retrieve.Retriever
}

// RunEncoders tests how a retriever follows the vectors of encoders, for an
// implementation of EncoderVectors. open makes an empty corpus.
func RunEncoders(t *testing.T, open func(t *testing.T) EncoderCorpus) {
	for name, test := range map[string]func(*testing.T, EncoderCorpus){
		"changes": testEncoderChanges, "languages": testEncoderLanguages, "bad vectors": testEncoderBadVectors,
		"moves": testEncoderMoves,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// english takes documents in English and those without a language, and all takes
// every document.
var (
	english = retrieve.Encoder{Embedder: Model("english"), Languages: corpus.Languages{Listed: []string{"en", ""}}}
	all     = retrieve.Encoder{Embedder: Model("all"), Languages: corpus.Languages{Except: true}}
)

// encode stores the vectors of all chunks without one, up to a number of chunks.
func (c EncoderCorpus) encode(t *testing.T, e retrieve.Encoder, limit int) {
	t.Helper()
	model := e.Embedder.Name()
	passages, err := c.Unencoded(t.Context(), corpus.EncodingQuery{Model: model, Languages: e.Languages, Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
	encodings := make([]corpus.Encoding, len(passages))
	for i, p := range passages {
		encodings[i] = corpus.Encoding{ChunkID: p.ID, Vector: Vector(p.Text)}
	}
	if err := c.PutEncodings(t.Context(), model, encodings); err != nil {
		t.Fatal(err)
	}
}

// wantProgress refreshes a retriever and checks the counts of an encoder.
func wantProgress(t *testing.T, r *retrieve.Retriever, encoder, done, total int) {
	t.Helper()
	if err := r.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p := r.Encoders()[encoder]; p.Done != done || p.Total != total {
		t.Errorf("%s has %d of %d vectors, want %d of %d", p.Model, p.Done, p.Total, done, total)
	}
}

// wantTexts checks the first passages that the vectors find, and returns the ids of
// all passages.
func wantTexts(t *testing.T, r *retrieve.Retriever, question string, want ...string) []int64 {
	t.Helper()
	found, err := r.Retrieve(t.Context(), retrieve.Query{Question: question, Mode: retrieve.Hybrid, K: retrieve.MaxK})
	if err != nil {
		t.Fatal(err)
	}
	var ids []int64
	var texts []string
	for _, result := range found.Results {
		ids, texts = append(ids, result.Passage.ID), append(texts, result.Passage.Text)
	}
	if !slices.Equal(texts[:min(len(want), len(texts))], want) {
		t.Errorf("%s: found %q, want %q first", question, texts, want)
	}
	return ids
}

// wantStored checks which chunks have a vector.
func wantStored(t *testing.T, r *retrieve.Retriever, e retrieve.Encoder, ids []int64, want ...string) {
	t.Helper()
	vectors, err := r.Stored(t.Context(), e.Embedder.Name(), ids)
	if err != nil || len(vectors) != len(ids) {
		t.Fatalf("%d vectors of %d chunks, %v", len(vectors), len(ids), err)
	}
	for i, text := range want {
		switch v := vectors[i]; {
		case (v == nil) != (text == ""):
			t.Errorf("chunk %d has the vector %v, want that of %q", ids[i], v, text)
		case v != nil && math.Abs(float64(embed.Dot(v, Vector(text)))-1) > 1e-4:
			t.Errorf("chunk %d has another vector than %q", ids[i], text)
		}
	}
}

func testEncoderChanges(t *testing.T, c EncoderCorpus) {
	first := c.Put(t, "a", "en", "lemon ginger", "pepper salt")
	c.Put(t, "b", "en", "mint sage", "basil thyme")
	c.encode(t, english, 3) // the vector of one chunk is missing
	r := c.Open(t, english)
	wantProgress(t, r, 0, 3, 4)
	if r.Encoded("english") {
		t.Error("searches use an encoder without a quarter of its vectors")
	}
	c.encode(t, english, 9)
	wantProgress(t, r, 0, 4, 4)
	if !r.Encoded("english") {
		t.Error("searches do not use an encoder with all vectors")
	}
	ids := wantTexts(t, r, "lemon ginger", "lemon ginger")
	wantStored(t, r, english, []int64{ids[0], 1 << 40, ids[0]}, "lemon ginger", "", "lemon ginger")

	if err := r.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.Put(t, "a", "en", "lemon", "oregano", "cumin") // it replaces all chunks
	other := c.Open(t, english)
	for _, r := range []*retrieve.Retriever{r, other} {
		wantProgress(t, r, 0, 2, 5)
		wantStored(t, r, english, ids[:1], "")
	}
	c.encode(t, english, 9)
	for _, r := range []*retrieve.Retriever{other, r} {
		wantProgress(t, r, 0, 5, 5)
		wantTexts(t, r, "lemon", "lemon")
	}
	c.Remove(t, first)
	wantProgress(t, r, 0, 2, 2)
	wantProgress(t, other, 0, 2, 2)
	if found := wantTexts(t, r, "lemon mint", "mint sage"); len(found) != 2 {
		t.Errorf("%d passages after a removal, want 2", len(found))
	}
	wantProgress(t, c.Open(t, english), 0, 2, 2)
	if err := r.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	next := c.Open(t, english)
	wantProgress(t, next, 0, 2, 2)
	wantTexts(t, next, "basil", "basil thyme")
}

func testEncoderLanguages(t *testing.T, c EncoderCorpus) {
	c.Put(t, "en", "en", "lemon ginger")
	c.Put(t, "code", "", "pepper salt", "clove")
	c.Put(t, "de", "de", "minze salbei", "thymian")
	r := c.Open(t, english, all)
	wantProgress(t, r, 0, 0, 3)
	wantProgress(t, r, 1, 0, 5)
	c.encode(t, all, 9)
	c.encode(t, english, 9)
	wantProgress(t, r, 0, 3, 3)
	wantProgress(t, r, 1, 5, 5)
	wantTexts(t, r, "thymian", "thymian")
	c.Put(t, "de", "en", "mint sage") // a new chunk in another language
	wantProgress(t, r, 0, 3, 4)
	wantProgress(t, r, 1, 3, 4)
	// Another model of the same corpus begins with no vectors.
	renamed := english
	renamed.Embedder = Model("english-2")
	next := c.Open(t, renamed)
	wantProgress(t, next, 0, 0, 4)
	c.encode(t, renamed, 9)
	wantProgress(t, next, 0, 4, 4)
	wantProgress(t, r, 0, 3, 4)
}

func testEncoderBadVectors(t *testing.T, c EncoderCorpus) {
	c.Put(t, "a", "en", "lemon", "mint", "sage")
	passages, err := c.Unencoded(t.Context(), corpus.EncodingQuery{Model: "all", Languages: all.Languages, Limit: 9})
	if err != nil {
		t.Fatal(err)
	}
	for i, vector := range [][]float32{Vector("lemon"), make([]float32, dimensions), {1, 0}} {
		if err := c.PutEncodings(t.Context(), "all", []corpus.Encoding{{ChunkID: passages[i].ID, Vector: vector}}); err != nil {
			t.Fatal(err)
		}
	}
	r := c.Open(t, all)
	wantProgress(t, r, 0, 2, 3) // a zero vector counts, and one of another length does not
	vectors, err := r.Stored(t.Context(), "all", []int64{passages[1].ID, passages[2].ID})
	if err != nil || len(vectors[0]) != dimensions || embed.Dot(vectors[0], vectors[0]) != 0 || vectors[1] != nil {
		t.Errorf("the vectors are %v, %v; want zeros and none", vectors, err)
	}
}

// testEncoderMoves moves a document. Its vectors are found in its new collection, and are not computed again.
func testEncoderMoves(t *testing.T, c EncoderCorpus) {
	id := c.Put(t, "a", "en", "lemon ginger", "pepper salt")
	c.Put(t, "b", "en", "mint sage")
	c.encode(t, english, 9)
	encoders := []retrieve.Encoder{english}
	r := c.Open(t, encoders...)
	wantProgress(t, r, 0, 3, 3)
	if err := r.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.Move(t, id, "moved")
	next := []retrieve.Encoder{english}
	for name, process := range map[string]struct {
		*retrieve.Retriever
		retrieve.Encoder
	}{"running": {r, encoders[0]}, "started later": {c.Open(t, next...), next[0]}} {
		wantProgress(t, process.Retriever, 0, 3, 3)
		var x retrieve.Nearest = process.Index
		if process.Vectors != nil {
			x = process.Vectors
		}
		for collection, want := range map[string]int{"moved": 2, corpus.DefaultCollection: 1} {
			hits, err := x.Nearest(t.Context(), Vector("lemon ginger"), 9, retrieve.Filter{Collections: []string{collection}})
			if err != nil || len(hits) != want {
				t.Errorf("%s: found %v in %s, %v; want %d", name, hits, collection, err, want)
			}
		}
		found, err := process.Retrieve(t.Context(), retrieve.Query{Question: "lemon ginger", Collections: []string{"moved"}, K: retrieve.MaxK})
		if err != nil || len(found.Results) != 2 || found.Results[0].Passage.Document.Collection != "moved" {
			t.Errorf("%s: a search finds %+v, %v; want both passages", name, found.Results, err)
		}
	}
}
