package transcript_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docent/api/transcript"
	"docent/ingest/extract/extracttest"
	"docent/ingest/extract/office/docx"
	"docent/ingest/extract/pdf"
)

const talked = `# Größe der Pumpe

*A conversation with docent, begun on 2 January 2026.*

## How large is it?

It is **40 cm** wide, Größe \[sic\] & more [1, 2]. Насос, αντλία.

- first \<item>
- second

1. one
2. two

| Name | Value |
| --- | --- |
| width | 40 |

` + "```go\nx := 1\n\ty := 2\n```" + `

> quoted

**Sources**

- [1] **Manual**, page 3
- [2] Data
`

var created = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// TestDOCX reads the document with the reader of docent.
func TestDOCX(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := transcript.DOCX(&out, []byte(talked), "Größe <1>", created); err != nil {
		t.Fatal(err)
	}
	extracttest.Check(t, docx.Read, out.Bytes(), "Größe <1>", `h1 Größe der Pumpe
p A conversation with docent, begun on 2 January 2026.
h2 How large is it?
p It is 40 cm wide, Größe [sic] & more [1, 2]. Насос, αντλία.
p • first <item>
p • second
p 1. one
p 2. two
th Name | Value
tr width | 40
p x := 1\n y := 2
p quoted
p Sources
p • [1] Manual, page 3
p • [2] Data
`)
}

// TestPDF reads the file with the reader of docent.
func TestPDF(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	long := talked + strings.Repeat("\nA line of text that repeats, 日本 😀.\n", 100)
	if err := transcript.PDF(&out, []byte(long), "Größe <1>", created); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 200<<10 {
		t.Errorf("%d bytes for a short conversation", out.Len())
	}
	cache := t.TempDir()
	if dir, err := os.UserCacheDir(); err == nil {
		cache = filepath.Join(dir, "docent-test", "wasm")
	}
	r, err := pdf.New(pdf.Config{CacheDir: cache})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close(context.WithoutCancel(t.Context())) }()
	doc, err := r.Read(t.Context(), "a.pdf", out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(doc.Text), " ")
	for _, want := range []string{"Größe der Pumpe", "40 cm", "[sic] & more", "Насос, αντλία.", "first <item>", "Manual, page 3", "repeats, □□ □."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
	if doc.Title != "Größe <1>" {
		t.Errorf("title %q", doc.Title)
	}
}
