package html

import (
	"errors"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"docent/ingest/extract/table"
	"docent/ingest/outline"
	"docent/internal/fault"
)

const (
	// maxDOM is the largest page, in bytes, that is parsed to a tree.
	maxDOM = 8 << 20
	// maxNodes bounds the nodes of a parsed tree, as nodes counts them. A node
	// takes some hundred bytes of memory, but its tag can have three bytes.
	maxNodes = 500_000
	// maxHTMLToken is the longest tag or text in a page that is not parsed to a
	// tree.
	maxHTMLToken = 16 << 20
)

// formatting are elements that the parser reopens in each block until they are
// closed.
var formatting = map[string]bool{
	"a": true, "b": true, "big": true, "code": true, "em": true, "font": true, "i": true, "nobr": true, "s": true,
	"small": true, "strike": true, "strong": true, "tt": true, "u": true,
}

// nodes estimates the number of nodes in the tree of a page from above.
func nodes(text string) int {
	n, open := 0, 0
	opened := map[string]int{}
	for {
		i := strings.IndexByte(text, '<')
		if i < 0 {
			return n
		}
		text = text[i+1:]
		n += 2 + open
		name, closing := strings.CutPrefix(text[:min(len(text), 8)], "/")
		if end := strings.IndexFunc(name, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
			name = name[:end]
		}
		name = strings.ToLower(name)
		switch {
		case !formatting[name]:
		case !closing:
			opened[name]++
			open++
		case opened[name] > 0:
			opened[name]--
			open--
		}
	}
}

// flatHTML reads a page without building a tree. It serves pages that are very
// large and pages on which the parser gives up because hundreds of elements are
// open. It recognizes headings, paragraphs, list items, preformatted text, and
// table rows by their tags alone.
func flatHTML(text string) (*outline.Document, error) {
	f := &flatPage{page: page{b: outline.NewBuilder(len(text) / 2), kind: outline.Paragraph}}
	z := html.NewTokenizer(strings.NewReader(text))
	z.SetMaxBuf(maxHTMLToken)
	for {
		switch z.Next() {
		case html.ErrorToken:
			if errors.Is(z.Err(), html.ErrBufferExceeded) {
				return nil, fault.New(fault.Invalid,
					"html_element_too_large", "too large: one of its elements is longer than %d MiB", maxHTMLToken>>20)
			}
			f.endBlock()
			f.endRow()
			return f.b.Document(f.title), nil
		case html.TextToken:
			f.words(string(z.Text()))
		case html.StartTagToken:
			name, _ := z.TagName()
			f.start(atom.Lookup(name))
		case html.EndTagToken:
			name, _ := z.TagName()
			f.end(atom.Lookup(name))
		case html.SelfClosingTagToken:
			if name, _ := z.TagName(); atom.Lookup(name) == atom.Br {
				f.start(atom.Br)
			}
		}
	}
}

// flatPage is the state of reading a page tag by tag.
type flatPage struct {
	page
	skip  atom.Atom // the element whose content is skipped
	level int       // level of the open heading, 0 without one
	pre   bool
	row   bool // inside a table row
	cells []string
	heads int  // number of header cells in the row
	begun bool // the table has at least one row
}

func (f *flatPage) words(s string) {
	switch {
	case f.skip == atom.Title:
		f.title = strings.Join(strings.Fields(s), " ")
	case f.skip != 0:
	case f.pre:
		f.inline.WriteString(s)
	default:
		f.text(s)
	}
}

func (f *flatPage) start(tag atom.Atom) {
	if f.skip != 0 {
		if tag == f.skip {
			f.skip = 0
		}
		return
	}
	if inlineElements[tag] {
		return
	}
	if tag == atom.Br {
		f.inline.WriteByte('\n')
		f.pending = false
		return
	}
	f.endBlock()
	switch tag {
	case atom.Script, atom.Style, atom.Title:
		f.skip = tag
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		f.level = int(tag.String()[1] - '0')
	case atom.Li:
		f.kind, f.marker = outline.Item, "- "
	case atom.Pre:
		f.pre = true
	case atom.Table:
		f.endRow()
		f.begun = false
	case atom.Tr:
		f.endRow()
		f.row = true
	case atom.Td, atom.Th:
		f.endCell()
		if tag == atom.Th {
			f.heads++
		}
	}
}

func (f *flatPage) end(tag atom.Atom) {
	if f.skip != 0 {
		if tag == f.skip {
			f.skip = 0
		}
		return
	}
	if inlineElements[tag] {
		return
	}
	f.endBlock()
	switch tag {
	case atom.Td, atom.Th:
		f.endCell()
	case atom.Tr, atom.Table:
		f.endRow()
	case atom.Li, atom.Ul, atom.Ol:
		f.kind, f.marker = outline.Paragraph, ""
	}
}

// endBlock ends the current block. Within a row, the block is part of its cell.
func (f *flatPage) endBlock() {
	text := f.inline.String()
	switch {
	case f.row:
		f.pending = true
	case f.level > 0:
		name := strings.Join(strings.Fields(text), " ")
		if f.level == 1 && f.title == "" {
			f.title = name
		}
		f.b.Add(outline.Heading, f.level, "\n\n", name)
		f.inline.Reset()
	case f.pre:
		f.b.Add(outline.Code, 0, "\n\n", fenced(text))
		f.inline.Reset()
	default:
		f.flush()
	}
	f.level, f.pre = 0, false
}

// endCell ends the open cell, if any.
func (f *flatPage) endCell() {
	if f.row && f.inline.Len() > 0 {
		f.cells = append(f.cells, strings.Join(strings.Fields(f.inline.String()), " "))
		f.inline.Reset()
	}
	f.pending = false
}

// endRow ends the open row, if any.
func (f *flatPage) endRow() {
	f.endCell()
	if len(f.cells) > 0 {
		kind, separator := outline.Row, "\n"
		if !f.begun {
			separator = "\n\n"
			if f.heads == len(f.cells) {
				kind = outline.Header
			}
		}
		f.begun = true
		f.b.Add(kind, 0, separator, strings.Join(f.cells, table.Separator))
	}
	f.row, f.cells, f.heads = false, f.cells[:0], 0
}
