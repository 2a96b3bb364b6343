package syncer_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"iter"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"docent/rag/corpus"

	"go.uber.org/goleak"

	"docent/ingest"
	"docent/ingest/source"
	"docent/ingest/source/syncer"
	"docent/ingest/worker"
	"docent/internal/fault"
	"docent/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// place is a source in memory.
type place struct {
	mu       sync.Mutex
	items    map[string]string // content by key; content that begins with ! is an error
	address  func(key string) string
	emptyErr error     // of CheckEmpty
	since    time.Time // given to CheckEmpty
	listErr  error     // ends the listing
	opened   int
	onList   func(context.Context) // called for each item
	watching chan func()
	partial  bool
}

func newPlace(pairs ...string) *place {
	p := &place{items: map[string]string{}, address: func(key string) string { return "https://x/" + key }}
	for i := 0; i < len(pairs); i += 2 {
		p.items[pairs[i]] = pairs[i+1]
	}
	return p
}

func (p *place) set(key, content string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if content == "" {
		delete(p.items, key)
		return
	}
	p.items[key] = content
}

func (p *place) List(ctx context.Context, known source.Known) iter.Seq2[source.Item, error] {
	return func(yield func(source.Item, error) bool) {
		p.mu.Lock()
		items, fails := maps.Clone(p.items), p.listErr
		p.mu.Unlock()
		for _, key := range slices.Sorted(maps.Keys(items)) {
			if p.onList != nil {
				p.onList(ctx)
			}
			it := source.Item{Key: key, Name: key + ".md", Address: p.address(key), State: []byte(items[key])}
			if text, ok := strings.CutPrefix(items[key], "!!"); ok {
				it.Err = errors.New(text)
			}
			state, has := known(key)
			it.Unchanged = has && string(state) == items[key]
			if !yield(it, nil) {
				return
			}
		}
		if fails != nil {
			yield(source.Item{}, fails)
		}
	}
}

func (p *place) Open(_ context.Context, it source.Item) (io.ReadCloser, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opened++
	content := p.items[it.Key]
	if text, ok := strings.CutPrefix(content, "!"); ok {
		return nil, fault.New(fault.Unavailable, "test_sentence", "%s", text)
	}
	return io.NopCloser(strings.NewReader(content)), nil
}

func (p *place) CheckEmpty(since time.Time) error {
	p.since = since
	return p.emptyErr
}

func (p *place) Partial() bool { return p.partial }

func (p *place) Watch(ctx context.Context, changed func()) error {
	changed()
	select {
	case p.watching <- changed:
	case <-ctx.Done():
	}
	<-ctx.Done()
	return nil
}

// embedder makes vectors of the texts' hashes.
type embedder struct{}

func (embedder) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		h := fnv.New32()
		h.Write([]byte(text))
		out[i] = []float32{float32(h.Sum32()), 1}
	}
	return out, ctx.Err()
}

func (e embedder) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	v, err := e.EmbedDocuments(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return v[0], nil
}

func (embedder) Name() string    { return "test" }
func (embedder) Dimensions() int { return 2 }

// world is a manager on its own database, with places by location.
type world struct {
	*testing.T
	db       *sqlite.Store
	ingester *ingest.Ingester
	m        *syncer.Manager
	places   map[string]*place
	mu       sync.Mutex
	settings []source.Settings
	cfg      syncer.Config
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, places: map[string]*place{}}
	dir := t.TempDir()
	var err error
	if w.db, err = sqlite.Open(t.Context(), sqlite.Config{Path: filepath.Join(dir, "docent.db")}); err != nil {
		t.Fatal(err)
	}
	reader, err := worker.NewLocal(worker.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if w.ingester, err = ingest.New(ingest.Config{Store: w.db, Embedder: embedder{}, Reader: reader}); err != nil {
		t.Fatal(err)
	}
	vault, err := syncer.NewVault(filepath.Join(dir, "secret.key"), "")
	if err != nil {
		t.Fatal(err)
	}
	w.cfg = syncer.Config{
		Sources: w.db, Items: w.db, Leases: w.db, Ingester: w.ingester, Documents: w.db,
		Vault: vault, Poll: 5 * time.Millisecond, Lease: 2 * time.Second, ItemBytes: 1 << 20,
		Kinds: []source.Kind{{
			Name: "place", Watches: true, Options: []source.Option{{Name: "depth", Type: "number"}, {Name: "token", Secret: true}},
			Open: func(s source.Settings) (source.Source, error) {
				w.mu.Lock()
				w.settings = append(w.settings, s)
				p := w.places[s.Location]
				w.mu.Unlock()
				if p == nil {
					return nil, fault.New(fault.Invalid, "test_sentence", "there is no place %s", s.Location)
				}
				return p, nil
			},
		}, {
			Name: "disk", Local: true, Open: func(source.Settings) (source.Source, error) { return newPlace(), nil },
		}, {Name: "locked", Options: []source.Option{{Name: "key", Secret: true, Required: true}}}},
	}
	if w.m, err = syncer.NewManager(w.cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(w.ingester.Close(context.WithoutCancel(t.Context())), w.db.Close()); err != nil {
			t.Error(err)
		}
	})
	return w
}

