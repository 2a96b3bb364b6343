package pgvector_test

import (
	"context"
	cryptorand "crypto/rand"
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.uber.org/goleak"

	"docent/embed"
	"docent/index/flat"
	"docent/index/pgvector"
	"docent/ingest/intake"
	"docent/internal/fault"
	"docent/internal/pgtest"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/retrieve/indextest"
	"docent/store/postgres"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main(m)) }

// model is the name of the embedder.
const model = "test-64"

func openStore(t *testing.T, database string) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), postgres.Config{URL: database})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// loadTokens loads the built-in vocabulary once.
var loadTokens = sync.OnceValues(embed.NewStatic)

func tokens(t *testing.T) *embed.Static {
	t.Helper()
	static, err := loadTokens()
	if err != nil {
		t.Fatal(err)
	}
	return static
}

func configOf(t *testing.T, s *postgres.Store) pgvector.Config {
	t.Helper()
	cfg := pgvector.Config{Corpus: s, Embedder: model, Dimensions: 64}
	cfg.Pool, cfg.Fail = s.Connections()
	return cfg
}

func open(t *testing.T, cfg pgvector.Config) *pgvector.Index {
	t.Helper()
	x, err := pgvector.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestNearest(t *testing.T) {
	t.Parallel()
	indextest.RunNearest(t, func(t *testing.T) (retrieve.Nearest, indextest.Writer) {
		x := open(t, configOf(t, openStore(t, pgtest.VectorURL(t))))
		return x, x
	})
}

// entries makes n entries with random vectors around a few centers. One in ten is
// in the collection "rare", and one in a thousand in "rarest".
func entries(n int) []retrieve.Entry {
	r := rand.New(rand.NewPCG(1, 2))
	centers := make([][]float32, 40)
	for i := range centers {
		centers[i] = random(r, nil)
	}
	out := make([]retrieve.Entry, n)
	for i := range out {
		out[i] = retrieve.Entry{ID: int64(i + 1), DocumentID: int64(i/10 + 1), Source: fmt.Sprint(i / 10), Ordinal: i % 10, Collection: "most"}
		switch {
		case i%1000 == 7:
			out[i].Collection = "rarest"
		case i%10 == 3:
			out[i].Collection = "rare"
		}
		out[i].Vector = random(r, centers[r.IntN(len(centers))])
	}
	return out
}

// random makes a vector of length 1 near a center.
func random(r *rand.Rand, center []float32) []float32 {
	v, sum := make([]float32, 64), 0.0
	for i := range v {
		v[i] = float32(r.NormFloat64())
		if center != nil {
			v[i] = v[i]*.1 + center[i]
		}
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return v
}

// TestHNSW compares searches of many vectors with an exact index, with the
// features of each version of pgvector, after additions and deletions.
func TestHNSW(t *testing.T) {
	t.Parallel()
	all := entries(6000)
	for _, version := range []string{"0.5.1", "0.7.0", "0.8.0"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			s := openStore(t, pgtest.VectorURL(t))
			cfg := configOf(t, s)
			cfg.Exact = 100
			x, e := open(t, cfg), openEncoder(t, s, cfg)
			for _, index := range []*pgvector.Index{x, e.Index()} {
				index.SetVersion(version)
			}
			for name, table := range map[string]hnsw{"embedder": x, "encoder": pgvector.Writer{Encoder: e}} {
				t.Run(name, func(t *testing.T) { testHNSW(t, cfg, version, table, all) })
			}
		})
	}
}

// hnsw is a table with an HNSW index.
type hnsw interface {
	retrieve.Nearest
	indextest.Writer
	BuildHNSW(ctx context.Context) error
	Approximate(ctx context.Context, vector []float32, k int, filter retrieve.Filter) ([]retrieve.Hit, error)
}

