package bm25_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"docent/index/bm25"
	"docent/rag/retrieve"
)

// BenchmarkMatch describes 128 candidates among 100,000 passages of 12,500 documents. It alternates between an index that
// knows the counts of the question's words and one that must read all of their postings.
func BenchmarkMatch(b *testing.B) {
	const chunks, words, terms = 100_000, 60, 6
	random := rand.New(rand.NewPCG(1, 0))
	zipf := rand.NewZipf(random, 1.2, 4, 20_000)
	text := func(n int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprintf("w%dx", zipf.Uint64())
		}
		return strings.Join(out, " ")
	}
	x := bm25.New()
	var all []retrieve.Entry
	for id := range int64(chunks) {
		e := entry(id+1, "en", text(3), text(words))
		e.DocumentID, e.Ordinal = 1+id/8, int(id%8)
		all = append(all, e)
	}
	if err := x.Put(b.Context(), all); err != nil {
		b.Fatal(err)
	}
	var questions []string
	for range 50 {
		questions = append(questions, text(terms))
	}
	ids := make([]int64, 128)
	var took [2][]time.Duration
	for b.Loop() {
		for i := range ids {
			ids[i] = 1 + random.Int64N(chunks)
		}
		for _, q := range questions {
			for known := range took {
				if known == 0 {
					bm25.Forget(x)
				}
				start := time.Now()
				if _, _, err := x.Match(b.Context(), q, ids); err != nil {
					b.Fatal(err)
				}
				took[known] = append(took[known], time.Since(start))
			}
		}
	}
	at := func(known int, share float64) float64 {
		slices.Sort(took[known])
		return took[known][int(share*float64(len(took[known])-1))].Seconds() * 1000
	}
	b.ReportMetric(at(1, .5), "ms_known")
	b.ReportMetric(at(0, .5), "ms_unknown")
	b.ReportMetric(at(0, .5)/at(1, .5), "x_known")
	b.ReportMetric(0, "ns/op")
}
