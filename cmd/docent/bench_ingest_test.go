package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"docent/embed"
	"docent/ingest"
	"docent/ingest/chunk"
	"docent/ingest/extract"
	"docent/ingest/intake"
	"docent/ingest/outline"
	"docent/ingest/worker"
	"docent/internal/pgtest"
	"docent/internal/wiring"
	"docent/rag/corpus"
)

// ingestDocuments is how many documents are read.
const ingestDocuments = 1000

// BenchmarkIngest reads a folder of made-up web pages and Markdown into an
// empty store: first the stages one after the other, each alone with all cores,
// then all together as `docent ingest` does. The benchmark alternates between
// both, so that a busy moment affects both.
func BenchmarkIngest(b *testing.B) {
	dir := b.TempDir()
	writeManual(b, dir, ingestDocuments)
	b.Run("sqlite", func(b *testing.B) {
		benchIngest(b, dir, openSQLiteBench)
	})
	b.Run("postgres", func(b *testing.B) {
		benchIngest(b, dir, func(b *testing.B) *wiring.Database {
			url := pgtest.URL(b)
			pgtest.Durable(b, url)
			return openPostgresBench(b, url)
		})
	})
}

// writeManual makes a folder of documents, half of them web pages.
func writeManual(b *testing.B, dir string, documents int) {
	b.Helper()
	w := newWriter(2)
	for i := range documents {
		parts := w.page(w.between(2, 16))
		name, text := fmt.Sprintf("page-%04d.md", i), markdown(parts)
		if i%2 == 0 {
			name, text = fmt.Sprintf("page-%04d.html", i), webPage(parts)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
}

// stages runs the stages of an ingest one after the other.
type stages struct {
	static    *embed.Static
	extractor *extract.Extractor
	cutter    *chunk.Cutter
	sources   []intake.Source

	docs    []*outline.Document
	chunks  [][]corpus.Chunk
	vectors [][][]float32

	extract, cut, embed, put times
}

func newStages(b *testing.B, dir string) *stages {
	b.Helper()
	static, err := embed.NewStatic()
	if err != nil {
		b.Fatal(err)
	}
	s := &stages{static: static}
	if s.extractor, err = extract.New(extract.Config{}); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.extractor.Close(context.WithoutCancel(b.Context())) })
	s.cutter = chunk.New(static.Count)
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		s.sources = append(s.sources, intake.Source{Name: name, Data: data})
	}
	s.docs = make([]*outline.Document, len(names))
	s.chunks = make([][]corpus.Chunk, len(names))
	s.vectors = make([][][]float32, len(names))
	return s
}

// run runs the stages once, the last into the given store.
func (s *stages) run(b *testing.B, store ingest.Store) {
	b.Helper()
	each := func(t *times, f func(i int) error) {
		t.add(func() {
			var group errgroup.Group
			group.SetLimit(runtime.GOMAXPROCS(0))
			for i := range s.sources {
				group.Go(func() error { return f(i) })
			}
			if err := group.Wait(); err != nil {
				b.Fatal(err)
			}
		})
	}
	each(&s.extract, func(i int) (err error) {
		s.docs[i], _, err = s.extractor.Extract(b.Context(), s.sources[i])
		return err
	})
	each(&s.cut, func(i int) error {
		s.chunks[i], _ = s.cutter.Cut(s.docs[i])
		return nil
	})
	each(&s.embed, func(i int) (err error) {
		texts := make([]string, len(s.chunks[i]))
		for k, c := range s.chunks[i] {
			texts[k] = corpus.IndexText(s.docs[i].Title, c)
		}
		s.vectors[i], err = s.static.EmbedDocuments(b.Context(), texts)
		return err
	})
	const perCall = 64
	var puts []intake.Put
	for i, src := range s.sources {
		puts = append(puts, intake.Put{Document: corpus.Document{
			Collection: corpus.DefaultCollection, Source: src.Name, Title: s.docs[i].Title, MediaType: "text/html", Language: "en",
			Size: int64(len(src.Data)), SHA256: fmt.Sprintf("%064x", i), Status: corpus.Ready, Pipeline: ingest.Pipeline,
			Chunks: len(s.chunks[i]), Text: s.docs[i].Text,
		}, Chunks: s.chunks[i], Embedder: s.static.Name(), Vectors: s.vectors[i], Original: src.Data})
	}
	s.put.add(func() {
		for len(puts) > 0 {
			n := min(perCall, len(puts))
			if _, err := store.PutDocuments(b.Context(), puts[:n]); err != nil {
				b.Fatal(err)
			}
			puts = puts[n:]
		}
	})
}

// text returns the size of the extracted text in bytes, and its number of
// chunks.
func (s *stages) text() (size, chunks int) {
	for i, d := range s.docs {
		size += len(d.Text)
		chunks += len(s.chunks[i])
	}
	return size, chunks
}

func benchIngest(b *testing.B, dir string, open func(b *testing.B) *wiring.Database) {
	const rounds = 3
	s := newStages(b, dir)
	var whole, again times
	for b.Loop() {
		for range rounds {
			s.run(b, open(b).Documents)
			db := open(b)
			reader, err := worker.NewLocal(worker.Config{Tokens: s.static.Count})
			if err != nil {
				b.Fatal(err)
			}
			ingester, err := ingest.New(ingest.Config{Store: db.Documents, Embedder: s.static, Reader: reader})
			if err != nil {
				b.Fatal(err)
			}
			for _, t := range []struct {
				*times
				status string
			}{{&whole, ingest.Added}, {&again, ingest.Unchanged}} {
				t.add(func() {
					for r, err := range ingester.Ingest(b.Context(), ingest.Request{Paths: []string{dir}}) {
						if err != nil || r.Status != t.status {
							b.Fatal(r, err)
						}
					}
				})
			}
			if err := ingester.Close(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	}
	size, chunks := s.text()
	rate := func(t times, name string) {
		b.ReportMetric(float64(size)/1e6/t.median().Seconds(), "MB/s_"+name)
	}
	rate(whole, "whole")
	rate(s.extract, "extract")
	rate(s.cut, "chunk")
	rate(s.embed, "embed")
	rate(s.put, "put")
	b.ReportMetric(float64(len(s.sources))/whole.median().Seconds(), "docs/s")
	b.ReportMetric(float64(chunks)/whole.median().Seconds(), "chunks/s")
	b.ReportMetric(ms(again.median()), "ms_again")
	slowest := max(s.extract.median(), s.cut.median(), s.embed.median(), s.put.median())
	b.ReportMetric(slowest.Seconds()/whole.median().Seconds(), "x_slowest")
	// The stages share the cores: together they cannot be faster than all of
	// their work spread over the cores. Storing is the work of one.
	cores := time.Duration(runtime.GOMAXPROCS(0))
	limit := max(slowest, s.extract.median()+s.cut.median()+s.embed.median()+s.put.median()/cores)
	b.ReportMetric(limit.Seconds()/whole.median().Seconds(), "x_limit")
	b.ReportMetric(0, "ns/op")
}
