package html

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// alwaysParsed is the size in bytes of pages that are parsed without
	// estimating the cost, because it is low.
	alwaysParsed = 64 << 10
	// maxParseWork bounds the cost of parsing a page to a tree, in steps as
	// parseWork counts them. That many steps take about a second.
	maxParseWork = 16 << 20
	// maxOpen is the maximum number of open elements in the parser.
	maxOpen = 512
	// stepBytes is the number of bytes that the parser copies in one step.
	stepBytes = 64
)

// parseWork estimates the cost of parsing a page from above. The parser
// searches the open elements at most tags. It copies a text again when it
// extends the text after a tag that it ignores.
func parseWork(text string) int {
	w := workCounter{}
	z := html.NewTokenizer(strings.NewReader(text))
	z.SetMaxBuf(maxHTMLToken)
	for w.work <= maxParseWork {
		kind := z.Next()
		switch kind {
		case html.ErrorToken:
			return w.work
		case html.TextToken:
			w.text(z.Raw())
		case html.CommentToken:
			w.run = 0
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			w.start(atom.Lookup(name), len(z.Raw()), kind == html.SelfClosingTagToken)
		case html.EndTagToken:
			name, _ := z.TagName()
			w.end(atom.Lookup(name))
		}
	}
	return w.work
}

// workCounter is the state of estimating the cost of parsing a page.
type workCounter struct {
	work     int
	open     []atom.Atom // elements that may be open in the parser
	cells    []bool      // for each open table, whether a cell is open
	selects  int         // open select elements, in which the parser ignores most tags
	run      int         // bytes of text since the last tag that certainly became a node
	fostered int         // bytes of text outside the cells of the innermost table
	root     int         // bytes of the html and body tags
}

// text counts a text.
func (w *workCounter) text(raw []byte) {
	w.run += len(raw)
	if k := len(w.cells); k > 0 && !w.cells[k-1] && len(bytes.TrimSpace(raw)) > 0 {
		w.fostered += len(raw)
	}
}

// start counts a start tag.
func (w *workCounter) start(tag atom.Atom, size int, closed bool) {
	w.step()
	switch tag {
	case atom.Html, atom.Body:
		w.root += size
		w.work += w.root / 2 // the parser compares their attributes
		return
	case atom.Table:
		w.fostered = 0
	case atom.Select:
		w.selects++
	case atom.Form, atom.Head, atom.Frameset, atom.Frame:
		return
	}
	if w.selects == 0 && !(tableParts[tag] && len(w.cells) == 0) {
		w.run = 0
	}
	if k := len(w.cells); k > 0 && tableParts[tag] {
		w.cells[k-1] = tag == atom.Td || tag == atom.Th || tag == atom.Caption
	}
	if !closed && !selfClosing[tag] && !tableParts[tag] && len(w.open) < maxOpen {
		w.open = append(w.open, tag)
		if tag == atom.Table {
			w.cells = append(w.cells, false)
		}
	}
}

// end counts an end tag. As in the parser, it closes all elements inside its
// element and has no effect outside of its table.
func (w *workCounter) end(tag atom.Atom) {
	w.step()
	if formatting[tag.String()] {
		w.work += 8 * len(w.open) // the parser may move elements
	}
	if tag == atom.Select {
		w.selects = max(w.selects-1, 0)
	}
	if k := len(w.cells); k > 0 && tableParts[tag] {
		w.cells[k-1] = false
		return
	}
	for i := len(w.open) - 1; i >= 0; i-- {
		switch w.open[i] {
		case tag:
			if w.open = w.open[:i]; tag == atom.Table {
				w.cells = w.cells[:len(w.cells)-1]
			}
			return
		case atom.Table, atom.Object, atom.Template:
			return
		}
	}
}

// step counts the search through the open elements and the copying of text. It
// counts twice the known elements, because each may contain one that is closed
// without a tag.
func (w *workCounter) step() {
	w.work += 2*len(w.open) + w.run/stepBytes
	if len(w.cells) > 0 {
		w.work += w.fostered / stepBytes
	}
}

// tableParts are the elements of a table. The parser ignores them outside of
// tables.
var tableParts = map[atom.Atom]bool{
	atom.Caption: true, atom.Col: true, atom.Colgroup: true, atom.Tbody: true,
	atom.Thead: true, atom.Tfoot: true, atom.Tr: true, atom.Td: true, atom.Th: true,
}

// selfClosing are elements without content and elements that another tag
// closes. They never contain each other directly.
var selfClosing = map[atom.Atom]bool{
	atom.Area: true, atom.Base: true, atom.Basefont: true, atom.Bgsound: true, atom.Br: true, atom.Embed: true, atom.Frame: true,
	atom.Hr: true, atom.Image: true, atom.Img: true, atom.Input: true, atom.Keygen: true, atom.Link: true, atom.Meta: true, atom.Param: true,
	atom.Source: true, atom.Track: true, atom.Wbr: true,
	atom.P: true, atom.Li: true, atom.Dt: true, atom.Dd: true, atom.Option: true, atom.Optgroup: true, atom.Rp: true, atom.Rt: true,
	atom.Html: true, atom.Head: true, atom.Body: true, atom.Script: true, atom.Style: true, atom.Title: true, atom.Textarea: true,
}
