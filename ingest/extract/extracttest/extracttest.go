// Package extracttest helps to test readers of documents. It compares the
// blocks of a document with the expected ones, builds packed documents, and
// runs fuzz tests.
package extracttest

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"docent/ingest/outline"
	"docent/internal/fault"
)

// Read is the reader of a format.
type Read = func(ctx context.Context, name string, data []byte) (*outline.Document, error)

// Pack returns a ZIP file with the given parts.
func Pack(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	method := zip.Deflate
	if len(parts) > 100 { // compressing many parts is slow
		method = zip.Store
	}
	return PackWith(t, method, parts)
}

// PackWith returns a ZIP file with the given parts and the given compression
// method.
func PackWith(t testing.TB, method uint16, parts map[string]string) []byte {
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

// File reads a test document.
func File(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Show lists the blocks of a document. Each line has the kind, the level of a
// heading, the page, and the text.
func Show(doc *outline.Document) string {
	names := map[outline.Kind]string{
		outline.Paragraph: "p", outline.Heading: "h", outline.Item: "li", outline.Code: "code",
		outline.Header: "th", outline.Row: "tr",
	}
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

// Verify fails the test if a document violates the rules of outline.Document.
func Verify(t testing.TB, doc *outline.Document) {
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

// Check reads data and compares the title and the blocks of the document with the
// expected ones, in the format of Show.
func Check(t *testing.T, read Read, data []byte, title, want string) *outline.Document {
	t.Helper()
	doc, err := read(t.Context(), "a", data)
	if err != nil {
		t.Fatal(err)
	}
	Verify(t, doc)
	if got := Show(doc); got != want {
		t.Errorf("blocks:\n%s\nwant:\n%s", got, want)
	}
	if doc.Title != title {
		t.Errorf("title %q, want %q", doc.Title, title)
	}
	return doc
}

// Refused fails the test unless err is a fault.Invalid whose message starts
// with want.
func Refused(t *testing.T, err error, want string) {
	t.Helper()
	if fault.KindOf(err) != fault.Invalid || !strings.HasPrefix(fault.Message(err), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Canceled returns a canceled context.
func Canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// Unpack returns the parts of a ZIP file.
func Unpack(t testing.TB, data []byte) map[string]string {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]string{}
	for _, f := range r.File {
		part, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		parts[f.Name] = string(content)
	}
	return parts
}

// FuzzRead reads a document. It checks that the result is a valid document or a
// fault.Invalid.
func FuzzRead(t *testing.T, read Read, data []byte) {
	doc, err := read(t.Context(), "a", data)
	if err != nil {
		if fault.KindOf(err) != fault.Invalid && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		return
	}
	Verify(t, doc)
}

// FuzzPart fuzzes one part of a packed document.
func FuzzPart(f *testing.F, name, part string, read Read) {
	parts := Unpack(f, File(f, name))
	// Large parts would only make each round slower.
	for other, content := range parts {
		if len(content) > 64<<10 {
			delete(parts, other)
		}
	}
	if main := parts[part]; len(main) < 16<<10 {
		f.Add(main)
	}
	f.Fuzz(func(t *testing.T, content string) {
		if len(content) > 64<<10 {
			return
		}
		changed := map[string]string{}
		for other := range parts {
			changed[other] = parts[other]
		}
		changed[part] = content
		FuzzRead(t, read, PackWith(t, zip.Store, changed))
	})
}
