package html

import (
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"docent/ingest/outline"
	"docent/internal/lazyregexp"
	"docent/rag/corpus"
)

// exported is a page of a space that Confluence exported.
type exported struct {
	title string
	body  *html.Node
	// changed is the day of the last change; zero if the page does not say.
	changed time.Time
}

// changedOn matches the last change in the line below the title.
var changedOn = lazyregexp.New(`(?:last (?:modified|updated)(?: by .*)? on |, on |on )(\p{L}{3} \d{1,2}, \d{4}|\d{1,2} \p{L}{3},? \d{4})`)

// confluence returns the content of a page of an exported space: without the path to the page, its authors, the list of
// attachments, and the footer. It returns nil for other pages.
func confluence(root *html.Node) *exported {
	var title, body, meta *html.Node
	var look func(n *html.Node, depth int)
	look = func(n *html.Node, depth int) {
		if depth > maxDOMDepth {
			return
		}
		switch id := attr(n, "id"); {
		case id == "title-text" && title == nil:
			title = n
		case id == "main-content" && body == nil:
			body = n
			return
		case n.DataAtom == atom.Div && attr(n, "class") == "page-metadata" && meta == nil:
			meta = n
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			look(c, depth+1)
		}
	}
	look(root, 0)
	if title == nil || body == nil || meta == nil || !strings.Contains(attr(body, "class"), "wiki-content") {
		return nil
	}
	tree := &tree{}
	e := &exported{body: body, title: strings.Join(strings.Fields(tree.textOf(title)), " ")}
	// The title has the name of the space in front.
	if _, page, ok := strings.Cut(e.title, " : "); ok {
		e.title = page
	}
	if m := changedOn.FindStringSubmatch(strings.Join(strings.Fields(tree.textOf(meta)), " ")); m != nil {
		for _, form := range []string{"Jan 2, 2006", "2 Jan 2006", "2 Jan, 2006"} {
			if t, err := time.Parse(form, m[1]); err == nil {
				e.changed = t
			}
		}
	}
	return e
}

// document reads the page.
func (e *exported) document(p *page) *outline.Document {
	p.b.Add(outline.Heading, 1, "\n\n", e.title)
	p.walk(e.body)
	p.flush()
	doc := p.b.Document(e.title)
	doc.SetDate(e.changed, corpus.PageMarkup)
	return doc
}
