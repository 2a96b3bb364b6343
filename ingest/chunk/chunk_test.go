package chunk_test

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"docent/rag/corpus"

	"docent/ingest/chunk"
	"docent/ingest/extract/plain"
	"docent/ingest/outline"
)

// words returns n words of prose in sentences of ten words.
func words(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		if i%10 == 0 {
			b.WriteString("Word")
		} else {
			b.WriteString("word")
		}
		fmt.Fprint(&b, i)
		if i%10 == 9 {
			b.WriteByte('.')
		}
	}
	return b.String()
}

// check fails if a document's chunks break the documented guarantees.
func check(t testing.TB, doc *outline.Document, chunks []corpus.Chunk, limit int) {
	t.Helper()
	end := 0
	covered := make([]bool, len(doc.Text))
	for i, c := range chunks {
		if c.Ordinal != i {
			t.Fatalf("chunk %d has ordinal %d", i, c.Ordinal)
		}
		if c.Start < end || c.End <= c.Start || c.End > len(doc.Text) {
			t.Fatalf("chunk %d is [%d:%d] after %d in a text of %d bytes", i, c.Start, c.End, end, len(doc.Text))
		}
		end = c.End
		body := doc.Text[c.Start:c.End]
		if !strings.HasSuffix(c.Text, body) || c.Kind != corpus.Table && c.Text != body {
			t.Fatalf("chunk %d is %q, its range holds %q", i, c.Text, body)
		}
		if utf8.ValidString(doc.Text) && !utf8.ValidString(body) {
			t.Fatalf("chunk %d cuts a code point: %q", i, body)
		}
		if strings.TrimSpace(body) == "" {
			t.Fatalf("chunk %d is empty", i)
		}
		if n := chunk.Words(body); n > limit {
			t.Fatalf("chunk %d has %d words, the limit is %d: %q", i, n, limit, body)
		}
		for j := c.Start; j < c.End; j++ {
			covered[j] = true
		}
	}
	for _, b := range doc.Blocks {
		if b.Kind == outline.Heading {
			continue // in the paths, or in the text
		}
		for j := b.Start; j < b.End; j++ {
			if !covered[j] && doc.Text[j] > ' ' && utf8.RuneStart(doc.Text[j]) {
				if r, _ := utf8.DecodeRuneInString(doc.Text[j:]); strings.TrimSpace(string(r)) != "" {
					t.Fatalf("byte %d (%q) is in no chunk", j, doc.Text[j:min(len(doc.Text), j+20)])
				}
			}
		}
	}
}

// headings returns the heading paths of chunks, one on each line.
func headings(chunks []corpus.Chunk) string {
	var out []string
	for _, c := range chunks {
		out = append(out, strings.Join(c.Headings, "/"))
	}
	return strings.Join(out, "\n")
}

func TestSectionsStayApart(t *testing.T) {
	t.Parallel()
	b := outline.NewBuilder(0)
	b.Add(outline.Heading, 1, "\n\n", "Manual")
	b.Add(outline.Heading, 2, "\n\n", "Install")
	b.Add(outline.Paragraph, 0, "\n\n", words(60))
	b.Add(outline.Heading, 2, "\n\n", "Run")
	b.Add(outline.Paragraph, 0, "\n\n", words(60))
	b.Add(outline.Heading, 3, "\n\n", "Options")
	b.Add(outline.Paragraph, 0, "\n\n", words(60))
	doc := b.Document("Manual")
	chunks, _ := chunk.New(nil).Cut(doc)
	check(t, doc, chunks, 230)
	if got, want := headings(chunks), "Install\nRun\nRun/Options"; got != want {
		t.Errorf("paths:\n%s\nwant\n%s", got, want)
	}
}

