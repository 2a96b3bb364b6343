package corpus_test

import (
	"context"
	"slices"
	"testing"

	"docent/rag/corpus"
)

func TestFixed(t *testing.T) {
	t.Parallel()
	f := corpus.NewFixed([]corpus.Document{{Title: "A"}, {Title: "B"}},
		[][]corpus.Chunk{{{Text: "a"}}, {{Text: "b"}, {Text: "c"}}},
		[][][]float32{{{1}}, {{2}, {3}}})
	if now, err := f.Revision(t.Context()); err != nil || now.Number != 2 || now.Database == "" {
		t.Errorf("revision %+v, %v", now, err)
	}
	for since, want := range []string{"AB", "B", ""} {
		titles := ""
		for c, err := range f.Changes(t.Context(), int64(since), "") {
			if err != nil || len(c.Chunks) != len(c.Vectors) || c.Document.Chunks != len(c.Chunks) || c.Document.Status != corpus.Ready {
				t.Errorf("%+v, %v", c, err)
			}
			titles += c.Document.Title
		}
		if titles != want {
			t.Errorf("since %d: %s", since, titles)
		}
	}
	found, err := f.Passages(t.Context(), []int64{3, 9, 1})
	texts := make([]string, 0, len(found))
	for _, p := range found {
		texts = append(texts, p.Document.Title+p.Text)
	}
	if err != nil || !slices.Equal(texts, []string{"Bc", "Aa"}) || found[0].Ordinal != 1 || found[0].DocumentID != 2 {
		t.Errorf("passages %v, %v", texts, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	never, err := f.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, open := <-never; open {
		t.Error("the corpus changed")
	}
}
