package zipxml_test

import (
	"testing"

	"docent/ingest/extract/zipxml"
)

func TestCoreTitle(t *testing.T) {
	t.Parallel()
	data := []byte(`<cp:coreProperties><dc:creator>A</dc:creator><dc:title> Pump  manual </dc:title></cp:coreProperties>`)
	if got := zipxml.CoreTitle(t.Context(), data); got != "Pump manual" {
		t.Errorf("title %q", got)
	}
}