func TestTinySectionsGather(t *testing.T) {
	t.Parallel()
	b := outline.NewBuilder(0)
	b.Add(outline.Heading, 1, "\n\n", "LOCK")
	b.Add(outline.Heading, 2, "\n\n", "Name")
	b.Add(outline.Paragraph, 0, "\n\n", "LOCK locks a table")
	b.Add(outline.Heading, 2, "\n\n", "Synopsis")
	b.Add(outline.Code, 0, "\n\n", "LOCK [ TABLE ] name")
	b.Add(outline.Heading, 2, "\n\n", "Description")
	b.Add(outline.Paragraph, 0, "\n\n", words(200))
	doc := b.Document("LOCK")
	chunks, _ := chunk.New(nil).Cut(doc)
	check(t, doc, chunks, 230)
	if got, want := headings(chunks), "\nDescription"; got != want {
		t.Fatalf("paths:\n%q\nwant\n%q", got, want)
	}
	if want := "Name\n\nLOCK locks a table\n\nSynopsis\n\nLOCK [ TABLE ] name"; chunks[0].Text != want {
		t.Errorf("got %q, want %q", chunks[0].Text, want)
	}
}

// TestHeadingsAreKept checks that each heading is in the path or the text of all
// chunks of its section. The documents nest headings around texts of all
// combinations of sizes.
func TestHeadingsAreKept(t *testing.T) {
	t.Parallel()
	sizes := []int{0, 3, 30, 300}
	for levels, term := range map[string]int{"1223322": 0, "1222122": 0, "1233232": 0, "1122332": 0, "1222222": outline.TermLevel, "1333213": 1} {
		for plan := range 1 << (2 * len(levels)) {
			if plan%31 != 0 {
				continue // enough of them
			}
			b := outline.NewBuilder(0)
			for i, digit := range levels {
				level := int(digit - '0')
				if level > 1 {
					level += term
				}
				b.Add(outline.Heading, level, "\n\n", fmt.Sprintf("heading%d", i))
				b.Add(outline.Paragraph, 0, "\n\n", words(sizes[plan>>(2*i)&3]))
			}
			doc := b.Document("")
			chunks, _ := chunk.New(nil).Cut(doc)
			check(t, doc, chunks, 230)
			checkHeadings(t, doc, chunks)
		}
	}
}

// checkHeadings fails if a chunk lacks a heading above its text, or if no chunk has a heading.
func checkHeadings(t *testing.T, doc *outline.Document, chunks []corpus.Chunk) {
	t.Helper()
	found := map[string]bool{}
	for _, c := range chunks {
		text := strings.Join(c.Headings, "\n") + "\n" + c.Text
		var above []outline.Block
		for _, b := range doc.Blocks {
			if b.Start >= c.End {
				break
			}
			if b.Kind == outline.Heading {
				above = slices.DeleteFunc(above, func(a outline.Block) bool { return a.Level >= b.Level })
				above = append(above, b)
			}
			if b.End <= c.Start {
				continue
			}
			for _, a := range above {
				name := doc.HeadingName(a)
				if found[name] = true; !strings.Contains(text, name) {
					t.Fatalf("%s is not in the chunk %q of %q", name, text, doc.Text)
				}
			}
		}
	}
	for _, b := range doc.Blocks {
		if name := doc.HeadingName(b); b.Kind == outline.Heading && !found[name] {
			t.Fatalf("%s is in no chunk of %q", name, doc.Text)
		}
	}
}

func TestTermsGatherUntilFull(t *testing.T) {
	t.Parallel()
	b := outline.NewBuilder(0)
	b.Add(outline.Heading, 1, "\n\n", "Options")
	for i := range 12 {
		b.Add(outline.Heading, outline.TermLevel+1, "\n\n", fmt.Sprintf("--option%d", i))
		b.Add(outline.Paragraph, 0, "\n\n", words(30))
	}
	b.Close(outline.TermLevel + 1)
	b.Add(outline.Paragraph, 0, "\n\n", words(60))
	doc := b.Document("")
	chunks, _ := chunk.New(nil).Cut(doc)
	check(t, doc, chunks, 230)
	if got, want := headings(chunks), "Options\nOptions\nOptions\nOptions"; got != want {
		t.Errorf("paths:\n%s\nwant\n%s", got, want)
	}
	if !strings.HasPrefix(chunks[0].Text, "--option0\n\nWord0") {
		t.Errorf("the first term is not in the text: %q", chunks[0].Text)
	}
	if !strings.HasPrefix(chunks[3].Text, "Word0") {
		t.Errorf("what follows the list is not by itself: %q", chunks[3].Text)
	}
}

