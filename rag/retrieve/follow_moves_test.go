package retrieve_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"docent/rag/corpus"
	"docent/rag/retrieve"
)

// putMany stores documents with one chunk each.
func putMany(t *testing.T, c *memoryCorpus, n int) {
	t.Helper()
	for i := range n {
		c.put(t, corpus.Document{Source: fmt.Sprintf("/many/%d.md", i), Title: "Many", Language: "en"},
			corpus.Chunk{Text: fmt.Sprintf("Pump number %d needs oil.", i)})
	}
}

// TestAdvanceMoves moves changes to the snapshot again and again while searches run. Each
// search finds one version of a document.
func TestAdvanceMoves(t *testing.T) {
	t.Parallel()
	for name, few := range map[string]int{"saved vectors": 0, "few vectors": 1000} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := small(t)
			c.few = few
			r := load(t, c, filepath.Join(t.TempDir(), "index.snapshot"))
			retrieve.SetHeld(r, 8)
			put := func(version int) {
				var chunks []corpus.Chunk
				for i := range 4 {
					chunks = append(chunks, corpus.Chunk{Text: fmt.Sprintf("Vacuum freezes old rows, says part %d of version %d.", i, version)})
				}
				c.put(t, corpus.Document{Source: "/vacuum", Title: fmt.Sprintf("Version %d", version), Language: "en"}, chunks...)
				if err := retrieve.Advance(t.Context(), r); err != nil {
					t.Fatal(err)
				}
			}
			put(0)
			done := make(chan struct{})
			var asking sync.WaitGroup
			for range 2 {
				asking.Go(func() { askUntil(t, r, done) })
			}
			for version := 1; version <= 30; version++ {
				put(version)
			}
			close(done)
			asking.Wait()
			putMany(t, c, 20)
			if err := retrieve.Advance(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			if !retrieve.InOnePiece(r) || r.Len() != 15+4+20 {
				t.Errorf("%d chunks are in memory of their own", r.Len())
			}
			if got, want := ranking(t, r, true), ranking(t, load(t, c, ""), true); got != want {
				t.Errorf("moved:\n%s\nfrom the corpus:\n%s", got, want)
			}
		})
	}
}

// askUntil asks for rows of the document /vacuum until done is closed, and at least once.
func askUntil(t *testing.T, r *retrieve.Retriever, done <-chan struct{}) {
	for over := false; !over; {
		select {
		case <-done:
			over = true
		default:
		}
		out, err := r.Retrieve(t.Context(), retrieve.Query{Question: "vacuum freezes rows", K: 20})
		if err != nil {
			t.Error(err)
			return
		}
		if len(out.Results) < 5 {
			t.Errorf("a search finds %d passages", len(out.Results))
			return
		}
	}
}

// TestFollowMoves: Follow moves changes to the snapshot after a quiet time, so that they
// do not stay in memory until the next start.
func TestFollowMoves(t *testing.T) {
	t.Parallel()
	newStatic(t) // it has a channel and must not belong to the bubble
	synctest.Test(t, func(t *testing.T) {
		c := small(t)
		r := load(t, c, filepath.Join(t.TempDir(), "index.snapshot"))
		ctx, stop := context.WithCancel(t.Context())
		var following sync.WaitGroup
		following.Go(func() {
			if err := r.Follow(ctx); err != nil {
				t.Errorf("follow: %v", err)
			}
		})
		synctest.Wait()
		putMany(t, c, 300)
		synctest.Wait()
		if retrieve.InOnePiece(r) || r.Len() != 315 {
			t.Errorf("%d chunks are in the snapshot at once", r.Len())
		}
		<-time.After(time.Minute)
		synctest.Wait()
		if !retrieve.InOnePiece(r) || r.Len() != 315 {
			t.Errorf("%d chunks are in memory of their own", r.Len())
		}
		stop()
		following.Wait()
	})
}

// endingContext ends after some calls of Err.
type endingContext struct {
	context.Context
	calls *atomic.Int64
}

func (c endingContext) Err() error {
	if c.calls.Add(-1) < 0 {
		return context.Canceled
	}
	return c.Context.Err()
}

// TestSnapshotAfterPartOfAChange: a server that ends while it applies a large document saves no snapshot with a part of it.
func TestSnapshotAfterPartOfAChange(t *testing.T) {
	t.Parallel()
	const rows, rounds = 200, 40 // four batches
	ended := 0
	for round := range int64(rounds) {
		c := small(t)
		path := snapshotOf(t, c)
		r := load(t, c, path)
		retrieve.SetBatch(r, rows/4)
		putMany(t, c, 3)
		if err := retrieve.Advance(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		var chunks []corpus.Chunk
		for i := range rows {
			chunks = append(chunks, corpus.Chunk{Text: fmt.Sprintf("Row %d has a value.", i)})
		}
		c.put(t, corpus.Document{Source: "/large.csv", Title: "Large", Language: "en"}, chunks...)
		left := new(atomic.Int64)
		left.Store(8 * round)
		if retrieve.Advance(endingContext{t.Context(), left}, r) != nil {
			ended++
		}
		if err := r.Save(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.asked = 0
		if next := load(t, c, path); c.asked == 0 && left.Load() < 0 || next.Len() != 15+3+rows {
			t.Fatalf("%d calls: all was read again, or %d chunks are found", 8*round, next.Len())
		}
	}
	if ended == 0 || ended == rounds {
		t.Errorf("the context ended %d of %d changes", ended, rounds)
	}
}
