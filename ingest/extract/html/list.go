package html

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"docent/ingest/extract/office/content"
	"docent/ingest/outline"
)

// list is an open ul or ol element.
type list struct {
	ordered bool
	next    int
	step    int    // -1 in a reversed list
	format  string // of the numbers
}

// listFormats are the formats of numbers by the attribute type and by the style.
var listFormats = map[string]string{
	"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman", "1": "decimal",
	"lower-alpha": "lowerLetter", "lower-latin": "lowerLetter", "upper-alpha": "upperLetter", "upper-latin": "upperLetter",
	"lower-roman": "lowerRoman", "upper-roman": "upperRoman", "decimal": "decimal", "decimal-leading-zero": "decimalZero",
	"cjk-ideographic": "chineseCounting", "katakana": "aiueo", "hebrew": "hebrew1", "none": "none",
}

// formatOf returns the format of numbers that an element sets, or "".
func (t *tree) formatOf(n *html.Node) string {
	if f := listFormats[attr(n, "type")]; f != "" {
		return f
	}
	style := attr(n, "style")
	if f := styledFormat(style[:min(len(style), maxClass)]); f != "" {
		return f
	}
	for _, s := range t.stylesOf(n) {
		if s.format != "" {
			return s.format
		}
	}
	return ""
}

// styledFormat returns the format of numbers that declarations set, or "".
func styledFormat(declarations string) string {
	for declaration := range strings.SplitSeq(declarations, ";") {
		name, value, _ := strings.Cut(declaration, ":")
		if name = strings.TrimSpace(name); name != "list-style-type" && name != "list-style" {
			continue
		}
		for word := range strings.FieldsSeq(value) {
			if f := listFormats[strings.ToLower(word)]; f != "" {
				return f
			}
		}
	}
	return ""
}

func (p *page) list(n *html.Node) {
	p.flush()
	kind := p.kind
	p.kind = outline.Item
	l := list{ordered: n.DataAtom == atom.Ol, next: 1, step: 1, format: p.tree.formatOf(n)}
	start, err := strconv.Atoi(attr(n, "start"))
	if l.ordered && hasAttr(n, "reversed") {
		l.step = -1
		for c := n.FirstChild; c != nil && err != nil; c = c.NextSibling {
			p.tree.visits++
			if c.DataAtom == atom.Li {
				start++
			}
		}
		err = nil
	}
	if err == nil {
		l.next = start
	}
	p.lists = append(p.lists, l)
	p.children(n)
	p.flush()
	p.lists = p.lists[:len(p.lists)-1]
	p.kind = kind
	p.marker = ""
}

// item adds a list item.
func (p *page) item(n *html.Node) {
	p.flush()
	p.marker = p.number(n)
	p.roleBox(n)
	p.children(n)
	p.flush()
	p.marker = ""
}

// number returns the mark or number of an item as displayed.
func (p *page) number(n *html.Node) string {
	k := len(p.lists) - 1
	if k < 0 || !p.lists[k].ordered {
		return "- "
	}
	l := &p.lists[k]
	if value, err := strconv.Atoi(attr(n, "value")); err == nil {
		l.next = value
	}
	number := l.next
	l.next += l.step
	format := l.format
	if own := p.tree.formatOf(n); own != "" {
		format = own
	}
	if format == "none" {
		return "- "
	}
	return content.Numeral(number, format) + ". "
}
