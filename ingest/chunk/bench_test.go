package chunk_test

import (
	"testing"
	"time"

	"github.com/tmc/langchaingo/textsplitter"

	"docent/ingest/chunk"
	"docent/ingest/outline"
)

// BenchmarkCut cuts a document of 1 MB. It alternates with langchaingo's
// recursive splitter at about the same chunk size. Compare the ratio: that
// splitter keeps no offsets, headings, or pages.
func BenchmarkCut(b *testing.B) {
	build := outline.NewBuilder(1 << 20)
	for build.Len() < 1<<20 {
		build.Add(outline.Heading, 2, "\n\n", "A heading of a few words")
		for range 5 {
			build.Add(outline.Paragraph, 0, "\n\n", words(70))
		}
	}
	doc := build.Document("")
	cutter := chunk.New(func(text string) int { return len(text) / 4 })
	theirs := textsplitter.NewRecursiveCharacter(textsplitter.WithChunkSize(1500), textsplitter.WithChunkOverlap(0))
	var ours, other time.Duration
	b.SetBytes(int64(len(doc.Text)))
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		if chunks, _ := cutter.Cut(doc); len(chunks) == 0 {
			b.Fatal("no chunks")
		}
		mid := time.Now()
		if parts, err := theirs.SplitText(doc.Text); err != nil || len(parts) == 0 {
			b.Fatal(len(parts), err)
		}
		ours += mid.Sub(start)
		other += time.Since(mid)
	}
	mb := float64(len(doc.Text)) * float64(b.N) / 1e6
	b.ReportMetric(mb/ours.Seconds(), "ours-MB/s")
	b.ReportMetric(mb/other.Seconds(), "langchaingo-MB/s")
	b.ReportMetric(other.Seconds()/ours.Seconds(), "x-langchaingo")
}
