package ingesttest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"docent/ingest/intake"
	"docent/rag/corpus"
)

// The corpus of Benchmark is about as large as the PostgreSQL manual.
const (
	bulkDocuments = 1200
	bulkChunks    = 10 // per document
	bulkBatch     = 16 // documents per call
	bulkDims      = 256
)

// Benchmark ingests a corpus, replaces it, and reads it like an index at start.
// It also runs the queries of a second ingest run. It reports the milliseconds of
// each step.
func Benchmark(b *testing.B, open func(b *testing.B) Store) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a benchmark's data
	var puts []intake.Put
	text := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 27) // 1.2 kB
	for i := range bulkDocuments {
		p := put(fmt.Sprintf("/usr/share/doc/page-%d.html", i), fmt.Sprint("w", i), bulkChunks)
		p.Document.Text, p.Original = strings.Repeat(text, bulkChunks), []byte(strings.Repeat(text, bulkChunks)+fmt.Sprint(i))
		for c := range p.Chunks {
			p.Chunks[c].Text, p.Vectors[c] = text, make([]float32, bulkDims)
			for k := range p.Vectors[c] {
				p.Vectors[c][k] = random.Float32()
			}
		}
		puts = append(puts, p)
	}
	var store, again, load, sources, unembedded time.Duration
	for b.Loop() {
		s := open(b)
		all := func() {
			for at := 0; at < len(puts); at += bulkBatch {
				if _, err := s.PutDocuments(b.Context(), puts[at:at+bulkBatch]); err != nil {
					b.Fatal(err)
				}
			}
		}
		store += clock(all)
		again += clock(all)
		load += clock(func() {
			n := 0
			for c, err := range s.Changes(b.Context(), 0, "e1") {
				if err != nil {
					b.Fatal(err)
				}
				n += len(c.Vectors)
			}
			if n != bulkDocuments*bulkChunks {
				b.Fatal(n)
			}
		})
		sources += clock(func() {
			if got, err := s.Sources(b.Context(), corpus.DefaultCollection, "e1", ""); err != nil || len(got) != bulkDocuments ||
				got[0].Embedded != bulkChunks {
				b.Fatal(len(got), err)
			}
		})
		unembedded += clock(func() {
			if got, err := s.Unembedded(b.Context(), "e1", 0, 1000); err != nil || len(got) != 0 {
				b.Fatal(len(got), err)
			}
		})
	}
	for name, d := range map[string]time.Duration{
		"ms_put": store, "ms_replace": again, "ms_changes": load, "ms_sources": sources, "ms_unembedded": unembedded,
	} {
		b.ReportMetric(float64(d.Microseconds())/1000/float64(b.N), name)
	}
	b.ReportMetric(0, "ns/op") // the sum of different things says nothing
}

// clock returns how long f takes.
func clock(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}
