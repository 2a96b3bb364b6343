package html

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// tree is the tree of a page with facts about its elements. The readers of the
// page and of its cells share it.
type tree struct {
	letters map[*html.Node]letterCount // filled by count
	defines map[*html.Node]bool        // filled by hasDefinitions
	panels  *panels                    // filled by panelsOf
	styles  map[string]style           // by class, filled by stylesOf
	all     int                        // bytes of text, filled by count
	struck  int                        // bytes of struck-out text, filled by count
	visits  int                        // number of visited nodes; tests check it
}

// letterCount has the bytes of an element's text and how many of them are in
// links.
// blocks reports whether the element contains tables or headings.
type letterCount struct {
	all, linked int
	blocks      bool
}

// count returns the size of an element's text. The first call counts all
// elements of the page in one pass, so that the work is linear.
func (t *tree) count(n *html.Node) letterCount {
	if t.letters == nil {
		t.letters = map[*html.Node]letterCount{}
		root := n
		for root.Parent != nil {
			root = root.Parent
		}
		t.all = t.countAll(root, false, false).all
	}
	return t.letters[n]
}

// countAll records the text size of each element below n. The parser bounds the
// depth.
func (t *tree) countAll(n *html.Node, link, struck bool) (sum letterCount) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		t.visits++
		switch c.Type {
		case html.TextNode:
			if c.Parent.DataAtom == atom.Script || c.Parent.DataAtom == atom.Style {
				continue
			}
			k := len(strings.TrimSpace(c.Data))
			sum.all += k
			if link {
				sum.linked += k
			}
			if struck {
				t.struck += k
			}
		case html.ElementNode:
			below := t.countAll(c, link || c.DataAtom == atom.A, struck || t.isStruck(c))
			sum.all += below.all
			sum.linked += below.linked
			sum.blocks = sum.blocks || below.blocks || isBlock(c)
		}
	}
	t.letters[n] = sum
	return sum
}

// isBlock reports whether an element is a table or heading.
func isBlock(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Table, atom.H1, atom.H2, atom.H3, atom.H4:
		return true
	}
	return false
}

// textOf returns the raw text of a node. It omits scripts, styles, and
// permalink marks, and writes a line break for br.
func (t *tree) textOf(n *html.Node) string {
	if n.FirstChild != nil && n.FirstChild == n.LastChild && n.FirstChild.Type == html.TextNode {
		return n.FirstChild.Data
	}
	var b strings.Builder
	t.addText(&b, n)
	return b.String()
}

// isCode reports whether a node is a <code> element.
func isCode(n *html.Node) bool { return n != nil && n.DataAtom == atom.Code }

// addText appends the text of a node. The parser bounds the depth.
func (t *tree) addText(b *strings.Builder, n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		t.visits++
		switch {
		case c.Type == html.TextNode:
			b.WriteString(c.Data)
		case t.isStruck(c) && t.struck*2 <= t.all:
		case c.DataAtom == atom.Script, c.DataAtom == atom.Style, c.DataAtom == atom.A && t.isSelfLink(c):
		case c.DataAtom == atom.Br:
			b.WriteByte('\n')
		case n.DataAtom == atom.Pre && c.DataAtom == atom.Button: // it copies the code
		case n.DataAtom == atom.Pre && isCode(c) && isCode(c.PrevSibling): // the same code in another language
			b.WriteString("\n\n")
			t.addText(b, c)
		default:
			t.addText(b, c)
		}
	}
}
