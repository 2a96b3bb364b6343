package bm25_test

import (
	"fmt"
	"testing"

	"docent/index/bm25"
	"docent/rag/retrieve"
)

// TestManyCollections: a filter separates more collections than 16 bits can number.
func TestManyCollections(t *testing.T) {
	t.Parallel()
	const n = 1<<16 + 2
	x := bm25.New()
	entries := make([]retrieve.Entry, n)
	for i := range entries {
		entries[i] = retrieve.Entry{ID: int64(i + 1), DocumentID: int64(i + 1), Collection: fmt.Sprintf("c%d", i), Text: "stripes"}
	}
	if err := x.Put(t.Context(), entries); err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, 1, 1<<16 - 1, 1 << 16, n - 1} {
		hits, err := x.Words(t.Context(), "stripes", 5, retrieve.Filter{Collections: []string{fmt.Sprintf("c%d", i)}})
		if err != nil {
			t.Fatal(err)
		}
		if len(hits) != 1 || hits[0].ID != int64(i+1) {
			t.Errorf("collection c%d: found %v", i, hits)
		}
	}
}
