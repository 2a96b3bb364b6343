package ingesttest

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"docent/internal/storetest"
	"docent/rag/corpus"

	"docent/ingest/intake"
	"docent/internal/fault"
)

var ingestTests = map[string]func(*testing.T, Database){
	"Sources":    ingestSources,
	"Embeddings": ingestEmbeddings,
	"Invalid":    ingestInvalid,
	"AtOnce":     ingestAtOnce,
	"Nothing":    ingestNothing,
	"Reembed":    ingestReembed, "ReembedKilled": ingestReembedKilled, "Fence": ingestFence,
}

func ingestSources(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	failed, other, bare := put("/f", "f", 0), put("/o", "o", 1), put("/bare", "bare", 2)
	failed.Document.Status, failed.Document.Error = corpus.Failed, fault.NewText("test_reason", "why")
	other.Document.Collection = "other"
	bare.Vectors = nil
	ids := store(t, s, put("/a", "a", 3), failed, other, bare)
	chunks, err := s.DocumentChunks(ctx, ids[0], -1, 0)
	storetest.OK(t, err)
	storetest.OK(t, s.PutEmbeddings(ctx, "e2", []intake.Embedding{{ChunkID: chunks[1].ID, Vector: []float32{1}}}))

	state := func(id int64, source, word string, status corpus.Status, reason fault.Text, chunks, embedded int) intake.SourceState {
		return intake.SourceState{
			ID: id, Source: source, Title: "About " + source, SHA256: sum(word), Size: int64(len(word)), ModifiedUnixNano: 1700000000123456789,
			ETag: `"` + word + `"`, Status: status, Error: reason, Pipeline: "test/1", Chunks: chunks, Embedded: embedded,
		}
	}
	for embedder, n := range map[string]int{"e1": 3, "e2": 1, "e3": 0} {
		got, err := s.Sources(ctx, corpus.DefaultCollection, embedder, "")
		storetest.OK(t, err)
		storetest.Want(t, embedder, got, []intake.SourceState{
			state(ids[0], "/a", "a", corpus.Ready, fault.Text{}, 3, n),
			state(ids[3], "/bare", "bare", corpus.Ready, fault.Text{}, 2, 0),
			state(ids[1], "/f", "f", corpus.Failed, fault.NewText("test_reason", "why"), 0, 0),
		})
	}
	got, err := s.Sources(ctx, "nowhere", "e1", "")
	storetest.OK(t, err)
	storetest.Want(t, "an unknown collection", len(got), 0)

	store(t, s, put("/a#1", "a1", 1), put("/a#2", "a2", 1), put("/a!", "x", 1), put("/ab", "y", 1), put("/a$", "z", 1))
	got, err = s.Sources(ctx, corpus.DefaultCollection, "e1", "/a")
	storetest.OK(t, err)
	var names []string
	for _, state := range got {
		names = append(names, state.Source)
		storetest.Want(t, state.Source, state.Embedded, state.Chunks)
	}
	storetest.Want(t, "one source and its parts", names, []string{"/a", "/a#1", "/a#2"})
}

func ingestEmbeddings(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	ids := store(t, s, put("/a", "a", 3), put("/b", "b", 2))
	var all []corpus.Passage
	for after := int64(0); ; {
		page, err := s.Unembedded(ctx, "e2", after, 2)
		storetest.OK(t, err)
		if len(page) == 0 {
			break
		}
		if len(page) > 2 || page[0].ID <= after {
			t.Fatalf("page after %d: %+v", after, page)
		}
		all, after = append(all, page...), page[len(page)-1].ID
	}
	storetest.Want(t, "chunks without a vector", len(all), 5)
	storetest.Want(t, "document of the last",
		[]string{all[4].Document.Title, all[4].Document.Text, all[4].Text}, []string{"About /b", "", "/b b 1"})

	_, err := s.RemoveDocuments(ctx, ids[1:])
	storetest.OK(t, err)
	before := revision(t, s)
	storetest.OK(t, s.PutEmbeddings(ctx, "e2", []intake.Embedding{
		{ChunkID: all[4].ID, Vector: []float32{9, 9}}, // gone meanwhile
		{ChunkID: all[2].ID, Vector: []float32{0, 0}},
		{ChunkID: all[0].ID, Vector: []float32{1, 2}},
		{ChunkID: all[2].ID, Vector: []float32{3, 4}}, // the later counts
	}))
	got := changes(t, s, before, "e2")
	if len(got) != 1 || got[0].Revision != before+1 || got[0].Document.ID != ids[0] {
		t.Fatalf("changes: %+v", got)
	}
	storetest.Want(t, "vectors",
		got[0].Vectors, [][]float32{{1, 2}, nil, {3, 4}})
	storetest.Want(t, "those of the other embedder",
		changes(t, s, before, "e1")[0].Vectors, [][]float32{{0, 0.5, -1}, {1, 0.5, -1}, {2, 0.5, -1}})
	left, err := s.Unembedded(ctx, "e2", 0, 10)
	storetest.OK(t, err)
	storetest.Want(t, "left", len(left), 1)

	storetest.OK(t, s.PutEmbeddings(ctx, "e2", []intake.Embedding{{ChunkID: all[4].ID, Vector: []float32{1}}}))
	storetest.OK(t, s.PutEmbeddings(ctx, "e2", nil))
	storetest.Want(t, "revision when nothing was stored", revision(t, s), before+1)
	storetest.WantKind(t, "vectors of two lengths", s.PutEmbeddings(ctx, "e2", []intake.Embedding{
		{ChunkID: all[0].ID, Vector: []float32{1}}, {ChunkID: all[1].ID, Vector: []float32{1, 2}},
	}), fault.Invalid)
}

