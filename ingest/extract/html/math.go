package html

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxMath bounds the bytes of a formula.
const maxMath = 10_000

// math reads a formula: its source in TeX if the page has it, otherwise its signs in one line.
func (p *page) math(n *html.Node) {
	text := attr(n, "alttext")
	if text == "" {
		text = p.tree.tex(n)
	}
	if text == "" {
		text = p.tree.formula(n)
	}
	if text = strings.TrimSpace(text); len(text) > maxMath {
		return
	}
	if source, ok := strings.CutPrefix(text, `{\displaystyle `); ok { // of MediaWiki
		text = strings.TrimSuffix(source, "}")
	}
	if attr(n, "display") == "block" {
		p.flush()
		p.text(text)
		p.flush()
		return
	}
	p.text(text)
}

// tex returns the annotation of a formula in TeX, or "".
func (t *tree) tex(n *html.Node) string {
	for c := range n.Descendants() {
		t.visits++
		if c.Data == "annotation" && strings.HasSuffix(attr(c, "encoding"), "tex") {
			return strings.TrimSpace(t.textOf(c))
		}
	}
	return ""
}

// formula writes a formula in one line.
func (t *tree) formula(n *html.Node) string {
	var parts []string
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		t.visits++
		switch {
		case c.Type == html.TextNode:
			if text := strings.TrimSpace(c.Data); text != "" {
				parts = append(parts, text)
			}
		case c.Type == html.ElementNode && c.Data != "annotation" && c.Data != "annotation-xml" && c.DataAtom != atom.Script:
			parts = append(parts, t.formula(c))
		}
	}
	group := func(s string) string {
		if len([]rune(s)) > 1 {
			return "(" + s + ")"
		}
		return s
	}
	if len(parts) < 2 {
		if text := strings.Join(parts, ""); n.Data != "msqrt" && n.Data != "mo" {
			return text
		}
	}
	switch {
	case n.Data == "msup" || n.Data == "mover":
		return parts[0] + "^" + group(parts[1])
	case n.Data == "msub" || n.Data == "munder":
		return parts[0] + "_" + group(parts[1])
	case (n.Data == "msubsup" || n.Data == "munderover") && len(parts) > 2:
		return parts[0] + "_" + group(parts[1]) + "^" + group(parts[2])
	case n.Data == "mfrac":
		return group(parts[0]) + "/" + group(parts[1])
	case n.Data == "msqrt":
		return "√" + group(strings.Join(parts, ""))
	case n.Data == "mroot":
		return group(parts[0]) + "^(1/" + parts[1] + ")"
	case n.Data == "mo" && len(parts) == 1 && strings.ContainsAny(parts[0], "=<>≤≥≠≈→+"):
		return " " + parts[0] + " "
	case n.Data == "mtr":
		return strings.Join(parts, ", ")
	case n.Data == "mtable":
		return "[" + strings.Join(parts, "; ") + "]"
	}
	return strings.Join(parts, "")
}
