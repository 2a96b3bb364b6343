package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tmc/langchaingo/llms"

	"docent/embed"
	"docent/index/bm25"
	"docent/index/chromem"
	"docent/llm/llmtest"
	"docent/rag"
)

// BenchmarkRetrieve measures what retrieval adds to a model's first token, by
// stage: from a question to the moment the model is called. The corpus is in
// SQLite; the index is built from it, saved and loaded again first, and each of
// that is measured once.
func BenchmarkRetrieve(b *testing.B) {
	for _, chunks := range []int{20_000, 100_000} {
		b.Run(fmt.Sprintf("%dk", chunks/1000), func(b *testing.B) { benchRetrieve(b, chunks) })
	}
}

// retrieveClock stands between the retriever and its parts and adds up the
// time each takes for one question.
type retrieveClock struct {
	rag.Corpus
	embed.Embedder
	words   *timedWords
	vectors *timedVectors

	passages, question time.Duration
}

func (c *retrieveClock) Passages(ctx context.Context, ids []int64) ([]rag.Passage, error) {
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

func (i *timedWords) Search(ctx context.Context, s rag.Search) ([]rag.Hit, error) {
	start := time.Now()
	defer func() { i.search += time.Since(start) }()
	return i.Index.Search(ctx, s)
}

type timedVectors struct {
	*chromem.Index
	search time.Duration
}

func (i *timedVectors) Search(ctx context.Context, s rag.Search) ([]rag.Hit, error) {
	start := time.Now()
	defer func() { i.search += time.Since(start) }()
	return i.Index.Search(ctx, s)
}

// newRetrieveClock returns a retriever over the corpus that is measured.
func newRetrieveClock(b *testing.B, corpus rag.Corpus, static *embed.Static, snapshot string) (*rag.Retriever, *retrieveClock) {
	b.Helper()
	c := &retrieveClock{Corpus: corpus, Embedder: static, words: &timedWords{Index: bm25.New()}, vectors: &timedVectors{Index: chromem.New()}}
	r, err := rag.NewRetriever(rag.RetrieverConfig{
		Corpus: c, Embedder: c, Static: static, Keywords: c.words, Vectors: c.vectors, Snapshot: snapshot,
	})
	if err != nil {
		b.Fatal(err)
	}
	return r, c
}

func benchRetrieve(b *testing.B, chunks int) {
	const asked = 300
	static, err := embed.NewStatic()
	if err != nil {
		b.Fatal(err)
	}
	db := openSQLiteBench(b)
	questions := fill(b, db, static, chunks)
	snapshot := filepath.Join(b.TempDir(), "index.bin")
	var build, load, settle times
	built, _ := newRetrieveClock(b, db, static, snapshot)
	build.add(func() { // and saves it
		if err := built.Load(b.Context()); err != nil {
			b.Fatal(err)
		}
	})
	info, err := os.Stat(snapshot)
	if err != nil {
		b.Fatal(err)
	}
	retriever, clock := newRetrieveClock(b, db, static, snapshot)
	load.add(func() {
		if err := retriever.Load(b.Context()); err != nil {
			b.Fatal(err)
		}
	})
	if retriever.Len() != chunks {
		b.Fatalf("%d chunks, want %d", retriever.Len(), chunks)
	}
	settle.add(func() { // as a server does when it has time
		if err := clock.vectors.Settle(b.Context()); err != nil {
			b.Fatal(err)
		}
	})
	called := time.Time{}
	model := llmtest.NewModel(func(int, llmtest.Request) llmtest.Reply {
		called = time.Now()
		return llmtest.Say("It is in the manual [1].")
	})
	answering, err := rag.New(rag.Config{
		Retriever: retriever, Static: static, Shelf: db, Models: map[string]llms.Model{"scripted": model}, DefaultModel: "scripted", MinEvidence: -1,
	})
	if err != nil {
		b.Fatal(err)
	}
	var question, words, vectors, first, passages, second, added times
	for b.Loop() {
		for i := range asked {
			clock.question, clock.passages, clock.words.search, clock.vectors.search = 0, 0, 0, 0
			start := time.Now()
			if _, err := answering.Run(b.Context(), rag.Request{Question: questions[i%len(questions)]}); err != nil {
				b.Fatal(err)
			}
			whole := called.Sub(start)
			stage := clock.question + clock.words.search + clock.vectors.search
			question = append(question, clock.question)
			words = append(words, clock.words.search)
			vectors = append(vectors, clock.vectors.search)
			first = append(first, stage)
			passages = append(passages, clock.passages)
			second = append(second, whole-stage-clock.passages)
			added = append(added, whole)
		}
	}
	added.report(b, "added")
	first.report(b, "first")
	words.report(b, "words")
	vectors.report(b, "vectors")
	second.report(b, "second")
	passages.report(b, "passages")
	question.report(b, "embed")
	b.ReportMetric(ms(build.sum()), "ms_build")
	b.ReportMetric(ms(load.sum()), "ms_load")
	b.ReportMetric(ms(settle.sum()), "ms_settle")
	b.ReportMetric(build.sum().Seconds()/load.sum().Seconds(), "x_build_load")
	b.ReportMetric(float64(info.Size())/1e6, "MB_snapshot")
	b.ReportMetric(0, "ns/op")
}
