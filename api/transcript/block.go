package transcript

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// blockKind is the kind of a block.
type blockKind int

const (
	paragraphBlock blockKind = iota
	headingBlock
	itemBlock
	codeBlock
	tableBlock
)

// block is a part of a conversation as a document, between paragraphs.
type block struct {
	kind  blockKind
	level int    // of a heading, from 1; the depth of an item or a quote, from 0
	mark  string // of an item
	runs  []run
	rows  [][][]run // of a table; the first row is the head
}

// run is text in one style.
type run struct {
	text               string
	bold, italic, code bool
	raised             bool // the number of a source
}

// blocks reads a transcript. Its Markdown has no HTML and no images; see contained.
func blocks(markdown []byte) []block {
	r := blockReader{source: markdown}
	root := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader(markdown))
	r.children(root, 0)
	return r.out
}

type blockReader struct {
	source []byte
	out    []block
}

func (r *blockReader) children(n ast.Node, depth int) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		r.block(c, depth)
	}
}

func (r *blockReader) block(n ast.Node, depth int) {
	switch n := n.(type) {
	case *ast.Heading:
		r.out = append(r.out, block{kind: headingBlock, level: n.Level, runs: r.runs(n, run{})})
	case *ast.Paragraph, *ast.TextBlock:
		r.out = append(r.out, block{level: depth, runs: r.runs(n, run{})})
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		var code strings.Builder
		for i := range n.Lines().Len() {
			line := n.Lines().At(i)
			code.Write(line.Value(r.source))
		}
		r.out = append(r.out, block{kind: codeBlock, runs: []run{{text: strings.TrimRight(code.String(), "\n"), code: true}}})
	case *ast.List:
		number := n.Start
		for item := n.FirstChild(); item != nil; item = item.NextSibling() {
			mark := "•"
			if n.IsOrdered() {
				mark = fmt.Sprintf("%d.", number)
			}
			number++
			first := len(r.out)
			r.children(item, depth+1)
			if first < len(r.out) && r.out[first].kind == paragraphBlock {
				r.out[first].kind, r.out[first].mark, r.out[first].level = itemBlock, mark, depth
			}
		}
	case *extast.Table:
		table := block{kind: tableBlock}
		for row := n.FirstChild(); row != nil; row = row.NextSibling() {
			var cells [][]run
			_, head := row.(*extast.TableHeader)
			for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
				cells = append(cells, r.runs(cell, run{bold: head}))
			}
			table.rows = append(table.rows, cells)
		}
		r.out = append(r.out, table)
	case *ast.Blockquote:
		r.children(n, depth+1)
	default:
		r.children(n, depth)
	}
}

// runs returns the text in a node.
func (r *blockReader) runs(n ast.Node, style run) []run {
	var out []run
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			said := plainText(c.Segment.Value(r.source))
			if c.HardLineBreak() {
				said += "\n"
			} else if c.SoftLineBreak() {
				said += " "
			}
			out = append(out, cited(said, style)...)
		case *ast.String:
			out = append(out, cited(string(c.Value), style)...)
		case *ast.CodeSpan:
			code := style
			code.code = true
			for t := c.FirstChild(); t != nil; t = t.NextSibling() {
				if t, ok := t.(*ast.Text); ok {
					code.text += string(t.Segment.Value(r.source))
				}
			}
			out = append(out, code)
		case *ast.Emphasis:
			strong := style
			strong.bold, strong.italic = style.bold || c.Level > 1, style.italic || c.Level == 1
			out = append(out, r.runs(c, strong)...)
		case *ast.AutoLink:
			link := style
			link.text = string(c.URL(r.source))
			out = append(out, link)
		default:
			out = append(out, r.runs(c, style)...)
		}
	}
	return joined(out)
}

// joined joins neighbors in the same style, so that markers are whole.
func joined(runs []run) []run {
	var out []run
	for _, r := range runs {
		if last := len(out) - 1; last >= 0 {
			text := out[last].text
			if out[last].text = r.text; out[last] == r {
				out[last].text = text + r.text
				continue
			}
			out[last].text = text
		}
		out = append(out, r)
	}
	var all []run
	for _, r := range out {
		if r.code || r.raised {
			all = append(all, r)
		} else {
			all = append(all, cited(r.text, r)...)
		}
	}
	return all
}

// plainText resolves the escapes of Markdown.
func plainText(source []byte) string {
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(source))))
}

// marker matches the numbers of sources behind a sentence.
var marker = regexp.MustCompile(`\[\d{1,3}(?:\s*,\s*\d{1,3})*\]`)

// cited splits text at its citations. A number at the beginning is that of a source in a list.
func cited(said string, style run) []run {
	var out []run
	add := func(text string, raised bool) {
		if text != "" {
			style.text, style.raised = text, raised
			out = append(out, style)
		}
	}
	at := 0
	for _, m := range marker.FindAllStringIndex(said, -1) {
		if m[0] == 0 {
			continue
		}
		add(said[at:m[0]], false)
		add(said[m[0]:m[1]], true)
		at = m[1]
	}
	add(said[at:], false)
	return out
}
