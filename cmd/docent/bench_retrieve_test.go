package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"docent/embed"
	"docent/index/bm25"
	"docent/index/flat"
	"docent/internal/wiring"
	"docent/llm"
	"docent/llm/llmtest"
	"docent/rag"
	"docent/rag/corpus"
	"docent/rag/pipeline"
	"docent/rag/retrieve"
)

// BenchmarkRetrieve measures what retrieval adds to a model's first token, by
// stage: from a question to the moment the model is called. The corpus is in
// SQLite. The benchmark first builds, saves, and loads the index, and measures
// each once. The figure second covers the second stage, the evidence, and the
// prompt, without reading the passages.
func BenchmarkRetrieve(b *testing.B) {
	for _, chunks := range []int{20_000, 100_000} {
		b.Run(fmt.Sprintf("%dk", chunks/1000), func(b *testing.B) { benchRetrieve(b, chunks) })
	}
}

// retrieveClock stands between the retriever and its parts and adds up the
// time each takes for one question.
type retrieveClock struct {
	corpus.Corpus
	embed.Embedder
	words   *timedWords
	vectors *timedVectors

	passages, question time.Duration
}

func (c *retrieveClock) Passages(ctx context.Context, ids []int64) ([]corpus.Passage, error) {
	start := time.Now()
	defer func() { c.passages += time.Since(start) }()
	return c.Corpus.Passages(ctx, ids)
}

func (c *retrieveClock) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	start := time.Now()
	defer func() { c.question += time.Since(start) }()
	return c.Embedder.EmbedQuery(ctx, text)
}

type timedWords struct {
	*bm25.Index
	search time.Duration
}

func (i *timedWords) Words(ctx context.Context, text string, k int, filter retrieve.Filter) ([]retrieve.Hit, error) {
	start := time.Now()
	defer func() { i.search += time.Since(start) }()
	return i.Index.Words(ctx, text, k, filter)
}

type timedVectors struct {
	*flat.Index
	search time.Duration
}

func (i *timedVectors) Nearest(ctx context.Context, vector []float32, k int, filter retrieve.Filter) ([]retrieve.Hit, error) {
	start := time.Now()
	defer func() { i.search += time.Since(start) }()
	return i.Index.Nearest(ctx, vector, k, filter)
}

// newRetrieveClock returns a retriever over the corpus that is measured.
func newRetrieveClock(b *testing.B, corpus corpus.Corpus, static *embed.Static, snapshot string) (*retrieve.Retriever, *retrieveClock) {
	b.Helper()
	c := &retrieveClock{
		Corpus: corpus, Embedder: static,
		words: &timedWords{Index: bm25.New()}, vectors: &timedVectors{Index: flat.New(flat.Config{})},
	}
	r, err := retrieve.New(retrieve.Config{
		Corpus: c, Embedder: c, Static: static, Words: c.words, Nearest: c.vectors, Snapshot: snapshot,
	})
	if err != nil {
		b.Fatal(err)
	}
	return r, c
}

// retrieveTimes are the measurements of one corpus.
type retrieveTimes struct {
	build, load                                              times // of the index
	question, words, vectors, first, passages, second, added times // by question
	snapshot                                                 int64 // bytes
}

func benchRetrieve(b *testing.B, chunks int) {
	const asked = 300
	static, err := embed.NewStatic()
	if err != nil {
		b.Fatal(err)
	}
	db := openSQLiteBench(b)
	questions := fill(b, db.Documents, static, chunks)
	var t retrieveTimes
	retriever, clock := t.open(b, db, static)
	if retriever.Len() != chunks {
		b.Fatalf("%d chunks, want %d", retriever.Len(), chunks)
	}
	called := time.Time{}
	model := llmtest.NewModel(func(int, llmtest.Request) llmtest.Reply {
		called = time.Now()
		return llmtest.Say("It is in the manual [1].")
	})
	answering, err := pipeline.New(pipeline.Config{
		Retriever: retriever, Static: static, Shelf: db.Library, Models: map[string]llm.Model{"scripted": model}, DefaultModel: "scripted", MinEvidence: -1,
	})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for i := range asked {
			clock.question, clock.passages, clock.words.search, clock.vectors.search = 0, 0, 0, 0
			start := time.Now()
			if _, err := answering.Run(b.Context(), rag.Request{Question: questions[i%len(questions)]}); err != nil {
				b.Fatal(err)
			}
			t.add(clock, called.Sub(start))
		}
	}
	t.report(b)
}

// open builds the index, which saves it, and loads what was saved.
func (t *retrieveTimes) open(b *testing.B, db *wiring.Database, static *embed.Static) (*retrieve.Retriever, *retrieveClock) {
	b.Helper()
	snapshot := filepath.Join(b.TempDir(), "index.bin")
	open := func(took *times) (*retrieve.Retriever, *retrieveClock) {
		r, clock := newRetrieveClock(b, db.Corpus, static, snapshot)
		took.add(func() {
			if err := r.Load(b.Context()); err != nil {
				b.Fatal(err)
			}
		})
		return r, clock
	}
	open(&t.build)
	info, err := os.Stat(snapshot)
	if err != nil {
		b.Fatal(err)
	}
	t.snapshot = info.Size()
	return open(&t.load)
}

// add records the times of a question and its total time.
func (t *retrieveTimes) add(clock *retrieveClock, whole time.Duration) {
	first := clock.question + clock.words.search + clock.vectors.search
	t.question = append(t.question, clock.question)
	t.words = append(t.words, clock.words.search)
	t.vectors = append(t.vectors, clock.vectors.search)
	t.first = append(t.first, first)
	t.passages = append(t.passages, clock.passages)
	t.second = append(t.second, whole-first-clock.passages)
	t.added = append(t.added, whole)
}

func (t *retrieveTimes) report(b *testing.B) {
	b.Helper()
	t.added.report(b, "added")
	t.first.report(b, "first")
	t.words.report(b, "words")
	t.vectors.report(b, "vectors")
	t.second.report(b, "second")
	t.passages.report(b, "passages")
	t.question.report(b, "embed")
	b.ReportMetric(ms(t.build.sum()), "ms_build")
	b.ReportMetric(ms(t.load.sum()), "ms_load")
	b.ReportMetric(t.build.sum().Seconds()/t.load.sum().Seconds(), "x_build_load")
	b.ReportMetric(float64(t.snapshot)/1e6, "MB_snapshot")
	b.ReportMetric(0, "ns/op")
}
