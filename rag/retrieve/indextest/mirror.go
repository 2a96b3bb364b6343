package indextest

import (
	"math"
	"testing"

	"docent/internal/fault"
	"docent/rag/retrieve"
)

// RunMirror tests how an index in memory takes and counts entries. open makes an
// empty one. Its searches have suites of their own.
func RunMirror(t *testing.T, open func(t *testing.T) retrieve.Mirror) {
	for name, test := range map[string]func(*testing.T, retrieve.Mirror){"counts": testCounts, "invalid ids": testInvalid} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// RunVectorMirror is RunMirror for a vector index, which also checks vectors.
func RunVectorMirror(t *testing.T, open func(t *testing.T) retrieve.Mirror) {
	RunMirror(t, open)
	t.Run("bad vectors", func(t *testing.T) {
		t.Parallel()
		testBadVectors(t, open(t))
	})
}

func wantLen(t *testing.T, x retrieve.Mirror, want int) {
	t.Helper()
	if n := x.Len(); n != want {
		t.Errorf("Len is %d, want %d", n, want)
	}
}

func testCounts(t *testing.T, x retrieve.Mirror) {
	wantLen(t, x, 0)
	put(t, x, Entries(30)...)
	wantLen(t, x, 30)
	put(t, x, Entry(3, "mint"), Entry(31, "sage"), Entry(31, "thyme"))
	wantLen(t, x, 31)
	remove(t, x)
	remove(t, x, 1, 2, 12345)
	wantLen(t, x, 29)
}

func testInvalid(t *testing.T, x retrieve.Mirror) {
	put(t, x, Entry(1, "lemon"))
	for _, id := range []int64{0, -7} {
		bad := Entry(3, "ginger")
		bad.ID = id
		if err := x.Put(t.Context(), []retrieve.Entry{Entry(2, "ginger"), bad}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("put of id %d: %v, want an Invalid fault", id, err)
		}
	}
	wantLen(t, x, 1)
}

func testBadVectors(t *testing.T, x retrieve.Mirror) {
	put(t, x, Entry(1, "lemon"))
	none := Entry(5, "lemon")
	none.Vector = nil
	put(t, x, none, Entry(6, "")) // neither can be found
	wantLen(t, x, 1)
	long, nan, inf := Entry(2, "mint"), Entry(3, "mint"), Entry(4, "mint")
	long.Vector = append(long.Vector, 1)
	nan.Vector[5] = float32(math.NaN())
	inf.Vector[5] = float32(math.Inf(1))
	for _, bad := range []retrieve.Entry{long, nan, inf} {
		if err := x.Put(t.Context(), []retrieve.Entry{Entry(9, "sage"), bad}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("chunk %d: %v, want an Invalid fault", bad.ID, err)
		}
	}
	wantLen(t, x, 1)
	// An emptied index accepts vectors of another length.
	remove(t, x, 1)
	put(t, x, long)
	wantLen(t, x, 1)
}
