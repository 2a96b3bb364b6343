package pdf

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"docent/ingest/outline"
	"docent/internal/fault"
)

// maxFuzzed bounds the input of a fuzz test.
const maxFuzzed = 128 << 10

// verify fails if a document breaks the rules of outline.Document.
func verify(t *testing.T, doc *outline.Document) {
	t.Helper()
	if !utf8.ValidString(doc.Text) || strings.ContainsAny(doc.Text, "\x00\r") || !utf8.ValidString(doc.Title) || strings.ContainsAny(doc.Title, "\x00\n") {
		t.Fatalf("the text is not clean: %q, title %q", doc.Text, doc.Title)
	}
	end := 0
	for i, b := range doc.Blocks {
		if b.Start < end || b.End < b.Start || b.End > len(doc.Text) || !utf8.ValidString(doc.Text[b.Start:b.End]) {
			t.Fatalf("block %d is [%d:%d] after %d in %d bytes", i, b.Start, b.End, end, len(doc.Text))
		}
		end = b.End
	}
}

// FuzzPDF reads any bytes as a PDF, in the sandbox.
func FuzzPDF(f *testing.F) {
	for _, folder := range []string{"testdata", "../testdata"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.pdf"))
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			if data, err := os.ReadFile(file); err == nil && len(data) <= maxFuzzed {
				f.Add(data)
			}
		}
	}
	f.Add(onePage(at("F1", 12, 50, 700, "The flow is ")+at("F2", 20, 150, 600, "AB"), "/Annots[5 0 R]", "/Outlines 6 0 R",
		"<</Type/Annot/Subtype/Text/Contents(note)/Rect[1 2 3 4]>>", "<</First 7 0 R/Last 7 0 R/Count 1>>", "<</Title(AB)/Next 7 0 R/Dest[3 0 R/Fit]>>"))
	r := newReader(f)
	r.timeout, r.pageTimeout = 5*time.Second, 5*time.Second
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > maxFuzzed {
			return
		}
		doc, err := r.Read(t.Context(), "a.pdf", data)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Fatal(err)
			}
			return
		}
		verify(t, doc)
		page, err := r.ReadPage(t.Context(), data, 0)
		if err != nil {
			if k := fault.KindOf(err); k != fault.Invalid && k != fault.NotFound {
				t.Fatal(err)
			}
			return
		}
		page.Marks(PassageIn(doc.Text, 0, len(doc.Text)))
	})
}

// FuzzLayout builds pages from words that the fuzzer places. Each group of bytes
// is a word with its box.
func FuzzLayout(f *testing.F) {
	f.Add("Part Interval\nseal 4,000\nfilter 100\n\nText of the page.", []byte{10, 10, 200, 10, 10, 30, 200, 30, 10, 50, 200, 50})
	f.Add("1 Valves\nThe valve\x02\nis shut. 深 圳 市 的\nPage 2\n", []byte{0, 0, 0, 1, 255, 255, 3, 7})
	f.Fuzz(func(t *testing.T, text string, places []byte) {
		if len(text) > 32<<10 {
			return
		}
		out := &pdfFile{scratch: layoutScratch{}}
		for page := range strings.SplitSeq(text, "\f") {
			lines := splitLines([]rune(page), nil)
			for i := range lines {
				placeAt(&lines[i], &places)
			}
			raw := rawPage{lines: pageTables(lines)}
			out.size += raw.size()
			out.pages, out.labels = append(out.pages, raw), append(out.labels, "")
		}
		if len(places) > 0 && places[0]%2 == 0 {
			out.bookmarks = []bookmark{{title: text[:min(len(text), 20)], level: 1, page: int(places[0]) % 3}}
		}
		out.scanned()
		doc := out.document()
		verify(t, doc)
		if err := out.judge(doc); err != nil && fault.KindOf(err) != fault.Invalid {
			t.Fatal(err)
		}
	})
}

// placeAt places the words of a line as the bytes describe.
func placeAt(l *textLine, places *[]byte) {
	next := func() float32 {
		if len(*places) == 0 {
			return 12
		}
		c := (*places)[0]
		*places = (*places)[1:]
		switch c {
		case 255:
			return float32(math.NaN())
		case 254:
			return float32(math.Inf(1))
		}
		return float32(c) * 3
	}
	for i := range l.words {
		left, bottom := next(), next()
		l.words[i].box, l.words[i].placed = [4]float32{left, bottom + 12, left + 40, bottom}, left != 9
	}
	l.size, l.bold = next(), len(*places)%3 == 0
	l.text = joinWords(l.words)
}
