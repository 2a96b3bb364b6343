package html

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// inlineElements do not end a line.
var inlineElements = map[atom.Atom]bool{
	atom.A: true, atom.Abbr: true, atom.Acronym: true, atom.B: true, atom.Bdi: true, atom.Bdo: true, atom.Big: true,
	atom.Cite: true, atom.Code: true, atom.Data: true, atom.Del: true, atom.Dfn: true, atom.Em: true, atom.Font: true,
	atom.I: true, atom.Img: true, atom.Ins: true, atom.Kbd: true, atom.Label: true, atom.Mark: true, atom.Math: true,
	atom.Nobr: true, atom.Q: true, atom.Rp: true, atom.Rt: true, atom.Ruby: true, atom.S: true, atom.Samp: true,
	atom.Small: true, atom.Span: true, atom.Strike: true, atom.Strong: true, atom.Sub: true, atom.Sup: true,
	atom.Time: true, atom.Tt: true, atom.U: true, atom.Var: true, atom.Wbr: true, atom.Input: true,
}

// navigationClasses mark navigation in the pages of common documentation
// generators. Their content does not matter.
var navigationClasses = map[string]bool{
	"navheader": true, "navfooter": true, "navbar": true, "breadcrumb": true, "breadcrumbs": true, "related": true,
	"sphinxsidebar": true, "skip-link": true, "headerlink": true, "toctree-wrapper": true, "wy-nav-side": true,
	"rst-footer-buttons": true, "md-nav": true, "md-footer": true, "pagination": true, "docnav": true,
	"toplang": true, "bottomlang": true, "lang-toggle": true, "permalink": true, "navpath": true, "ttc": true, "summary-links": true,
	"navrow": true, "prevnext": true, "prev-next-area": true, "bd-toc": true, "bd-sidebar": true, "tocsidebar": true, "page-toc": true,
	"sphinx-toctree": true, "contents-nav": true, "topnav": true, "subnav": true, "bottomnav": true, "nav-footer": true,
}

// navigationIDs are the ids of elements with navigation in the pages of documentation generators, such as
// Doxygen and the documentation of Apache.
var navigationIDs = map[string]bool{
	"side-nav": true, "nav-path": true, "nav-tree": true, "nav-sync": true, "MSearchBox": true, "MSearchSelectWindow": true,
	"MSearchResultsWindow": true, "titlearea": true, "main-nav": true, "main-menu": true, "navrow1": true, "navrow2": true, "navrow3": true,
	"navrow4": true, "navrow5": true, "searchbox": true, "quickview": true, "sphinx-sidebar": true,
}

// boxClasses mark notes and warnings. Headings inside them do not open a
// section.
var boxClasses = map[string]bool{
	"note": true, "tip": true, "warning": true, "caution": true, "important": true, "admonition": true, "danger": true,
	"hint": true, "attention": true, "alert": true, "callout": true, "sidebar": true,
}

// maxAttributes bounds the attributes of an element that are searched.
const maxAttributes = 64

// attr returns the value of an attribute, or "".
func attr(n *html.Node, name string) string {
	for _, a := range n.Attr[:min(len(n.Attr), maxAttributes)] {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func hasAttr(n *html.Node, name string) bool {
	for _, a := range n.Attr[:min(len(n.Attr), maxAttributes)] {
		if a.Key == name {
			return true
		}
	}
	return false
}

// maxClass bounds the bytes of a class attribute that are searched.
const maxClass = 1000

// hasClass reports whether one of the element's classes is in the set.
func hasClass(n *html.Node, set map[string]bool) bool {
	classes := attr(n, "class")
	for class := range strings.FieldsSeq(classes[:min(len(classes), maxClass)]) {
		if set[class] {
			return true
		}
	}
	return false
}

// isNavigation reports whether an element contains navigation instead of
// content.
func (p *page) isNavigation(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Nav:
		return true
	case atom.A:
		return p.tree.isSelfLink(n)
	case atom.Header, atom.Footer, atom.Aside:
		return p.linkShare(n) > 0.5
	}
	switch attr(n, "role") {
	case "navigation", "search", "dialog", "alertdialog", "menu", "menubar":
		return true
	case "banner", "contentinfo":
		return p.linkShare(n) > 0.5
	}
	return hasClass(n, navigationClasses) || navigationIDs[attr(n, "id")] || p.tree.isLinkBar(n)
}

// isSelfLink reports whether a link is the permalink mark beside a heading.
func (t *tree) isSelfLink(n *html.Node) bool {
	if !strings.HasPrefix(attr(n, "href"), "#") {
		return false
	}
	text, ok := t.shortText(n)
	if !ok {
		return false
	}
	switch strings.TrimSpace(text) {
	case "#", "¶", "§", "🔗":
		return true
	}
	return false
}

// shortText returns the text of a node. ok is false if the text is longer than
// a mark with spaces, or if the node has many elements.
func (t *tree) shortText(n *html.Node) (text string, ok bool) {
	const most, mostNodes = 32, 64
	looked := 0
	for c := range n.Descendants() {
		t.visits++
		if looked++; looked > mostNodes {
			return "", false
		}
		if c.Type == html.TextNode {
			if text += c.Data; len(text) > most {
				return "", false
			}
		}
	}
	return text, true
}

// linkShare returns the share of an element's text that is in links, or 1
// without text.
func (p *page) linkShare(n *html.Node) float64 {
	c := p.tree.count(n)
	if c.all == 0 {
		return 1
	}
	return float64(c.linked) / float64(c.all)
}

// inBox reports whether a heading names the note or warning that contains it.
func inBox(n *html.Node) bool {
	for p, up := n.Parent, 0; p != nil && up < 2; p, up = p.Parent, up+1 {
		if p.DataAtom == atom.Aside || hasClass(p, boxClasses) {
			return true
		}
	}
	return false
}
