package index_test

import (
	"slices"
	"testing"

	"docent/index"
	"docent/index/chromem"
	"docent/index/flat"
	"docent/internal/fault"
	"docent/rag/retrieve"
	"docent/rag/retrieve/indextest"
)

func sized(limit int) (*index.Sized, *chromem.Index, *flat.Index) {
	small, large := chromem.New(), flat.New(flat.Config{})
	return index.NewSized(limit, small, large), small, large
}

func TestSized(t *testing.T) {
	t.Parallel()
	indextest.RunNearest(t, func(*testing.T) (retrieve.Nearest, indextest.Writer) {
		x, _, _ := sized(150)
		return x, x
	})
	indextest.RunVectorMirror(t, func(*testing.T) retrieve.Mirror {
		x, _, _ := sized(20)
		return x
	})
	indextest.RunVectorSaver(t, func(*testing.T) retrieve.VectorSaver {
		x, _, _ := sized(20)
		return x
	})
}

// TestSizedMoves checks where the vectors are, and that moving them does not
// change the hits.
func TestSizedMoves(t *testing.T) {
	t.Parallel()
	x, small, large := sized(100)
	where := func(inSmall, inLarge int) {
		t.Helper()
		if small.Len() != inSmall || large.Len() != inLarge || x.Len() != inSmall+inLarge || x.Grown() != (inLarge > 0) {
			t.Errorf("%d vectors in the small index and %d in the large one, want %d and %d", small.Len(), large.Len(), inSmall, inLarge)
		}
	}
	put := func(entries ...retrieve.Entry) {
		t.Helper()
		if err := x.Put(t.Context(), entries); err != nil {
			t.Fatal(err)
		}
	}
	find := func() []retrieve.Hit {
		t.Helper()
		hits, err := x.Nearest(t.Context(), indextest.Vector("lemon basil thyme"), 30, retrieve.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		return hits
	}
	entries := indextest.Entries(100)
	put(entries...)
	where(100, 0)
	before := find()
	bad := indextest.Entry(101, "lemon")
	bad.Vector = bad.Vector[1:]
	if err := x.Put(t.Context(), []retrieve.Entry{bad}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("another dimension: %v, want an Invalid fault", err)
	}
	where(100, 0)
	put(entries[0]) // it replaces
	where(100, 0)
	extra := indextest.Entry(102, "sage")
	put(entries[0], extra)
	where(0, 101)
	if err := x.Delete(t.Context(), []int64{extra.ID}); err != nil {
		t.Fatal(err)
	}
	where(0, 100)
	if after := find(); !slices.Equal(before, after) {
		t.Errorf("hits before %v, after the move %v", before, after)
	}
	var all []int64
	for _, e := range entries {
		all = append(all, e.ID)
	}
	for _, gone := range [][]int64{all[:99], all} {
		if err := x.Delete(t.Context(), gone); err != nil {
			t.Fatal(err)
		}
		if len(gone) == 99 {
			where(0, 1)
		}
	}
	put(entries[0])
	where(1, 0)
}
