package retrieve_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"docent/index/chromem"
	"docent/index/flat"
	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// manyEncoded is a corpus of many chunks. Writes of ten vectors cover all of them but
// the last.
func manyEncoded(t *testing.T) (*memoryCorpus, *memoryEncodings) {
	t.Helper()
	c, e := small(t), &memoryEncodings{}
	for i := range 2100 {
		c.put(t, corpus.Document{Source: fmt.Sprintf("/many/%d.md", i), Title: "Many", Language: "en"},
			corpus.Chunk{Text: fmt.Sprintf("Pump number %d needs oil.", i%100)})
	}
	encodeMany(t, c, e)
	return c, e
}

func encodeMany(t *testing.T, c *memoryCorpus, e *memoryEncodings) {
	t.Helper()
	ids := chunkIDs(t, c, "en")
	for page := range slices.Chunk(ids[:len(ids)-1], 10) {
		e.put([]float32{.6, .8}, page...)
	}
	e.put([]float32{1, 0}, ids[len(ids)/2]) // a second vector replaces the first
}

// wantEncoded checks how many chunks have a vector.
func wantEncoded(t *testing.T, r *retrieve.Retriever, done, total int) {
	t.Helper()
	if p := r.Encoders()[0]; p.Done != done || p.Total != total {
		t.Errorf("%d of %d chunks have a vector, want %d of %d", p.Done, p.Total, done, total)
	}
}

// counting counts the entries that an index received.
type counting struct {
	*flat.Index
	received int
}

func (x *counting) Put(ctx context.Context, entries []retrieve.Entry) error {
	x.received += len(entries)
	return x.Index.Put(ctx, entries)
}

// TestEncoderStart: a start takes the index of an encoder from the snapshot and does not
// fill it.
func TestEncoderStart(t *testing.T) {
	t.Parallel()
	c := small(t)
	path, e := encodedSnapshotOf(t, c)
	one, x := english(), &counting{Index: flat.New(flat.Config{})}
	one.Index = x
	if err := encoders(t, c, e, path, one).Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if x.received != 0 || x.Len() != len(e.all) {
		t.Errorf("the index has %d vectors and received %d, want %d and none", x.Len(), x.received, len(e.all))
	}
}

// TestEncoderSnapshot: a start reads only the vectors after the snapshot.
func TestEncoderSnapshot(t *testing.T) {
	t.Parallel()
	for name, index := range map[string]func() retrieve.VectorMirror{
		"saved index": func() retrieve.VectorMirror { return flat.New(flat.Config{}) },
		"empty data":  func() retrieve.VectorMirror { return flat.New(flat.Config{Float32: true}) },
		"no data":     func() retrieve.VectorMirror { return chromem.New() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := func(c *memoryCorpus, e *memoryEncodings, path string) *retrieve.Retriever {
				t.Helper()
				one := english()
				one.Index, e.asked = index(), nil
				r := encoders(t, c, e, path, one)
				if err := r.Load(t.Context()); err != nil {
					t.Fatal(err)
				}
				return r
			}
			c := small(t)
			path, e := encodedSnapshotOf(t, c)
			revision, want := e.revision, ranking(t, start(c, e, ""), true)
			r := start(c, e, path)
			if slices.Min(e.asked) != revision || !retrieve.EncodedInOnePiece(r) {
				t.Errorf("asked for vectors since %d, want %d", e.asked, revision)
			}
			if got := ranking(t, r, true); got != want {
				t.Errorf("from the snapshot:\n%s\nfrom the store:\n%s", got, want)
			}

			// Documents change while no process runs.
			ids := chunkIDs(t, c, "en")
			first := c.all(t)[0]
			old := first.Chunks[0].ID
			c.put(t, corpus.Document{Source: first.Document.Source, Title: "New", Language: "en"}, corpus.Chunk{Text: "A new text replaces it."})
			c.remove(c.all(t)[0].Document.Source)
			c.put(t, corpus.Document{Source: "/late", Language: "en"}, corpus.Chunk{Text: "A text without a vector."})
			left := chunkIDs(t, c, "en")
			e.put([]float32{0, 1}, left[:len(left)-1]...)
			for range 2 { // the second start has a new snapshot
				r = start(c, e, path)
				if slices.Min(e.asked) < revision {
					t.Errorf("asked for vectors since %d, want %d", e.asked, revision)
				}
				wantEncoded(t, r, len(left)-1, len(left))
				vectors, err := r.Stored(t.Context(), "topic", []int64{old, left[0], left[len(left)-1]})
				if err != nil || vectors[0] != nil || !slices.Equal(vectors[1], []float32{0, 1}) || vectors[2] != nil {
					t.Errorf("stored vectors: %v, %v", vectors, err)
				}
				gone := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return slices.Contains(left, id) })
				for _, id := range found(ask(t, r, retrieve.Query{Question: "text", K: 50})) {
					if slices.Contains(gone, id) {
						t.Errorf("the deleted chunk %d is found", id)
					}
				}
				if got, want := ranking(t, r, true), ranking(t, start(c, e, ""), true); got != want {
					t.Errorf("caught up:\n%s\nfrom the store:\n%s", got, want)
				}
				if err := r.Save(t.Context()); err != nil {
					t.Fatal(err)
				}
				revision = e.revision
			}
		})
	}
}

