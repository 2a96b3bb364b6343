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

// Document returns a document with words that begin with its source.
func (l library) Document(_ context.Context, id int64) (corpus.Document, error) {
	return corpus.Document{ID: id, Text: l[id-1] + " x\ny z"}, nil
}

// DocumentChunks returns two chunks, one at a time.
func (l library) DocumentChunks(_ context.Context, _ int64, after, _ int) ([]corpus.Chunk, error) {
	texts := []string{"one two three", "four five * six seven eight"}
	if after+1 >= len(texts) {
		return nil, nil
	}
	return []corpus.Chunk{{Ordinal: after + 1, Text: texts[after+1]}}, nil
}

func TestMissingEvidence(t *testing.T) {
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
		{ID: "quote", Line: 6, Evidence: []Evidence{
			{File: "x.md", Quote: "x  y"}, {File: "x.md", Quote: "four five six seven eight"}, {File: "x.md", Quote: "x z"}, {File: "none.md"},
		}},
		{ID: "second", Evidence: []Evidence{{File: "a.md", Quote: "/2/a.md"}}},
	}
	all := library{"/m/pump.md", "/m/html/a.html", "/m/more.jsonl#doc-7", "/m/x.md", "/m/last.md", "/1/a.md", "/2/a.md"}
	got, err := MissingEvidence(t.Context(), all, questions)
	if err != nil {
		t.Fatal(err)
	}
	want := []Missing{
		{Question: &questions[1], Files: []string{"pmup.md", "ump.md"}, All: true},
		{Question: &questions[3], Files: []string{"b.html"}},
		{Question: &questions[4], Files: []string{"other.md"}},
		{Question: &questions[5], Files: []string{"none.md"}, Quotes: questions[5].Evidence[2:3]},
	}
	if !slices.EqualFunc(got, want, func(a, b Missing) bool {
		return a.Question == b.Question && a.All == b.All && slices.Equal(a.Files, b.Files) && slices.Equal(a.Quotes, b.Quotes)
	}) {
		t.Errorf("missing: %+v", got)
	}
	warnings := []string{"question quote (line 6): no document is named none.md", `question quote (line 6): x.md does not have the quote "x z"`}
	if w := got[len(got)-1].Warnings(); !slices.Equal(w, warnings) {
		t.Errorf("warnings: %q", w)
	}
	if _, err := MissingEvidence(t.Context(), library(nil), questions); err == nil {
		t.Error("the error of the database is lost")
	}
}
