package extract_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"docent/ingest/extract"
	"docent/ingest/intake"
	"docent/internal/fault"
)

func TestPDF(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/manual.pdf")
	if err != nil {
		t.Fatal(err)
	}
	doc, media := extractFile(t, "manual.pdf", data)
	if media != "application/pdf" || doc.Title != "Pump manual" {
		t.Errorf("media %q title %q", media, doc.Title)
	}
	if got := strings.Join(doc.PageLabels, " "); got != "i ii 1 2 3" {
		t.Errorf("labels %q", got)
	}
	want := `h1@0 "Installation"
p@0 "Place the pump on a level floor. The floor must carry twice its weight.\nPlace the pump on a level floor even so."
h1@1 "Operation"
p@1 "Open the valve before the motor starts. The working pressure is 4 bar.\nOpen the valve before the motor starts even so."
h2@1 "Settings"
th@1 "Name | Default"
tr@1 "pressure | 4 bar"
tr@1 "valve | closed"
h1@2 "Maintenance"
`
	if got := show(doc); !strings.HasPrefix(got, want) {
		t.Errorf("blocks:\n%s\nwant:\n%s", got, want)
	}
	if strings.Contains(doc.Text, "page 3 of 5") {
		t.Error("the running footer is in the text")
	}
}

func TestPDFsAtOnce(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/manual.pdf")
	if err != nil {
		t.Fatal(err)
	}
	e := newExtractor(t)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			if _, _, err := e.Extract(t.Context(), intake.Source{Name: "a.pdf", Data: data}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestPDFCanceled(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/manual.pdf")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := newExtractor(t).Extract(ctx, intake.Source{Name: "a.pdf", Data: data}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// slowPDF is a PDF whose one page takes many seconds to read.
func slowPDF() []byte {
	stream := "BT /F1 9 Tf " + strings.Repeat("1 0 0 1 10 10 Tm (slow text) Tj ", 400_000) + "ET"
	var b strings.Builder
	b.WriteString("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n")
	b.WriteString("3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj\n")
	fmt.Fprintf(&b, "4 0 obj<</Length %d>>stream\n%s\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%%%EOF\n", len(stream), stream)
	return []byte(b.String())
}

func TestPDFTakesTooLong(t *testing.T) {
	t.Parallel()
	e, err := extract.New(extract.Config{CacheDir: pdfCache(t), Timeout: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = e.Extract(t.Context(), intake.Source{Name: "a.pdf", Data: slowPDF()})
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.Message(err), "longer than") {
		t.Errorf("got %v", err)
	}
	if err := e.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestPDFSignature reads PDFs with other bytes before the signature, and texts
// that only mention the signature.
func TestPDFSignature(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/manual.pdf")
	if err != nil {
		t.Fatal(err)
	}
	for name, junk := range map[string]string{
		"blank lines": "\xef\xbb\xbf\r\n\r\n",
		"headers":     "HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n",
		"a warning":   "<br />\n<b>Warning</b>: Undefined variable $x in <b>/var/www/pdf.php</b> on line 3<br />\n",
		"binary":      strings.Repeat("\x00\x01", 64),
	} {
		doc, media := extractFile(t, "manual", append([]byte(junk), data...))
		if media != "application/pdf" || !strings.Contains(doc.Text, "level floor") {
			t.Errorf("behind %s: %s", name, media)
		}
	}
	for name, text := range map[string]string{
		"format.md": "# File formats\n\nA PDF begins with `%PDF-1.7`, and a PNG with 89 50 4E 47.\n",
		"magic.py":  "SIGNATURES = {\n    b'%PDF-1.4': 'pdf',\n}\n",
		"notes.txt": "The header is\n\n%PDF-1.4\n1 0 obj\n\nand %%EOF ends it.\n",
	} {
		doc, media := extractFile(t, name, []byte(text))
		if !strings.HasPrefix(media, "text/") || !strings.Contains(doc.Text, "%PDF-1.") {
			t.Errorf("%s is %s", name, media)
		}
	}
}
