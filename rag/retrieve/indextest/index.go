// Package indextest holds the test suites for the interfaces of package
// retrieve. Each implementation passes the suites of its interfaces: RunNearest
// or RunWords for its searches, RunMirror or RunSaver for an index in memory, and
// RunFeatures, RunEncoders, or RunReranker.
package indextest

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"docent/internal/fault"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// dimensions is the length of the suite's vectors.
const dimensions = 64

// Vector returns a vector for a text. Texts that share words have similar
// vectors. The length is 1, or 0 for a text without words.
func Vector(text string) []float32 {
	v := make([]float32, dimensions)
	for _, w := range strings.Fields(text) {
		h := fnv.New32a()
		_, _ = h.Write([]byte(w)) // never fails
		v[h.Sum32()%dimensions]++
	}
	sum := 0.0
	for _, f := range v {
		sum += float64(f) * float64(f)
	}
	for i := range v {
		if sum > 0 {
			v[i] = float32(float64(v[i]) / math.Sqrt(sum))
		}
	}
	return v
}

// Entry makes an entry for a chunk with a vector for its text. Ten consecutive
// chunks belong to one document.
func Entry(id int64, text string) retrieve.Entry {
	return retrieve.Entry{
		ID: id, DocumentID: 1 + id/10, Collection: corpus.DefaultCollection, Source: fmt.Sprintf("/docs/%04d", 1+id/10),
		Ordinal: int(id % 10), Language: "en", Text: text, Vector: Vector(text),
	}
}

// words are the vocabulary of Entries.
var words = strings.Fields(`lemon ginger pepper saffron cumin clove nutmeg basil thyme oregano sage mint
	dill fennel anise cardamom turmeric paprika mustard vanilla`)

// Entries makes n entries with short texts. It returns the same entries for the
// same n.
func Entries(n int) []retrieve.Entry {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	out := make([]retrieve.Entry, n)
	for i := range out {
		text := make([]string, 3+r.IntN(20))
		for k := range text {
			text[k] = words[min(r.IntN(len(words)), r.IntN(len(words)))]
		}
		out[i] = Entry(int64(i+1), strings.Join(text, " "))
	}
	return out
}

// Writer fills an index under test. A Mirror is its own Writer. The test of an
// engine that keeps its own data brings a type that writes to the engine.
type Writer interface {
	// Put adds entries and replaces those with the same ids.
	Put(ctx context.Context, entries []retrieve.Entry) error
	// Delete removes chunks. It ignores unknown ids.
	Delete(ctx context.Context, ids []int64) error
}

// index is an index under test: its Writer and its search for a text.
type index struct {
	Writer
	search func(ctx context.Context, text string, k int, filter retrieve.Filter) ([]retrieve.Hit, error)
	lost   int // the number of equal vectors that searches may miss
}

func nearest(x retrieve.Nearest, w Writer) index {
	return index{Writer: w, search: func(ctx context.Context, text string, k int, filter retrieve.Filter) ([]retrieve.Hit, error) {
		return x.Nearest(ctx, Vector(text), k, filter)
	}}
}

func keywords(x retrieve.Words, w Writer) index { return index{Writer: w, search: x.Words} }

// find searches for a text.
func find(t *testing.T, x index, text string, k int, collections ...string) []retrieve.Hit {
	t.Helper()
	hits, err := x.search(t.Context(), text, k, retrieve.Filter{Collections: collections})
	if err != nil {
		t.Fatalf("search %q: %v", text, err)
	}
	return hits
}

// everything finds all chunks with a word of the vocabulary.
func everything(t *testing.T, x index) []retrieve.Hit {
	t.Helper()
	return find(t, x, strings.Join(words, " "), 1000)
}

func put(t *testing.T, x Writer, entries ...retrieve.Entry) {
	t.Helper()
	if err := x.Put(t.Context(), entries); err != nil {
		t.Fatalf("put: %v", err)
	}
}

func remove(t *testing.T, x Writer, ids ...int64) {
	t.Helper()
	if err := x.Delete(t.Context(), ids); err != nil {
		t.Fatalf("delete: %v", err)
	}
}

