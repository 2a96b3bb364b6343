package indextest

import (
	"math"
	"testing"

	"docent/internal/fault"
	"docent/rag/retrieve"
)

// RunNearest tests a vector index in memory. open makes an empty one.
func RunNearest(t *testing.T, open func(t *testing.T) Nearest) {
	run(t, func(t *testing.T) index { return nearest(open(t)) })
	for name, test := range map[string]func(*testing.T, Nearest){
		"bad vectors": testBadVectors, "no vector": testNoVector, "bad queries": testBadQueries, "exact": testExact,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func testBadVectors(t *testing.T, x Nearest) {
	put(t, x, Entry(1, "lemon"))
	long, nan, inf := Entry(2, "mint"), Entry(3, "mint"), Entry(4, "mint")
	long.Vector = append(long.Vector, 1)
	nan.Vector[5] = float32(math.NaN())
	inf.Vector[5] = float32(math.Inf(1))
	for _, bad := range []retrieve.Entry{long, nan, inf} {
		if err := x.Put(t.Context(), []retrieve.Entry{Entry(9, "sage"), bad}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("chunk %d: %v, want an Invalid fault", bad.ID, err)
		}
	}
	if n := x.Len(); n != 1 {
		t.Errorf("Len is %d after failed puts, want 1", n)
	}
	// An emptied index accepts vectors of another length.
	remove(t, x, 1)
	put(t, x, long)
	if n := x.Len(); n != 1 {
		t.Errorf("Len is %d, want 1", n)
	}
}

func testNoVector(t *testing.T, x Nearest) {
	none, zero := Entry(2, "lemon"), Entry(3, "")
	none.Vector = nil
	put(t, x, Entry(1, "lemon"), none, zero)
	if n := x.Len(); n != 1 {
		t.Errorf("Len is %d, want 1: without a vector nothing can be found", n)
	}
	wantIDs(t, find(t, nearest(x), "lemon", 5), 1)
	// A chunk that loses its vector is no longer found by it.
	lost := Entry(1, "lemon")
	lost.Vector = nil
	put(t, x, lost)
	wantIDs(t, find(t, nearest(x), "lemon", 5))
}

func testBadQueries(t *testing.T, x Nearest) {
	put(t, x, Entry(1, "lemon"))
	wantIDs(t, find(t, nearest(x), "", 5)) // zero is near nothing
	nan := Vector("lemon")
	nan[0] = float32(math.NaN())
	if hits, err := x.Nearest(t.Context(), nan, 5, retrieve.Filter{}); err != nil || len(hits) > 0 {
		t.Errorf("a query that is not finite: %v, %v, want nothing", hits, err)
	}
	if _, err := x.Nearest(t.Context(), []float32{1}, 5, retrieve.Filter{}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a query of one dimension: %v, want an Invalid fault", err)
	}
	// Only the direction of a vector matters, not its length.
	double := Vector("lemon")
	for i := range double {
		double[i] *= 2
	}
	hits, err := x.Nearest(t.Context(), double, 5, retrieve.Filter{})
	if err != nil || len(hits) != 1 || math.Abs(hits[0].Score-1) > 1e-6 {
		t.Errorf("a query of length 2: %v, %v, want chunk 1 with score 1", hits, err)
	}
}

// testExact compares scores with a plain dot product.
func testExact(t *testing.T, x Nearest) {
	entries := Entries(500)
	put(t, x, entries...)
	for _, q := range words {
		v := Vector(q)
		for _, h := range find(t, nearest(x), q, 20) {
			want := 0.0
			for i, f := range entries[h.ID-1].Vector {
				want += float64(f) * float64(v[i])
			}
			if math.Abs(h.Score-want) > 1e-5 {
				t.Fatalf("%s: chunk %d has score %v, want %v", q, h.ID, h.Score, want)
			}
		}
	}
}
