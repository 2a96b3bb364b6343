package extract_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"docent/ingest/extract"
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
p@1 "Name Default\npressure 4 bar\nvalve closed"
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
			if _, _, err := e.Extract(t.Context(), extract.Source{Name: "a.pdf", Data: data}); err != nil {
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
	if _, _, err := newExtractor(t).Extract(ctx, extract.Source{Name: "a.pdf", Data: data}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestPDFTakesTooLong(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/manual.pdf")
	if err != nil {
		t.Fatal(err)
	}
	e, err := extract.New(extract.Config{CacheDir: pdfCache(t), Timeout: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = e.Extract(t.Context(), extract.Source{Name: "a.pdf", Data: data})
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.Message(err), "longer than") {
		t.Errorf("got %v", err)
	}
	if err := e.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
