package outline_test

import (
	"testing"

	"docent/ingest/extract/extracttest"
	"docent/ingest/outline"
)

func TestWithoutStruck(t *testing.T) {
	t.Parallel()
	b := outline.NewBuilder(0)
	b.Add(outline.Heading, 1, "\n\n", "Lease ~~of hall 3~~ of hall 4")
	b.Add(outline.Paragraph, 0, "\n\n", "The notice period is ~~six~~ nine months, see `~~a~~`.")
	b.Add(outline.Item, 0, "\n\n", "- ~~Paint the rails.~~")
	b.Add(outline.Item, 0, "\n", "- Oil the gate.")
	b.Add(outline.Code, 0, "\n\n", "a ~~b~~ c")
	doc := b.Document("Lease").WithoutStruck()
	extracttest.Verify(t, doc)
	want := "h1 Lease of hall 4\np The notice period is nine months, see `~~a~~`.\nli - Oil the gate.\ncode a ~~b~~ c\n"
	if got := extracttest.Show(doc); got != want {
		t.Errorf("blocks:\n%s\nwant:\n%s", got, want)
	}

	b = outline.NewBuilder(0)
	b.Add(outline.Paragraph, 0, "\n\n", "Article 4: ~~The tenant clears the snow in each of the four seasons.~~ Deleted.")
	doc = b.Document("").WithoutStruck()
	if want := "Article 4: ~~The tenant clears the snow in each of the four seasons.~~ Deleted."; doc.Text != want {
		t.Errorf("text %q, want %q: most of it is struck out", doc.Text, want)
	}
}
