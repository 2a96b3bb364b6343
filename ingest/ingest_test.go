package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"docent/rag/corpus"

	"go.uber.org/goleak"

	"docent/ingest"
	"docent/ingest/worker"
	"docent/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// embedder makes vectors of the texts' hashes.
type embedder struct {
	name   string
	calls  atomic.Int64
	refuse func(text string) error
}

func (e *embedder) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	e.calls.Add(1)
	out := make([][]float32, len(texts))
	for i, text := range texts {
		if e.refuse != nil {
			if err := e.refuse(text); err != nil {
				return nil, err
			}
		}
		h := fnv.New32()
		h.Write([]byte(text))
		out[i] = []float32{float32(h.Sum32()), 1}
	}
	return out, ctx.Err()
}

func (e *embedder) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	v, err := e.EmbedDocuments(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return v[0], nil
}

func (e *embedder) Name() string    { return e.name }
func (e *embedder) Dimensions() int { return 2 }

// fixture is an ingester on a store in memory and a folder.
type fixture struct {
	*testing.T
	store *memory
	embed *embedder
	in    *ingest.Ingester
	dir   string
}

// newReader returns a reader in this process. The ingester closes it.
func newReader(t *testing.T, tokens func(string) int) ingest.Reader {
	t.Helper()
	reader, err := worker.NewLocal(worker.Config{Tokens: tokens})
	if err != nil {
		t.Fatal(err)
	}
	return reader
}

func newFixture(t *testing.T, cfg ingest.Config) *fixture {
	t.Helper()
	f := &fixture{T: t, store: newMemory(), embed: &embedder{name: "test"}, dir: t.TempDir()}
	cfg.Store, cfg.Embedder = f.store, f.embed
	if cfg.Reader == nil {
		cfg.Reader = newReader(t, nil)
	}
	in, err := ingest.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := in.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	f.in = in
	return f
}

// write writes a file below the folder and returns its path.
func (f *fixture) write(name, data string) string {
	f.Helper()
	p := filepath.Join(f.dir, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(data), 0o644); err != nil {
		f.Fatal(err)
	}
	return p
}

// run ingests and returns a line per result, with paths below the folder.
func (f *fixture) run(req ingest.Request) string {
	f.Helper()
	if req.Paths == nil {
		req.Paths = []string{f.dir}
	}
	var b strings.Builder
	for r, err := range f.in.Ingest(f.Context(), req) {
		if err != nil {
			f.Fatal(err)
		}
		f.line(&b, r)
	}
	return b.String()
}

func (f *fixture) line(b *strings.Builder, r ingest.Result) {
	fmt.Fprintf(b, "%s %s", r.Status, strings.TrimPrefix(r.Source, f.dir+"/"))
	if !r.Reason.IsZero() {
		fmt.Fprintf(b, ": %s", r.Reason.Message)
	}
	if (r.Status == ingest.Added || r.Status == ingest.Changed || r.Status == ingest.Unchanged) && (r.Chunks == 0 || r.DocumentID == 0) {
		fmt.Fprintf(b, " (chunks %d, id %d)", r.Chunks, r.DocumentID)
	}
	b.WriteByte('\n')
}

