package eval

import (
	"context"
	"errors"
	"slices"
	"testing"

	"docent/rag/corpus"
)

// library lists documents with these sources, two at a time.
type library []string

func (l library) Documents(_ context.Context, f corpus.DocumentFilter) ([]corpus.Document, error) {
	if l == nil {
		return nil, errors.New("no database")
	}
	var page []corpus.Document
	for id := f.After + 1; id <= min(f.After+2, int64(len(l))); id++ {
		page = append(page, corpus.Document{ID: id, Source: l[id-1]})
	}
	return page, nil
}

func TestMissingFiles(t *testing.T) {
	t.Parallel()
	piece := func(files ...string) (out []Evidence) {
		for _, f := range files {
			out = append(out, Evidence{File: f, Quote: "x"})
		}
		return out
	}
	questions := []Question{
		{ID: "fine", Evidence: piece("pump.md", "pump.md"), Also: piece("doc-7")},
		{ID: "typo", Evidence: piece("pmup.md", "pmup.md"), Also: piece("ump.md")},
		{ID: "none", Kind: Unanswerable},
		{ID: "half", Evidence: piece("html/a.html", "b.html")},
		{ID: "also", Evidence: piece("last.md"), Also: piece("other.md")},
	}
	all := library{"/m/pump.md", "/m/html/a.html", "/m/more.jsonl#doc-7", "/m/x.md", "/m/last.md"}
	got, err := MissingFiles(t.Context(), all, questions)
	if err != nil {
		t.Fatal(err)
	}
	want := []Missing{
		{&questions[1], []string{"pmup.md", "ump.md"}, true}, {&questions[3], []string{"b.html"}, false}, {&questions[4], []string{"other.md"}, false},
	}
	if !slices.EqualFunc(got, want, func(a, b Missing) bool {
		return a.Question == b.Question && a.All == b.All && slices.Equal(a.Files, b.Files)
	}) {
		t.Errorf("missing: %+v", got)
	}
	if _, err := MissingFiles(t.Context(), library(nil), questions); err == nil {
		t.Error("the error of the database is lost")
	}
}
