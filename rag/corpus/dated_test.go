package corpus_test

import (
	"testing"
	"time"

	"docent/rag/corpus"
)

// TestDated checks that the time of a file is no date of its document.
func TestDated(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 5, 12, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		document corpus.Document
		want     bool
	}{
		{corpus.Document{}, false},
		{corpus.Document{Date: day, DateFrom: corpus.FrontMatter}, true},
		{corpus.Document{Date: day, DateFrom: corpus.FileTime}, false},
	} {
		if got := c.document.Dated(); got != c.want {
			t.Errorf("%+v: %v", c.document, got)
		}
	}
}
