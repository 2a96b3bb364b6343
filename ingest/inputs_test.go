package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync/atomic"
	"testing"

	"docent/ingest"
	"docent/ingest/intake"
	"docent/internal/fault"
)

// inputs yields inputs from source and content pairs; a content that begins
// with ! is an error.
func inputs(pairs ...string) func(context.Context) iter.Seq[ingest.Input] {
	return func(context.Context) iter.Seq[ingest.Input] {
		return func(yield func(ingest.Input) bool) {
			for i := 0; i+1 < len(pairs); i += 2 {
				content := pairs[i+1]
				ok := yield(ingest.Input{Source: pairs[i], Name: pairs[i], Open: func(context.Context) (io.ReadCloser, error) {
					switch {
					case content == "!panic":
						panic("a broken source")
					case strings.HasPrefix(content, "!"):
						return nil, fault.New(fault.Unavailable, "test_sentence", "%s", content[1:])
					}
					return io.NopCloser(strings.NewReader(content)), nil
				}})
				if !ok {
					return
				}
			}
		}
	}
}

// readAll reads inputs and returns their outcomes, one to a line.
func (f *fixture) readAll(retry bool, pairs ...string) string {
	f.Helper()
	b, err := f.in.Batch(f.Context(), "", retry)
	if err != nil {
		f.Fatal(err)
	}
	var out strings.Builder
	for o, err := range b.ReadAll(f.Context(), inputs(pairs...)) {
		if err != nil {
			f.Fatal(err)
		}
		fmt.Fprintln(&out, o)
	}
	return out.String()
}

// killed is a reader whose process is killed while it reads the first document.
type killed struct {
	ingest.Reader
	done atomic.Bool
}

// Read implements ingest.Reader.
func (k *killed) Read(ctx context.Context, src intake.Source) (intake.Reading, error) {
	if !k.done.Swap(true) {
		return intake.Reading{}, fault.New(fault.Invalid, "worker_killed", "killed")
	}
	return k.Reader.Read(ctx, src)
}

// TestReadAgain: the next run reads a document again if the system killed its reader.
func TestReadAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{Reader: &killed{Reader: newReader(t, nil)}})
	f.write("a.txt", "The pump is red.")
	for _, want := range []string{"failed a.txt: killed\n", "changed a.txt\n"} {
		f.expect(ingest.Request{}, want)
	}
}

func TestReadAll(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{MaxFileSize: 1 << 10})
	lines := `{"id":"1","text":"one"}` + "\n" + `{"id":"2","text":"two"}` + "\n"
	pairs := []string{
		"https://x/a", "# A\n\ntext of a", "https://x/b", "!the server does not answer", "s3://b/c.jsonl", lines, "https://x/p", "!panic",
		"https://x/d", strings.Repeat("d ", 1<<10), "https://x/e", "",
	}
	want := `https://x/a: 1 added, 0 changed, 0 unchanged, 0 removed, 0 failed
https://x/b: 0 added, 0 changed, 0 unchanged, 0 removed, 0 failed, unread (the server does not answer)
s3://b/c.jsonl: 2 added, 0 changed, 0 unchanged, 0 removed, 0 failed
https://x/p: 0 added, 0 changed, 0 unchanged, 0 removed, 0 failed, unread (docent failed to read it; the log has the details)
https://x/d: 0 added, 0 changed, 0 unchanged, 0 removed, 0 failed, unread (too large: more than 1.0 KiB)
https://x/e: 0 added, 0 changed, 0 unchanged, 0 removed, 0 failed
`
	if got := f.readAll(false, pairs...); got != want {
		t.Errorf("first:\n%s", got)
	}
	// An unreadable new version leaves the old version in place.
	pairs[1], pairs[5] = "", `{"id":"2","text":"two"}`+"\n"+`{"id":"3","text":"three"}`
	want = `https://x/a: 0 added, 0 changed, 0 unchanged, 0 removed, 1 failed (empty: it contains no text)
s3://b/c.jsonl: 1 added, 0 changed, 1 unchanged, 1 removed, 0 failed
`
	if got := f.readAll(false, pairs[0], pairs[1], pairs[4], pairs[5]); got != want {
		t.Errorf("second:\n%s", got)
	}
	b, err := f.in.Batch(t.Context(), "", false)
	if err != nil {
		t.Fatal(err)
	}
	if d := b.Documents("https://x/a"); len(d) != 1 || d[0].Status != "ready" || !b.Current("https://x/a") {
		t.Errorf("the old version is gone: %+v", d)
	}
	if d := b.Documents("s3://b/c.jsonl"); len(d) != 2 || !b.Current("s3://b/c.jsonl") || b.Current("https://x/b") {
		t.Errorf("parts are %+v", d)
	}
}

func TestReadAllStops(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{}.With(ingest.Limits{BatchDocuments: 2}))
	var pairs []string
	for i := range 300 {
		pairs = append(pairs, fmt.Sprintf("https://x/%d", i), fmt.Sprintf("text %d", i))
	}
	b, err := f.in.Batch(t.Context(), "", false)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for o, err := range b.ReadAll(t.Context(), inputs(pairs...)) {
		if err != nil || o.Source != pairs[2*n] {
			t.Fatalf("outcome %d is %v, %v", n, o, err)
		}
		if n++; n == 5 {
			break
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	b, err = f.in.Batch(ctx, "", false)
	if err != nil {
		t.Fatal(err)
	}
	var last error
	n = 0
	for _, err := range b.ReadAll(ctx, inputs(pairs...)) {
		if last = err; err != nil {
			break
		}
		if n++; n == 5 {
			cancel()
		}
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("a canceled run ends with %v", last)
	}
	cancel()
	ctx, cancel = context.WithCancel(t.Context())
	if b, err = f.in.Batch(ctx, "", false); err != nil {
		t.Fatal(err)
	}
	for range b.ReadAll(ctx, inputs(pairs...)) { // a shutdown, and the caller notices it in the middle
		cancel()
		break
	}
	cancel()
	if got := f.readAll(false, pairs...); strings.Count(got, "\n") != 300 {
		t.Errorf("a whole run gives:\n%s", got)
	}
}
