package html

import (
	"strings"
	"testing"

	"docent/ingest/outline"
)

// TestHostilePages reads pages of about a megabyte with nesting that would cost
// much time and memory. TestVisits and TestParseWork count the work.
func TestHostilePages(t *testing.T) {
	t.Parallel()
	const meta = `<meta property="og:type" content="article"><body>`
	deep := func(open, inner string, depth, size int) string {
		return meta + strings.Repeat(open, depth) + strings.Repeat(inner, size/len(inner))
	}
	for name, page := range map[string]string{
		"div br":        deep("<div>", "<br>", 390, 1<<20),
		"div br small":  deep("<div>", "<br>", 490, 19_000*4),
		"div p":         deep("<div>", "<p>some words, and more</p>", 490, 19_000*26),
		"aside br":      deep("<aside>", "<br>", 390, 1<<20),
		"banner br":     deep("<div role=banner>", "<br>", 390, 1<<20),
		"table nested":  deep("<table><tr><td>", "x<br>", 120, 1<<20),
		"table text":    deep("<table><tr><td>", "some text ", 120, 1<<20),
		"table cells":   meta + "<table>" + strings.Repeat("<tr><td>a<td>b<table><tr><td>c</table>", 25_000),
		"table one row": meta + "<table><tr>" + strings.Repeat("<td>a", 200_000),
		"rowspan":       meta + "<table>" + strings.Repeat("<tr><td rowspan=65000 colspan=1000>a", 25_000),
		"dl nested":     deep("<dl><dt>a<dd>", "<br>", 160, 1<<20),
		"dl terms":      deep("<dl><dt>", "x ", 160, 1<<20),
		"dl empty":      deep("<dl><dd>", "<br>", 160, 1<<20),
		"dl div":        deep("<dl><div>", "<dt>a<dd> ", 160, 1<<20),
		"lists":         deep("<ul><li>", "x<br>", 190, 1<<20),
		"links":         deep(`<a href="#x"><em>`, "x ", 190, 1<<20),
		"headings":      meta + strings.Repeat("<h2>a<h3>b", 100_000),
		"notes":         deep(`<div class="note"><h3>`, "x ", 190, 1<<20),
		"one attribute": meta + `<div class="` + strings.Repeat("a ", 1<<19) + `">x`,
		"attributes":    meta + `<div ` + strings.Repeat("a ", 1<<19) + `>x`,
		"formatting":    meta + strings.Repeat("<b><p>", 1000) + strings.Repeat("x<p>", 1000),
		"deep pre":      deep("<pre>", "x\n", 500, 1<<20),
		"images":        meta + strings.Repeat(`<img alt="a picture" src=x.png>`, 30_000),
		"sup":           meta + strings.Repeat(`a<sup>1</sup>`, 80_000),
		"json":          meta + `<script type="application/ld+json">` + strings.Repeat(`[`, 1<<20) + `</script>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, err := Read(t.Context(), page)
			if err != nil {
				t.Fatal(err)
			}
			if len(doc.Text) > outline.MaxText || len(doc.Text) > 8*len(page) {
				t.Errorf("%d bytes became %d", len(page), len(doc.Text))
			}
		})
	}
}
