package markup_test

import (
	"testing"

	"docent/ingest/extract/markup"
)

func TestOrg(t *testing.T) {
	t.Parallel()
	golden(t, markup.Org, "pump.org")
}

func FuzzOrg(f *testing.F) { fuzz(f, markup.Org, "* a\n:A:\n:END:\n| b |\n", "#+begin_src\n[[a][b]]") }
