package terminal

import (
	"regexp"
	"slices"
	"strings"
)

// table is a table in Markdown.
type table struct {
	rows  [][]string // the first one has the headings; all have the same length
	right []bool     // columns that are aligned to the right
}

var (
	divider   = regexp.MustCompile(`^\s*:?-+:?\s*$`)
	lineBreak = regexp.MustCompile(`(?i)\s*<br ?/?>\s*`)
)

// newTable reads the lines of a table. ok is false if they are none.
func newTable(lines []string) (t table, ok bool) {
	if len(lines) < 2 {
		return t, false
	}
	head, marks := cells(lines[0]), cells(lines[1])
	if len(marks) != len(head) {
		return t, false
	}
	for _, m := range marks {
		if !divider.MatchString(m) {
			return t, false
		}
		m = strings.TrimSpace(m)
		t.right = append(t.right, strings.HasSuffix(m, ":") && !strings.HasPrefix(m, ":"))
	}
	t.rows = [][]string{head}
	for _, line := range lines[2:] {
		row := cells(line)
		for len(row) < len(head) {
			row = append(row, "")
		}
		t.rows = append(t.rows, row[:len(head)])
	}
	return t, true
}

// cells divides a line of a table at its bars. Bars after a backslash, and in code, belong to a cell.
func cells(line string) []string {
	line = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "|"), "|")
	var out []string
	var cell strings.Builder
	code := false
	for i, r := range line {
		switch {
		case r == '|' && strings.HasSuffix(line[:i], `\`):
			text := strings.TrimSuffix(cell.String(), `\`)
			cell.Reset()
			cell.WriteString(text + "|")
			continue
		case r == '|' && !code:
			out = append(out, strings.TrimSpace(cell.String()))
			cell.Reset()
			continue
		case r == '`':
			code = !code
		}
		cell.WriteRune(r)
	}
	return append(out, strings.TrimSpace(cell.String()))
}

const (
	// between divides columns.
	between = " │ "
	// leastColumn is the least width to which columns shrink.
	leastColumn = 8
)

// draw returns the table for a number of columns. If it has too many columns, each row becomes a list.
func (t table) draw(columns int) string {
	room := columns - (len(t.right)-1)*Width(between)
	widths := make([]int, len(t.right))
	total, least := 0, 0
	for i := range widths {
		for _, row := range t.rows {
			widths[i] = max(widths[i], cellWidth(row[i]))
		}
		widths[i] = max(widths[i], 1)
		total += widths[i]
		least += min(widths[i], leastColumn)
	}
	if least > room {
		return t.list(columns)
	}
	for ; total > room; total-- {
		widths[slices.Index(widths, slices.Max(widths))]--
	}
	var b strings.Builder
	lines, tall := make([][][]string, len(t.rows)), false
	for i, row := range t.rows {
		for k, cell := range row {
			wrapped := wrap(cell, widths[k])
			lines[i] = append(lines[i], wrapped)
			tall = tall || i > 0 && len(wrapped) > 1
		}
	}
	for i := range t.rows {
		t.drawRow(&b, lines[i], widths)
		if i == 0 || tall && i < len(t.rows)-1 {
			rules := make([]string, len(widths))
			for k, w := range widths {
				rules[k] = strings.Repeat("─", w)
			}
			b.WriteString(strings.Join(rules, "─┼─") + "\n")
		}
	}
	return b.String()
}

// drawRow writes the lines of a row.
func (t table) drawRow(b *strings.Builder, row [][]string, widths []int) {
	height := 0
	for _, cell := range row {
		height = max(height, len(cell))
	}
	for n := range height {
		parts := make([]string, len(row))
		for k, cell := range row {
			text := ""
			if n < len(cell) {
				text = cell[n]
			}
			pad := strings.Repeat(" ", max(widths[k]-Width(text), 0))
			parts[k] = text + pad
			if t.right[k] {
				parts[k] = pad + text
			}
		}
		b.WriteString(strings.TrimRight(strings.Join(parts, between), " ") + "\n")
	}
}

// list returns each row as lines with the heading and the cell.
func (t table) list(columns int) string {
	var b strings.Builder
	for i, row := range t.rows[1:] {
		if i > 0 {
			b.WriteString("\n")
		}
		for k, cell := range row {
			if cell == "" {
				continue
			}
			head := t.rows[0][k]
			if head != "" {
				head += ": "
			}
			text := lineBreak.ReplaceAllString(head+cell, " ")
			b.WriteString(strings.Join(wrap(text, columns), "\n") + "\n")
		}
	}
	return b.String()
}

// cellWidth returns the width of the longest line of a cell.
func cellWidth(cell string) (n int) {
	for _, line := range lineBreak.Split(cell, -1) {
		n = max(n, Width(line))
	}
	return n
}

// wrap divides a cell into lines.
func wrap(cell string, columns int) (lines []string) {
	for _, part := range lineBreak.Split(cell, -1) {
		line := ""
		for _, word := range strings.Fields(part) {
			if line != "" && Width(line)+1+Width(word) > columns {
				lines, line = append(lines, line), ""
			}
			if line != "" {
				line += " "
			}
			for Width(line)+Width(word) > columns {
				var head string
				head, word = cut(word, columns-Width(line))
				if word == "" { // one wide character
					word = head
					break
				}
				lines, line = append(lines, line+head), ""
			}
			line += word
		}
		lines = append(lines, line)
	}
	return lines
}
