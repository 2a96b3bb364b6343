package ingest_test

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"docent/ingest"
	"docent/ingest/extract"
	"docent/ingest/intake"
	"docent/ingest/worker"
)

// noting is a Reader that records the names of the files it reads.
type noting struct {
	ingest.Reader
	mu   sync.Mutex
	read []string
}

func (n *noting) Read(ctx context.Context, src intake.Source) (intake.Reading, error) {
	n.mu.Lock()
	n.read = append(n.read, filepath.Base(src.Name))
	n.mu.Unlock()
	return n.Reader.Read(ctx, src)
}

// names returns the names since the last call.
func (n *noting) names() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	slices.Sort(n.read)
	out := strings.Join(n.read, " ")
	n.read = nil
	return out
}

// After an improvement of a reader, only the documents of its format are read
// again, and the failed files of this format.
func TestVersionsOfFormats(t *testing.T) {
	t.Parallel()
	local, err := worker.NewLocal(worker.Config{})
	if err != nil {
		t.Fatal(err)
	}
	reader := &noting{Reader: local}
	f := newFixture(t, ingest.Config{Reader: reader})
	a := f.write("a.md", "# A\n\nText of a.")
	f.write("b.txt", "Text of b.")
	f.write("c.rtf", `{\rtf1 }`)
	f.write("d.bin", "\x00\x01\x02\x03 no document")
	f.run(ingest.Request{})
	if got := reader.names(); got != "a.md b.txt c.rtf d.bin" {
		t.Fatalf("read at first: %s", got)
	}
	if p := f.store.get(a).doc.Pipeline; p != fmt.Sprint(ingest.Pipeline, " text/markdown@", extract.Version("text/markdown")) {
		t.Errorf("the pipeline of a.md is %q", p)
	}
	versions := map[string]int{}
	f.in.SetVersions(func(media string) int { return cmp.Or(versions[media], extract.Version(media)) })
	for _, step := range []struct {
		media string
		read  string
	}{
		{"", ""}, {"text/markdown", "a.md"}, {"application/rtf", "c.rtf"}, {"text/plain", "b.txt"}, {"application/octet-stream", "d.bin"}, {"text/html", ""},
	} {
		versions[step.media]++
		if versions[step.media] == extract.Version(step.media) {
			versions[step.media]++
		}
		f.run(ingest.Request{})
		if got := reader.names(); got != step.read {
			t.Errorf("%s has a better reader: read are %q, want %q", step.media, got, step.read)
		}
		f.run(ingest.Request{})
		if got := reader.names(); got != "" {
			t.Errorf("%s: read again: %s", step.media, got)
		}
	}
	// Documents from older versions of the program do not store their format.
	f.store.get(a).doc.Pipeline = ingest.Pipeline
	f.run(ingest.Request{})
	if got := reader.names(); got != "a.md" {
		t.Errorf("without a format: read are %q", got)
	}
}
