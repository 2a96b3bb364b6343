package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"docent/embed"
	"docent/rag/corpus"

	"docent/ingest"
	"docent/internal/fault"
)

// many writes n files of several chunks each.
func (f *fixture) many(n int) {
	f.Helper()
	for i := range n {
		f.write(fmt.Sprintf("d%d/f%03d.md", i%7, i), fmt.Sprintf("# File %d\n\n%s\n\n## More\n\n%s", i, strings.Repeat(fmt.Sprintf("Sentence %d of it. ", i), 120), strings.Repeat("Other words follow. ", 90)))
	}
}

// state returns the stored documents and chunks without ids, one per line.
func (m *memory) state() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m.docs)) {
		s := m.docs[k]
		out = append(out, fmt.Sprintf("%s %s %s %s %s", k, s.doc.Status, s.doc.SHA256, s.doc.Title, s.doc.Error.Message))
		for i, c := range s.chunks {
			out = append(out, fmt.Sprintf("%d %v %d %d %q %v", c.Ordinal, c.Headings, c.Start, c.End, c.Text, s.vectors["test"][i]))
		}
	}
	return out
}

func TestInterruptedRunsConverge(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{}.With(ingest.Limits{BatchDocuments: 2}))
	f.many(60)
	f.write("records.jsonl", `{"id":1,"text":"one"}`+"\n"+`{"id":2,"text":"two"}`)
	f.write("broken.docx", "PK\x03\x04 nothing")
	clean := newFixture(t, ingest.Config{})
	for _, err := range clean.in.Ingest(t.Context(), ingest.Request{Paths: []string{f.dir}}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for after := range 12 {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		f.store.before = func() error {
			if n++; n > after {
				cancel()
			}
			return nil
		}
		var last error
		for _, err := range f.in.Ingest(ctx, ingest.Request{Paths: []string{f.dir}}) {
			if last != nil {
				t.Fatal("there is something behind the error")
			}
			last = err
		}
		cancel()
		if last != nil && !errors.Is(last, context.Canceled) {
			t.Fatal(last)
		}
	}
	f.store.before = nil
	f.run(ingest.Request{})
	if !slices.Equal(f.store.state(), clean.store.state()) {
		t.Error("interrupted runs end in another state than a clean one")
	}
	if got := f.run(ingest.Request{}); strings.Contains(got, "added") || strings.Contains(got, "changed ") && !strings.Contains(got, "unchanged ") {
		t.Errorf("a further run changes something: %s", got)
	}
}

func TestSettingsDoNotChangeWhatIsStored(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	f.many(40)
	f.run(ingest.Request{})
	for _, cfg := range []ingest.Config{
		ingest.Config{Workers: 1}.With(ingest.Limits{BatchDocuments: 1}),
		ingest.Config{Workers: 7}.With(ingest.Limits{InFlight: 8 << 10, BatchBytes: 1}),
		ingest.Config{}.With(ingest.Limits{BatchDocuments: 1000, BatchBytes: 1 << 30}),
	} {
		other := newFixture(t, cfg)
		var order []string
		for r, err := range other.in.Ingest(t.Context(), ingest.Request{Paths: []string{f.dir}}) {
			if err != nil {
				t.Fatal(err)
			}
			order = append(order, r.Source)
		}
		if !slices.IsSorted(order) {
			t.Errorf("%+v: results are out of order", cfg)
		}
		if !slices.Equal(f.store.state(), other.store.state()) {
			t.Errorf("%+v stores something else", cfg)
		}
	}
}

func TestCallerStops(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{}.With(ingest.Limits{BatchDocuments: 1}))
	f.many(30)
	n := 0
	for _, err := range f.in.Ingest(t.Context(), ingest.Request{Paths: []string{f.dir}}) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 3 {
			break
		}
	}
	if len(f.store.docs) < 3 {
		t.Error("what was yielded is not stored")
	}
	f.run(ingest.Request{})
	if len(f.store.docs) != 30 {
		t.Errorf("%d documents", len(f.store.docs))
	}
}

func TestStoreFails(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	f.many(5)
	broken := errors.New("disk full")
	f.store.before = func() error { return broken }
	var last error
	for r, err := range f.in.Ingest(t.Context(), ingest.Request{Paths: []string{f.dir}}) {
		if err == nil {
			t.Errorf("result %+v though nothing is stored", r)
		}
		last = err
	}
	if !errors.Is(last, broken) {
		t.Errorf("got %v", last)
	}
}

