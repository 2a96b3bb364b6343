package ingesttest

import (
	"math"
	"testing"
	"time"

	"docent/internal/fault"
	"docent/internal/storetest"
	"docent/rag/corpus"
)

var encodingTests = map[string]func(*testing.T, Database){
	"RoundTrip": encodingRoundTrip,
	"Order":     encodingOrder,
	"Lease":     encodingLease,
}

// everyLanguage selects all documents.
var everyLanguage = corpus.Languages{Except: true}

// encoded returns the vectors of a model after a revision.
func encoded(t *testing.T, s Store, model string, since int64) []corpus.Encoding {
	t.Helper()
	var out []corpus.Encoding
	for e, err := range s.Encoded(t.Context(), model, since) {
		storetest.OK(t, err)
		out = append(out, e)
	}
	return out
}

// counts returns the numbers of CountEncodings.
func counts(t *testing.T, s Store, model string, languages corpus.Languages) []int {
	t.Helper()
	done, total, err := s.CountEncodings(t.Context(), model, languages)
	storetest.OK(t, err)
	return []int{done, total}
}

func encodingRoundTrip(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	ids := store(t, s, put("/a", "a", 2), put("/b", "b", 1))
	a, err := s.DocumentChunks(ctx, ids[0], -1, 0)
	storetest.OK(t, err)
	b, err := s.DocumentChunks(ctx, ids[1], -1, 0)
	storetest.OK(t, err)
	before := revision(t, s)

	storetest.OK(t, s.PutEncodings(ctx, "m", nil))
	storetest.OK(t, s.PutEncodings(ctx, "m", []corpus.Encoding{
		{ChunkID: a[1].ID, Vector: []float32{.6, -.8}},
		{ChunkID: b[0].ID, Vector: []float32{0, 0}},
		{ChunkID: b[0].ID + 100, Vector: []float32{1, 0}}, // deleted meanwhile
	}))
	storetest.OK(t, s.PutEncodings(ctx, "other", []corpus.Encoding{{ChunkID: a[0].ID, Vector: []float32{1}}}))
	storetest.OK(t, s.PutEncodings(ctx, "m", []corpus.Encoding{
		{ChunkID: a[0].ID, Vector: []float32{1, 0}},
		{ChunkID: a[1].ID, Vector: []float32{0, 1}}, // it has one
	}))

	all := encoded(t, s, "m", 0)
	storetest.Want(t, "vectors", len(all), 3)
	byID := map[int64][]float32{}
	for _, e := range all {
		byID[e.ChunkID] = e.Vector
	}
	for id, vector := range map[int64][]float32{a[0].ID: {1, 0}, a[1].ID: {.6, -.8}, b[0].ID: {0, 0}} {
		for i, f := range byID[id] {
			if len(byID[id]) != 2 || math.Abs(float64(f-vector[i])) > .01 {
				t.Errorf("vector of chunk %d: %v, want about %v", id, byID[id], vector)
			}
		}
	}
	read, err := s.ReadEncodings(ctx, "m", []int64{b[0].ID, b[0].ID + 100, a[1].ID, a[1].ID})
	storetest.OK(t, err)
	storetest.Want(t, "vectors by id", read, [][]float32{byID[b[0].ID], nil, byID[a[1].ID], byID[a[1].ID]})
	read, err = s.ReadEncodings(ctx, "m", nil)
	storetest.OK(t, err)
	storetest.Want(t, "no ids", len(read), 0)
	later := encoded(t, s, "m", all[0].Revision)
	storetest.Want(t, "after the first write", []int64{int64(len(later)), later[0].ChunkID}, []int64{1, a[0].ID})
	storetest.Want(t, "after the last write", len(encoded(t, s, "m", later[0].Revision)), 0)
	storetest.Want(t, "revision of the corpus", revision(t, s), before)
	storetest.Want(t, "counts", counts(t, s, "m", everyLanguage), []int{3, 3})
	storetest.Want(t, "counts of the other", counts(t, s, "other", everyLanguage), []int{1, 3})

	_, err = s.RemoveDocuments(ctx, ids[:1])
	storetest.OK(t, err)
	store(t, s, put("/b", "new", 1))
	storetest.Want(t, "vectors of deleted chunks", []int{len(encoded(t, s, "m", 0)), db.Count(t, "encoding")}, []int{0, 0})
	storetest.WantKind(t, "vectors of two lengths", s.PutEncodings(ctx, "m", []corpus.Encoding{
		{ChunkID: 1, Vector: []float32{1}}, {ChunkID: 2, Vector: []float32{1, 2}},
	}), fault.Invalid)
}

