package html

import (
	"path"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// isDescription reports whether the alternative text of an image describes
// content. It needs several words, and the image must not be an icon.
func isDescription(n *html.Node, alt string) bool {
	const icon = 32 // in pixels
	for _, side := range []string{"width", "height"} {
		if size, err := strconv.Atoi(attr(n, side)); err == nil && size <= icon {
			return false
		}
	}
	words := 0
	for range strings.FieldsSeq(alt[:min(len(alt), 4096)]) {
		words++
	}
	if words < 2 || path.Ext(alt) != "" && words < 3 {
		return false
	}
	return attr(n, "role") != "presentation"
}

// footnoteMark returns the mark of a footnote reference, such as 1 or *. It
// returns "" if the element is not one.
func (t *tree) footnoteMark(n *html.Node) string {
	if !isReference(n) {
		return ""
	}
	text, ok := t.shortText(n)
	if !ok {
		return ""
	}
	text = strings.Trim(strings.TrimSpace(text), "[]()")
	if text == "" || len(text) > 8 {
		return ""
	}
	for _, r := range text {
		if !unicode.IsDigit(r) && !strings.ContainsRune("*†‡§", r) {
			return ""
		}
	}
	return text
}

// isReference reports whether an element is a raised link within its page, or a
// link with a class of footnotes.
func isReference(n *html.Node) bool {
	inner := n
	if n.DataAtom == atom.Sup {
		if inner = n.FirstChild; inner == nil || inner.DataAtom != atom.A {
			return false
		}
	}
	if !strings.Contains(attr(inner, "href"), "#") {
		return false
	}
	if n.DataAtom == atom.Sup || inner.FirstChild != nil && inner.FirstChild.DataAtom == atom.Sup {
		return true
	}
	class := attr(inner, "class") + attr(inner, "role") + attr(inner, "epub:type")
	return strings.Contains(class, "footnote") || strings.Contains(class, "noteref")
}