// TestLoadMovesVectors: Load moves many vectors to the snapshot, in parts.
func TestLoadMovesVectors(t *testing.T) {
	t.Parallel()
	for name, indexed := range map[string]bool{"with the rows": false, "after the rows": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, e := manyEncoded(t)
			path := filepath.Join(t.TempDir(), "index.snapshot")
			if indexed { // the vectors arrive after the snapshot
				load(t, c, path)
			}
			want := ranking(t, encoded(t, c, e, ""), true)
			e.asked = nil
			r := encoders(t, c, e, path, english())
			retrieve.SetMoved(r, 600)
			if err := r.Load(t.Context()); err != nil {
				t.Fatal(err)
			}
			if slices.Sort(e.asked); len(slices.Compact(e.asked)) < 4 {
				t.Errorf("the vectors were read since %v", e.asked)
			}
			if !retrieve.EncodedInOnePiece(r) || !retrieve.InOnePiece(r) {
				t.Error("vectors are in memory of their own")
			}
			wantEncoded(t, r, 2112, 2113)
			if got := ranking(t, r, true); got != want {
				t.Errorf("in parts:\n%s\nat once:\n%s", got, want)
			}
		})
	}
}

// TestLoadContinues: a first start that ends between two of its parts loses only the
// last part.
func TestLoadContinues(t *testing.T) {
	t.Parallel()
	for name, rows := range map[string]bool{"rows": true, "vectors": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, e := manyEncoded(t)
			want := ranking(t, encoded(t, c, e, ""), true)
			path := filepath.Join(t.TempDir(), "index.snapshot")
			start := func() (*retrieve.Retriever, error) {
				r := encoders(t, c, e, path, english())
				retrieve.SetMoved(r, 600)
				c.asked, e.asked = -1, nil
				return r, r.Load(t.Context())
			}
			if rows {
				c.cut = 1500
			} else {
				e.fail = 1500
			}
			if _, err := start(); !errors.Is(err, errFailing) {
				t.Fatalf("the first start: %v, want the error of the store", err)
			}
			r, err := start()
			if err != nil {
				t.Fatal(err)
			}
			if c.asked == 0 || !rows && (slices.Min(e.asked) == 0 || c.asked != -1) {
				t.Errorf("the next start read changes since %d and vectors since %v", c.asked, e.asked)
			}
			wantEncoded(t, r, 2112, 2113)
			if got := ranking(t, r, true); got != want {
				t.Errorf("after the next start:\n%s\nat once:\n%s", got, want)
			}
		})
	}
}