func testHNSW(t *testing.T, cfg pgvector.Config, version string, x hnsw, all []retrieve.Entry) {
	exact := flat.New(flat.Config{})
	both := func(f func(w indextest.Writer) error) {
		t.Helper()
		for _, w := range []indextest.Writer{x, exact} {
			if err := f(w); err != nil {
				t.Fatal(err)
			}
		}
	}
	both(func(w indextest.Writer) error { return w.Put(t.Context(), all[:4000]) })
	if err := x.BuildHNSW(t.Context()); err != nil {
		t.Fatal(err)
	}
	both(func(w indextest.Writer) error { return w.Put(t.Context(), all[4000:]) })
	var gone []int64
	for id := int64(1); id <= 6000; id += 3 {
		gone = append(gone, id)
	}
	both(func(w indextest.Writer) error { return w.Delete(t.Context(), gone) })
	compare(t, exact, x.Approximate)
	filters := [][]string{nil, {"rare"}, {"rarest"}, {"rare", "rarest"}, {"none"}}
	for _, collections := range filters {
		t.Run(fmt.Sprint(collections), func(t *testing.T) { compare(t, exact, x.Nearest, collections...) })
	}
	// PostgreSQL reads a small collection with its own index. Without it, the HNSW index has to find the collection.
	if _, err := cfg.Pool.Exec(t.Context(), `DROP INDEX IF EXISTS pgvector_entry_collection, pgvector_encoded_collection`); err != nil {
		t.Fatal(err)
	}
	hits, err := x.Approximate(t.Context(), all[1].Vector, 4, retrieve.Filter{Collections: []string{"rarest"}})
	if complete := len(hits) == 4; err != nil || complete != (version == "0.8.0") {
		t.Errorf("the HNSW index alone finds %d of 4 rare hits, %v", len(hits), err)
	}
	for _, collections := range filters {
		t.Run(fmt.Sprint(collections, " by HNSW"), func(t *testing.T) { compare(t, exact, x.Nearest, collections...) })
	}
}

// compare checks the recall of a search, the number of its hits, and their scores.
func compare(t *testing.T, exact retrieve.Nearest,
	find func(context.Context, []float32, int, retrieve.Filter) ([]retrieve.Hit, error), collections ...string,
) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	filter := retrieve.Filter{Collections: collections}
	common, total := 0, 0
	for range 40 {
		v := random(r, nil)
		want, err := exact.Nearest(t.Context(), v, 50, filter)
		if err != nil {
			t.Fatal(err)
		}
		got, err := find(t.Context(), v, 50, filter)
		if err != nil || len(got) != len(want) {
			t.Fatalf("%d hits, %v; want %d", len(got), err, len(want))
		}
		for i, h := range got {
			at := slices.IndexFunc(want, func(w retrieve.Hit) bool { return w.ID == h.ID })
			if at >= 0 {
				common++
			}
			if at >= 0 && math.Abs(want[at].Score-h.Score) > 1e-5 || i > 0 && h.Score > got[i-1].Score {
				t.Fatalf("hit %d has score %v after %v", h.ID, h.Score, got[max(i-1, 0)].Score)
			}
		}
		total += len(want)
	}
	if recall := float64(common) / float64(max(total, 1)); total > 0 && recall < .98 {
		t.Errorf("the recall of 50 hits is %.3f", recall)
	}
}

// document makes a document with chunks for texts. An empty text has no vector.
func document(source string, texts ...string) intake.Put {
	put := intake.Put{Embedder: model, Document: corpus.Document{
		Collection: corpus.DefaultCollection, Source: source, Title: source, Language: "en",
		MediaType: "text/plain", Pipeline: "test", Status: corpus.Ready,
	}}
	for i, text := range texts {
		put.Chunks = append(put.Chunks, corpus.Chunk{Ordinal: i, Kind: corpus.Prose, Text: text})
		put.Vectors = append(put.Vectors, indextest.Vector(text))
	}
	return put
}

