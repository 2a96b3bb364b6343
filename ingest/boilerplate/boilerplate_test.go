package boilerplate_test

import (
	"fmt"
	"strings"
	"testing"

	"docent/ingest/boilerplate"
	"docent/ingest/outline"
)

// site is a page of a site: a menu, a title, text and a footer.
func site(i int) *outline.Document {
	b := outline.NewBuilder(0)
	for _, item := range []string{"Home", "Menu", "About", "Documentation", "Download"} {
		b.Add(outline.Item, 0, "\n", "- "+item)
	}
	b.Add(outline.Heading, 1, "\n\n", fmt.Sprintf("Page %d", i))
	b.Add(outline.Heading, 2, "\n\n", "Description")
	b.Add(outline.Paragraph, 0, "\n\n", fmt.Sprintf("Pump %d moves %d liters in a minute, and needs a new seal after a year.", i, i*10))
	b.Add(outline.Paragraph, 0, "\n\n", "This page was last modified on 2024-01-01 and belongs to the Pump Company.")
	return b.Document("")
}

func TestDrop(t *testing.T) {
	t.Parallel()
	r := boilerplate.New()
	for i := range 20 {
		if doc := site(i); i < boilerplate.MinDocuments && boilerplate.Drop(doc, r.Shared()) != doc {
			t.Fatal("something was left out before there was a sample")
		}
		r.Add(boilerplate.Edges(site(i)))
	}
	got := boilerplate.Drop(site(7), r.Shared())
	if want := "Page 7\n\nDescription\n\nPump 7 moves 70 liters in a minute, and needs a new seal after a year."; got.Text != want {
		t.Errorf("got %q, want %q", got.Text, want)
	}
	for i, want := range []string{"Page 7", "Description"} {
		if b := got.Blocks[i]; got.Text[b.Start:b.End] != want || b.Kind != outline.Heading {
			t.Errorf("block %d is %q", i, got.Text[b.Start:b.End])
		}
	}
	other := outline.NewBuilder(0)
	other.Add(outline.Paragraph, 0, "", "Another text.")
	if doc := other.Document(""); boilerplate.Drop(doc, r.Shared()) != doc {
		t.Error("a document without shared blocks was changed")
	}
	if empty := outline.NewBuilder(0).Document(""); boilerplate.Drop(empty, r.Shared()) != empty {
		t.Error("an empty document was changed")
	}
}

// TestCopies keeps documents that are the same.
func TestCopies(t *testing.T) {
	t.Parallel()
	r := boilerplate.New()
	for range 20 {
		r.Add(boilerplate.Edges(site(1)))
	}
	if doc := site(1); boilerplate.Drop(doc, r.Shared()) != doc {
		t.Error("a copy lost its text")
	}
}

// TestBounded keeps the counters of shared blocks among very many others.
func TestBounded(t *testing.T) {
	t.Parallel()
	r := boilerplate.New()
	for i := range 2000 {
		b := outline.NewBuilder(0)
		b.Add(outline.Paragraph, 0, "\n\n", "The menu of the site with its eight or nine words in a line.")
		for k := range 100 {
			b.Add(outline.Paragraph, 0, "\n\n", fmt.Sprintf("text %d of page %d", k, i))
		}
		r.Add(boilerplate.Edges(b.Document("")))
	}
	b := outline.NewBuilder(0)
	b.Add(outline.Paragraph, 0, "\n\n", "The menu of the site with its eight or nine words in a line.")
	b.Add(outline.Paragraph, 0, "\n\n", strings.Repeat("new text ", 20))
	if got := boilerplate.Drop(b.Document(""), r.Shared()); strings.Contains(got.Text, "menu") {
		t.Error("the menu was forgotten")
	}
}
