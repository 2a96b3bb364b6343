package bm25_test

import (
	"bytes"
	"sync"
	"testing"

	"docent/index/bm25"
	"docent/rag/retrieve"
	"docent/rag/retrieve/indextest"
)

// TestTidy deletes most chunks of a loaded index while searches run. They always find the
// chunk that stays, and later changes count.
func TestTidy(t *testing.T) {
	t.Parallel()
	var entries []retrieve.Entry
	var gone []int64
	for id := int64(1); id <= 2000; id++ {
		entries = append(entries, entry(id, "en", "", "a pump"))
		if id < 2000 {
			gone = append(gone, id)
		}
	}
	entries[1999].Text = "a valve and a pump"
	built := bm25.New()
	if err := built.Put(t.Context(), entries); err != nil {
		t.Fatal(err)
	}
	var saved bytes.Buffer
	if err := built.Save(&saved); err != nil {
		t.Fatal(err)
	}
	x := bm25.New()
	if err := x.Load(saved.Bytes()); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var searches sync.WaitGroup
	for range 2 {
		searches.Go(func() {
			for over := false; !over; {
				select {
				case <-done:
					over = true
				default:
				}
				if hits, err := x.Words(t.Context(), "valve", 10, retrieve.Filter{}); err != nil || len(hits) != 1 || hits[0].ID != 2000 {
					t.Errorf("a search finds %v, %v", hits, err)
					return
				}
			}
		})
	}
	for len(gone) > 0 {
		n := min(100, len(gone))
		if err := x.Delete(t.Context(), gone[:n]); err != nil {
			t.Error(err)
		}
		gone = gone[n:]
	}
	close(done)
	searches.Wait()
	if n := bm25.Slots(x); n >= 1000 {
		t.Errorf("%d slots for one chunk", n)
	}
	if err := x.Put(t.Context(), []retrieve.Entry{indextest.Entry(3000, "another pump with a valve")}); err != nil {
		t.Fatal(err)
	}
	if got := found(t, x, "pump"); len(got) != 2 {
		t.Errorf("pump finds %v, want two chunks", got)
	}
}
