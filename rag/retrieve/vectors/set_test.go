package vectors

import (
	"bytes"
	"errors"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

const width = 3

var english = Config{Names: []string{"model", "en", ""}, Dimensions: width}

// stored are the vectors of a store, in the order of their revisions.
type stored struct {
	all []Encoding
	// fail is the number of vectors after which reading fails once.
	fail int
}

var errFailing = errors.New("failing")

func (s *stored) since(since int64) iter.Seq2[Encoding, error] {
	return func(yield func(Encoding, error) bool) {
		n := 0
		for _, e := range s.all {
			if e.Revision <= since {
				continue
			}
			if n++; n == s.fail {
				s.fail = 0
				yield(Encoding{}, errFailing)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// put stores vectors with one revision.
func (s *stored) put(vectors map[int64][]float32) {
	revision := int64(1)
	if n := len(s.all); n > 0 {
		revision = s.all[n-1].Revision + 1
	}
	for _, id := range slices.Sorted(maps.Keys(vectors)) {
		s.all = append(s.all, Encoding{ChunkID: id, Revision: revision, Vector: vectors[id]})
	}
}

func vector(id int64) []float32 { return []float32{float32(id), 1, 2} }

// read reads and commits everything.
func read(t *testing.T, s *Set, from *stored) {
	t.Helper()
	for more := true; more; {
		var err error
		if more, err = s.Read(from.since, 10); err != nil {
			t.Fatal(err)
		}
		s.Commit(slices.Collect(maps.Keys(s.Pending())))
	}
}

func save(t testing.TB, s *Set) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := s.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func contents(s *Set) map[int64][]float32 {
	out := map[int64][]float32{}
	for _, id := range s.IDs() {
		out[id] = s.Get(id)
	}
	return out
}

func same(a, b map[int64][]float32) bool { return maps.EqualFunc(a, b, slices.Equal[[]float32]) }

// TestChanges compares a set with a map during many changes and restarts.
func TestChanges(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	from, s, want := &stored{}, New(english), map[int64][]float32{}
	restarts := 0
	for step := range 2000 {
		switch n := r.IntN(20); {
		case n < 11:
			batch := map[int64][]float32{}
			for range 1 + r.IntN(4) {
				id := 1 + r.Int64N(400)
				batch[id] = []float32{r.Float32(), r.Float32(), r.Float32()}
			}
			from.put(batch)
			read(t, s, from)
			maps.Copy(want, batch)
		case n < 19:
			ids := []int64{1 + r.Int64N(400), 1 + r.Int64N(400), 1 + r.Int64N(400)}
			s.Delete(ids)
			for _, id := range ids {
				delete(want, id)
			}
		default:
			data := save(t, s)
			s = New(english)
			if ok, err := s.Load(data); !ok || err != nil {
				t.Fatal(ok, err)
			}
			restarts++
		}
		if id := 1 + r.Int64N(400); !slices.Equal(s.Get(id), want[id]) {
			t.Fatalf("step %d: chunk %d has %v, want %v", step, id, s.Get(id), want[id])
		}
		if s.Len() != len(want) || !slices.IsSorted(s.IDs()) || !same(contents(s), want) {
			t.Fatalf("step %d: %d chunks of %d", step, s.Len(), len(want))
		}
	}
	if restarts < 50 || len(want) == 0 {
		t.Errorf("%d restarts, %d vectors at the end", restarts, len(want))
	}
}

// TestReadFails: after an error between two vectors of a revision, the next read begins
// with the first vector of that revision.
func TestReadFails(t *testing.T) {
	t.Parallel()
	from := &stored{fail: 5}
	from.put(map[int64][]float32{1: vector(1), 2: vector(2)})
	from.put(map[int64][]float32{3: vector(3), 4: vector(4), 5: {9}})
	s := New(english)
	if _, err := s.Read(from.since, 10); !errors.Is(err, errFailing) {
		t.Fatalf("%v, want the error of the store", err)
	}
	s.Commit([]int64{1, 2, 3, 4})
	if got := s.IDs(); !slices.Equal(got, []int64{1, 2}) {
		t.Errorf("after the error: %v", got)
	}
	read(t, s, from)
	if got := s.IDs(); !slices.Equal(got, []int64{1, 2, 3, 4}) {
		t.Errorf("after the next read: %v", got)
	}
}

// TestReadStops: a limited read ends with a complete revision.
func TestReadStops(t *testing.T) {
	t.Parallel()
	from := &stored{}
	for id := int64(1); id < 12; id += 3 {
		from.put(map[int64][]float32{id: vector(id), id + 1: vector(id + 1), id + 2: vector(id + 2)})
	}
	s := New(english)
	for _, want := range []int{6, 6, 12} {
		limit := 4
		if want == 12 {
			limit = 100
		}
		more, err := s.Read(from.since, limit)
		if err != nil || len(s.Pending()) != want || more != (want < 12) {
			t.Fatalf("%d vectors, %v, %v; want %d", len(s.Pending()), more, err, want)
		}
	}
	if s.Len() != 0 {
		t.Error("pending vectors are found")
	}
	// The pending vectors are not saved, and a restarted set reads them again.
	other := New(english)
	if ok, err := other.Load(save(t, s)); !ok || err != nil {
		t.Fatal(ok, err)
	}
	read(t, other, from)
	s.Commit([]int64{1, 2, 50}) // the others were deleted, and one has no vector
	if got := s.IDs(); !slices.Equal(got, []int64{1, 2}) || len(s.Pending()) > 0 || other.Len() != 12 {
		t.Errorf("committed %v; the other has %d", got, other.Len())
	}
	from.put(map[int64][]float32{20: vector(20)})
	read(t, s, from)
	if got := s.IDs(); !slices.Equal(got, []int64{1, 2, 20}) {
		t.Errorf("later %v", got)
	}
}

// TestLoadOther: the vectors of another encoder are not used.
func TestLoadOther(t *testing.T) {
	t.Parallel()
	from := &stored{}
	from.put(map[int64][]float32{1: vector(1)})
	s := New(english)
	read(t, s, from)
	data := save(t, s)
	for name, change := range map[string]func(*Config){
		"itself":     func(*Config) {},
		"model":      func(c *Config) { c.Names = []string{"other", "en", ""} },
		"languages":  func(c *Config) { c.Names = []string{"model", "en"} },
		"dimensions": func(c *Config) { c.Dimensions = 1 },
	} {
		cfg := english
		change(&cfg)
		other := New(cfg)
		ok, err := other.Load(data)
		if err != nil || ok != (name == "itself") || ok != (other.Len() == 1) {
			t.Errorf("%s: %v, %v, %d vectors", name, ok, err, other.Len())
		}
	}
	if ok, err := s.Load(nil); ok || err == nil || s.Len() != 0 {
		t.Errorf("without data: %v, %v, %d vectors", ok, err, s.Len())
	}
	read(t, s, from)
	if s.Len() != 1 {
		t.Error("an emptied set does not read everything again")
	}
}

// use uses a set, whatever is in it.
func use(s *Set) {
	for _, id := range s.IDs() {
		if len(s.Get(id)) != width {
			panic("a vector of another length")
		}
	}
	s.Delete([]int64{1, 2, 3})
	if err := s.Save(&bytes.Buffer{}); err != nil {
		panic(err)
	}
}

func FuzzLoad(f *testing.F) {
	s, from := New(english), &stored{}
	from.put(map[int64][]float32{1: vector(1), 2: vector(2), 7: vector(7)})
	if _, err := s.Read(from.since, 10); err != nil {
		f.Fatal(err)
	}
	s.Commit([]int64{1, 2, 7})
	data := save(f, s)
	f.Add(data)
	for at := range data {
		damaged := bytes.Clone(data)
		damaged[at] ^= 0xff
		f.Add(damaged)
		f.Add(data[:at])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := New(english)
		if ok, err := s.Load(data); ok != (err == nil) && s.Len() > 0 {
			t.Errorf("%v, %v, but %d vectors", ok, err, s.Len())
		}
		use(s)
	})
}