func encodingOrder(t *testing.T, db Database) {
	s, ctx := db.Open(t), t.Context()
	german, unknown := put("/de", "d", 2), put("/x", "x", 1)
	german.Document.Language, unknown.Document.Language = "de", ""
	english := put("/en", "e", 2)
	english.Document.Language = "en"
	ids := store(t, s, english, german, unknown)
	found := func(q corpus.EncodingQuery) []string {
		t.Helper()
		q.Model = "m"
		passages, err := s.Unencoded(ctx, q)
		storetest.OK(t, err)
		out := []string{}
		for _, p := range passages {
			out = append(out, p.Text)
		}
		return out
	}
	only := corpus.Languages{Listed: []string{"en", ""}}
	storetest.Want(t, "newest first", found(corpus.EncodingQuery{Languages: everyLanguage, Limit: 4}),
		[]string{"/x x 0", "/de d 0", "/de d 1", "/en e 0"})
	storetest.Want(t, "listed languages", found(corpus.EncodingQuery{Languages: only, Limit: 9}), []string{"/x x 0", "/en e 0", "/en e 1"})
	storetest.Want(t, "other languages", found(corpus.EncodingQuery{Languages: corpus.Languages{Listed: only.Listed, Except: true}, Limit: 9}),
		[]string{"/de d 0", "/de d 1"})
	storetest.Want(t, "no language", found(corpus.EncodingQuery{Limit: 9}), []string{})
	storetest.Want(t, "one document",
		found(corpus.EncodingQuery{Languages: everyLanguage, Documents: ids[1:2], Limit: 1}), []string{"/de d 0"})
	d, err := s.Document(ctx, ids[1])
	storetest.OK(t, err)
	storetest.Want(t, "up to a version", found(corpus.EncodingQuery{Languages: everyLanguage, Until: d.Revision, Limit: 9}),
		[]string{"/de d 0", "/de d 1", "/en e 0", "/en e 1"})
	storetest.Want(t, "counts of listed languages", counts(t, s, "m", only), []int{0, 3})

	chunks, err := s.DocumentChunks(ctx, ids[0], -1, 0)
	storetest.OK(t, err)
	storetest.OK(t, s.PutEncodings(ctx, "m", []corpus.Encoding{{ChunkID: chunks[0].ID, Vector: []float32{1}}}))
	storetest.Want(t, "without encoded chunks", found(corpus.EncodingQuery{Languages: only, Limit: 9}), []string{"/x x 0", "/en e 1"})
	storetest.Want(t, "counts", counts(t, s, "m", only), []int{1, 3})
}

func encodingLease(t *testing.T, db Database) {
	a, b, ctx := db.Open(t), db.Open(t), t.Context()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	lease := func(s Store, owner string, at, until time.Duration) bool {
		t.Helper()
		held, err := s.LeaseEncoder(ctx, "m", owner, now.Add(at), now.Add(until))
		storetest.OK(t, err)
		return held
	}
	storetest.Want(t, "the first", lease(a, "a", 0, time.Minute), true)
	storetest.Want(t, "another", lease(b, "b", time.Second, time.Minute), false)
	storetest.Want(t, "extended", lease(a, "a", time.Second, 2*time.Minute), true)
	storetest.Want(t, "another before the end", lease(b, "b", 90*time.Second, time.Hour), false)
	storetest.Want(t, "another after the end", lease(b, "b", 2*time.Minute, time.Hour), true)
	storetest.Want(t, "the first again", lease(a, "a", 3*time.Minute, time.Hour), false)
	storetest.Want(t, "given back", lease(b, "b", 3*time.Minute, 3*time.Minute), true)
	storetest.Want(t, "the first after that", lease(a, "a", 3*time.Minute, time.Hour), true)
}
