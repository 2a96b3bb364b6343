// Package html reads web pages.
package html

import (
	"context"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"docent/ingest/extract/office/content"
	"docent/ingest/outline"
)

// maxDOMDepth bounds the levels of nesting that are followed. Deeper text is
// read without its structure.
const maxDOMDepth = 400

// Read reads the text of a page, decoded by charset.DecodePage. It recognizes
// headings, paragraphs, lists, definition lists, table rows, and preformatted
// text. For a saved web article it reads only the main content. For other pages
// it omits only the navigation.
func Read(ctx context.Context, text string) (*outline.Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if isBookmarks(text) {
		return readBookmarks(ctx, text)
	}
	return readText(text)
}

// readText reads the text of a page and adds it to b.
func readText(text string) (*outline.Document, error) {
	if len(text) > maxDOM || nodes(text) > maxNodes || len(text) > alwaysParsed && parseWork(text) > maxParseWork {
		return flatHTML(text)
	}
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return flatHTML(text)
	}
	p := newPage(len(text) / 2)
	if wiki := confluence(root); wiki != nil {
		return wiki.document(p), nil
	}
	if main := article(root); main != nil {
		p.head(main.head)
		p.walk(main.body)
	} else {
		p.walk(root)
	}
	p.flush()
	title := p.title
	if title == "" {
		title = p.h1
	}
	doc := p.b.Document(title)
	setDates(root, doc)
	return doc, nil
}

// newPage returns the state of reading a page of about size bytes.
func newPage(size int) *page {
	return &page{b: outline.NewBuilder(size), kind: outline.Paragraph, tree: &tree{}}
}

// page is the state of walking a page.
type page struct {
	b         *outline.Builder
	title, h1 string
	inline    strings.Builder // text of the current block
	pending   bool            // a space must precede the next inline text
	kind      outline.Kind    // kind of the current block
	marker    string          // marker of the next list item
	lists     []list
	terms     int    // number of open definition lists
	caption   string // caption of the next table
	depth     int
	cell      bool // the page is a cell of a table
	tree      *tree
}

// flush ends the current block.
func (p *page) flush() {
	if p.inline.Len() > 0 {
		separator := "\n\n"
		if p.kind == outline.Item {
			separator = "\n"
		}
		p.b.Add(p.kind, 0, separator, p.marker+p.inline.String())
		p.marker = ""
		p.inline.Reset()
	}
	p.pending = false
}

// text adds inline text. It replaces each run of spaces by one space.
func (p *page) text(s string) {
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && !spaceAt(s, j) {
			j++
		}
		if j > i {
			if p.pending && p.inline.Len() > 0 {
				p.inline.WriteByte(' ')
			}
			p.pending = false
			p.inline.WriteString(s[i:j])
		}
		for i = j; i < len(s) && spaceAt(s, i); {
			p.pending = true
			if s[i] == 0xC2 {
				i++
			}
			i++
		}
	}
}

// spaceAt reports whether a space is at i. A non-breaking space counts.
func spaceAt(s string, i int) bool {
	switch s[i] {
	case ' ', '\n', '\t', '\r', '\f':
		return true
	case 0xC2:
		return i+1 < len(s) && s[i+1] == 0xA0
	}
	return false
}

func (p *page) children(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		p.walk(c)
	}
}

// block reads a block-level element.
func (p *page) block(n *html.Node) {
	p.flush()
	p.children(n)
	p.flush()
}

// walk reads a node and its descendants.
func (p *page) walk(n *html.Node) {
	p.tree.visits++
	switch n.Type {
	case html.TextNode:
		p.text(n.Data)
		return
	case html.DocumentNode:
		p.children(n)
		return
	case html.ElementNode:
	default:
		return
	}
	if p.isHidden(n) || p.isNavigation(n) {
		return
	}
	if p.depth > maxDOMDepth {
		p.text(p.tree.textOf(n))
		return
	}
	p.depth++
	p.element(n)
	p.depth--
}