// add adds a source that is only synced on request.
func (w *world) add(name string, p *place) int64 {
	w.Helper()
	w.mu.Lock()
	w.places[name] = p
	w.mu.Unlock()
	r, err := w.m.Add(w.Context(), source.New{Kind: "place", Location: name, Schedule: source.Manual})
	if err != nil {
		w.Fatal(err)
	}
	return r.ID
}

// sync syncs a source. It compares the summary with want, and also the error if
// one is expected.
func (w *world) sync(id int64, want string) {
	w.Helper()
	w.syncAs(id, false, want)
}

func (w *world) syncAs(id int64, retry bool, want string) {
	w.Helper()
	sum, err := w.m.Sync(w.Context(), id, retry, nil)
	got := fmt.Sprintf("+%d ~%d =%d -%d !%d", sum.Added, sum.Changed, sum.Unchanged, sum.Removed, sum.Failed)
	if err != nil {
		got += " " + fault.Message(err)
	}
	if got != want {
		w.Errorf("the sync of source %d: %s, want %s", id, got, want)
	}
}

// state is all documents and items, as text.
func (w *world) state() string {
	w.Helper()
	var lines []string
	docs, err := w.db.Documents(w.Context(), corpus.DocumentFilter{Limit: 1000})
	if err != nil {
		w.Fatal(err)
	}
	for _, d := range docs {
		lines = append(lines, fmt.Sprintf("%s %s %d %.8s", d.Source, d.Status, d.Chunks, d.SHA256))
	}
	all, err := w.db.ListSources(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	for _, r := range all {
		items, err := w.db.SourceItems(w.Context(), r.ID)
		if err != nil {
			w.Fatal(err)
		}
		for _, it := range items {
			lines = append(lines, fmt.Sprintf("%s/%s %s owned=%v %s", r.Name, it.Key, it.Status, it.Owned, it.State))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// documents are the sources of all documents.
func (w *world) documents() string {
	w.Helper()
	docs, err := w.db.Documents(w.Context(), corpus.DocumentFilter{Limit: 1000})
	if err != nil {
		w.Fatal(err)
	}
	var out []string
	for _, d := range docs {
		out = append(out, d.Source)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func (w *world) wantDocuments(want string) {
	w.Helper()
	if got := w.documents(); got != want {
		w.Errorf("the documents are %s, want %s", got, want)
	}
}

func TestSync(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := newPlace("a", "text a", "b", "text b", "c", "text c")
	id := w.add("p", p)
	w.sync(id, "+3 ~0 =0 -0 !0")
	w.sync(id, "+0 ~0 =3 -0 !0")
	if p.opened != 3 {
		t.Errorf("%d items were opened, want 3", p.opened)
	}
	p.set("a", "other text")
	p.set("b", "")
	p.set("d", "text d")
	w.sync(id, "+1 ~1 =1 -1 !0")
	w.wantDocuments("https://x/a https://x/c https://x/d")
	// An incomplete listing removes nothing, and its items are read.
	p.listErr = fault.New(fault.Unavailable, "test_sentence", "the server went away")
	p.set("c", "")
	p.set("e", "text e")
	w.sync(id, "+1 ~0 =2 -0 !0 the server went away")
	w.wantDocuments("https://x/a https://x/c https://x/d https://x/e")
	p.listErr = nil
	w.sync(id, "+0 ~0 =3 -1 !0")
	// A document that a user deleted is restored.
	docs, err := w.db.Documents(t.Context(), corpus.DocumentFilter{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.db.RemoveDocuments(t.Context(), []int64{docs[0].ID}); err != nil {
		t.Fatal(err)
	}
	w.sync(id, "+0 ~1 =2 -0 !0")
	w.wantDocuments("https://x/a https://x/d https://x/e")
}

func TestFailures(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := newPlace("a", "text a", "b", "text b", "c", "\x00\x01\x02\x03")
	id := w.add("p", p)
	w.sync(id, "+2 ~0 =0 -0 !1")
	// The old version stays while an item cannot be listed, opened, or read.
	before := w.documents()
	p.set("a", "!timeout")
	p.set("b", "!!server error")
	w.sync(id, "+0 ~0 =0 -0 !3")
	w.sync(id, "+0 ~0 =0 -0 !3")
	w.wantDocuments(before)
	failures, err := w.m.Failures(t.Context(), id, "", 10)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range failures {
		got = append(got, fmt.Sprintf("%s %s %s %d", f.Key, f.Status, f.Reason.Message, f.Tries))
	}
	want := []string{"a unreachable timeout 2", "b unreachable cannot be read: server error 2", "c failed binary: docent cannot read documents of type application/octet-stream 1"}
	if !slices.Equal(got, want) {
		t.Errorf("failures are %q", got)
	}
	opened := p.opened
	w.syncAs(id, true, "+0 ~0 =0 -0 !3")
	if p.opened != opened+2 { // a and c
		t.Errorf("a retry opened %d items", p.opened-opened)
	}
	r, err := w.m.Get(t.Context(), id)
	if err != nil || r.Items != 3 || r.Failed != 3 || r.Last.Failed != 3 || r.Last.Error != "" {
		t.Errorf("source is %+v, %v", r, err)
	}
	p.set("a", "text a")
	p.set("b", "text b")
	p.set("c", "text c")
	w.sync(id, "+0 ~1 =2 -0 !0")
}

func TestOwners(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, err := w.ingester.Read(t.Context(), "", "https://x/a", strings.NewReader("text of an upload")); err != nil {
		t.Fatal(err)
	}
	p, q := newPlace("a", "text a", "b", "text b", "c", "text c"), newPlace("b", "text b", "d", "text d", "c#1", "a part of c's page")
	one, two := w.add("p", p), w.add("q", q)
	w.sync(one, "+3 ~0 =0 -0 !0")
	w.sync(two, "+2 ~0 =1 -0 !0")
	all := "https://x/a https://x/b https://x/c https://x/c#1 https://x/d"
	w.wantDocuments(all)
	// a existed before, b belongs to another source too, and c#1 belongs only to
	// that source.
	for _, key := range []string{"a", "b", "c"} {
		p.set(key, "")
	}
	w.sync(one, "+0 ~0 =0 -3 !0")
	w.wantDocuments("https://x/a https://x/b https://x/c#1 https://x/d")
	if err := w.m.Remove(t.Context(), one, false); err != nil {
		t.Fatal(err)
	}
	q.set("d", "")
	w.sync(two, "+0 ~0 =2 -1 !0")
	w.wantDocuments("https://x/a https://x/b https://x/c#1")
	if err := w.m.Remove(t.Context(), two, false); err != nil {
		t.Fatal(err)
	}
	w.wantDocuments("https://x/a")
	three := w.add("r", newPlace("e", "text e"))
	w.sync(three, "+1 ~0 =0 -0 !0")
	if err := w.m.Remove(t.Context(), three, true); err != nil {
		t.Fatal(err)
	}
	w.wantDocuments("https://x/a https://x/e")
}

// TestNames has items whose addresses are missing, shared, or changing.
func TestNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := newPlace("a", "text a", "b", "text b", "c", "text c")
	address := map[string]string{"a": "https://x/same", "b": "https://x/same", "c": ""}
	p.address = func(key string) string { return address[key] }
	id := w.add("p", p)
	w.sync(id, "+3 ~0 =0 -0 !0")
	first := "https://x/same source:1/b source:1/c"
	w.wantDocuments(first)
	w.sync(id, "+0 ~0 =3 -0 !0")
	address["a"] = "https://x/new"
	p.set("a", "other text")
	w.sync(id, "+0 ~1 =2 -0 !0")
	w.wantDocuments("https://x/new source:1/b source:1/c")
	w.sync(id, "+0 ~0 =3 -0 !0")
	// One item replaces another under the same address.
	p.set("a", "")
	p.set("d", "other text")
	address["d"] = "https://x/new"
	w.sync(id, "+0 ~0 =3 -1 !0")
	w.wantDocuments("https://x/new source:1/b source:1/c")
	p.set("d", "")
	w.sync(id, "+0 ~0 =2 -1 !0")
	w.wantDocuments("source:1/b source:1/c")
}

// TestInterruptedSyncsConverge cancels syncs at random moments while the place
// changes. An undisturbed sync then gives the same result as a fresh one.
func TestInterruptedSyncsConverge(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		random := rand.New(rand.NewPCG(seed, 1))
		w, p := newWorld(t), newPlace()
		if _, err := w.ingester.Read(t.Context(), "", "https://x/7", strings.NewReader("text of an upload")); err != nil {
			t.Fatal(err)
		}
		id := w.add("p", p)
		for range 10 {
			for range 10 {
				key := fmt.Sprint(random.IntN(40))
				if random.IntN(3) == 0 {
					p.set(key, "")
				} else {
					p.set(key, fmt.Sprintf("text %d of %s", random.IntN(5), key))
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			left := random.IntN(40)
			p.onList = func(context.Context) {
				if left--; left == 0 {
					cancel()
				}
			}
			_, err := w.m.Sync(ctx, id, false, nil)
			if cancel(); err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		p.onList = nil
		p.set("7", "the last text of 7")
		if _, err := w.m.Sync(t.Context(), id, false, nil); err != nil {
			t.Fatal(err)
		}
		fresh := newWorld(t)
		if _, err := fresh.ingester.Read(t.Context(), "", "https://x/7", strings.NewReader("text of an upload")); err != nil {
			t.Fatal(err)
		}
		if _, err := fresh.m.Sync(t.Context(), fresh.add("p", p), false, nil); err != nil {
			t.Fatal(err)
		}
		if got, want := w.state(), fresh.state(); got != want {
			t.Errorf("seed %d: after interruptions:\n%s\nfresh:\n%s", seed, got, want)
		}
	}
}

// TestEmptyListing checks that nothing is removed while the source reports that
// it is unreachable.
func TestEmptyListing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := newPlace("a", "text a", "b", "text b")
	id := w.add("one", p)
	before := time.Now()
	w.sync(id, "+2 ~0 =0 -0 !0")
	p.set("a", "")
	p.set("b", "")
	p.emptyErr = fault.New(fault.Unavailable, "test_sentence", "it is not mounted")
	w.sync(id, "+0 ~0 =0 -0 !0 it is not mounted")
	if p.since.Before(before.Add(-time.Second)) || p.since.After(time.Now().Add(time.Second)) {
		t.Errorf("the items were read at %s, not about %s", p.since, before)
	}
	p.emptyErr = nil
	w.sync(id, "+0 ~0 =0 -2 !0")
}

// TestPartialListing checks that items that leave the listing of a feed stay.
func TestPartialListing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := newPlace("a", "text a", "b", "text b")
	p.partial = true
	id := w.add("one", p)
	w.sync(id, "+2 ~0 =0 -0 !0")
	p.set("a", "")
	p.address = func(key string) string { return "https://y/" + key }
	p.set("b", "other text")
	w.sync(id, "+0 ~1 =0 -0 !0") // it removes the document at the old address of b
	w.wantDocuments("https://x/a https://y/b")
	p.partial = false
	w.sync(id, "+0 ~0 =1 -1 !0")
}

// TestLargeStates checks that a source cannot store items without a limit in several
// syncs, and that its present items still sync.
func TestLargeStates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	large := strings.Repeat(" ", 300<<10)
	p := newPlace("a", "text a"+large, "b", "text b"+large)
	id := w.add("one", p)
	w.sync(id, "+2 ~0 =0 -0 !0")
	p.partial = true
	p.set("a", "")
	p.set("c", "text c"+large)
	w.sync(id, "+1 ~0 =1 -0 !0")
	p.set("d", "text d"+large)
	w.sync(id, "+0 ~0 =2 -0 !0 the items of this source need more than 1 MiB; select fewer of them, or remove the source and add it again")
	p.set("d", "")
	p.set("b", "changed")
	w.sync(id, "+0 ~1 =1 -0 !0")
	w.wantDocuments("https://x/a https://x/b https://x/c")
}

// TestSlowSource: a sync of a source that never ends has a maximum duration, and the source fails with a reason.
func TestSlowSource(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := newPlace("a", "text a")
	id := w.add("p", p)
	w.sync(id, "+1 ~0 =0 -0 !0")
	p.onList = func(ctx context.Context) { <-ctx.Done() }
	w.cfg.Longest = time.Millisecond
	m, err := syncer.NewManager(w.cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Sync(t.Context(), id, false, nil); fault.TextOf(err).ID != "source_slow" {
		t.Errorf("the sync ended with %v", err)
	}
	r, err := w.db.Source(t.Context(), id)
	if err != nil || r.Last == nil || !strings.Contains(r.Last.Error, "too long") || !r.BusyUntil.IsZero() || r.Begun != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	w.wantDocuments("https://x/a")
}
