package ingest_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docent/rag/corpus"

	"docent/ingest"
	"docent/internal/fault"
)

func TestWhatCannotBeReadNowStays(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{MaxFileSize: 2000})
	large, gone, bad := f.write("large.txt", "short"), f.write("gone.txt", "here"), f.write("bad.txt", "good")
	f.run(ingest.Request{})
	f.write("large.txt", strings.Repeat("long ", 1000))
	f.write("bad.txt", "\x00\x01\x02\x03")
	if err := errors.Join(os.Remove(gone), os.Symlink("nowhere", gone)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		f.expect(ingest.Request{}, `failed bad.txt: binary: docent cannot read documents of type application/octet-stream
failed gone.txt: it is a link to a missing file
failed large.txt: too large: 4.9 KiB; the limit is 2.0 KiB
`)
		for p, status := range map[string]corpus.Status{large: corpus.Ready, gone: corpus.Ready, bad: corpus.Failed} {
			if s := f.store.get(p); s == nil || s.doc.Status != status || (len(s.chunks) > 0) != (status == corpus.Ready) {
				t.Errorf("%s is stored as %+v, want it %s", p, s, status)
			}
		}
	}
	f.write("large.txt", "short again")
	if got := f.run(ingest.Request{}); !strings.Contains(got, "changed large.txt\n") {
		t.Errorf("got %s", got)
	}
}

func TestUploadTooLargeKeepsTheLast(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{MaxFileSize: 100})
	if _, err := f.in.Read(t.Context(), "", "upload:a.txt", strings.NewReader("short")); err != nil {
		t.Fatal(err)
	}
	res, err := f.in.Read(t.Context(), "", "upload:a.txt", strings.NewReader(strings.Repeat("long ", 100)))
	if err != nil || len(res) != 1 || res[0].Status != ingest.Failed {
		t.Fatalf("%v %v", res, err)
	}
	if s := f.store.get("upload:a.txt"); s.doc.Status != corpus.Ready {
		t.Errorf("stored %+v", s.doc)
	}
}

func TestNamesThatAreNotUTF8(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	f.write("good.txt", "good")
	f.write("dir/good.txt", "good")
	for _, name := range []string{"lat\xe9x.txt", "lat\xe8x.txt", "dir\xff/a.txt"} {
		f.write(name, "text")
	}
	const bad = `failed dir\xff: its name is not valid UTF-8: rename it
%s dir/good.txt
%s good.txt
failed lat\xe8x.txt: its name is not valid UTF-8: rename it
failed lat\xe9x.txt: its name is not valid UTF-8: rename it
`
	for _, status := range []string{"added", "unchanged", "unchanged"} {
		got := strings.SplitAfter(f.run(ingest.Request{Prune: true}), "\n")
		want := strings.SplitAfter(strings.ReplaceAll(bad, "%s", status), "\n")
		if len(got) != len(want) {
			t.Errorf("got %q", got)
		}
		for _, line := range want {
			if !strings.Contains(strings.Join(got, ""), line) {
				t.Errorf("%q is not in %q", line, got)
			}
		}
		if len(f.store.docs) != 2 {
			t.Errorf("%d documents are stored", len(f.store.docs))
		}
	}
	if _, err := f.in.Read(t.Context(), "", "upload:\xff.txt", strings.NewReader("x")); fault.KindOf(err) != fault.Invalid {
		t.Errorf("got %v", err)
	}
}

func TestPruneWhatIsGoneItself(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	f.write("keep.txt", "k")
	f.write("dir/a.txt", "a")
	f.write("dir/sub/b.txt", "b")
	file, faq := f.write("file.txt", "f"), f.write("faq.jsonl", `{"id":"x","text":"one"}`)
	f.write("faq.jsonl#y", "a file of that name")
	f.run(ingest.Request{})
	if err := errors.Join(os.RemoveAll(filepath.Join(f.dir, "dir")), os.Remove(file), os.Remove(faq)); err != nil {
		t.Fatal(err)
	}
	f.expect(ingest.Request{Paths: []string{f.dir + "/dir"}}, "failed dir: there is no file or folder at this path\n")
	// Its folder does not exist either, so it may be unreachable.
	f.expect(ingest.Request{Paths: []string{f.dir + "/dir/sub"}, Prune: true}, "failed dir/sub: there is no file or folder at this path\n")
	f.expect(ingest.Request{Paths: []string{f.dir + "/dir", file, faq}, Prune: true}, "removed dir/a.txt\nremoved dir/sub/b.txt\nremoved faq.jsonl#x\nremoved file.txt\n")
	f.expect(ingest.Request{Paths: []string{f.dir + "/dir"}, Prune: true}, "failed dir: there is no file or folder at this path\n")
	f.expect(ingest.Request{Prune: true}, "unchanged faq.jsonl#y\nunchanged keep.txt\n")
}

func TestCollectionNames(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	f.write("a.txt", "a")
	for name, ok := range map[string]bool{
		"": true, "manuals": true, "Käse 2": true, strings.Repeat("x", 100): true,
		strings.Repeat("x", 101): false, " a": false, "a ": false, "a/b": false, "a\nb": false, "\x7f": false, "\xff": false,
	} {
		_, err := f.in.Read(t.Context(), name, "upload:a.txt", strings.NewReader("x"))
		if ok != (err == nil) || !ok && fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: %v", name, err)
		}
	}
}
