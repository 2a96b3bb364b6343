package flat

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"docent/index"
	"docent/internal/cores"
	"docent/rag/retrieve"
	"docent/rag/retrieve/indextest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// variants are an index in float32, and one for each kernel of this processor.
func variants() map[string]func() *Index {
	out := map[string]func() *Index{"float32": func() *Index { return New(Config{Float32: true}) }}
	for _, k := range append(runnable(), plain) {
		out[k.name] = func() *Index {
			x := New(Config{})
			x.kernel = k
			return x
		}
	}
	return out
}

func TestSave(t *testing.T) {
	t.Parallel()
	indextest.RunVectorSaver(t, func(*testing.T) retrieve.VectorSaver { return New(Config{}) })
}

func TestIndex(t *testing.T) {
	t.Parallel()
	for name, open := range variants() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			indextest.RunNearest(t, func(*testing.T) (retrieve.Nearest, indextest.Writer) {
				x := open()
				return x, x
			})
			indextest.RunVectorMirror(t, func(*testing.T) retrieve.Mirror { return open() })
		})
	}
}

// randomEntries makes vectors in clusters of about equal ones, in three
// collections. Every tenth vector repeats an earlier one.
func randomEntries(r *rand.Rand, n, dimensions int) []retrieve.Entry {
	centers := make([][]float32, 20)
	for i := range centers {
		centers[i] = randomVector(r, make([]float32, dimensions), 1)
	}
	out := make([]retrieve.Entry, n)
	for i := range out {
		v := randomVector(r, centers[r.IntN(len(centers))], []float64{.01, .1, 1}[i%3])
		if i%10 == 9 {
			v = out[r.IntN(i)].Vector
		}
		out[i] = retrieve.Entry{
			ID: int64(i + 1), Collection: string(rune('a' + r.IntN(3))), Source: fmt.Sprint(r.IntN(n / 5)), Ordinal: i, Vector: v,
		}
	}
	return out
}

// randomVector adds noise to a vector.
func randomVector(r *rand.Rand, center []float32, noise float64) []float32 {
	out := make([]float32, len(center))
	for i, c := range center {
		out[i] = c + float32(noise*r.NormFloat64())
	}
	return out
}

// exact is the search that compares all vectors in float32.
func exact(t *testing.T, entries []retrieve.Entry, query []float32, k int, filter retrieve.Filter) []retrieve.Hit {
	t.Helper()
	table, top := index.NewVectors(), index.Top{K: k}
	if err := table.Check(entries); err != nil {
		t.Fatal(err)
	}
	for i := range entries {
		table.Add(&entries[i])
	}
	unit, _, err := table.Query(query, k)
	if err != nil {
		t.Fatal(err)
	}
	_ = table.Collections(filter, func(_ string, vectors []*index.Vector) error {
		top.Scan(unit, vectors)
		return nil
	})
	return top.Hits()
}

// TestHitsAreExact compares the hits with those of a search in float32, also after
// changes. They are equal to the last bit.
func TestHitsAreExact(t *testing.T) {
	t.Parallel()
	for name, open := range variants() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, dimensions := range []int{1, 3, 64, 65, 100, 256, 384, 1000} {
				r := rand.New(rand.NewPCG(uint64(dimensions), 5))
				entries := randomEntries(r, 3000, dimensions)
				if dimensions > 256 {
					entries = entries[:1500]
				}
				x := open()
				if err := x.Put(t.Context(), entries); err != nil {
					t.Fatal(err)
				}
				compareExact(t, x, entries, r)
				kept, gone := entries[:0:0], []int64{}
				for _, e := range entries {
					if r.IntN(3) == 0 {
						gone = append(gone, e.ID)
					} else {
						kept = append(kept, e)
					}
				}
				for i := range kept[:50] {
					kept[i].Vector, kept[i].Collection = randomVector(r, kept[i].Vector, .5), "c"
				}
				if err := errors.Join(x.Delete(t.Context(), gone), x.Put(t.Context(), kept[:50])); err != nil {
					t.Fatal(err)
				}
				compareExact(t, x, kept, r)
			}
		})
	}
}

func compareExact(t *testing.T, x *Index, entries []retrieve.Entry, r *rand.Rand) {
	t.Helper()
	for _, k := range []int{1, 10, 200} {
		for _, filter := range []retrieve.Filter{{}, {Collections: []string{"b"}}, {Collections: []string{"a", "c"}}} {
			query := randomVector(r, entries[r.IntN(len(entries))].Vector, .05)
			got, err := x.Nearest(t.Context(), query, k, filter)
			if want := exact(t, entries, query, k, filter); err != nil || !slices.Equal(got, want) {
				t.Fatalf("%d dimensions, the best %d of %v: %v, %v, want %v", len(query), k, filter, got, err, want)
			}
		}
	}
}

// TestQuantize checks that the distance between a vector and its codes is not
// larger than stated, and small.
func TestQuantize(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for _, dimensions := range []int{1, 64, 384, 4096} {
		v := randomVector(r, make([]float32, dimensions), 3)
		codes := make([]int8, dimensions)
		scale, distance := quantize(codes, v)
		square, length := 0.0, 0.0
		for i, c := range codes {
			d := float64(v[i]) - float64(c)*float64(scale)
			square += d * d
			length += float64(v[i]) * float64(v[i])
		}
		if d := float64(distance); d*d < square || square > length*.03*.03 {
			t.Errorf("%d dimensions: distance² %g, stated %g, of %g", dimensions, square, d*d, length)
		}
	}
}

// TestCores checks that a search uses the cores that nobody else needs.
func TestCores(t *testing.T) {
	t.Parallel()
	pool := cores.New(1 << 10)
	x := New(Config{Cores: pool})
	all := x.cores(1)
	answered := pool.Answer()
	if n := x.cores(1); n != all {
		t.Errorf("%d cores for the only question, want all %d", n, all)
	}
	for range all {
		if err := pool.Acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := x.cores(1); n != 1 {
		t.Errorf("%d cores beside background work, want 1", n)
	}
	for range all {
		pool.Release()
	}
	answered()
	if n := x.cores(all); n != 1 {
		t.Errorf("%d cores beside %d other searches, want 1", n, all-1)
	}
}

// TestWorkers runs searches with more workers than parts, and one that is canceled
// before it ends.
func TestWorkers(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 3))
	entries := randomEntries(r, 5000, 64)
	x := New(Config{})
	if err := x.Put(t.Context(), entries); err != nil {
		t.Fatal(err)
	}
	query := exactUnit(t, entries)
	parts, n := x.parts(retrieve.Filter{})
	if n != len(entries) {
		t.Fatalf("parts of %d vectors, want %d", n, len(entries))
	}
	want := exact(t, entries, query, 20, retrieve.Filter{})
	for _, workers := range []int{1, 2, 50} {
		s := &search{parts: parts, k: 20, kernel: best, floats: query, query: newQuery(query)}
		if err := s.run(t.Context(), workers); err != nil {
			t.Fatal(err)
		}
		if got := s.hits(); !slices.Equal(got, want) {
			t.Errorf("%d workers: %v, want %v", workers, got, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := &search{parts: parts, k: 20, kernel: best, floats: query, query: newQuery(query)}
	if err := s.run(ctx, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled search: %v", err)
	}
}

// exactUnit returns the first vector at length 1.
func exactUnit(t *testing.T, entries []retrieve.Entry) []float32 {
	t.Helper()
	table := index.NewVectors()
	if err := table.Check(entries[:1]); err != nil {
		t.Fatal(err)
	}
	return table.Add(&entries[0]).Values
}