func ingestInvalid(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	for name, change := range map[string]func(*intake.Put){
		"no source":               func(p *intake.Put) { p.Document.Source = "" },
		"long source":             func(p *intake.Put) { p.Document.Source = strings.Repeat("x", 5000) },
		"no collection":           func(p *intake.Put) { p.Document.Collection = "" },
		"no status":               func(p *intake.Put) { p.Document.Status = "" },
		"failed with chunks":      func(p *intake.Put) { p.Document.Status = corpus.Failed },
		"a vector is missing":     func(p *intake.Put) { p.Vectors = p.Vectors[1:] },
		"vectors of two lengths":  func(p *intake.Put) { p.Vectors[1] = []float32{1} },
		"an empty vector":         func(p *intake.Put) { p.Vectors = [][]float32{{}, {}} },
		"vectors of no one's":     func(p *intake.Put) { p.Embedder = "" },
		"a name that is too long": func(p *intake.Put) { p.Document.Collection = strings.Repeat("x", 1000) },
	} {
		bad := put("/bad", "bad", 2)
		change(&bad)
		_, err := s.PutDocuments(ctx, []intake.Put{put("/good", "good", 1), bad})
		storetest.WantKind(t, name, err, fault.Invalid)
	}
	longest := put(strings.Repeat("ü", 1024), "long", 1)
	store(t, s, longest)
	storetest.Want(t, "only the valid one is stored", []int{db.Count(t, "document"), int(revision(t, s))}, []int{1, 1})
}

// ingestAtOnce replaces the same documents from several processes, each in a
// different order.
func ingestAtOnce(t *testing.T, db Database) {
	const processes, rounds, documents = 3, 8, 5
	ctx := storetest.Within(t)
	var running sync.WaitGroup
	for p := range processes {
		s := db.Open(t)
		running.Go(func() {
			for r := range rounds {
				var puts []intake.Put
				for d := range documents {
					n := (d*(p+1) + r) % documents
					doc := put(fmt.Sprintf("/d%d", n), fmt.Sprintf("p%dr%d", p, r), 1+p)
					doc.Original = fmt.Appendf(nil, "bytes %d", (p+r)%3)
					puts = append(puts, doc)
				}
				if _, err := s.PutDocuments(ctx, puts); err != nil {
					t.Errorf("process %d, round %d: %v", p, r, err)
				}
			}
		})
	}
	running.Wait()
	s := db.Open(t)
	storetest.Want(t, "revision", revision(t, s), processes*rounds*documents)
	all := changes(t, s, 0, "e1")
	storetest.Want(t, "documents", len(all), documents)
	for i, c := range all {
		if len(c.Chunks) != c.Document.Chunks || (i > 0 && c.Revision <= all[i-1].Revision) {
			t.Errorf("%s at %d has %d chunks of %d", c.Document.Source, c.Revision, len(c.Chunks), c.Document.Chunks)
		}
		original(t, s, c.Document.ID)
	}
	if n := db.Count(t, "blob"); n < 1 || n > 3 {
		t.Errorf("%d blobs", n)
	}
}

func ingestNothing(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	ids, err := s.PutDocuments(ctx, nil)
	storetest.OK(t, err)
	storetest.Want(t, "ids", len(ids), 0)
	storetest.Want(t, "revision", revision(t, s), 0)
	none, err := s.Unembedded(ctx, "e", 0, 0)
	storetest.OK(t, err)
	storetest.Want(t, "unembedded", len(none), 0)
}