func ids(hits []retrieve.Hit) []int64 {
	out := make([]int64, len(hits))
	for i, h := range hits {
		out[i] = h.ID
	}
	return out
}

func wantIDs(t *testing.T, hits []retrieve.Hit, want ...int64) {
	t.Helper()
	if got := ids(hits); !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

func wantCount(t *testing.T, x index, want int) {
	t.Helper()
	if got := everything(t, x); len(got) != want {
		t.Errorf("found %d chunks, want %d", len(got), want)
	}
}

// run tests the searches of an index. open makes an empty one.
func run(t *testing.T, open func(t *testing.T) index) {
	for name, test := range map[string]func(*testing.T, index){
		"empty": testEmpty, "finds": testFinds, "ties": testTies, "ties at the cut": testTiesAtCut, "k": testK, "replace": testReplace,
		"delete": testDelete, "collections": testCollections, "moves": testMoves, "documents": testDocuments, "canceled": testCanceled,
		"canceled midway": testCanceledMidway, "concurrent": testConcurrent,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
	t.Run("history", func(t *testing.T) {
		t.Parallel()
		testHistory(t, open(t), open(t))
	})
}

func testEmpty(t *testing.T, x index) {
	wantIDs(t, find(t, x, "lemon", 5))
	put(t, x)
	remove(t, x)
	remove(t, x, 1, 2)
	wantIDs(t, find(t, x, "lemon", 5))
}

func testFinds(t *testing.T, x index) {
	put(t, x, Entry(1, "lemon ginger"), Entry(2, "pepper saffron cumin"), Entry(3, "lemon clove nutmeg basil"))
	wantIDs(t, find(t, x, "ginger lemon", 1), 1)
	if hits := find(t, x, "lemon", 2); len(hits) != 2 || hits[0].ID != 1 || hits[1].ID != 3 || hits[0].Score <= hits[1].Score {
		t.Errorf("lemon: %v, want 1 above 3", hits)
	}
}

func testTies(t *testing.T, x index) {
	a, b, c, d := Entry(5, "lemon mint"), Entry(6, "lemon mint"), Entry(7, "lemon mint"), Entry(8, "lemon mint")
	a.Source, a.DocumentID, a.Ordinal = "/b", 100, 0
	b.Source, b.DocumentID, b.Ordinal = "/a", 101, 2
	c.Source, c.DocumentID, c.Ordinal = "/a", 101, 1
	d.Source, d.DocumentID, d.Ordinal = "/a", 101, 2
	put(t, x, a, b, c, d, Entry(9, "sage"))
	wantIDs(t, find(t, x, "lemon mint", 4), 7, 6, 8, 5)
	wantIDs(t, find(t, x, "lemon mint", 2), 7, 6)
}

func testTiesAtCut(t *testing.T, x index) {
	const n, k = 300, 40
	entries := make([]retrieve.Entry, n)
	for i := range entries {
		entries[i] = Entry(int64(i+1), "lemon mint")
	}
	shuffled := slices.Clone(entries)
	rand.New(rand.NewPCG(7, 7)).Shuffle(n, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	put(t, x, shuffled...)
	put(t, x, Entry(999, "lemon lemon lemon"))
	got := ids(find(t, x, "lemon mint", k))
	if len(got) != k {
		t.Errorf("found %d chunks, want %d", len(got), k)
	}
	if i := slices.Index(got, 999); i >= 0 {
		got = slices.Delete(got, i, i+1)
	}
	if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) < len(got) || got[len(got)-1] > int64(len(got)+x.lost) {
		t.Errorf("found %v, want the first of 1 to %d without more than %d of them", got, n, x.lost)
	}
}

func testK(t *testing.T, x index) {
	put(t, x, Entries(30)...)
	for _, k := range []int{-1, 0} {
		wantIDs(t, find(t, x, "lemon", k))
	}
	all := everything(t, x)
	if len(all) != 30 {
		t.Errorf("a query that shares words with all of 30 found %d", len(all))
	}
	for k := 1; k <= 30; k++ {
		if got := find(t, x, strings.Join(words, " "), k); !slices.Equal(got, all[:k]) {
			t.Fatalf("the first %d are %v, of all %v", k, got, all[:k])
		}
	}
}

func testReplace(t *testing.T, x index) {
	put(t, x, Entry(1, "lemon"), Entry(2, "pepper"))
	e := Entry(1, "saffron")
	put(t, x, e)
	e.Text = "changed by its owner"
	wantCount(t, x, 2)
	wantIDs(t, find(t, x, "saffron", 1), 1)
	for _, h := range find(t, x, "lemon", 5) {
		if h.Score > 0 {
			t.Errorf("a replaced chunk is still found: %v", h)
		}
	}
	put(t, x, Entry(3, "mint"), Entry(3, "sage")) // the later one counts
	wantIDs(t, find(t, x, "sage", 1), 3)
	wantCount(t, x, 3)
}

func testDelete(t *testing.T, x index) {
	put(t, x, Entries(700)...)
	remove(t, x) // no id deletes nothing
	wantCount(t, x, 700)
	var gone []int64
	for id := int64(1); id <= 700; id++ {
		if id%10 != 3 {
			gone = append(gone, id)
		}
	}
	remove(t, x, append(gone, 12345)...)
	wantCount(t, x, 70)
	for _, h := range everything(t, x) {
		if h.ID%10 != 3 {
			t.Errorf("deleted chunk %d is found", h.ID)
		}
	}
	remove(t, x, ids(everything(t, x))...)
	wantCount(t, x, 0)
	put(t, x, Entry(1, "lemon"))
	wantIDs(t, find(t, x, "lemon", 5), 1)
}

func testCollections(t *testing.T, x index) {
	entries := Entries(60)
	for i := range entries {
		entries[i].Text += " vanilla"
		entries[i].Vector = Vector(entries[i].Text)
		entries[i].Collection = []string{"a", "b", ""}[i%3]
	}
	put(t, x, entries...)
	for _, want := range [][]string{{"a"}, {"b", ""}, {"", "nothing"}} {
		hits := find(t, x, "vanilla", 100, want...)
		for _, h := range hits {
			if c := entries[h.ID-1].Collection; !slices.Contains(want, c) {
				t.Errorf("chunk %d of %s found in %v", h.ID, c, want)
			}
		}
		n := 0
		for _, e := range entries {
			if slices.Contains(want, e.Collection) {
				n++
			}
		}
		if len(hits) != n {
			t.Errorf("found %d in %v, want %d", len(hits), want, n)
		}
	}
	wantIDs(t, find(t, x, "vanilla", 100, "nothing"))
}

// testMoves puts a chunk again, in another collection.
func testMoves(t *testing.T, x index) {
	a, b := Entry(1, "lemon ginger"), Entry(2, "lemon pepper")
	a.Collection, b.Collection = "a", "a"
	put(t, x, a, b)
	a.Collection = "b"
	put(t, x, a)
	wantIDs(t, find(t, x, "lemon", 9, "a"), 2)
	wantIDs(t, find(t, x, "lemon", 9, "b"), 1)
	if hits := find(t, x, "lemon ginger", 9); len(hits) != 2 {
		t.Errorf("found %v, want both chunks once", hits)
	}
	remove(t, x, 1)
	wantIDs(t, find(t, x, "lemon", 9, "b"))
}

func testDocuments(t *testing.T, x index) {
	entries := Entries(60) // ten in each document
	for i := range entries {
		entries[i].Text += " vanilla"
		entries[i].Vector = Vector(entries[i].Text)
		entries[i].Collection = []string{"a", "b"}[i%2]
	}
	put(t, x, entries...)
	for _, filter := range []retrieve.Filter{
		{Documents: []int64{2}},
		{Documents: []int64{3, 1, 999}},
		{Documents: []int64{2, 3}, Collections: []string{"a"}},
		{Documents: []int64{999}},
		{Documents: []int64{2}, Collections: []string{"nothing"}},
	} {
		var want []int64
		for _, e := range entries {
			if filter.Accepts()(e.Collection, e.DocumentID) {
				want = append(want, e.ID)
			}
		}
		hits, err := x.search(t.Context(), "vanilla", 100, filter)
		if err != nil {
			t.Fatal(err)
		}
		got := ids(hits)
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%+v: found %v, want %v", filter, got, want)
		}
		if hits, err := x.search(t.Context(), "vanilla", 3, filter); err != nil || len(hits) != min(3, len(want)) {
			t.Errorf("%+v: the best three are %v, %v", filter, hits, err)
		}
	}
}

func testCanceled(t *testing.T, x index) {
	put(t, x, Entry(1, "lemon"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.search(ctx, "lemon", 1, retrieve.Filter{}); !errors.Is(err, context.Canceled) {
		t.Errorf("search: %v, want context.Canceled", err)
	}
}

// midway is a context that is canceled when a search looks at it the n-th time.
type midway struct {
	context.Context

	cancel context.CancelFunc
	looks  atomic.Int64 // that remain
}

func newMidway(ctx context.Context, n int) *midway {
	m := &midway{}
	m.Context, m.cancel = context.WithCancel(ctx)
	m.looks.Store(int64(n))
	return m
}

func (m *midway) look() {
	if m.looks.Add(-1) == 0 {
		m.cancel()
	}
}

func (m *midway) Done() <-chan struct{} {
	m.look()
	return m.Context.Done()
}

func (m *midway) Err() error {
	m.look()
	return m.Context.Err()
}

// testCanceledMidway cancels searches at different places. Each of them returns all its
// hits, or an error.
func testCanceledMidway(t *testing.T, x index) {
	put(t, x, Entries(500)...)
	want := find(t, x, "lemon pepper", 20)
	for n := 1; n <= 200; n++ {
		ctx := newMidway(t.Context(), n)
		got, err := x.search(ctx, "lemon pepper", 20, retrieve.Filter{})
		over := ctx.looks.Load() > 0 // the search ended before
		ctx.cancel()
		switch {
		case err == nil && !slices.Equal(got, want):
			t.Fatalf("a search canceled at look %d found %v, want %v or an error", n, got, want)
		case err != nil && fault.KindOf(err) != fault.Canceled:
			t.Fatalf("a search canceled at look %d: %v, want the kind canceled", n, err)
		case over:
			return
		}
	}
}

// testHistory compares an index filled at once with one that was changed.
func testHistory(t *testing.T, straight, winding index) {
	entries := Entries(400)
	put(t, straight, entries[100:]...)
	r := rand.New(rand.NewPCG(3, 4))
	for _, i := range r.Perm(400) {
		e := entries[i]
		old := Entry(e.ID, "fennel dill "+words[i%len(words)])
		put(t, winding, old)
		put(t, winding, e)
	}
	for id := int64(1); id <= 100; id++ {
		remove(t, winding, id)
	}
	for _, q := range append(words, "lemon pepper", "mint sage dill fennel anise", "absent") {
		want, got := find(t, straight, q, 25), find(t, winding, q, 25)
		if !slices.Equal(want, got) {
			t.Fatalf("%s: after changes %v, filled at once %v", q, got, want)
		}
	}
}

func testConcurrent(t *testing.T, x index) {
	entries := Entries(300)
	put(t, x, entries[:100]...)
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 100; i < 300; i += 10 {
			if err := x.Put(t.Context(), entries[i:i+10]); err != nil {
				t.Errorf("put: %v", err)
			}
		}
	})
	wg.Go(func() {
		for id := int64(1); id <= 50; id++ {
			if err := x.Delete(t.Context(), []int64{id}); err != nil {
				t.Errorf("delete: %v", err)
			}
		}
	})
	for range 2 {
		wg.Go(func() {
			for _, w := range words {
				hits, err := x.search(t.Context(), w, 20, retrieve.Filter{})
				if err != nil {
					t.Errorf("search: %v", err)
				}
				for i := 1; i < len(hits); i++ {
					if hits[i].Score > hits[i-1].Score {
						t.Errorf("out of order: %v", hits)
					}
				}
			}
		})
	}
	wg.Wait()
	wantCount(t, x, 250)
}