func (f *fixture) expect(req ingest.Request, want string) {
	f.Helper()
	if got := f.run(req); got != want {
		f.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestAddedUnchangedChangedRemoved(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	f.write("b.md", "# B\n\nText of b.")
	a := f.write("a/a.txt", "Text of a.")
	f.write("a/.hidden/x.txt", "hidden")
	f.write("CVS/x.txt", "hidden")
	f.expect(ingest.Request{}, "added a/a.txt\nadded b.md\n")
	calls, puts := f.embed.calls.Load(), f.store.puts
	f.expect(ingest.Request{}, "unchanged a/a.txt\nunchanged b.md\n")
	if f.embed.calls.Load() != calls || f.store.puts != puts {
		t.Error("an unchanged run embeds or stores")
	}
	f.write("a/a.txt", "Other text of a.")
	f.expect(ingest.Request{}, "changed a/a.txt\nunchanged b.md\n")
	if got := f.store.get(a).doc.Text; got != "Other text of a." {
		t.Errorf("stored text %q", got)
	}
	if err := os.Remove(a); err != nil {
		t.Fatal(err)
	}
	f.expect(ingest.Request{}, "unchanged b.md\n")
	f.expect(ingest.Request{Prune: true}, "unchanged b.md\nremoved a/a.txt\n")
	if f.store.get(a) != nil {
		t.Error("a pruned document is still stored")
	}
}

func TestStored(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{Reader: newReader(t, func(string) int { return 7 })})
	p := f.write("b.md", "# Pumps\n\nThe pump in the cellar must never run dry, because its seal would burn.\n\n## Oil\n\nIt takes oil of grade 46.\n")
	f.run(ingest.Request{Collection: "manuals"})
	s := f.store.docs[key("manuals", p)]
	if s == nil {
		t.Fatal("nothing is stored")
	}
	d := s.doc
	if d.Title != "Pumps" || d.MediaType != "text/markdown" || d.Language != "en" || d.Status != corpus.Ready || !strings.HasPrefix(d.Pipeline, ingest.Pipeline+" text/markdown@") ||
		len(d.SHA256) != 64 || d.Size != int64(len(s.source)) || d.Modified.IsZero() || d.Chunks != len(s.chunks) {
		t.Errorf("document %+v", d)
	}
	if len(s.chunks) == 0 || len(s.vectors["test"]) != len(s.chunks) {
		t.Fatalf("%d chunks, %d vectors", len(s.chunks), len(s.vectors["test"]))
	}
	for _, c := range s.chunks {
		if c.Text != d.Text[c.Start:c.End] || c.Tokens != 7 {
			t.Errorf("chunk %+v", c)
		}
	}
}

func TestPruneKeepsOthers(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	f.write("one/a.txt", "a")
	f.write("one-more/b.txt", "b")
	f.write("two/c.txt", "c")
	f.run(ingest.Request{})
	f.run(ingest.Request{Collection: "other"})
	for _, p := range []string{"one/a.txt", "one-more/b.txt", "two/c.txt"} {
		if err := os.Remove(filepath.Join(f.dir, p)); err != nil {
			t.Fatal(err)
		}
	}
	f.expect(ingest.Request{Paths: []string{f.dir + "/one"}, Prune: true}, "removed one/a.txt\n")
	if got := len(f.store.docs); got != 5 {
		t.Errorf("%d documents are left, want 5", got)
	}
	// A folder that never existed has nothing to prune.
	f.expect(ingest.Request{Paths: []string{f.dir + "/gone"}, Prune: true}, "failed gone: there is no file or folder at this path\n")
	if err := os.RemoveAll(filepath.Join(f.dir, "two")); err != nil {
		t.Fatal(err)
	}
	f.expect(ingest.Request{Paths: []string{f.dir + "/two"}, Prune: true}, "removed two/c.txt\n")
	if got := len(f.store.docs); got != 4 {
		t.Errorf("%d documents are left, want 4", got)
	}
}

func TestFailuresAreRemembered(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{MaxFileSize: 1000})
	f.write("binary", "\x00\x01\x02\x03")
	f.write("empty.txt", "")
	f.write("good.txt", "text")
	f.write("huge.txt", strings.Repeat("x ", 1000))
	odd := make([]byte, 600) // of no character set
	for i, x := 0, uint32(1); i < len(odd); i++ {
		x = x*1664525 + 1013904223
		odd[i] = 0x80 | byte(x>>24)
	}
	f.write("odd.txt", string(odd))
	const want = `skipped binary: not a document that docent knows: it is binary, of type application/octet-stream
skipped empty.txt: empty: it contains no text
`
	const rest = `failed huge.txt: too large: 2.0 KiB; the limit is 1000 bytes
failed odd.txt: undecodable: docent does not recognize the character set; save the document as UTF-8 and add it again
`
	f.expect(ingest.Request{}, want+"added good.txt\n"+rest)
	puts := f.store.puts
	f.expect(ingest.Request{}, want+"unchanged good.txt\n"+rest)
	if f.store.puts != puts {
		t.Error("known failures are stored again")
	}
	if s := f.store.get(filepath.Join(f.dir, "empty.txt")); s == nil || s.doc.Status != corpus.Skipped || s.doc.Error.IsZero() || len(s.chunks) != 0 {
		t.Errorf("the failure is stored as %+v", s)
	}
	f.write("empty.txt", "no longer")
	f.write("good.txt", "\x00\x01\x02\x03")
	got := f.run(ingest.Request{})
	if !strings.Contains(got, "changed empty.txt\n") || !strings.Contains(got, "failed good.txt: binary") {
		t.Errorf("got %s", got)
	}
	if s := f.store.get(filepath.Join(f.dir, "good.txt")); len(s.chunks) != 0 {
		t.Error("a file that cannot be read any more is still searchable")
	}
}

func TestRetryReadsFailuresAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	p := f.write("a.txt", "text")
	f.run(ingest.Request{})
	s := f.store.get(p)
	s.doc.Status, s.doc.Error, s.chunks, s.vectors = corpus.Failed, fault.Plain("a fault of an earlier day"), nil, nil
	f.expect(ingest.Request{}, "failed a.txt: a fault of an earlier day\n")
	f.expect(ingest.Request{Retry: true}, "changed a.txt\n")
}

func TestLinks(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	f.write("docs/a.txt", "a")
	f.write("docs/sub/b.txt", "b")
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.MkdirAll(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "c.txt"), []byte("c"), 0o644); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{
		"docs/link.txt": "a.txt", "docs/sub/loop": "..", "docs/self": "self", "docs/nowhere": "gone", "docs/again": "sub", "docs/outside": outside, "docs/outside2": outside,
	} {
		if err := os.Symlink(to, filepath.Join(f.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(outside, "c.txt"), filepath.Join(f.dir, "docs/stolen.txt")); err != nil {
		t.Fatal(err)
	}
	paths := []string{f.dir + "/docs", f.dir + "/docs/", f.dir + "/docs/sub", f.dir + "/docs/a.txt"}
	const bad = `skipped docs/self: symlink loop: the link leads to itself
`
	f.expect(ingest.Request{Paths: paths, Links: ingest.Links{Follow: true}}, `added docs/a.txt
added docs/link.txt
skipped docs/nowhere: it is a link to a missing file
added docs/outside/c.txt
`+bad+`added docs/stolen.txt
added docs/sub/b.txt
skipped docs/sub/loop: symlink loop: the link leads to a folder that contains it
`)
	// Without Follow, documents from outside are removed again.
	const skipped = "skipped: the link leads out of the given folders; add --follow to read it\n"
	f.expect(ingest.Request{Paths: paths, Prune: true}, `unchanged docs/a.txt
unchanged docs/link.txt
skipped docs/nowhere: it is a link to a missing file
skipped docs/outside: `+skipped+`skipped docs/outside2: `+skipped+bad+`failed docs/stolen.txt: `+skipped+`unchanged docs/sub/b.txt
skipped docs/sub/loop: symlink loop: the link leads to a folder that contains it
removed docs/outside/c.txt
`)
	// A path that is part of a larger request may not leave the larger one.
	f.expect(ingest.Request{Paths: []string{f.dir + "/docs/stolen.txt", f.dir + "/docs/link.txt"}, Links: ingest.Links{Within: []string{f.dir + "/docs"}}},
		"unchanged docs/link.txt\nfailed docs/stolen.txt: "+skipped)
}

func TestPermissionDenied(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 { // this user may read everything
		runAsNobody(t)
		return
	}
	f := newFixture(t, ingest.Config{})
	f.write("a.txt", "a")
	f.write("shut/b.txt", "b")
	f.write("faq.jsonl", `{"id":"x","text":"one"}`)
	f.run(ingest.Request{})
	f.write("new.txt", "n")
	if err := errors.Join(os.Chmod(filepath.Join(f.dir, "a.txt"), 0), os.Chmod(filepath.Join(f.dir, "new.txt"), 0), os.Chmod(filepath.Join(f.dir, "faq.jsonl"), 0), os.Chmod(filepath.Join(f.dir, "shut"), 0)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(f.dir, "shut"), 0o755) })
	want := "failed a.txt: permission denied\nfailed faq.jsonl: permission denied\nfailed new.txt: permission denied\nfailed shut: permission denied\n"
	for range 2 {
		f.expect(ingest.Request{Prune: true}, want)
	}
	for name, status := range map[string]corpus.Status{"a.txt": corpus.Ready, "faq.jsonl#x": corpus.Ready, "new.txt": corpus.Failed} {
		if s := f.store.get(filepath.Join(f.dir, name)); s == nil || s.doc.Status != status {
			t.Errorf("%s is stored as %+v, want it %s", name, s, status)
		}
	}
	if f.store.get(filepath.Join(f.dir, "shut/b.txt")) == nil {
		t.Error("a document in a folder that cannot be read was pruned")
	}
}

