package indextest

import (
	"math"
	"testing"

	"docent/internal/fault"
	"docent/rag/retrieve"
)

// RunNearest tests the searches of a vector index. open makes an empty index and
// the Writer that fills it.
func RunNearest(t *testing.T, open func(t *testing.T) (retrieve.Nearest, Writer)) {
	run(t, func(t *testing.T) index { return nearest(open(t)) })
	for name, test := range map[string]func(*testing.T, retrieve.Nearest, Writer){
		"no vector": testNoVector, "bad queries": testBadQueries, "exact": testExact,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x, w := open(t)
			test(t, x, w)
		})
	}
}

func testNoVector(t *testing.T, x retrieve.Nearest, w Writer) {
	none, zero := Entry(2, "lemon"), Entry(3, "")
	none.Vector = nil
	put(t, w, Entry(1, "lemon"), none, zero)
	wantIDs(t, find(t, nearest(x, w), "lemon", 5), 1)
	// A chunk that loses its vector is no longer found by it.
	lost := Entry(1, "lemon")
	lost.Vector = nil
	put(t, w, lost)
	wantIDs(t, find(t, nearest(x, w), "lemon", 5))
}

func testBadQueries(t *testing.T, x retrieve.Nearest, w Writer) {
	put(t, w, Entry(1, "lemon"))
	wantIDs(t, find(t, nearest(x, w), "", 5)) // a zero vector finds nothing
	nan := Vector("lemon")
	nan[0] = float32(math.NaN())
	if hits, err := x.Nearest(t.Context(), nan, 5, retrieve.Filter{}); err != nil || len(hits) > 0 {
		t.Errorf("a query that is not finite: %v, %v, want no hits", hits, err)
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
func testExact(t *testing.T, x retrieve.Nearest, w Writer) {
	entries := Entries(500)
	put(t, w, entries...)
	for _, q := range words {
		v := Vector(q)
		for _, h := range find(t, nearest(x, w), q, 20) {
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
