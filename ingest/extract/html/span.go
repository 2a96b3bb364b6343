package html

import (
	"strconv"

	"golang.org/x/net/html"

	"docent/ingest/extract/table"
)

const (
	// maxColumns is the number of columns in which cells may span rows.
	maxColumns = 64
	// maxSpan is the maximum number of rows that repeat a cell.
	maxSpan = 200
	// maxSpanText is the longest repeated text, in bytes.
	maxSpanText = 120
	// maxRepeated bounds all repeated text of a table, in bytes.
	maxRepeated = 256 << 10
)

// spans are the cells of a table that reach into later rows, by column.
type spans struct {
	columns [maxColumns]struct {
		text string
		rows int // number of later rows that it still covers
	}
	repeated int
}

// add records a cell that spans rows.
func (s *spans) add(column, width, rows int, text string) {
	if len(text) > maxSpanText {
		text = ""
	}
	for k := column; k < min(column+width, maxColumns); k++ {
		s.columns[k].rows, s.columns[k].text = rows, text
		text = ""
	}
}

// fill appends the cells from earlier rows that cover a column of this row. It
// returns the first free column.
func (s *spans) fill(parts []string, column int) ([]string, int) {
	for ; column < maxColumns && s.columns[column].rows > 0; column++ {
		c := &s.columns[column]
		c.rows--
		if s.repeated > maxRepeated {
			continue
		}
		if c.text == "" {
			parts = s.pad(parts)
			continue
		}
		s.repeated += len(c.text)
		parts = append(parts, c.text)
	}
	return parts, column
}

// pad appends an empty cell.
func (s *spans) pad(parts []string) []string {
	if s.repeated > maxRepeated {
		return parts
	}
	s.repeated += len(table.Separator)
	return append(parts, "")
}

// span returns the number of columns or rows that a cell covers.
func span(n *html.Node, name string, most int) int {
	k, err := strconv.Atoi(attr(n, name))
	if err != nil {
		return 1
	}
	return max(1, min(k, most))
}
