package indextest

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"docent/internal/fault"
	"docent/rag/retrieve"
)

// RunNearest tests the searches of a vector index. open makes an empty index and
// the Writer that fills it.
func RunNearest(t *testing.T, open func(t *testing.T) (retrieve.Nearest, Writer)) {
	runNearest(t, 0, open)
}

// maxLost is the number of equal vectors, of 300, that an approximate index may lose. HNSW
// connects each vector with a few of the others, so a search does not reach all of them.
const maxLost = 15

// RunApproximate is RunNearest for an index that may lose a few of many equal vectors. It
// still returns k hits, and in the same order.
func RunApproximate(t *testing.T, open func(t *testing.T) (retrieve.Nearest, Writer)) {
	runNearest(t, maxLost, open)
}

func runNearest(t *testing.T, lost int, open func(t *testing.T) (retrieve.Nearest, Writer)) {
	run(t, func(t *testing.T) index {
		x := nearest(open(t))
		x.lost = lost
		return x
	})
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

// RunVectorSaver tests that an index can be saved and loaded. open makes an empty
// index.
func RunVectorSaver(t *testing.T, open func(t *testing.T) retrieve.VectorSaver) {
	t.Run("save and load vectors", func(t *testing.T) {
		t.Parallel()
		testVectorsSaved(t, open(t), open(t))
	})
	t.Run("load damaged vectors", func(t *testing.T) {
		t.Parallel()
		testVectorsDamaged(t, open(t), open(t))
	})
}

// manyEntries are entries in several collections, and more than a block of them.
func manyEntries() (all []retrieve.Entry, entry func(id int64) (retrieve.Entry, bool)) {
	all = Entries(3000)
	byID := map[int64]retrieve.Entry{}
	for i := range all {
		if i%7 == 0 { // of another length, so the index keeps a copy
			all[i].Vector = slices.Clone(all[i].Vector)
			for k := range all[i].Vector {
				all[i].Vector[k] *= 3
			}
		}
		byID[all[i].ID] = all[i]
	}
	return all, func(id int64) (retrieve.Entry, bool) {
		e, ok := byID[id]
		return e, ok
	}
}

func saveVectors(t *testing.T, x retrieve.VectorSaver) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := x.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func testVectorsSaved(t *testing.T, x, y retrieve.VectorSaver) {
	entries, entry := manyEntries()
	put(t, x, entries...)
	remove(t, x, 1, 2, 3, 200)
	saved := saveVectors(t, x)
	before := bytes.Clone(saved)
	put(t, y, Entry(5000, "lemon"))
	if err := y.Load(t.Context(), saved, entry); err != nil {
		t.Fatal(err)
	}
	same := func() {
		t.Helper()
		if x.Len() != y.Len() {
			t.Errorf("%d chunks of %d are loaded", y.Len(), x.Len())
		}
		for _, text := range []string{"lemon", "pepper mint", "lemon mint thyme"} {
			for _, collections := range [][]string{nil, {entries[0].Collection}} {
				a, b := find(t, nearest(x, x), text, 50, collections...), find(t, nearest(y, y), text, 50, collections...)
				if !slices.Equal(a, b) {
					t.Errorf("%s: %v, and after loading %v", text, a, b)
				}
			}
		}
	}
	same()
	// A loaded index accepts changes like any other. The loaded data does not change.
	for _, z := range []retrieve.VectorSaver{x, y} {
		remove(t, z, 30, 31, 1500, 2999)
		put(t, z, Entry(4000, "lemon pepper"), Entry(20, "mint"), Entry(2000, "lemon thyme"))
	}
	same()
	if !bytes.Equal(before, saved) {
		t.Error("the index wrote to the data it was loaded from")
	}
}

func testVectorsDamaged(t *testing.T, x, y retrieve.VectorSaver) {
	entries, entry := manyEntries()
	put(t, x, entries...)
	saved := saveVectors(t, x)
	for n := 1; n < len(saved); n += 1 + len(saved)/97 {
		if err := y.Load(t.Context(), saved[:n], entry); err == nil || y.Len() > 0 {
			t.Fatalf("%d of %d bytes: %d chunks, %v", n, len(saved), y.Len(), err)
		}
	}
	none := func(int64) (retrieve.Entry, bool) { return retrieve.Entry{}, false }
	if err := y.Load(t.Context(), saved, none); err == nil || y.Len() > 0 {
		t.Errorf("without entries: %d chunks, %v", y.Len(), err)
	}
	for at := 0; at < len(saved); at += 1 + len(saved)/997 {
		data := bytes.Clone(saved)
		data[at] ^= 0xff
		if y.Load(t.Context(), data, entry) != nil {
			continue
		}
		find(t, nearest(y, y), "lemon pepper mint", 10)
		put(t, y, Entry(3, "lemon newword"))
		remove(t, y, 4, 5, 2000)
	}
}
