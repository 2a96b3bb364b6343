package ingesttest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"docent/internal/storetest"
	"docent/rag/corpus"

	"docent/ingest/intake"
)

var corpusTests = map[string]func(*testing.T, Database){
	"Revision":           corpusRevision,
	"Changes":            corpusChanges,
	"Pages":              corpusPages,
	"Snapshot":           corpusSnapshot,
	"Break":              corpusBreak,
	"Canceled":           corpusCanceled,
	"Watch":              corpusWatch,
	"WatchEnd":           corpusWatchEnd,
	"Names of snapshots": corpusSnapshotNames,
}

func corpusRevision(t *testing.T, db Database) {
	a, b := db.Open(t), db.Open(t)
	first, err := a.Revision(t.Context())
	storetest.OK(t, err)
	if len(first.Database) < 16 || first.Number != 0 {
		t.Errorf("first revision: %+v", first)
	}
	ids := store(t, a, put("/a", "a", 1), put("/b", "b", 1))
	second, err := b.Revision(t.Context())
	storetest.OK(t, err)
	storetest.Want(t, "revision", second, corpus.Revision{Database: first.Database, Number: 2})
	_, err = b.RemoveDocuments(t.Context(), ids)
	storetest.OK(t, err)
	storetest.Want(t, "after removing two", revision(t, a), 4)
}

// brief formats changes, one in each line.
func brief(all []corpus.Change) []string {
	out := []string{}
	for _, c := range all {
		if c.Removed {
			out = append(out, fmt.Sprintf("%d: -%d", c.Revision, c.Document.ID))
		} else {
			out = append(out, fmt.Sprintf("%d: %s %s", c.Revision, c.Document.Source, strings.Join(texts(c.Chunks), ", ")))
		}
	}
	return out
}

func corpusChanges(t *testing.T, db Database) {
	s := db.Open(t)
	storetest.Want(t, "at first", brief(changes(t, s, 0, "e1")), []string{})
	ids := store(t, s, put("/a", "a", 1), put("/b", "b", 2), put("/c", "c", 1))
	storetest.Want(t, "stored", brief(changes(t, s, 0, "e1")), []string{"1: /a /a a 0", "2: /b /b b 0, /b b 1", "3: /c /c c 0"})
	store(t, s, put("/a", "A", 1))
	storetest.Want(t, "replaced", brief(changes(t, s, 0, "e1")), []string{"2: /b /b b 0, /b b 1", "3: /c /c c 0", "4: /a /a A 0"})
	_, err := s.RemoveDocuments(t.Context(), []int64{ids[1]})
	storetest.OK(t, err)
	store(t, s, put("/d", "d", 0))
	_, err = s.RemoveDocuments(t.Context(), []int64{ids[2]})
	storetest.OK(t, err)
	gone := func(revision int, i int) string { return fmt.Sprintf("%d: -%d", revision, ids[i]) }
	storetest.Want(t, "since 0", brief(changes(t, s, 0, "e1")), []string{"4: /a /a A 0", "6: /d "})
	storetest.Want(t, "since 1", brief(changes(t, s, 1, "e1")), []string{"4: /a /a A 0", gone(5, 1), "6: /d ", gone(7, 2)})
	storetest.Want(t, "since 4", brief(changes(t, s, 4, "e1")), []string{gone(5, 1), "6: /d ", gone(7, 2)})
	storetest.Want(t, "since 7", brief(changes(t, s, 7, "e1")), []string{})
	storetest.Want(t, "since later", brief(changes(t, s, 1000, "e1")), []string{})
	storetest.Want(t, "vectors of no embedder", changes(t, s, 0, "unknown")[0].Vectors, [][]float32{nil})
}

