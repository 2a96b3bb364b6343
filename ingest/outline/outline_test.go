package outline_test

import (
	"strings"
	"testing"

	"docent/ingest/outline"
)

func TestBuilder(t *testing.T) {
	t.Parallel()
	b := outline.NewBuilder(100)
	b.Add(outline.Heading, 1, "\n\n", " Pump\x00 ")
	b.Page = 2
	b.Add(outline.Paragraph, 0, "\n\n", "a\r\nb")
	b.Add(outline.Paragraph, 0, "\n\n", " \n ")
	b.Add(outline.Code, 0, "\n\n", "\n\n  x\n    y \n")
	b.Close(1)
	doc := b.Document(" The\n pump ")
	if want := "Pump\n\na\nb\n\n  x\n    y"; doc.Text != want || doc.Title != "The pump" || doc.Truncated {
		t.Errorf("text %q, want %q; title %q, truncated %v", doc.Text, want, doc.Title, doc.Truncated)
	}
	want := []outline.Block{
		{Kind: outline.Heading, Level: 1, Page: -1, Start: 0, End: 4},
		{Kind: outline.Paragraph, Page: 2, Start: 6, End: 9},
		{Kind: outline.Code, Page: 2, Start: 11, End: 20},
		{Kind: outline.Heading, Level: 1, Page: 2, Start: 20, End: 20},
	}
	if len(doc.Blocks) != len(want) {
		t.Fatalf("blocks %+v", doc.Blocks)
	}
	for i, block := range doc.Blocks {
		if block != want[i] {
			t.Errorf("block %d is %+v, want %+v", i, block, want[i])
		}
	}
}

func TestAddParagraphs(t *testing.T) {
	t.Parallel()
	b := outline.NewBuilder(100)
	b.AddParagraphs("one\r\n\r\ntwo\nlines\n\n\n\nthree")
	doc := b.Document("")
	var got []string
	for _, block := range doc.Blocks {
		got = append(got, doc.Text[block.Start:block.End])
	}
	if want := "one|two\nlines|three"; strings.Join(got, "|") != want {
		t.Errorf("paragraphs %q, want %q", got, want)
	}
}

func TestTruncated(t *testing.T) {
	t.Parallel()
	b := outline.NewBuilder(0)
	b.Add(outline.Paragraph, 0, "\n\n", strings.Repeat("a", outline.MaxText-10))
	b.Add(outline.Paragraph, 0, "\n\n", strings.Repeat("b", 20))
	b.Add(outline.Paragraph, 0, "\n\n", "c")
	if doc := b.Document(""); !doc.Truncated || len(doc.Blocks) != 1 || strings.ContainsAny(doc.Text, "bc") {
		t.Errorf("truncated %v with %d blocks and %d bytes", doc.Truncated, len(doc.Blocks), len(doc.Text))
	}
}

func TestAppendBoundsBlocks(t *testing.T) {
	t.Parallel()
	var blocks []outline.Block
	const n = 1 << 19
	for i := range n {
		kind := outline.Paragraph
		if i%2 == 0 {
			kind = outline.Heading
		}
		blocks = outline.Append(blocks, outline.Block{Kind: kind, Level: 1, Page: -1, Start: 2 * i, End: 2*i + 1})
	}
	if len(blocks) > 1<<18+1<<10 {
		t.Errorf("%d blocks", len(blocks))
	}
	if last := blocks[len(blocks)-1]; last.Kind != outline.Paragraph || last.End != 2*n-1 {
		t.Errorf("the last block is %+v", last)
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{"plain": "plain", "a\r\nb\rc": "a\nb\nc", "a\x00b": "ab", "a\xffb": "a\uFFFDb"} {
		if got := outline.Clean(s); got != want {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	if got := outline.NameTitle(`C:\docs\pump.txt`); got != "pump.txt" {
		t.Errorf("title %q", got)
	}
	doc := outline.Document{Text: "The\n pump"}
	if got := doc.HeadingName(outline.Block{End: len(doc.Text)}); got != "The pump" {
		t.Errorf("heading %q", got)
	}
	if got := doc.HeadingName(outline.Block{End: len(doc.Text), Name: "1. Pump"}); got != "1. Pump" {
		t.Errorf("named heading %q", got)
	}
}
