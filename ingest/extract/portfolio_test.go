package extract_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"docent/ingest/extract"
	"docent/ingest/extract/extracttest"
	"docent/ingest/intake"
)

// TestPortfolio: the attachments of a PDF are documents. pypdf made the file.
func TestPortfolio(t *testing.T) {
	t.Parallel()
	data := extracttest.File(t, "testdata/portfolio.pdf")
	e := newExtractor(t)
	list := func(ctx context.Context, name string, data []byte) (bool, map[string]string) {
		got := map[string]string{}
		whole, parts := e.Parts(ctx, intake.Source{Name: name, Data: data})
		for p, err := range parts {
			if err != nil {
				t.Fatal(err)
			}
			got[p.Name] = string(p.Data)
		}
		return whole, got
	}
	whole, got := list(t.Context(), "p.pdf", data)
	want := map[string]string{"prices.csv": "part,price\nseal,45\n", "Größe.txt": "Die Pumpe ist zwei Meter hoch.", "etc/evil.txt": "The evil text."}
	if !whole || fmt.Sprint(got) != fmt.Sprint(want) || !extract.MayHaveParts("p.pdf", data) {
		t.Errorf("whole %v, parts %q, want %q", whole, got, want)
	}
	if whole, got := list(t.Context(), "p.pdf", extracttest.File(t, "testdata/manual.pdf")); !whole || len(got) > 0 {
		t.Errorf("without attachments: %v, %q", whole, got)
	}
	if _, got := list(t.Context(), "a.zip", []byte(zipOf(t, files{{"in/p.pdf", string(data)}}))); got["in/p.pdf/prices.csv"] == "" || got["in/p.pdf"] == "" {
		t.Errorf("in an archive: %q", got)
	}
	// Damage costs attachments, not the document.
	for _, bad := range [][]byte{data[:len(data)/2], bytes.ReplaceAll(data, []byte("/Length"), []byte("/Lengxx")), []byte("%PDF-1.7\n/EmbeddedFile")} {
		if whole, _ := list(t.Context(), "p.pdf", bad); !whole {
			t.Error("a damaged PDF is no document")
		}
	}
}