func TestVanished(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	p := f.write("a.txt", "a")
	f.write("b.txt", "b")
	f.store.asked = func() { os.Remove(p) }
	f.expect(ingest.Request{}, "failed a.txt: vanished: it was deleted while docent read the folder\nadded b.txt\n")
}

func TestIgnoreFile(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	f.write(".docentignore", "# comment\n*.log\n!keep.log\n/build/\ndocs/**/draft-*\n")
	f.write("sub/.docentignore", "secret.txt\n")
	for _, name := range []string{"a.txt", "a.log", "keep.log", "build/x.txt", "sub/build/y.txt", "docs/x/draft-1.txt", "docs/draft-2.txt", "docs/x/final.txt", "sub/secret.txt", "secret.txt"} {
		f.write(name, name)
	}
	f.expect(ingest.Request{}, "added a.txt\nadded docs/x/final.txt\nadded keep.log\nadded secret.txt\nadded sub/build/y.txt\n")
	f.expect(ingest.Request{Paths: []string{f.dir + "/a.log"}}, "added a.log\n")
}

func TestRequestsThatAreWrong(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	for _, p := range []string{"https://example.org/", ""} {
		for _, err := range f.in.Ingest(t.Context(), ingest.Request{Paths: []string{p}}) {
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("%q: %v", p, err)
			}
		}
	}
	if _, err := f.in.Read(t.Context(), "", "name", strings.NewReader("x")); fault.KindOf(err) != fault.Invalid {
		t.Errorf("got %v", err)
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	f.write("a.txt", "aaaa")
	f.write("b.jsonl", `{"text":"one"}`+"\n"+`{"text":"two"}`+"\n")
	var seen []ingest.Progress
	f.run(ingest.Request{Progress: func(p ingest.Progress) { seen = append(seen, p) }})
	first, last := seen[0], seen[len(seen)-1]
	if first != (ingest.Progress{TotalFiles: 2, TotalBytes: 34}) {
		t.Errorf("first %+v", first)
	}
	if last != (ingest.Progress{Files: 2, TotalFiles: 2, Bytes: 34, TotalBytes: 34, Chunks: 3}) {
		t.Errorf("last %+v", last)
	}
}

func TestReembed(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	for i := range 5 {
		f.write(fmt.Sprintf("%d.txt", i), fmt.Sprintf("text %d", i))
	}
	f.run(ingest.Request{})
	other := &embedder{name: "better"}
	in, err := ingest.New(ingest.Config{Store: f.store, Embedder: other, Reader: newReader(t, nil)})
	if err != nil {
		t.Fatal(err)
	}
	var dones []int
	reembed := ingest.Reembedding{Store: f.store, Leases: f.store, Embedder: other}
	reembed.Progress = func(done, total int) { dones = append(dones, done, total) }
	n, err := ingest.Reembed(t.Context(), reembed)
	if err != nil || n != 5 || !slices.Equal(dones, []int{5, 5}) {
		t.Errorf("%d %v %v", n, err, dones)
	}
	for r, err := range in.Ingest(t.Context(), ingest.Request{Paths: []string{f.dir}}) {
		if err != nil || r.Status != ingest.Unchanged {
			t.Errorf("%+v %v", r, err)
		}
	}
	reembed.Progress = nil
	if n, err := ingest.Reembed(t.Context(), reembed); n != 0 || err != nil {
		t.Errorf("again: %d %v", n, err)
	}
}