// corpusPages reads more documents than fit in one page. Some have many chunks,
// some have none, and removals lie between them.
func corpusPages(t *testing.T, db Database) {
	s := db.Open(t)
	var puts []intake.Put
	for i := range 700 {
		n := i % 3
		if i >= 50 && i < 90 && i%10 == 0 {
			n = 1100
		}
		puts = append(puts, put(fmt.Sprintf("/%d", i), "w", n))
	}
	ids := store(t, s, puts...)
	store(t, s, put("/first", "w", 1))
	var gone []int64
	for i := 7; i < len(ids); i += 10 {
		gone = append(gone, ids[i])
	}
	_, err := s.RemoveDocuments(t.Context(), gone[:30])
	storetest.OK(t, err)
	store(t, s, put("/between", "w", 1))
	_, err = s.RemoveDocuments(t.Context(), gone[30:])
	storetest.OK(t, err)
	for _, since := range []int64{0, 1, 350} {
		last, live, removed := since, 0, 0
		for _, c := range changes(t, s, since, "e1") {
			if c.Revision <= last {
				t.Fatalf("revision %d after %d", c.Revision, last)
			}
			last = c.Revision
			if c.Removed {
				removed++
				continue
			}
			live++
			if len(c.Chunks) != c.Document.Chunks || len(c.Vectors) != len(c.Chunks) {
				t.Fatalf("%s: %d chunks and %d vectors of %d", c.Document.Source, len(c.Chunks), len(c.Vectors), c.Document.Chunks)
			}
			for i, chunk := range c.Chunks {
				if chunk.DocumentID != c.Document.ID || chunk.Ordinal != i || c.Vectors[i][0] != float32(i) {
					t.Fatalf("%s: chunk %d is %+v with %v", c.Document.Source, i, chunk, c.Vectors[i])
				}
			}
		}
		wantLive, wantRemoved := 702-len(gone), len(gone)
		switch since {
		case 0:
			wantRemoved = 0
		case 1:
			wantLive--
		case 350:
			wantLive -= 350 - 35
		}
		storetest.Want(t, fmt.Sprintf("live and removed since %d", since), []int{live, removed}, []int{wantLive, wantRemoved})
	}
}

// corpusSnapshot reads while another process replaces documents. Each read
// returns every document, complete and in one version.
func corpusSnapshot(t *testing.T, db Database) {
	const documents, rounds = 4, 25
	writer, s := db.Open(t), db.Open(t)
	version := func(r int) []intake.Put {
		var puts []intake.Put
		for d := range documents {
			puts = append(puts, put(fmt.Sprintf("/%d", d), fmt.Sprintf("r%d", r), 1+r%4))
		}
		return puts
	}
	ids := store(t, writer, version(0)...)
	ctx, done := context.WithCancel(storetest.Within(t))
	var writing sync.WaitGroup
	writing.Go(func() {
		defer done()
		for r := 1; r <= rounds; r++ {
			if _, err := writer.PutDocuments(ctx, version(r)); err != nil {
				t.Error(err)
			}
		}
	})
	defer writing.Wait()
	for ctx.Err() == nil {
		all := changes(t, s, 0, "e1")
		storetest.Want(t, "documents", len(all), documents)
		for _, c := range all {
			whole(t, c.Document, c.Chunks)
			storetest.Want(t, "one call's documents together", texts(c.Chunks)[0][3:], texts(all[0].Chunks)[0][3:])
		}
		chunks, err := s.DocumentChunks(t.Context(), ids[0], -1, 0)
		storetest.OK(t, err)
		whole(t, corpus.Document{Source: "/0", Chunks: len(chunks)}, chunks)
	}
}

// whole checks that chunks belong to one version r, which has r%4+1 chunks.
func whole(t *testing.T, d corpus.Document, chunks []corpus.Chunk) {
	t.Helper()
	var r int
	if len(chunks) == 0 {
		t.Fatalf("%s has no chunks", d.Source)
	}
	if _, err := fmt.Sscanf(chunks[0].Text, d.Source+" r%d 0", &r); err != nil {
		t.Fatal(err)
	}
	if len(chunks) != 1+r%4 || d.Chunks != len(chunks) {
		t.Fatalf("%s of round %d has %d chunks and says %d", d.Source, r, len(chunks), d.Chunks)
	}
	for i, c := range chunks {
		storetest.Want(t, "text", c.Text, fmt.Sprintf("%s r%d %d", d.Source, r, i))
	}
}

