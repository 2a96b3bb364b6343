package archive_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"docent/ingest/extract/archive"
	"docent/ingest/extract/extracttest"
)

// tarOf returns a TAR archive. A name with an arrow is a symbolic link.
func tarOf(t *testing.T, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range names {
		h := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(name))}
		if link, target, ok := strings.Cut(name, "->"); ok {
			h = &tar.Header{Name: link, Linkname: target, Typeflag: tar.TypeSymlink}
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(name[:h.Size])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// gzipOf compresses data.
func gzipOf(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// list reads an archive. It returns the names with the contents.
func list(t *testing.T, name string, data []byte) (string, error) {
	t.Helper()
	var out []string
	for p, err := range archive.Entries(t.Context(), name, data, archive.NewBudget(len(data))) {
		if err != nil {
			return strings.Join(out, " "), err
		}
		out = append(out, p.Name+"="+string(p.Data))
	}
	return strings.Join(out, " "), nil
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for want, data := range map[archive.Kind][]byte{
		archive.Zip:  extracttest.Pack(t, map[string]string{"a": ""}),
		archive.Tar:  tarOf(t, "a"),
		archive.Gzip: gzipOf(t, nil),
		archive.XZ:   []byte("\xfd7zXZ\x00"),
		archive.Zstd: []byte("\x28\xb5\x2f\xfd"),
		archive.None: []byte("PK is a name"),
	} {
		if got := archive.Detect(data[:min(len(data), 512)]); got != want {
			t.Errorf("%.20q is %d, want %d", data, got, want)
		}
	}
}

func TestEntries(t *testing.T) {
	t.Parallel()
	files := tarOf(t, "docs/a.txt", ".git/config", "docs/.hidden", "link->docs/a.txt", "../b.txt", "docs/a.txt")
	const want = "docs/a.txt=docs/a.txt b.txt=../b.txt docs/a-2.txt=docs/a.txt"
	for name, data := range map[string][]byte{"docs.tar": files, "docs.tar.gz": gzipOf(t, files)} {
		if got, err := list(t, name, data); got != want || err != nil {
			t.Errorf("%s has %s (%v), want %s", name, got, err, want)
		}
	}
	zipped := extracttest.Pack(t, map[string]string{"a.txt": "one", "b/c.txt": "two", "__MACOSX/x": "no"})
	if got, err := list(t, "a.zip", zipped); got != "a.txt=one b/c.txt=two" || err != nil {
		t.Errorf("the ZIP archive has %s: %v", got, err)
	}
	if got, err := list(t, "notes.txt.gz", gzipOf(t, []byte("text"))); got != "notes.txt=text" || err != nil {
		t.Errorf("the compressed file has %s: %v", got, err)
	}
}

func TestBudget(t *testing.T) {
	t.Parallel()
	bomb := gzipOf(t, make([]byte, 48<<20))
	_, err := list(t, "zeros.gz", bomb)
	extracttest.Refused(t, err, "too large:")
	many := map[string]string{}
	for i := range 10001 {
		many[fmt.Sprintf("%d.txt", i)] = ""
	}
	_, err = list(t, "many.zip", extracttest.Pack(t, many))
	extracttest.Refused(t, err, "too large: it holds more than 10000 files")
}

func TestStopped(t *testing.T) {
	t.Parallel()
	data := tarOf(t, "a", "b")
	n := 0
	for _, err := range archive.Entries(t.Context(), "a.tar", data, archive.NewBudget(len(data))) {
		if n++; err != nil {
			t.Fatal(err)
		}
		break
	}
	if n != 1 {
		t.Errorf("%d entries after a break", n)
	}
	for _, err := range archive.Entries(extracttest.Canceled(t), "a.tar", data, archive.NewBudget(len(data))) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("canceled: %v", err)
		}
	}
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	word := extracttest.Pack(t, map[string]string{"[Content_Types].xml": "", "word/document.xml": ""})
	files := extracttest.Pack(t, map[string]string{"a.txt": "text"})
	if !archive.HoldsDocument(word) || archive.HoldsDocument(files) {
		t.Error("documents and archives are confused by their content")
	}
	if !archive.IsDocument("a.docm", word) || !archive.IsDocument("a.xlsb", files) || archive.IsDocument("a.zip", files) {
		t.Error("documents and archives are confused by their names")
	}
}
