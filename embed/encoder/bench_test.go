package encoder

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// passages returns n texts of exactly the given number of tokens.
func passages(tb testing.TB, n, tokens int) []string {
	tb.Helper()
	words := strings.Fields(strings.Repeat("The server keeps one row per user and writes it to disk before the next step begins ", 20))
	out := make([]string, n)
	for i := range out {
		out[i] = strings.Join(words[i%16:][:tokens-2], " ")
	}
	m, err := loadModel()
	if err != nil {
		tb.Fatal(err)
	}
	if got := len(m.tokens(out[0])); got != tokens {
		tb.Fatalf("%d tokens, want %d", got, tokens)
	}
	return out
}

// BenchmarkDocuments measures passages of 128 tokens on all cores, for each
// kernel but the plain one.
func BenchmarkDocuments(b *testing.B) {
	texts := passages(b, 64, 128)
	for _, k := range runnable() {
		b.Run(k.name, func(b *testing.B) {
			e, err := newEncoder(k, nil)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := e.EmbedDocuments(b.Context(), texts); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*len(texts))/b.Elapsed().Seconds(), "passages/s")
			b.ReportMetric(float64(runtime.GOMAXPROCS(0)), "cores")
		})
	}
}

// BenchmarkQuestion measures questions of 12 tokens on one core.
func BenchmarkQuestion(b *testing.B) {
	text := passages(b, 1, 12)[0]
	for _, k := range runnable() {
		b.Run(k.name, func(b *testing.B) {
			e, err := newEncoder(k, nil)
			if err != nil {
				b.Fatal(err)
			}
			var times []time.Duration
			for b.Loop() {
				start := time.Now()
				if _, err := e.EmbedQuery(b.Context(), text); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(start))
			}
			slices.Sort(times)
			b.ReportMetric(times[len(times)/2].Seconds()*1e3, "ms/p50")
			b.ReportMetric(times[len(times)*99/100].Seconds()*1e3, "ms/p99")
		})
	}
}

// BenchmarkLoad measures the first encoder of a process.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := parseModel(); err != nil {
			b.Fatal(err)
		}
	}
}
