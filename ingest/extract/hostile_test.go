package extract_test

import (
	"strings"
	"testing"

	"docent/ingest/intake"
	"docent/internal/fault"
)

// TestHostile reads hostile text: deep nesting, one very long line, only
// markup. Linear reading takes little time. Quadratic reading would exceed the
// test's time limit.
func TestHostile(t *testing.T) {
	t.Parallel()
	const n = 1 << 17
	e := newExtractor(t)
	for _, tt := range []struct{ name, data string }{
		{"a.html", strings.Repeat("<div>", n) + "text"},
		{"a.html", strings.Repeat("<table><tr><td>", n/8) + "text"},
		{"a.html", strings.Repeat("<dl><dd>", n/8) + "text"},
		{"a.html", strings.Repeat("<b><p>text", n/4)},
		{"a.html", "<title>t</title>" + strings.Repeat("<font><p>text", n/8)},
		{"a.md", strings.Repeat(">", n) + "text"},
		{"a.md", strings.Repeat("- ", n) + "text"},
		{"a.md", strings.Repeat("[", n) + "text"},
		{"a.md", strings.Repeat("> - ", 30) + "text\n" + strings.Repeat("text\n", n)},
		{"a.md", strings.Repeat("|a", n) + "\n" + strings.Repeat("|-", n) + "\n" + strings.Repeat("|a", n)},
		{"a.csv", "a,b\n\"" + strings.Repeat("a,b\n", n)},
		{"a.json", strings.Repeat("[", 9000) + "1" + strings.Repeat("]", 9000)},
		{"a.json", strings.Repeat("[", n) + "text"},
		{"a.java", "class A {\n" + strings.Repeat("  void f(int a) {\n  }\n", n/16)},
		{"a.c", strings.Repeat("a b(c, ", n/4)},
		{"a.svg", "<svg>" + strings.Repeat("<text>a</text>", n/8)},
	} {
		doc, _, err := e.Extract(t.Context(), intake.Source{Name: tt.name, Data: []byte(tt.data)})
		if err != nil {
			t.Errorf("%s %.12q: %s: %v", tt.name, tt.data, fault.KindOf(err), err)
			continue
		}
		verify(t, doc)
		if len(doc.Text) > 3*len(tt.data) {
			t.Errorf("%s %.12q: %d bytes became %d", tt.name, tt.data, len(tt.data), len(doc.Text))
		}
	}
}