// TestEncoderReadFails: after an error between two vectors with one revision, the next
// Refresh reads all of that revision.
func TestEncoderReadFails(t *testing.T) {
	t.Parallel()
	c, e := small(t), &memoryEncodings{}
	r := encoded(t, c, e, "")
	ids := chunkIDs(t, c, "en")
	e.put([]float32{0, 1}, ids[0])
	e.put([]float32{0, 1}, ids[1:]...)
	e.fail = 4
	if err := r.Refresh(t.Context()); !errors.Is(err, errFailing) {
		t.Fatalf("%v, want the error of the store", err)
	}
	if err := r.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantEncoded(t, r, len(ids), len(ids))
}

// TestOtherEncoders: a snapshot serves other encoders than those that it has.
func TestOtherEncoders(t *testing.T) {
	t.Parallel()
	c := small(t)
	path, e := encodedSnapshotOf(t, c)
	c.put(t, corpus.Document{Source: "/de", Language: "de"}, corpus.Chunk{Text: "Ein Absatz."})
	all := &bilingual{name: "all"}
	stored := severalEncodings{models: map[string]*memoryEncodings{"topic": e, "all": {}}}
	stored.models["all"].put([]float32{1, 0, 0}, chunkIDs(t, c, "de")...)
	e.put([]float32{1, 0}, chunkIDs(t, c, "de")...)
	other := english()
	other.Languages = corpus.Languages{Except: true}
	second := retrieve.Encoder{Embedder: all, Languages: corpus.Languages{Except: true}, Index: flat.New(flat.Config{})}
	total, german := len(chunkIDs(t, c, "en")), len(chunkIDs(t, c, "de"))
	for _, step := range []struct {
		name     string
		encoders []retrieve.Encoder
		done     []int
		since    int64 // of the vectors of the English encoder
	}{
		{"none", nil, nil, -1},
		{"a new one", []retrieve.Encoder{second, english()}, []int{german, total}, e.revision - 1},
		{"other languages", []retrieve.Encoder{other}, []int{total + german}, 0},
		{"the first again", []retrieve.Encoder{english()}, []int{total}, 0},
		{"the same", []retrieve.Encoder{english()}, []int{total}, e.revision},
	} {
		e.asked = nil
		c.asked = -1
		r := encoders(t, c, stored, path, step.encoders...)
		if err := r.Load(t.Context()); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if r.Len() != total+german || c.asked == 0 {
			t.Errorf("%s: %d chunks, read since %d", step.name, r.Len(), c.asked)
		}
		for i, p := range r.Encoders() {
			if p.Done != step.done[i] {
				t.Errorf("%s: %+v, want %d vectors", step.name, p, step.done[i])
			}
		}
		if step.since >= 0 && slices.Min(e.asked) != step.since {
			t.Errorf("%s: vectors were read since %v, want %d", step.name, e.asked, step.since)
		}
		ask(t, r, retrieve.Query{Question: "what is a dump"})
		if step.encoders == nil {
			continue // so that the file has the vectors of the first encoder
		}
		if err := r.Save(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFollowSavesVectors: a server saves the vectors that arrive while it runs, also
// without changes of documents.
func TestFollowSavesVectors(t *testing.T) {
	t.Parallel()
	newStatic(t) // it has a channel and must not belong to the bubble
	synctest.Test(t, func(t *testing.T) {
		c, e := manyEncoded(t)
		all := e.all[:2112]
		e.all = nil
		path := filepath.Join(t.TempDir(), "index.snapshot")
		r := encoded(t, c, e, path)
		ctx, stop := context.WithCancel(t.Context())
		var following sync.WaitGroup
		following.Go(func() {
			if err := r.Follow(ctx); err != nil {
				t.Errorf("follow: %v", err)
			}
		})
		for _, done := range []int{1000, 2112} {
			e.mu.Lock()
			e.all = all[:done] // whole writes
			e.mu.Unlock()
			<-time.After(10 * time.Minute) // a snapshot of vectors is due after five
			synctest.Wait()
			e.asked = nil
			wantEncoded(t, encoded(t, c, e, path), done, 2113)
			if slices.Min(e.asked) != e.all[len(e.all)-1].Revision {
				t.Errorf("after ten minutes, a start reads vectors since %v", e.asked)
			}
		}
		stop()
		following.Wait()
	})
}
