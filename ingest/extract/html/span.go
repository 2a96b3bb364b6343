package html

import (
	"strconv"

	"golang.org/x/net/html"
)

const (
	// maxColumns is the last column in which cells are followed down.
	maxColumns = 64
	// maxSpan is how many rows a cell is repeated in.
	maxSpan = 200
	// maxSpanText is the longest text, in bytes, that is repeated.
	maxSpanText = 120
	// maxRepeated bounds the repeated text of a table.
	maxRepeated = 256 << 10
)

// spans are the cells of a table that reach into the rows below, by column.
type spans struct {
	columns [maxColumns]struct {
		text string
		rows int // how many rows it still reaches into
	}
	repeated int
}

// add notes a cell that reaches into rows below.
func (s *spans) add(column, width, rows int, text string) {
	if len(text) > maxSpanText {
		text = ""
	}
	for k := column; k < min(column+width, maxColumns); k++ {
		s.columns[k].rows, s.columns[k].text = rows, text
		text = ""
	}
}

// fill appends the texts of the cells that reach into the row at a column, and
// returns the first column that is free.
func (s *spans) fill(parts []string, column int) ([]string, int) {
	for ; column < maxColumns && s.columns[column].rows > 0; column++ {
		c := &s.columns[column]
		c.rows--
		if c.text == "" || s.repeated > maxRepeated {
			continue
		}
		s.repeated += len(c.text)
		parts = append(parts, c.text)
	}
	return parts, column
}

// span is how many columns or rows a cell takes.
func span(n *html.Node, name string, most int) int {
	k, err := strconv.Atoi(attr(n, name))
	if err != nil {
		return 1
	}
	return max(1, min(k, most))
}
