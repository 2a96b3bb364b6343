package html

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// isStruck reports whether an element strikes its text out.
func (t *tree) isStruck(n *html.Node) bool {
	switch n.DataAtom {
	case atom.S, atom.Strike, atom.Del:
		return true
	case atom.Span, atom.Font:
		style := attr(n, "style")
		if strings.Contains(style[:min(len(style), maxClass)], "line-through") {
			return true
		}
	}
	for _, s := range t.stylesOf(n) {
		if s.struck {
			return true
		}
	}
	return false
}

// marksStruck reports whether struck-out text is marked instead of left out, because it is
// most of the text of the page.
func (p *page) marksStruck(n *html.Node) bool {
	p.tree.count(n)
	return p.tree.struck*2 > p.tree.all
}

// struckOut reads an element whose text is struck out.
func (p *page) struckOut(n *html.Node) {
	if !p.marksStruck(n) {
		p.pending = true
		return
	}
	p.text("~~")
	p.children(n)
	p.inline.WriteString("~~")
}
