package html

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestVisits reads pages with pairs of the specially treated elements. The
// elements are nested deeply or repeated many times, around each kind of content.
// The reader visits each node only a few times.
func TestVisits(t *testing.T) {
	t.Parallel()
	elements := []string{
		"<div>", "<dl>", "<dt>a", "<dd>", "<table><tr><td>", "<table><caption>", "<th>", "<ul><li>", "<h2>", "<pre>", "<p>", `<p class="title">`, `<div class="table">`,
		`<a href="#x">`, "<sup>", "<header>", "<div role=banner>", `<div class="note">`, "<nav>", "<em>", "<object>",
	}
	contents := []string{"<br>", "x<br>", "<dt>a<dd>b", "<td><aside>x</aside>", "<tr><td>a<td><dl><dt>a<dd><b>b</b></dl>", "<h3>a</h3>", `<sup><a href="#n">1</a></sup>`}
	read := func(name, text string) {
		root, err := html.Parse(strings.NewReader(text))
		if err != nil {
			return // nested too deep for the parser
		}
		all := 0
		for range root.Descendants() {
			all++
		}
		p := newPage(len(text) / 2)
		p.walk(root)
		p.flush()
		if p.tree.visits > 12*all {
			t.Errorf("%s: %d nodes are visited %d times", name, all, p.tree.visits)
		}
	}
	for _, a := range elements {
		for _, b := range elements {
			for _, content := range contents {
				read(a+b+content+" nested", strings.Repeat(a+b, 60)+strings.Repeat(content, 300))
			}
			read(a+b+" repeated", strings.Repeat(a+b+"x", 300))
			read(a+b+" in cells", "<table>"+strings.Repeat("<tr><td>a<td>"+a+b+"x<td>b", 200))
		}
	}
}

// TestParseWork reads pages that would take long to parse into a tree. They are
// read without a tree.
func TestParseWork(t *testing.T) {
	t.Parallel()
	repeat := strings.Repeat
	for name, page := range map[string]string{
		"definitions":   repeat("<dl><div>", 160) + repeat("<dt>a<dd> ", 100_000),
		"depth":         repeat("<div>", 500) + repeat("<i></i>", 100_000),
		"ignored end":   repeat("some words</q>", 100_000),
		"ignored cell":  repeat("some words<td>", 100_000),
		"ignored form":  "<form>" + repeat("some words<form>", 100_000),
		"in a select":   "<select>" + repeat("some words<b>", 100_000),
		"before tables": "<table>" + repeat("some words<tr>", 100_000),
		"attributes":    repeat("<body a>", 100_000),
	} {
		if work := parseWork(page); work <= maxParseWork {
			t.Errorf("%s: %d", name, work)
		}
		if _, err := Read(t.Context(), page); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, page := range map[string]string{
		"table":    repeat("<div>", 20) + "<table>" + repeat("<tr><td>some words</td><td><b>others</b></td></tr>\n", 20_000) + "</table>",
		"text":     repeat("<div>", 20) + repeat("<p>some <span>words</span></p>\n<div><img src=x></div>", 20_000),
		"lists":    repeat("<ul><li>some words<ul><li>others</li></ul></li></ul>", 20_000),
		"entries":  "<dl>" + repeat("<dt>a</dt><dd><p>some words</p></dd>", 40_000),
		"unclosed": repeat("<div><span>some <font>words</div>", 20_000),
	} {
		if work := parseWork(page); work > maxParseWork {
			t.Errorf("%s: %d", name, work)
		}
	}
}
