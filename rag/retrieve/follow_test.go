package retrieve_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"docent/rag/corpus"
	"docent/rag/retrieve"
)

func TestAnotherDatabaseWhileRunning(t *testing.T) {
	t.Parallel()
	c := small(t)
	r := load(t, c, "")
	c.revision = corpus.Revision{Database: "two", Number: 2}
	c.live = map[string]corpus.Change{}
	c.put(t, corpus.Document{Source: "/new"}, corpus.Chunk{Text: "Only this is there now."})
	if err := r.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r.Len() != 1 {
		t.Errorf("%d chunks, want 1", r.Len())
	}
}

// TestFollow changes the corpus during queries. Each result shows one version of
// a document, and the last results show the new one.
func TestFollow(t *testing.T) {
	t.Parallel()
	c := small(t)
	path := filepath.Join(t.TempDir(), "index.snapshot")
	r := load(t, c, path)
	ctx, stop := context.WithCancel(t.Context())
	var following sync.WaitGroup
	following.Go(func() {
		if err := r.Follow(ctx); err != nil {
			t.Errorf("follow: %v", err)
		}
	})
	var asking sync.WaitGroup
	for range 2 {
		asking.Go(func() {
			for i := range 60 {
				out, err := r.Retrieve(ctx, retrieve.Query{Question: "vacuum freezes rows", K: 20})
				if err != nil {
					t.Errorf("question %d: %v", i, err)
				}
				versions := map[string]bool{}
				for _, result := range out.Results {
					if result.Passage.Document.Source == "/vacuum" {
						versions[result.Passage.Document.Title] = true
					}
				}
				if len(versions) > 1 {
					t.Errorf("question %d sees versions %v", i, versions)
				}
			}
		})
	}
	for version := range 30 {
		title := fmt.Sprintf("Version %d", version)
		var chunks []corpus.Chunk
		for i := range 4 {
			chunks = append(chunks, corpus.Chunk{Text: fmt.Sprintf("Vacuum freezes old rows, says part %d of version %d of this text about rows.", i, version)})
		}
		c.put(t, corpus.Document{Source: "/vacuum", Title: title, Language: "en"}, chunks...)
	}
	asking.Wait()
	if err := r.Refresh(ctx); err != nil {
		t.Fatal(err)
	}
	if r.Len() != 15+4 {
		t.Errorf("%d chunks, want 19", r.Len())
	}
	stop()
	following.Wait()
	if got, want := ranking(t, r, true), ranking(t, load(t, c, ""), true); got != want {
		t.Errorf("after following:\n%s\nfrom the corpus:\n%s", got, want)
	}
	c.asked = -1
	load(t, c, path)
	if c.asked != -1 {
		t.Error("Follow has left no snapshot of the last state")
	}
}

// TestFollowTriesAgain: after a failure, Follow retries soon and does not wait
// for the next change.
func TestFollowTriesAgain(t *testing.T) {
	t.Parallel()
	newStatic(t) // it has a channel and must not belong to the bubble
	synctest.Test(t, func(t *testing.T) {
		c := small(t)
		r := load(t, c, "")
		ctx, stop := context.WithCancel(t.Context())
		var following sync.WaitGroup
		following.Go(func() {
			if err := r.Follow(ctx); err != nil {
				t.Errorf("follow: %v", err)
			}
		})
		synctest.Wait()
		broken := func(err error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.fail = err
		}
		broken(errFailing)
		c.put(t, corpus.Document{Source: "/late"}, corpus.Chunk{Text: "It came after all."})
		synctest.Wait()
		if r.Len() != 15 {
			t.Errorf("%d chunks while the corpus fails, want 15", r.Len())
		}
		<-time.After(time.Hour)
		broken(nil)
		<-time.After(time.Minute)
		synctest.Wait()
		if r.Len() != 16 {
			t.Errorf("%d chunks after the corpus is back, want 16", r.Len())
		}
		// Follow ends without waiting for the pause.
		broken(errFailing)
		c.put(t, corpus.Document{Source: "/last"}, corpus.Chunk{Text: "And this."})
		synctest.Wait()
		stop()
		following.Wait()
	})
}

func TestRefreshFails(t *testing.T) {
	t.Parallel()
	c := small(t)
	r := load(t, c, "")
	c.fail = errFailing
	if err := r.Refresh(t.Context()); !errors.Is(err, errFailing) {
		t.Errorf("%v, want the corpus' error", err)
	}
	c.fail = nil
	c.put(t, corpus.Document{Source: "/late"}, corpus.Chunk{Text: "It came after all."})
	if err := r.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r.Len() != 16 {
		t.Errorf("%d chunks, want 16", r.Len())
	}
}

// TestFollowAppliesEarlierChanges: Follow does not wait for the next change.
func TestFollowAppliesEarlierChanges(t *testing.T) {
	t.Parallel()
	newStatic(t) // it has a channel and must not belong to the bubble
	synctest.Test(t, func(t *testing.T) {
		c := small(t)
		r := load(t, c, "")
		c.put(t, corpus.Document{Source: "/between"}, corpus.Chunk{Text: "It came after Load and before Follow."})
		ctx, stop := context.WithCancel(t.Context())
		var following sync.WaitGroup
		following.Go(func() {
			if err := r.Follow(ctx); err != nil {
				t.Errorf("follow: %v", err)
			}
		})
		synctest.Wait()
		if r.Len() != 16 {
			t.Errorf("%d chunks, want 16", r.Len())
		}
		stop()
		following.Wait()
	})
}
