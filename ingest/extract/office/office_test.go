package office_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"docent/ingest/extract/office"
	"docent/ingest/outline"
	"docent/internal/fault"
)

// pack makes a packed document of parts.
func pack(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	method := zip.Deflate
	if len(parts) > 100 { // packing takes time for each part
		method = zip.Store
	}
	return packWith(t, method, parts)
}

// packWith makes a packed document of parts by a method.
func packWith(t testing.TB, method uint16, parts map[string]string) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(f, parts[name])
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// file reads a test document.
func file(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// show writes a document's blocks one to a line: the kind, the level of a
// heading, the page, the text.
func show(doc *outline.Document) string {
	names := map[outline.Kind]string{outline.Paragraph: "p", outline.Heading: "h", outline.Item: "li", outline.Code: "code", outline.Header: "th", outline.Row: "tr"}
	var b strings.Builder
	for _, bl := range doc.Blocks {
		if bl.Kind == outline.Heading && bl.Start == bl.End {
			continue
		}
		b.WriteString(names[bl.Kind])
		if bl.Kind == outline.Heading {
			fmt.Fprint(&b, bl.Level)
		}
		if bl.Page >= 0 {
			fmt.Fprintf(&b, "@%d", bl.Page)
		}
		fmt.Fprintf(&b, " %s\n", strings.ReplaceAll(doc.Text[bl.Start:bl.End], "\n", "\\n"))
	}
	return b.String()
}

// verify fails if a document breaks a promise that every document makes.
func verify(t testing.TB, doc *outline.Document) {
	t.Helper()
	if !utf8.ValidString(doc.Text) || strings.ContainsRune(doc.Text, 0) || strings.ContainsRune(doc.Text, '\r') {
		t.Fatalf("the text is not clean: %.200q", doc.Text)
	}
	if !utf8.ValidString(doc.Title) || strings.ContainsAny(doc.Title, "\x00\n") {
		t.Fatalf("the title is not clean: %.200q", doc.Title)
	}
	end := 0
	for i, b := range doc.Blocks {
		if b.Start < end || b.End < b.Start || b.End > len(doc.Text) {
			t.Fatalf("block %d is [%d:%d] after %d in %d bytes", i, b.Start, b.End, end, len(doc.Text))
		}
		end = b.End
		if doc.PageLabels != nil && (b.Page < -1 || b.Page >= len(doc.PageLabels)) {
			t.Fatalf("block %d is on page %d of %d", i, b.Page, len(doc.PageLabels))
		}
	}
}

// check reads data and compares its blocks.
func check(t *testing.T, read office.Read, data []byte, title, want string) *outline.Document {
	t.Helper()
	doc, err := read(t.Context(), "a", data)
	if err != nil {
		t.Fatal(err)
	}
	verify(t, doc)
	if got := show(doc); got != want {
		t.Errorf("blocks:\n%s\nwant:\n%s", got, want)
	}
	if doc.Title != title {
		t.Errorf("title %q, want %q", doc.Title, title)
	}
	return doc
}

// refused fails unless err is the reason why a document cannot be read.
func refused(t *testing.T, err error, want string) {
	t.Helper()
	if fault.KindOf(err) != fault.Invalid || !strings.HasPrefix(fault.Message(err), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// canceled is a context that ended.
func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
