package html

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// maxBar bounds the nodes of a bar of links.
	maxBar = 400
	// maxBarLabel bounds the words before the links of a bar, such as "Available Languages:".
	maxBarLabel = 4
)

// isLinkBar reports whether an element is a line of links for moving between pages: at least two short
// links, and nothing else but signs between them and a label in front of them.
func (t *tree) isLinkBar(n *html.Node) bool {
	switch n.DataAtom {
	case atom.P, atom.Div, atom.Center, atom.Td, atom.Span:
	default:
		return false
	}
	links, signs, looked := 0, 0, 0
	var label strings.Builder
	for c := range n.Descendants() {
		t.visits++
		if looked++; looked > maxBar {
			return false
		}
		switch {
		case c.Type == html.TextNode && !inLink(c, n):
			text := strings.TrimSpace(c.Data)
			if text == "" {
				continue
			}
			if !strings.ContainsFunc(text, isWordRune) {
				if strings.ContainsFunc(text, isBarSign) {
					signs++
				}
				continue
			}
			if links > 0 || label.Len()+len(text) > 60 {
				return false
			}
			label.WriteString(" " + text)
		case c.Type == html.ElementNode && c.DataAtom == atom.A:
			if attr(c, "href") == "" || strings.HasPrefix(attr(c, "href"), "mailto:") {
				return false
			}
			links++
		case c.Type == html.ElementNode && !inlineElements[c.DataAtom] && c.DataAtom != atom.Br:
			return false
		}
	}
	said := strings.TrimSpace(label.String())
	if said != "" && (!strings.HasSuffix(said, ":") || len(strings.Fields(said)) > maxBarLabel) {
		return false
	}
	return links >= 2 && signs >= links-1
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isBarSign reports whether a sign stands between the links of a bar. Commas stand between the links
// of a sentence.
func isBarSign(r rune) bool {
	return strings.ContainsRune("|·•‧∙>›»/→–—\u2011-[]‹«<←", r)
}

// inLink reports whether a node is inside a link below an element.
func inLink(c, below *html.Node) bool {
	for up, n := c.Parent, 0; up != nil && up != below && n < 8; up, n = up.Parent, n+1 {
		if up.DataAtom == atom.A {
			return true
		}
	}
	return false
}
