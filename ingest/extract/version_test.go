package extract

import (
	"cmp"
	"testing"

	"docent/ingest/extract/html"
	"docent/ingest/extract/pdf"
	"docent/ingest/extract/plain"
	"docent/ingest/format"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	for media, of := range map[string]format.Format{
		"text/html": html.Format, "application/pdf": pdf.Format, "text/plain; charset=utf-8": plain.TextFormat,
		"text/csv; charset=shift_jis": plain.CSVFormat, "text/x-go": plain.CodeFormat, "text/javascript": plain.CodeFormat,
	} {
		if got, want := Version(media), cmp.Or(of.Version, 1); got != want {
			t.Errorf("the reader of %q has version %d, want %d", media, got, want)
		}
	}
	for _, media := range []string{"application/x-unknown", "application/octet-stream", ""} {
		if got := Version(media); got != 0 {
			t.Errorf("the reader of %q has version %d, want 0", media, got)
		}
	}
}