// element reads an element.
func (p *page) element(n *html.Node) {
	if p.tree.isStruck(n) {
		p.struckOut(n)
		return
	}
	if role := attr(n, "role"); n.DataAtom != atom.Li && n.DataAtom != atom.Input && (role == "checkbox" || role == "radio") {
		p.roleBox(n)
	}
	switch n.DataAtom {
	case atom.Title:
		if p.title == "" && n.Namespace == "" {
			p.title = strings.Join(strings.Fields(p.tree.textOf(n)), " ")
		}
	case atom.Head:
		p.head(n)
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Iframe,
		atom.Select, atom.Textarea, atom.Object, atom.Canvas:
	case atom.Button:
		if p.isQuestion(n) {
			p.flush()
			label, _ := p.tree.labelText(n)
			p.b.Add(outline.Heading, outline.TermLevel, "\n\n", label)
		}
	case atom.Input:
		p.box(n)
	case atom.Math:
		p.math(n)
	case atom.Details:
		p.details(n)
	case atom.Br:
		if p.inline.Len() > 0 {
			p.pending = false
			p.inline.WriteByte('\n')
		}
	case atom.Img:
		if alt := attr(n, "alt"); isDescription(n, alt) {
			p.pending = true
			p.text(alt)
			p.pending = true
		}
	case atom.A, atom.Sup:
		if mark := p.tree.footnoteMark(n); mark != "" && p.inline.Len() > 0 {
			p.pending = true
			p.text("[" + mark + "]")
			return
		}
		if n.DataAtom == atom.A {
			p.link(n)
			return
		}
		p.children(n)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		p.heading(n)
	case atom.Pre, atom.Listing, atom.Xmp:
		p.pre(n)
	case atom.Ul, atom.Ol, atom.Menu, atom.Dir:
		p.list(n)
	case atom.Li:
		p.item(n)
	case atom.Dl:
		p.definitions(n)
	case atom.Table:
		p.table(n)
	case atom.P:
		if p.isTableTitle(n) {
			p.caption = strings.Join(strings.Fields(p.tree.textOf(n)), " ")
			return
		}
		p.block(n)
	default:
		if inlineElements[n.DataAtom] {
			if !p.variants(n) {
				p.children(n)
			}
			return
		}
		if label := p.panelLabel(n); label != "" {
			p.labeled(label, func() { p.block(n) })
			return
		}
		p.block(n)
	}
}

// details reads an element that opens and closes. Its summary opens a section of the lowest
// level.
func (p *page) details(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		p.tree.visits++
		if c.DataAtom != atom.Summary {
			continue
		}
		label, ok := p.tree.labelText(c)
		if !ok || label == "" || p.cell || p.kind == outline.Item {
			break
		}
		p.labeled(label, func() {
			for c := n.FirstChild; c != nil; c = c.NextSibling {
				if c.DataAtom != atom.Summary {
					p.walk(c)
				}
			}
		})
		return
	}
	p.block(n)
}

// box reads a check box or radio button in front of its label.
func (p *page) box(n *html.Node) {
	kind := attr(n, "type")
	if kind != "checkbox" && kind != "radio" || n.Parent == nil || hasName(n, overlayWords) || hasName(n, []string{"toggle"}) {
		return
	}
	switch n.Parent.DataAtom {
	case atom.Li, atom.Td, atom.Th, atom.Label, atom.P, atom.Dd:
	default:
		next := n.NextSibling
		if next == nil || next.DataAtom != atom.Label && (next.Type != html.TextNode || strings.TrimSpace(next.Data) == "") {
			return
		}
	}
	p.pending = true
	p.text(content.Box(hasAttr(n, "checked")))
	p.pending = true
}

// roleBox reads an element that shows a box by its role.
func (p *page) roleBox(n *html.Node) {
	if state := attr(n, "aria-checked"); state != "" && !hasName(n, overlayWords) {
		p.pending = true
		p.text(content.Box(state == "true"))
		p.pending = true
	}
}

// head reads the title in the head element.
func (p *page) head(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Title {
			p.walk(c)
		}
	}
}

