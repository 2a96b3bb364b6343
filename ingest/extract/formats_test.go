package extract_test

import (
	"os"
	"testing"

	"docent/ingest/extract"
)

// TestFormatsPage fails if the page differs from the formats: run
// "go generate ./ingest/extract".
func TestFormatsPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/reference/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != extract.FormatsPage() {
		t.Error(`docs/reference/formats.md differs from ingest/extract/formats.go; run "go generate ./ingest/extract"`)
	}
	endings := map[string]string{}
	for _, f := range extract.Formats() {
		if f.Name == "" || f.Media == "" || f.Reads == "" || len(f.Endings) == 0 {
			t.Errorf("%q lacks a column", f.Name)
		}
		for _, ending := range f.Endings {
			if other, ok := endings[ending]; ok {
				t.Errorf("%s belongs to %s and %s", ending, other, f.Name)
			}
			endings[ending] = f.Name
		}
	}
}
