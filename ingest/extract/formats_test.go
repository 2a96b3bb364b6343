package extract_test

import (
	"testing"

	"docent/ingest/extract"
)

func TestByMedia(t *testing.T) {
	t.Parallel()
	for media, want := range map[string]string{
		"text/html": "HTML", "Text/HTML; charset=utf-8": "HTML", "text/markdown; =": "Markdown", "application/pdf": "PDF", "text/x-go": "Source code", "application/x-unknown": "", "": "",
	} {
		if got, ok := extract.Formats.ByMedia(media); got.Name != want || ok != (want != "") {
			t.Errorf("%q is %q, %v; want %q", media, got.Name, ok, want)
		}
	}
}

func TestByName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"notes.MD": "Markdown", "a.b/manual.pdf": "PDF", "Makefile": "", "x.unknown": ""} {
		if got, ok := extract.Formats.ByName(name); got.Name != want || ok != (want != "") {
			t.Errorf("%q is %q, %v; want %q", name, got.Name, ok, want)
		}
	}
}

// TestOneFormatPerEnding fails for a format without a description, and for an ending of two formats.
func TestOneFormatPerEnding(t *testing.T) {
	t.Parallel()
	of := map[string]string{}
	for _, f := range extract.Formats.All() {
		if f.Name == "" || f.Media == "" || f.Reads == "" || len(f.Endings) == 0 {
			t.Errorf("the format %q lacks a field: it needs Name, Media, Reads, and Endings", f.Name)
		}
		for _, ending := range f.Endings {
			if other, ok := of[ending]; ok {
				t.Errorf("%s belongs to %s and %s: leave it out of one of them, and let Match tell them apart", ending, other, f.Name)
			}
			of[ending] = f.Name
		}
	}
}

func TestArchive(t *testing.T) {
	t.Parallel()
	zip, _ := extract.Formats.ByName("x.zip")
	pdf, _ := extract.Formats.ByName("x.pdf")
	if !zip.Archive() || pdf.Archive() {
		t.Errorf("zip %v, pdf %v", zip.Archive(), pdf.Archive())
	}
}
