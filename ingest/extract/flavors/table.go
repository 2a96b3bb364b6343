package flavors

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

const (
	// maxSpan bounds the columns and rows of one cell.
	maxSpan = 100
	// maxCells bounds the cells of a table.
	maxCells = 50_000
)

// cell is a cell of a table in HTML.
type cell struct {
	text       strings.Builder
	head       bool
	rows, cols int
}

// table returns a table of HTML as rows of Markdown; "" if it has none. Cells over several columns or
// rows are repeated. The rows of the header become one. The caption is a paragraph before the table.
func table(s string, d *document) string {
	rows, caption := tableCells(s)
	texts, heads := grid(rows, d)
	if len(texts) == 0 {
		return ""
	}
	head := 0
	for head < len(texts)-1 && heads[head] {
		head++
	}
	width := 0
	for _, row := range texts {
		width = max(width, len(row))
	}
	names := make([]string, width)
	for _, row := range texts[:head] {
		for i, name := range row {
			if name != "" && name != names[i] {
				names[i] = strings.TrimSpace(names[i] + " " + name)
			}
		}
	}
	var b strings.Builder
	if caption = tidyCell(caption, d); caption != "" {
		b.WriteString(caption + "\n\n")
	}
	write := func(row []string) {
		b.WriteString("|")
		for i := range width {
			text := ""
			if i < len(row) {
				text = row[i]
			}
			b.WriteString(" " + text + " |")
		}
		b.WriteByte('\n')
	}
	write(names)
	b.WriteString("|" + strings.Repeat(" --- |", width) + "\n")
	for _, row := range texts[head:] {
		write(row)
	}
	return strings.TrimSpace(b.String())
}

// tableCells returns the cells of a table by row, and its caption. Tables inside cells are part of
// their text.
func tableCells(s string) (rows [][]*cell, caption string) {
	z := html.NewTokenizer(strings.NewReader(s))
	depth, count := 0, 0
	var open *cell
	var title *strings.Builder
	for {
		kind := z.Next()
		if kind == html.ErrorToken || count > maxCells {
			break
		}
		raw := string(z.Raw())
		name, more := "", false
		if kind == html.StartTagToken || kind == html.EndTagToken || kind == html.SelfClosingTagToken {
			n, m := z.TagName()
			name, more = string(n), m
		}
		start := kind != html.EndTagToken
		if name == "table" {
			if start {
				depth++
			} else {
				depth--
			}
			if depth > 1 || depth == 1 && !start {
				continue
			}
		}
		inside := depth <= 1
		switch {
		case inside && name == "caption":
			if title = nil; start {
				title = &strings.Builder{}
			} else {
				continue
			}
		case inside && name == "tr":
			if open = nil; start {
				rows = append(rows, nil)
			}
		case inside && (name == "td" || name == "th"):
			if open = nil; !start {
				continue
			}
			if len(rows) == 0 {
				rows = append(rows, nil)
			}
			open = &cell{head: name == "th", rows: 1, cols: 1}
			count++
			for more {
				var key, value []byte
				key, value, more = z.TagAttr()
				n, err := strconv.Atoi(strings.TrimSpace(string(value)))
				if err != nil || n < 1 {
					continue
				}
				switch string(key) {
				case "rowspan":
					open.rows = min(n, maxSpan)
				case "colspan":
					open.cols = min(n, maxSpan)
				}
			}
			rows[len(rows)-1] = append(rows[len(rows)-1], open)
		case name == "tr", name == "td", name == "th":
			if open != nil {
				open.text.WriteByte(' ')
			}
		case title != nil:
			title.WriteString(raw)
			caption = title.String()
		case open != nil && name != "thead" && name != "tbody" && name != "tfoot":
			open.text.WriteString(raw)
		}
	}
	return rows, caption
}

// grid returns the texts of the cells by row and column, and which rows have only headers.
func grid(rows [][]*cell, d *document) (texts [][]string, heads []bool) {
	type span struct {
		text string
		left int // rows
	}
	var open []span
	count := 0
	for _, row := range rows {
		var out []string
		at, empty, head := 0, true, true
		fill := func() {
			for at < len(open) && open[at].left > 0 {
				open[at].left--
				out = append(out, open[at].text)
				at++
			}
		}
		for _, c := range row {
			fill()
			text := tidyCell(c.text.String(), d)
			empty, head = empty && text == "", head && (c.head || text == "")
			for range c.cols {
				if count++; count > maxCells {
					return texts, heads
				}
				for at >= len(open) {
					open = append(open, span{})
				}
				open[at] = span{text, c.rows - 1}
				out = append(out, text)
				at++
			}
		}
		fill()
		if !empty {
			texts, heads = append(texts, out), append(heads, head)
		}
	}
	return texts, heads
}

// tidyCell returns the text of a cell on one line, without syntax.
func tidyCell(s string, d *document) string {
	s = strings.Join(strings.Fields(inline(s, d)), " ")
	return strings.ReplaceAll(strings.ReplaceAll(s, `\|`, "|"), "|", `\|`)
}
