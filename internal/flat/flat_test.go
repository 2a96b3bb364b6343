package flat

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

func stream(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b, "TEST", 3)
	Put(w, []uint8{1, 2, 3})
	Put(w, []uint16(nil))
	PutAll(w, 3, func(yield func([]uint32) bool) { _ = yield([]uint32{7}) && yield([]uint32{8, 9}) })
	Put(w, []float32{0.5, -1})
	PutStrings(w, []string{"", "héllo", "x"})
	Put(w, []int64{-1 << 40})
	if w.Err() != nil {
		t.Fatal(w.Err())
	}
	return b.Bytes()
}

func check(t *testing.T, r *Reader) {
	t.Helper()
	a, b, c, d, e, f := Take[uint8](r), Take[uint16](r), Take[uint32](r), Take[float32](r), TakeStrings(r), Take[int64](r)
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	if !slices.Equal(a, []uint8{1, 2, 3}) || len(b) != 0 || !slices.Equal(c, []uint32{7, 8, 9}) || !slices.Equal(d, []float32{0.5, -1}) ||
		!slices.Equal(e, []string{"", "héllo", "x"}) || !slices.Equal(f, []int64{-1 << 40}) {
		t.Errorf("got %v %v %v %v %q %v", a, b, c, d, e, f)
	}
	if cap(c) != len(c) {
		t.Error("a part has spare capacity: appending to it would write to the stream")
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	data := stream(t)
	check(t, NewReader(data, "TEST", 3))
	// Unaligned numbers are copied.
	for shift := 1; shift < 8; shift++ {
		moved := append(make([]byte, shift, shift+len(data)), data...)[shift:]
		check(t, NewReader(moved, "TEST", 3))
	}
}

func TestDamage(t *testing.T) {
	t.Parallel()
	data := stream(t)
	for _, r := range []*Reader{NewReader(data, "TEST", 4), NewReader(data, "TOST", 3), NewReader(nil, "TEST", 3)} {
		if Take[uint8](r) != nil || r.Err() == nil {
			t.Error("another stream was taken")
		}
	}
	for n := range data {
		r := NewReader(data[:n], "TEST", 3)
		Take[uint8](r)
		Take[uint16](r)
		Take[uint32](r)
		Take[float32](r)
		TakeStrings(r)
		Take[int64](r)
		if r.Err() == nil {
			t.Errorf("%d of %d bytes were enough", n, len(data))
		}
	}
	w := NewWriter(&bytes.Buffer{}, "TEST", 3)
	PutAll(w, 2, func(yield func([]uint8) bool) { yield([]uint8{1}) })
	if w.Err() == nil {
		t.Error("a part shorter than promised was written")
	}
}

// full is a writer that accepts n bytes and then fails.
type full struct{ n int }

var errFull = errors.New("full")

func (f *full) Write(b []byte) (int, error) {
	if f.n -= len(b); f.n < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestWriterFails(t *testing.T) {
	t.Parallel()
	for n := range 40 {
		w := NewWriter(&full{n}, "TEST", 1)
		Put(w, []uint64{1, 2, 3})
		if !errors.Is(w.Err(), errFull) {
			t.Errorf("room for %d bytes: %v, want errFull", n, w.Err())
		}
	}
}

func TestLists(t *testing.T) {
	t.Parallel()
	all := [][]uint16{{1, 2}, nil, {3}}
	var data bytes.Buffer
	w := NewWriter(&data, "TEST", 1)
	PutLists(w, slices.Values(all))
	if err := w.Err(); err != nil {
		t.Fatal(err)
	}
	r := NewReader(data.Bytes(), "TEST", 1)
	l := TakeLists[uint16](r)
	if r.Err() != nil || !l.Fits(3) || l.Fits(2) || l.Fits(4) {
		t.Fatalf("%v: %+v", r.Err(), l)
	}
	for i, want := range all {
		if got := l.At(i); !slices.Equal(got, want) {
			t.Errorf("list %d is %v, want %v", i, got, want)
		}
	}
	l.Values = l.Values[:2]
	if l.Fits(3) {
		t.Error("lists fit values that are too few")
	}
	l = Lists[uint16]{Ends: []uint64{2, 1, 3}, Values: []uint16{1, 2, 3}}
	if l.Fits(3) {
		t.Error("lists fit that end before they begin")
	}
}

func TestAscending(t *testing.T) {
	t.Parallel()
	for _, list := range [][]int64{nil, {7}, {-1, 0, 5}} {
		if !Ascending(list) {
			t.Errorf("%v is not ascending", list)
		}
	}
	for _, list := range [][]int64{{2, 1}, {1, 1}, {1, 2, 3, 3}} {
		if Ascending(list) {
			t.Errorf("%v is ascending", list)
		}
	}
}
