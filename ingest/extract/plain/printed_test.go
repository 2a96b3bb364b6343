package plain_test

import (
	"strings"
	"testing"

	"docent/ingest/extract/extracttest"
	"docent/ingest/extract/plain"
)

// TestPrintedPages checks that the headers and footers of printed pages are left out, and that
// paragraphs over a page break stay whole.
func TestPrintedPages(t *testing.T) {
	t.Parallel()
	rfc := "Network Working Group\nRequest for Comments: 4711\n\n   The pump is checked\n   each week by the\n\n\n\nQuist            Standards Track            [Page 1]\n\f\n" +
		"RFC 4711             Pumps             March 2026\n\n\n   crew.  It is oiled.\n\nQuist            Standards Track            [Page 2]\n\f\n" +
		"RFC 4711             Pumps             March 2026\n\n\n2.  Seals\n\n   A seal is a ring.\n\nQuist            Standards Track            [Page 3]\n\f\n"
	want := "p Network Working Group\\nRequest for Comments: 4711\np    The pump is checked\\n   each week by the\\n   crew.  It is oiled.\np 2.  Seals\np    A seal is a ring.\n"
	for name, text := range map[string]string{"with form feeds": rfc, "without": strings.ReplaceAll(rfc, "\f", "")} {
		doc := plain.Text("rfc4711.txt", text)
		extracttest.Verify(t, doc)
		if got := extracttest.Show(doc); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, want)
		}
	}
	for _, text := range []string{"one\n\ftwo\n\fthree\n", "see [Page 3]\nand [Page 4]\nof it.\n"} {
		if doc := plain.Text("a.txt", text); len(doc.Text) < len(text)-3 {
			t.Errorf("%q became %q", text, doc.Text)
		}
	}
}
