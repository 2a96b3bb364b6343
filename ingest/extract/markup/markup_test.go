package markup_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"docent/ingest/outline"
)

// update writes the golden files anew.
var update = flag.Bool("update", false, "write the golden files")

// read is a reader of this package.
type read func(ctx context.Context, name string, data []byte) (*outline.Document, error)

// show writes the title and the blocks of a document one to a line.
func show(doc *outline.Document) string {
	names := map[outline.Kind]string{outline.Paragraph: "p", outline.Heading: "h", outline.Item: "li", outline.Code: "code", outline.Header: "th", outline.Row: "tr"}
	var b strings.Builder
	fmt.Fprintf(&b, "title %s\n", doc.Title)
	for _, bl := range doc.Blocks {
		name := names[bl.Kind]
		if bl.Kind == outline.Heading {
			if bl.Start == bl.End && bl.Name == "" {
				continue
			}
			name = fmt.Sprintf("h%d", bl.Level)
		}
		if bl.Name != "" {
			name += " (" + bl.Name + ")"
		}
		fmt.Fprintf(&b, "%s %q\n", name, doc.Text[bl.Start:bl.End])
	}
	return b.String()
}

// verify fails if a document breaks the rules of outline.Document.
func verify(t testing.TB, doc *outline.Document) {
	t.Helper()
	if !utf8.ValidString(doc.Text) || strings.ContainsAny(doc.Text, "\x00\r") || !utf8.ValidString(doc.Title) || strings.ContainsAny(doc.Title, "\x00\n") {
		t.Fatalf("the text is not clean: %q, title %q", doc.Text, doc.Title)
	}
	end := 0
	for i, b := range doc.Blocks {
		if b.Start < end || b.End < b.Start || b.End > len(doc.Text) || !utf8.ValidString(doc.Text[b.Start:b.End]) {
			t.Fatalf("block %d is [%d:%d] after %d in %d bytes", i, b.Start, b.End, end, len(doc.Text))
		}
		end = b.End
	}
}

// golden compares the documents of files in testdata with their golden files.
func golden(t *testing.T, fn read, files ...string) {
	t.Helper()
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(filepath.Join("testdata", file))
			if err != nil {
				t.Fatal(err)
			}
			doc, err := fn(t.Context(), file, data)
			if err != nil {
				t.Fatal(err)
			}
			verify(t, doc)
			if *update {
				if err := os.WriteFile(filepath.Join("testdata", file+".golden"), []byte(show(doc)), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(filepath.Join("testdata", file+".golden"))
			if err != nil {
				t.Fatal(err)
			}
			if got := show(doc); got != string(want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// fuzz reads any data as one format.
func fuzz(f *testing.F, fn read, seeds ...string) {
	f.Helper()
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && !strings.HasSuffix(file, ".golden") {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 128<<10 {
			return
		}
		if doc, err := fn(t.Context(), "a", data); err == nil {
			verify(t, doc)
		}
	})
}

// canceled fails if a reader continues after its context ends.
func TestCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, fn := range readers {
		if _, err := fn(ctx, "a", []byte(strings.Repeat("text\n\n", 5000))); err == nil {
			t.Errorf("%s read on", name)
		}
	}
}

// TestHostile reads texts that take quadratic time in careless readers. A slow
// reader exceeds the time limit of the test run.
func TestHostile(t *testing.T) {
	t.Parallel()
	const n = 10_000
	for _, piece := range hostile {
		data := []byte(strings.Repeat(piece, n))
		for name, fn := range readers {
			t.Run(fmt.Sprintf("%s/%.12q", name, piece), func(t *testing.T) {
				t.Parallel()
				if doc, err := fn(t.Context(), "a", data); err == nil && len(doc.Text) > outline.MaxText {
					t.Errorf("%d bytes of text", len(doc.Text))
				}
			})
		}
	}
}