func TestLongTermNamesItsChunks(t *testing.T) {
	t.Parallel()
	b := outline.NewBuilder(0)
	b.Add(outline.Heading, 1, "\n\n", "Settings")
	b.Add(outline.Heading, outline.TermLevel+1, "\n\n", "wal_level (enum)")
	for range 5 {
		b.Add(outline.Paragraph, 0, "\n\n", words(80))
	}
	doc := b.Document("")
	chunks, _ := chunk.New(nil).Cut(doc)
	check(t, doc, chunks, 230)
	if len(chunks) != 2 && len(chunks) != 3 {
		t.Fatalf("400 words in %d chunks", len(chunks))
	}
	for _, c := range chunks {
		if got := strings.Join(c.Headings, "/"); got != "Settings/wal_level (enum)" {
			t.Errorf("path %q", got)
		}
	}
}

func TestTableRowsRepeatTheHeader(t *testing.T) {
	t.Parallel()
	b := outline.NewBuilder(0)
	b.Add(outline.Paragraph, 0, "\n\n", words(20))
	b.Add(outline.Header, 0, "\n\n", "Name | Meaning")
	for i := range 30 {
		b.Add(outline.Row, 0, "\n", fmt.Sprintf("r%d | %s", i, words(20)))
	}
	doc := b.Document("")
	chunks, _ := chunk.New(nil).Cut(doc)
	check(t, doc, chunks, 230)
	for i, c := range chunks {
		if c.Kind != corpus.Table {
			t.Errorf("chunk %d is %s", i, c.Kind)
		}
		if !strings.Contains(c.Text, "Name | Meaning\nr") || strings.Count(c.Text, "Name | Meaning") != 1 {
			t.Errorf("chunk %d has not one header: %q", i, c.Text[:60])
		}
	}
}

func TestAnnouncementGoesWithTheCode(t *testing.T) {
	t.Parallel()
	b := outline.NewBuilder(0)
	b.Add(outline.Paragraph, 0, "\n\n", words(150))
	b.Add(outline.Paragraph, 0, "\n\n", "For example:")
	b.Add(outline.Code, 0, "\n\n", words(150))
	doc := b.Document("")
	chunks, _ := chunk.New(nil).Cut(doc)
	check(t, doc, chunks, 230)
	if len(chunks) != 2 || !strings.HasPrefix(chunks[1].Text, "For example:") {
		t.Errorf("got %d chunks, the second begins %q", len(chunks), chunks[len(chunks)-1].Text[:20])
	}
}

func TestLongBlocksAreCutWhereTheyMayBe(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		kind outline.Kind
		text string
		ends string // the end of each chunk except the last
	}{
		"sentences":  {outline.Paragraph, words(1000), "."},
		"fullwidth":  {outline.Paragraph, strings.Repeat("東京は日本の首都である。", 100), "。"},
		"statements": {outline.Code, strings.Repeat("first := call(1)\n\tsecond()\n\n", 120), "second()"},
		"lines":      {outline.Code, strings.Repeat("one line of code;\n", 300), ";"},
		"words":      {outline.Paragraph, strings.Repeat("endless ", 1000), "endless"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := outline.NewBuilder(0)
			b.Add(tt.kind, 0, "", tt.text)
			doc := b.Document("")
			chunks, _ := chunk.New(nil).Cut(doc)
			check(t, doc, chunks, 250)
			if len(chunks) < 2 {
				t.Fatalf("%d words in one chunk", chunk.Words(tt.text))
			}
			for i, c := range chunks[:len(chunks)-1] {
				if !strings.HasSuffix(c.Text, tt.ends) {
					t.Errorf("chunk %d ends %q", i, c.Text[len(c.Text)-12:])
				}
			}
			last := chunk.Words(chunks[len(chunks)-1].Text)
			if first := chunk.Words(chunks[0].Text); last*3 < first {
				t.Errorf("the last chunk has %d words, the first %d: not even", last, first)
			}
		})
	}
}