func corpusBreak(t *testing.T, db Database) {
	s := db.Open(t)
	store(t, s, put("/a", "a", 1), put("/b", "b", 1))
	for range 50 { // more often than there are connections
		for c, err := range s.Changes(t.Context(), 0, "e1") {
			storetest.OK(t, err)
			storetest.Want(t, "first", c.Document.Source, "/a")
			break
		}
	}
	// A consumer may call other methods during the iteration.
	for c, err := range s.Changes(t.Context(), 0, "e1") {
		storetest.OK(t, err)
		_, err = s.DocumentChunks(t.Context(), c.Document.ID, -1, 0)
		storetest.OK(t, err)
		store(t, s, put("/c", "c", 1))
	}
}

func corpusCanceled(t *testing.T, db Database) {
	s := db.Open(t)
	store(t, s, put("/a", "a", 1))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n := 0
	for _, err := range s.Changes(ctx, 0, "e1") {
		n++
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	}
	storetest.Want(t, "yielded", n, 1)
	if _, err := s.PutDocuments(ctx, []intake.Put{put("/b", "b", 1)}); !errors.Is(err, context.Canceled) {
		t.Errorf("put: %v", err)
	}
	store(t, s, put("/c", "c", 1))
	storetest.Want(t, "documents", db.Count(t, "document"), 2)
}

// await waits for one value.
func await(t *testing.T, changed <-chan struct{}, what string) {
	t.Helper()
	select {
	case _, open := <-changed:
		if !open {
			t.Fatalf("%s: the channel is closed", what)
		}
	case <-time.After(storetest.Patience):
		t.Fatalf("%s: nothing came", what)
	}
}

func corpusWatch(t *testing.T, db Database) {
	a, b := db.Open(t), db.Open(t)
	store(t, a, put("/before", "x", 1))
	changed, err := b.Watch(t.Context())
	storetest.OK(t, err)
	ids := store(t, a, put("/a", "a", 1))
	await(t, changed, "another process' document")
	storetest.Want(t, "revision", revision(t, b), 2)
	chunks, err := a.DocumentChunks(t.Context(), ids[0], -1, 0)
	storetest.OK(t, err)
	storetest.OK(t, a.PutEmbeddings(t.Context(), "e2", []intake.Embedding{{ChunkID: chunks[0].ID, Vector: []float32{1}}}))
	await(t, changed, "another process' vectors")
	_, err = a.RemoveDocuments(t.Context(), ids)
	storetest.OK(t, err)
	await(t, changed, "another process' removal")
	for i := range 5 { // nobody listens meanwhile
		store(t, a, put("/a", fmt.Sprint(i), 1))
	}
	await(t, changed, "several changes")
	store(t, b, put("/own", "own", 1))
	await(t, changed, "its own change")
}

func corpusWatchEnd(t *testing.T, db Database) {
	s := db.Open(t)
	ctx, cancel := context.WithCancel(t.Context())
	first, err := s.Watch(ctx)
	storetest.OK(t, err)
	second, err := s.Watch(t.Context())
	storetest.OK(t, err)
	cancel()
	for range first { // until it is closed
	}
	store(t, s, put("/a", "a", 1))
	await(t, second, "the other watch goes on")
}

func corpusSnapshotNames(t *testing.T, db Database) {
	a, b := db.Open(t), db.Open(t)
	storetest.OK(t, a.PutSnapshot(t.Context(), "first"))
	known := func(name string) bool {
		t.Helper()
		known, err := b.HasSnapshot(t.Context(), name)
		storetest.OK(t, err)
		return known
	}
	if !known("first") || known("second") {
		t.Error("the first name is unknown, or the second one is known already")
	}
	for i := range 400 {
		storetest.OK(t, a.PutSnapshot(t.Context(), fmt.Sprint(i)))
	}
	if known("first") || !known("300") {
		t.Error("the names are all kept, or too few are")
	}
	if n := db.Count(t, "snapshot"); n > 300 {
		t.Errorf("%d names are kept", n)
	}
}
