// Package bleve_test measures package bm25, and compares it with bleve. It is a module of its
// own, so that docent does not depend on bleve.
package bleve_test

import (
	"context"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/index/scorch"

	"docent/index/bm25"
	"docent/rag/retrieve"
)

// benchParagraphs is the maximum number of paragraphs that the benchmarks index.
const benchParagraphs = 20_000

// paragraphs returns comments and code of Go's standard library in pieces of 40
// to 150 words.
func paragraphs(tb testing.TB) []string {
	tb.Helper()
	var out []string
	var words []string
	home, err := exec.CommandContext(tb.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		tb.Fatal(err)
	}
	root := filepath.Join(strings.TrimSpace(string(home)), "src")
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || len(out) >= benchParagraphs {
			return err
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.Contains(path, "testdata") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(data)) {
			if comment, ok := strings.CutPrefix(strings.TrimSpace(line), "//"); ok {
				words = append(words, strings.Fields(comment)...)
			}
			if len(words) >= 40+len(out)%80 {
				out = append(out, strings.Join(words, " "))
				words = words[:0]
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	if len(out) < 1000 {
		tb.Skipf("only %d paragraphs in %s", len(out), root)
	}
	return out
}

// queries returns spans of n words of the paragraphs.
func queries(texts []string, n, count int) []string {
	r := rand.New(rand.NewPCG(5, 6))
	out := make([]string, count)
	for i := range out {
		words := strings.Fields(texts[r.IntN(len(texts))])
		at := r.IntN(max(1, len(words)-n))
		out[i] = strings.Join(words[at:min(at+n, len(words))], " ")
	}
	return out
}

func fillOurs(tb testing.TB, texts []string) *bm25.Index {
	tb.Helper()
	x := bm25.New()
	for i := 0; i < len(texts); i += 500 {
		var entries []retrieve.Entry
		for j := i; j < min(i+500, len(texts)); j++ {
			entries = append(entries, retrieve.Entry{ID: int64(j + 1), DocumentID: int64(j + 1), Source: strconv.Itoa(j), Language: "en", Text: texts[j]})
		}
		if err := x.Put(tb.Context(), entries); err != nil {
			tb.Fatal(err)
		}
	}
	return x
}

func fillBleve(tb testing.TB, texts []string) bleve.Index {
	tb.Helper()
	mapping := bleve.NewIndexMapping()
	mapping.DefaultAnalyzer = "en"
	mapping.ScoringModel = "bm25"
	mapping.StoreDynamic, mapping.DocValuesDynamic = false, false
	x, err := bleve.NewUsing("", mapping, scorch.Name, scorch.Name, nil)
	if err != nil {
		tb.Fatal(err)
	}
	for i := 0; i < len(texts); i += 500 {
		batch := x.NewBatch()
		for j := i; j < min(i+500, len(texts)); j++ {
			if err := batch.Index(strconv.Itoa(j+1), map[string]string{"text": texts[j]}); err != nil {
				tb.Fatal(err)
			}
		}
		if err := x.Batch(batch); err != nil {
			tb.Fatal(err)
		}
	}
	return x
}

// BenchmarkIndex compares how long indexing takes, alternating.
func BenchmarkIndex(b *testing.B) {
	texts := paragraphs(b)
	size := 0
	for _, t := range texts {
		size += len(t)
	}
	var ours, theirs []time.Duration
	for b.Loop() {
		start := time.Now()
		other := fillBleve(b, texts)
		theirs = append(theirs, time.Since(start))
		start = time.Now()
		fillOurs(b, texts)
		ours = append(ours, time.Since(start))
		_ = other.Close() // in memory: nothing is lost
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	our, their := ours[len(ours)/2], theirs[len(theirs)/2]
	b.ReportMetric(float64(size)/1e6/our.Seconds(), "MB/s")
	b.ReportMetric(float64(size)/1e6/their.Seconds(), "bleve_MB/s")
	b.ReportMetric(their.Seconds()/our.Seconds(), "x_bleve")
	b.ReportMetric(float64(len(texts)), "paragraphs")
}

// BenchmarkSearch compares searches for the ten best, alternating.
func BenchmarkSearch(b *testing.B) {
	texts := paragraphs(b)
	x, y := fillOurs(b, texts), fillBleve(b, texts)
	defer func() { _ = y.Close() }() // in memory: nothing is lost
	for _, words := range []int{4, 8, 16} {
		qs := queries(texts, words, 500)
		b.Run(strconv.Itoa(words)+"words", func(b *testing.B) {
			var ours, theirs []time.Duration
			i := 0
			for b.Loop() {
				q := qs[i%len(qs)]
				i++
				start := time.Now()
				searchBleve(b, y, q)
				theirs = append(theirs, time.Since(start))
				start = time.Now()
				if _, err := x.Words(context.Background(), q, 10, retrieve.Filter{}); err != nil {
					b.Fatal(err)
				}
				ours = append(ours, time.Since(start))
			}
			slices.Sort(ours)
			slices.Sort(theirs)
			at := func(ds []time.Duration, share float64) float64 {
				return float64(ds[int(share*float64(len(ds)-1))].Nanoseconds())
			}
			b.ReportMetric(at(ours, .5), "p50_ns")
			b.ReportMetric(at(ours, .99), "p99_ns")
			b.ReportMetric(at(theirs, .5)/at(ours, .5), "x_bleve_p50")
			b.ReportMetric(at(theirs, .99)/at(ours, .99), "x_bleve_p99")
		})
	}
}

func searchBleve(tb testing.TB, y bleve.Index, q string) {
	tb.Helper()
	query := bleve.NewMatchQuery(q)
	query.SetField("text")
	if _, err := y.Search(bleve.NewSearchRequestOptions(query, 10, 0, false)); err != nil {
		tb.Fatal(err)
	}
}

func BenchmarkMatch(b *testing.B) {
	texts := paragraphs(b)
	x := fillOurs(b, texts)
	qs := queries(texts, 8, 100)
	ids := make([]int64, 400)
	for i := range ids {
		ids[i] = int64(1 + i*len(texts)/400)
	}
	i := 0
	for b.Loop() {
		if _, _, err := x.Match(context.Background(), qs[i%len(qs)], ids); err != nil {
			b.Fatal(err)
		}
		i++
	}
}
