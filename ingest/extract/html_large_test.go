package extract_test

import (
	"strings"
	"testing"

	"docent/ingest/intake"
	"docent/internal/fault"
)

// TestLargePage reads a page that has too many nodes for a tree.
func TestLargePage(t *testing.T) {
	t.Parallel()
	page := `<title>Big page</title><script>if (a<b) x()</script><h1>Pumps</h1><p>Of <b>great</b> size.<ul><li>one<li>two</ul>` +
		`<table><tr><th>Name<th>Bar</tr><tr><td>K-1</td><td><p>4</p><p>or 5</p></td></tr></table><pre>a  b
 c</pre><p>Last<br>line.`
	doc, _ := extractFile(t, "a.html", []byte(page+strings.Repeat("<p>", 300_000)))
	want := `h1 "Pumps"
p "Of great size."
`
	if got := show(doc); !strings.HasPrefix(got, want) {
		t.Errorf("got %s", got)
	}
	if doc.Title != "Big page" {
		t.Errorf("title %q", doc.Title)
	}
	if want := "Pumps\n\nOf great size.\n- one\n- two\n\nName | Bar\nK-1 | 4 or 5\n\n```\na  b\n c\n```\n\nLast\nline."; doc.Text != want {
		t.Errorf("got %q\nwant %q", doc.Text, want)
	}
	_, _, err := newExtractor(t).Extract(t.Context(), intake.Source{Name: "a.html", Data: []byte("<p " + strings.Repeat("a ", 9<<20) + ">text")})
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.Message(err), "too large: one of its elements") {
		t.Errorf("got %v", err)
	}
}

// TestJSONLaidOut formats JSON that is on one line, unless the result would
// become too large.
func TestJSONLaidOut(t *testing.T) {
	t.Parallel()
	one := `{"a":[1, {"b":"x, \" {y}"},[],{ }],"caf\u00e9":null}` + strings.Repeat(" ", 400)
	doc, _ := extractFile(t, "a.json", []byte(one))
	if want := "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"x, \\\" {y}\"\n    },\n    [],\n    {}\n  ],\n  \"café\": null\n}"; strings.TrimSpace(doc.Text) != want {
		t.Errorf("got %s", doc.Text)
	}
	deep := strings.Repeat("[", 60) + strings.Repeat("1,", 1000) + "1" + strings.Repeat("]", 60)
	if doc, _ := extractFile(t, "a.json", []byte(deep)); doc.Text != deep {
		t.Errorf("%d bytes became %d", len(deep), len(doc.Text))
	}
}
