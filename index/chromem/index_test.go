package chromem_test

import (
	"slices"
	"testing"

	"docent/index/chromem"
	"docent/index/flat"
	"docent/rag/retrieve"
	"docent/rag/retrieve/indextest"
)

func TestIndex(t *testing.T) {
	t.Parallel()
	indextest.RunNearest(t, func(*testing.T) (retrieve.Nearest, indextest.Writer) {
		x := chromem.New()
		return x, x
	})
	indextest.RunVectorMirror(t, func(*testing.T) retrieve.Mirror { return chromem.New() })
}

// A collection has the same hits before and after it outgrows chromem-go.
func TestGrowth(t *testing.T) {
	t.Parallel()
	x, plain := chromem.New(), flat.New(flat.Config{})
	entries := indextest.Entries(chromem.MaxCollection + 40)
	for i := range entries {
		if i%20 == 0 {
			entries[i].Collection = "small"
		}
	}
	for from := 0; from < len(entries); from += 100 {
		batch := entries[from:min(from+100, len(entries))]
		for _, err := range []error{x.Put(t.Context(), batch), plain.Put(t.Context(), batch)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, filter := range []retrieve.Filter{{}, {Collections: []string{"small"}}} {
			for _, q := range []string{"lemon ginger", "mint", "basil thyme sage"} {
				got, err := x.Nearest(t.Context(), indextest.Vector(q), 30, filter)
				if err != nil {
					t.Fatal(err)
				}
				want, err := plain.Nearest(t.Context(), indextest.Vector(q), 30, filter)
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("%d chunks, %s: %v and %v, %v", from+len(batch), q, got, want, err)
				}
			}
		}
	}
	// Shrinking does not change the hits either.
	for id := int64(1); id < int64(len(entries)); id++ {
		if err := x.Delete(t.Context(), []int64{id}); err != nil {
			t.Fatal(err)
		}
	}
	last := entries[len(entries)-1]
	if got, err := x.Nearest(t.Context(), last.Vector, 5, retrieve.Filter{}); err != nil || len(got) != 1 || got[0].ID != last.ID {
		t.Errorf("%v, %v", got, err)
	}
}
