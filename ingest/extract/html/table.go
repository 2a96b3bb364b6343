package html

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"docent/ingest/extract/table"
	"docent/ingest/outline"
)

// isTableTitle reports whether a paragraph is a table title as DocBook's pages
// write it.
func (p *page) isTableTitle(n *html.Node) bool {
	return attr(n, "class") == "title" && n.Parent != nil && attr(n.Parent, "class") == "table"
}

// table adds a table row by row. The caption becomes part of the header. A
// table that only arranges other blocks is read as those blocks.
func (p *page) table(n *html.Node) {
	p.flush()
	rows := tableRows(n)
	if p.tree.isLayout(n, rows) {
		p.layout(n)
		return
	}
	caption := p.caption
	p.caption = ""
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Caption {
			caption = strings.Join(strings.Fields(p.tree.textOf(c)), " ")
		}
	}
	separator := "\n\n"
	var header []string
	if caption != "" {
		header = append(header, caption)
	}
	started := false
	var open spans
	for i, row := range rows {
		line, allHeads := p.row(row, &open)
		if line == "" {
			continue
		}
		if !started && (row.Parent.DataAtom == atom.Thead || allHeads && i < len(rows)-1) {
			header = append(header, line)
			continue
		}
		if !started && len(header) > 0 {
			p.b.Add(outline.Header, 0, separator, strings.Join(header, "\n"))
			separator = "\n"
		}
		started = true
		p.b.Add(outline.Row, 0, separator, line)
		separator = "\n"
	}
	if !started && len(header) > 0 {
		p.b.Add(outline.Row, 0, separator, strings.Join(header, "\n"))
	}
}

// tableRows returns the rows of a table without those of nested tables.
func tableRows(n *html.Node) []*html.Node {
	var rows []*html.Node
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.DataAtom {
		case atom.Tr:
			rows = append(rows, c)
		case atom.Thead, atom.Tbody, atom.Tfoot:
			rows = append(rows, tableRows(c)...)
		}
	}
	return rows
}

// isLayout reports whether a table arranges blocks instead of showing data: at least a
// quarter of its cells contain tables or headings, and it has no header.
func (t *tree) isLayout(n *html.Node, rows []*html.Node) bool {
	if r := attr(n, "role"); r == "presentation" || r == "none" {
		return true
	}
	single := true
	all, blocks, heads := 0, 0, 0
	for i, row := range rows {
		cells := 0
		for c := row.FirstChild; c != nil; c = c.NextSibling {
			if c.DataAtom != atom.Td && c.DataAtom != atom.Th {
				continue
			}
			cells++
			if i == 0 && c.DataAtom == atom.Th {
				heads++
			}
			switch of := t.count(c); {
			case of.blocks:
				blocks++
				all++
			case of.all > 0:
				all++
			}
		}
		single = single && cells <= 1
	}
	if blocks > 0 {
		return heads < 2 && blocks*4 >= all
	}
	if !single || len(rows) > 1 {
		return false
	}
	for c := range n.Descendants() {
		t.visits++
		switch c.DataAtom {
		case atom.Pre, atom.Ul, atom.Ol, atom.Dl:
			return true
		}
	}
	return false
}

// layout reads the cells of a layout table as blocks.
func (p *page) layout(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.DataAtom {
		case atom.Thead, atom.Tbody, atom.Tfoot, atom.Tr:
			p.layout(c)
		default:
			p.cellBlock(c)
		}
	}
	p.flush()
}

// cellBlock reads a cell or another child of a layout table.
func (p *page) cellBlock(n *html.Node) {
	p.flush()
	p.walk(n)
	p.flush()
}

// row returns the cells of a row. A single cell has one line for each block. Empty
// cells follow a cell over several columns.
// allHeads reports whether all cells
// are headers. The row repeats cells that span
// it from earlier rows.
func (p *page) row(n *html.Node, open *spans) (line string, allHeads bool) {
	var cells []*html.Node
	allHeads = true
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Td || c.DataAtom == atom.Th {
			cells = append(cells, c)
			allHeads = allHeads && c.DataAtom == atom.Th
		}
	}
	if len(cells) == 0 {
		return "", false
	}
	var parts []string
	empty, column := true, 0
	for _, c := range cells {
		parts, column = open.fill(parts, column)
		text := p.cellText(c, len(cells) == 1)
		parts = append(parts, text)
		empty = empty && text == ""
		open.add(column, span(c, "colspan", maxColumns), span(c, "rowspan", maxSpan)-1, text)
		width := span(c, "colspan", maxColumns)
		for range width - 1 { // keeps the later cells in their columns
			parts = open.pad(parts)
		}
		column += width
	}
	parts, _ = open.fill(parts, column)
	if empty {
		return "", false
	}
	for parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	return strings.Join(parts, table.Separator), allHeads
}

// cellText returns the text of a cell. The blocks of a cell that is alone in
// its row stay on lines of their own.
func (p *page) cellText(n *html.Node, lines bool) string {
	inner := &page{b: outline.NewBuilder(128), kind: outline.Paragraph, cell: true, tree: p.tree}
	inner.children(n)
	inner.flush()
	doc := inner.b.Document("")
	parts := make([]string, len(doc.Blocks))
	for i, b := range doc.Blocks {
		parts[i] = doc.Text[b.Start:b.End]
		if !lines {
			parts[i] = oneLine(parts[i])
		}
	}
	if lines {
		return strings.Join(parts, "\n")
	}
	return strings.Join(parts, " ")
}

// oneLine returns the text of a cell on one line. It escapes each bar that would
// separate cells.
func oneLine(text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		if w == strings.TrimSpace(table.Separator) {
			words[i] = `\` + w
		}
	}
	return strings.Join(words, " ")
}
