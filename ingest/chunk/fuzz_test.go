package chunk_test

import (
	"strings"
	"testing"

	"docent/ingest/chunk"
	"docent/ingest/outline"
)

// FuzzCut builds a document from text and a plan of its blocks, one byte each,
// and checks the guarantees of chunks.
func FuzzCut(f *testing.F) {
	f.Add("Title\n\nSome text. More of it.\n\na | b\n1 | 2", []byte{1, 0, 4, 5})
	f.Add(strings.Repeat("lorem ipsum dolor. ", 200), []byte{0, 3, 0x41})
	f.Add(strings.Repeat("東京。", 300)+strings.Repeat("x", 5000), []byte{3, 5, 2})
	f.Add("a\nb\nc\nd\ne\nf\ng\n", []byte{0x11, 0x21, 0x12, 4, 5, 5, 0xf1})
	f.Add("é\u00a0\u2003 x\n\n\n\ty", []byte{3})
	f.Fuzz(func(t *testing.T, text string, plan []byte) {
		if len(text) > 64<<10 || len(plan) == 0 {
			return
		}
		b := outline.NewBuilder(len(text))
		for i, part := range strings.SplitAfter(text, "\n") {
			p := plan[i%len(plan)]
			if p&0xe0 == 0xe0 {
				b.Page = i / 7
			}
			kind := outline.Kind(p & 0xf % 6)
			level := 0
			if kind == outline.Heading {
				level = int(p>>4)%9 + 1
				if level > 6 {
					level += outline.TermLevel
				}
				if p&0x80 != 0 {
					b.Close(level)
				}
			}
			b.Add(kind, level, "\n\n", strings.Repeat(part, 1+int(p>>6)*20))
		}
		doc := b.Document("title")
		cutter := chunk.NewSized(chunk.Sizes{MaxWords: 40, MinWords: 8, TermWords: 20, MaxCodeWords: 40, MinCodeWords: 10})
		if chunks, omitted := cutter.Cut(doc); omitted == 0 {
			check(t, doc, chunks, 40)
		}
	})
}

// FuzzWords checks that counting by words and by code points gives the same
// result.
func FuzzWords(f *testing.F) {
	f.Add("one two 東京 สวัสดี max_parallel_workers_per_gather \xff\u00a0x")
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := chunk.Words(text), chunk.Metered(text); got != want {
			t.Errorf("Words(%q) = %d, by code points %d", text, got, want)
		}
	})
}