func store(t *testing.T, s *postgres.Store, puts ...intake.Put) []int64 {
	t.Helper()
	ids, err := s.PutDocuments(t.Context(), puts)
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// found returns the texts that a search finds, after a refresh.
func found(t *testing.T, s *postgres.Store, x *pgvector.Index, query string) []string {
	t.Helper()
	if err := x.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	hits, err := x.Nearest(t.Context(), indextest.Vector(query), 100, retrieve.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]int64, len(hits))
	for i, h := range hits {
		ids[i] = h.ID
	}
	passages, err := s.Passages(t.Context(), ids)
	if err != nil || len(passages) != len(hits) {
		t.Fatalf("%d passages of %d hits, %v", len(passages), len(hits), err)
	}
	texts := make([]string, len(passages))
	for i, p := range passages {
		texts[i] = p.Text
	}
	return texts
}

func want(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// TestRefresh changes documents and checks that the index of another process has
// the changes, too.
func TestRefresh(t *testing.T) {
	t.Parallel()
	database := pgtest.VectorURL(t)
	s := openStore(t, database)
	ids := store(t, s, document("a", "lemon ginger", "pepper"), document("b", "lemon", "lemon mint sage"))
	x, y := open(t, configOf(t, s)), open(t, configOf(t, openStore(t, database)))
	want(t, found(t, s, x, "lemon")[:3], "lemon", "lemon ginger", "lemon mint sage")
	store(t, s, document("a", "basil"))
	want(t, found(t, s, x, "lemon"), "lemon", "lemon mint sage", "basil")
	if _, err := s.RemoveDocuments(t.Context(), ids[1:]); err != nil {
		t.Fatal(err)
	}
	want(t, found(t, s, x, "lemon"), "basil")
	hits, err := y.Nearest(t.Context(), indextest.Vector("basil"), 5, retrieve.Filter{})
	if err != nil || len(hits) != 1 {
		t.Errorf("another process finds %v, %v", hits, err)
	}
	// The database of a restored backup has another name and may have an earlier revision.
	pool, _ := s.Connections()
	if _, err := pool.Exec(t.Context(), `UPDATE pgvector_index SET database_id = 'another', revision = 1000`); err != nil {
		t.Fatal(err)
	}
	want(t, found(t, s, y, "basil"), "basil")
}

// TestManySteps refreshes more chunks than a transaction takes, with two processes
// at a time.
func TestManySteps(t *testing.T) {
	t.Parallel()
	database := pgtest.VectorURL(t)
	s := openStore(t, database)
	texts := make([]string, 500)
	for i := range texts {
		texts[i] = fmt.Sprint("lemon ", i)
	}
	puts := make([]intake.Put, 20)
	for i := range puts {
		puts[i] = document(fmt.Sprint(i), texts...)
	}
	store(t, s, puts...)
	errs := make(chan error, 2)
	for _, x := range []*pgvector.Index{open(t, configOf(t, s)), open(t, configOf(t, openStore(t, database)))} {
		go func() { errs <- x.Refresh(t.Context()) }()
	}
	for range 2 {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
	pool, _ := s.Connections()
	var counted, stored int
	if err := pool.QueryRow(t.Context(), `SELECT vectors, (SELECT count(*) FROM pgvector_entry) FROM pgvector_index`).
		Scan(&counted, &stored); err != nil || counted != 10_000 || stored != 10_000 {
		t.Errorf("%d entries counted and %d stored, %v; want 10,000", counted, stored, err)
	}
}

// TestFollow checks that a running index finds a new document.
func TestFollow(t *testing.T) {
	t.Parallel()
	s := openStore(t, pgtest.VectorURL(t))
	x := open(t, configOf(t, s))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- x.Follow(ctx) }()
	changed, err := s.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	// Each change wakes both. The index has the first change at the latest when it has the second.
	for n := 0; ; n++ {
		store(t, s, document(fmt.Sprint(n), "lemon"))
		<-changed
		hits, err := x.Nearest(t.Context(), indextest.Vector("lemon"), 5, retrieve.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		if len(hits) > 0 {
			break
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestOtherModel changes the embedder.
func TestOtherModel(t *testing.T) {
	t.Parallel()
	s := openStore(t, pgtest.VectorURL(t))
	store(t, s, document("a", "lemon"))
	cfg := configOf(t, s)
	old := open(t, cfg)
	want(t, found(t, s, old, "lemon"), "lemon")
	cfg.Embedder, cfg.Dimensions = "other", 3
	x := open(t, cfg)
	if err := x.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if hits, err := x.Nearest(t.Context(), []float32{1, 0, 0}, 5, retrieve.Filter{}); err != nil || len(hits) > 0 {
		t.Errorf("found %v without vectors, %v", hits, err)
	}
	wantFault(t, old.Refresh(t.Context()), "pgvector_other_model")
	_, err := old.Nearest(t.Context(), indextest.Vector("lemon"), 5, retrieve.Filter{})
	wantFault(t, err, "pgvector_other_model")
	want(t, found(t, s, open(t, configOf(t, s)), "lemon"), "lemon")
}

func wantFault(t *testing.T, err error, id string) {
	t.Helper()
	if got := fault.TextOf(err).ID; got != id {
		t.Errorf("the error is %q (%v), want %q", got, err, id)
	}
}

// TestRefused checks the errors for servers and users without the extension.
func TestRefused(t *testing.T) {
	t.Parallel()
	database := pgtest.VectorURL(t)
	s := openStore(t, database)
	pool, _ := s.Connections()
	_, err := pool.Exec(t.Context(), `CREATE EXTENSION not_on_this_server`)
	wantFault(t, pgvector.Refused(err), "config_pgvector_missing")
	role := "docent_test_" + strings.ToLower(cryptorand.Text()) // the roles of a server are shared
	if _, err := pool.Exec(t.Context(), `CREATE ROLE `+role); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := pool.Exec(context.WithoutCancel(t.Context()), `DROP ROLE `+role); err != nil {
			t.Error(err)
		}
	})
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	u.RawQuery += "&role=" + role
	plain, err := pgxpool.New(t.Context(), u.String())
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	cfg := configOf(t, s)
	for _, cfg.CheckOnly = range []bool{true, false} {
		cfg.Pool = plain
		_, err = pgvector.Open(t.Context(), cfg)
		wantFault(t, err, "config_pgvector_not_allowed")
	}
	cfg.Pool, cfg.CheckOnly = pool, true
	if _, err := pgvector.Open(t.Context(), cfg); err != nil {
		t.Error(err)
	}
	var made bool
	err = pool.QueryRow(t.Context(), `SELECT to_regclass('pgvector_index') IS NOT NULL OR EXISTS (SELECT FROM pg_extension
		WHERE extname = 'vector')`).Scan(&made)
	if err != nil || made {
		t.Errorf("a check has made the extension or a table: %v, %v", made, err)
	}
}

// TestEarlierVersion: the tables of a version before index/pgwords are used as they are,
// and such a version can still open those of this one.
func TestEarlierVersion(t *testing.T) {
	t.Parallel()
	s := openStore(t, pgtest.VectorURL(t))
	store(t, s, document("a", "lemon"))
	want(t, found(t, s, open(t, configOf(t, s)), "lemon"), "lemon")
	pool, _ := s.Connections()
	// The earlier version writes this at its start.
	if _, err := pool.Exec(t.Context(), `UPDATE pgvector_index SET format = '3 docent/static-v1', chunks = 1, tokens = 1`); err != nil {
		t.Fatal(err)
	}
	x := open(t, configOf(t, s))
	hits, err := x.Nearest(t.Context(), indextest.Vector("lemon"), 5, retrieve.Filter{})
	if err != nil || len(hits) != 1 {
		t.Errorf("found %v without a refresh, %v", hits, err)
	}
	store(t, s, document("b", "lemon mint"))
	want(t, found(t, s, x, "lemon"), "lemon", "lemon mint")
}