// heading adds a heading. A heading inside a note or warning names the box and
// does not open a section.
func (p *page) heading(n *html.Node) {
	p.flush()
	name := strings.Join(strings.Fields(p.tree.textOf(n)), " ")
	level := int(n.Data[1] - '0')
	if level == 1 && p.h1 == "" {
		p.h1 = name
	}
	kind := outline.Heading
	if inBox(n) || p.kind == outline.Item {
		kind = outline.Paragraph
	}
	p.b.Add(kind, level, "\n\n", name)
}

// pre adds preformatted text. In a cell and behind a list mark, it has no fence.
func (p *page) pre(n *html.Node) {
	p.flush()
	text := strings.ReplaceAll(p.tree.textOf(n), "\u00a0", " ")
	if p.marker == "" && !p.cell {
		text = fenced(text)
	}
	p.b.Add(outline.Code, 0, "\n\n", p.marker+text)
	p.marker = ""
}

// definitions adds a definition list. Its terms become headings of the lowest
// level, because the text after a term is about the term.
func (p *page) definitions(n *html.Node) {
	p.flush()
	if !p.hasDefinitions(n) {
		p.termList(n)
		return
	}
	kind := p.kind
	p.kind = outline.Paragraph
	p.terms++
	level := outline.TermLevel + min(p.terms, 3)
	p.entries(n, level)
	p.flush()
	p.b.Close(level)
	p.terms--
	p.kind = kind
}

// hasDefinitions reports whether a definition list has definitions. In a table
// of contents or an index, terms only follow other terms. The result for each
// list is remembered.
func (p *page) hasDefinitions(n *html.Node) bool {
	if known, ok := p.tree.defines[n]; ok {
		return known
	}
	found := false
	for c := n.FirstChild; c != nil && !found; c = c.NextSibling {
		p.tree.visits++
		switch c.DataAtom {
		case atom.Div:
			found = p.hasDefinitions(c)
		case atom.Dd:
			found = p.isDefinition(c)
		}
	}
	if p.tree.defines == nil {
		p.tree.defines = map[*html.Node]bool{}
	}
	p.tree.defines[n] = found
	return found
}

// isDefinition reports whether a dd element contains more than terms.
func (p *page) isDefinition(n *html.Node) bool {
	for d := n.FirstChild; d != nil; d = d.NextSibling {
		p.tree.visits++
		switch {
		case d.DataAtom == atom.Dl && !p.hasDefinitions(d):
		case d.Type == html.TextNode && strings.TrimSpace(d.Data) != "":
			return true
		case d.Type == html.ElementNode && p.tree.count(d).all > 0:
			return true
		}
	}
	return false
}

// termList adds the terms of a list without definitions as list items.
func (p *page) termList(n *html.Node) {
	kind := p.kind
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		p.tree.visits++
		if c.DataAtom == atom.Dt {
			p.flush()
			p.kind, p.marker = outline.Item, "- "
			p.children(c)
			p.flush()
			p.marker = ""
		} else if c.Type == html.ElementNode {
			p.kind = kind
			p.termList(c)
		}
	}
	p.kind = kind
}

// entries adds the terms and definitions of a list. Consecutive terms share one
// definition.
func (p *page) entries(n *html.Node, level int) {
	var terms []string
	define := func() {
		if len(terms) > 0 {
			p.b.Add(outline.Heading, level, "\n\n", strings.Join(terms, "\n"))
		}
		terms = nil
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		p.tree.visits++
		switch {
		case c.Type == html.ElementNode && c.DataAtom == atom.Dt:
			p.flush()
			if t := strings.Join(strings.Fields(p.tree.textOf(c)), " "); t != "" {
				terms = append(terms, t)
			}
		case c.Type == html.ElementNode && c.DataAtom == atom.Dd:
			define()
			p.block(c)
		case c.Type == html.ElementNode && c.DataAtom == atom.Div: // HTML allows div groups
			define()
			p.entries(c, level)
		default:
			p.walk(c)
		}
	}
	define()
}
