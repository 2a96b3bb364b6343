package markup_test

import (
	"testing"

	"docent/ingest/extract/markup"
)

func TestAsciiDoc(t *testing.T) {
	t.Parallel()
	golden(t, markup.Adoc, "pump.adoc")
}

func FuzzAsciiDoc(f *testing.F) {
	fuzz(f, markup.Adoc, "a::\nb\n+\n--\nc\n--\n", "|===\n|a 2+|b\n|===")
}