func TestEmbedderFails(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	f.write("a.txt", "good")
	f.write("b.txt", "poison")
	f.write("c.txt", "also good")
	down := fault.New(fault.Unavailable, "test_sentence", "the model does not answer")
	f.embed.refuse = func(string) error { return down }
	var last error
	for _, err := range f.in.Ingest(t.Context(), ingest.Request{Paths: []string{f.dir}}) {
		last = err
	}
	if !errors.Is(last, down) || len(f.store.docs) != 0 {
		t.Errorf("got %v, %d documents", last, len(f.store.docs))
	}
	f.embed.refuse = func(text string) error {
		if strings.Contains(text, "poison") {
			return fault.New(fault.Invalid, "test_sentence", "the text is too long")
		}
		return nil
	}
	f.expect(ingest.Request{}, "added a.txt\nfailed b.txt: the embedder refuses it: the text is too long\nadded c.txt\n")
	f.write("b.txt", "more poison")
	f.write("d.txt", "good, too")
	zeros := fault.Wrap(fault.Unavailable, &embed.UnusableError{Err: errors.New("zeros")}, "test_sentence", "the vectors of e do not tell texts apart")
	f.embed.refuse = func(text string) error {
		if strings.Contains(text, "poison") {
			return zeros
		}
		return nil
	}
	f.expect(ingest.Request{}, "unchanged a.txt\nfailed b.txt: the embedder refuses it: the vectors of e do not tell texts apart\nunchanged c.txt\nadded d.txt\n")
	f.write("d.txt", "better")
	f.embed.refuse = func(string) error { return zeros } // whatever the text
	for _, err := range f.in.Ingest(t.Context(), ingest.Request{Paths: []string{f.dir}}) {
		last = err
	}
	if s := f.store.get(filepath.Join(f.dir, "d.txt")); !errors.Is(last, zeros) || s.doc.Status == corpus.Failed {
		t.Errorf("without any vector: %v, stored %+v", last, s.doc)
	}
	if s := f.store.get(filepath.Join(f.dir, "b.txt")); s.doc.Status != corpus.Failed || len(s.chunks) != 0 {
		t.Errorf("stored %+v", s.doc)
	}
}

// TestIgnoreAsGit compares the ignored files with those that git ignores by the
// same patterns.
func TestIgnoreAsGit(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal("git is not installed: apt-get install git")
	}
	for i, patterns := range []string{
		"*.log\n!keep.log\n", "/a\n", "a/\n", "a/*\n!a/keep\n", "**/b\n", "a/**\n", "a/**/c\n", "d?r/\n[ab].txt\n", "x.txt \n\\#x\n\\!x\n", "!x.txt\n*\n!*/\n!*.md\n", "a/b\n", "[!a].txt\n", "*\n!/a\n/a/*\n!/a/b\n",
	} {
		f := newFixture(t, ingest.Config{})
		names := []string{"a/b", "a/keep", "a.txt", "b.txt", "c/a/x.txt", "c/b/x.md", "dir/x", "dor/d.log", "keep.log", "sub/a/b/c", "x.log", "x.txt", "#x", "!x", "c/a/c", "y.md"}
		for _, n := range names {
			if n == "a/b" && (i%2 == 1) {
				n = "a/b/c"
			}
			f.write(n, "text of "+n)
		}
		f.write(".docentignore", patterns)
		f.write(".gitignore", patterns)
		cmd := exec.CommandContext(t.Context(), git, "ls-files", "--others", "--exclude-standard", "-z")
		cmd.Dir = f.dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := exec.CommandContext(t.Context(), git, "init", "-q", f.dir).CombinedOutput(); err != nil {
			t.Fatal(err, string(out))
		}
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for n := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
			if n != "" && !strings.HasPrefix(n, ".") {
				want = append(want, n)
			}
		}
		slices.Sort(want)
		var got []string
		for r, err := range f.in.Ingest(t.Context(), ingest.Request{Paths: []string{f.dir}}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, strings.TrimPrefix(r.Source, f.dir+"/"))
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q:\ngot  %v\ngit: %v", patterns, got, want)
		}
	}
}