func TestPagesStayApart(t *testing.T) {
	t.Parallel()
	b := outline.NewBuilder(0)
	for page := range 3 {
		b.Page = page
		b.Add(outline.Paragraph, 0, "\n\n", words(20))
		b.Add(outline.Paragraph, 0, "\n\n", words(20))
	}
	doc := b.Document("")
	doc.PageLabels = []string{"i", "ii", "1"}
	chunks, _ := chunk.New(nil).Cut(doc)
	check(t, doc, chunks, 230)
	var labels []string
	for i, c := range chunks {
		if c.Page == nil || *c.Page != i {
			t.Errorf("chunk %d is on page %v", i, c.Page)
		}
		labels = append(labels, c.PageLabel)
	}
	if !slices.Equal(labels, doc.PageLabels) {
		t.Errorf("labels %v", labels)
	}
}

func TestHeadingsAloneAreFound(t *testing.T) {
	t.Parallel()
	b := outline.NewBuilder(0)
	b.Add(outline.Heading, 1, "\n\n", "Only")
	b.Add(outline.Heading, 1, "\n\n", "Headings")
	doc := b.Document("")
	chunks, _ := chunk.New(nil).Cut(doc)
	if len(chunks) != 1 || chunks[0].Text != "Only\n\nHeadings" {
		t.Errorf("got %+v", chunks)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 0, " \n": 0, "one": 1, "one two\tthree\n": 3, "max_parallel_workers_per_gather": 2,
		strings.Repeat("x", 160): 10, "東京タワー": 5, "in 東京 now": 4, "สวัสดีครับ": 2, "größer als": 2,
	} {
		if got := chunk.Words(text); got != want {
			t.Errorf("Words(%q) = %d, want %d", text, got, want)
		}
	}
}

// TestEncodedData checks that the passages of base64 and hexadecimal data are
// bounded. The text around the data and lists of names stay.
func TestEncodedData(t *testing.T) {
	t.Parallel()
	random := make([]byte, 1<<20)
	rand.NewChaCha8([32]byte{1}).Read(random) //nolint:errcheck // it never fails
	lines := func(text string) string {
		var b strings.Builder
		for len(text) > 76 {
			b.WriteString(text[:76] + "\n")
			text = text[76:]
		}
		return b.String() + text
	}
	base64 := base64.StdEncoding.EncodeToString(random)
	digits := hex.EncodeToString(random)
	for name, data := range map[string]string{"base64": lines(base64), "one line": base64, "hex": lines(digits), "capitals": lines(strings.ToUpper(digits)), "base32": lines(base32.StdEncoding.EncodeToString(random))} {
		doc := plain.Text("", "The pump is serviced every 4,000 hours.\n\n"+data+"\n\nThe valve is blue.")
		chunks, omitted := chunk.New(nil).Cut(doc)
		if len(chunks) > 50 || omitted < len(data)-80<<10 || omitted > len(data) {
			t.Errorf("%s: %d passages, %d of %d bytes are left out", name, len(chunks), omitted, len(data))
		}
		if first, last := chunks[0].Text, chunks[len(chunks)-1].Text; !strings.Contains(first, "pump") || !strings.Contains(last, "valve") {
			t.Errorf("%s: the text around it is lost: %.60s … %.60s", name, first, last)
		}
	}
	var paths, names, ids strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&paths, "/warehouse/orders/2024-05-%02d/hour-%02d/part-%05d\n", i%30, i%24, i)
		fmt.Fprintf(&names, "KubernetesClusterAutoscalerV%dBetaTemplateSpec\n", i)
		fmt.Fprintf(&ids, "%x-%x-%x-%x-%x\n", random[i:i+4], random[i:i+2], random[i+1:i+3], random[i+2:i+4], random[i:i+6])
	}
	for name, text := range map[string]string{"paths": paths.String(), "names": names.String(), "ids": ids.String()} {
		if _, omitted := chunk.New(nil).Cut(plain.Text("", text)); omitted != 0 {
			t.Errorf("%s: %d of %d bytes are left out", name, omitted, len(text))
		}
	}
}
