package latex

import (
	"strings"

	"docent/ingest/extract/blocks"
	"docent/ingest/extract/table"
)

// cell ends the current cell of the open table.
func (l *latex) cell() {
	if len(l.grids) != 1 {
		l.write(" ")
		return
	}
	g := &l.grids[0]
	if len(g.row) < blocks.MaxColumns {
		g.row = append(g.row, tidyTeX(blocks.OneLine(l.buf.String())))
	}
	l.buf.Reset()
}

// row ends the current row of the open table.
func (l *latex) row() {
	if len(l.grids) != 1 {
		l.write(" ")
		return
	}
	l.cell()
	g := &l.grids[0]
	if strings.TrimSpace(strings.Join(g.row, "")) != "" {
		g.Rows = append(g.Rows, g.row)
	}
	g.row = nil
}

// rule records a rule across the open table. The first rule below a row ends
// the header.
func (l *latex) rule() {
	if len(l.grids) != 1 {
		return
	}
	g := &l.grids[0]
	if n := len(g.Rows); n > 0 && n <= 3 && !g.rule && blocks.IsBlank(l.buf.String()) && len(g.row) == 0 {
		g.Headers = n
		g.rule = true
	}
}

// repeatedRows ends the header rows of the first page in a long table. It drops
// the rows that the table repeats on each page.
func (l *latex) repeatedRows(name string) {
	if len(l.grids) != 1 {
		return
	}
	g := &l.grids[0]
	if name != "endfirsthead" && (g.kept > 0 || name != "endhead") {
		g.Rows = g.Rows[:g.kept]
	}
	g.kept = len(g.Rows)
}

// openTable begins a table. A table within a cell is read as text.
func (l *latex) openTable() {
	if len(l.grids) == 0 {
		l.flush()
	}
	l.grids = append(l.grids, latexGrid{})
}

// closeTable ends the open table.
func (l *latex) closeTable() {
	n := len(l.grids)
	if n == 0 {
		return
	}
	if n == 1 {
		l.row()
		g := l.grids[0].Grid
		if g.Headers > 0 && g.Headers == len(g.Rows) || g.Headers > 0 && !table.IsHeader(g.Rows[0]) && len(g.Rows[0]) < 2 {
			g.Headers = 0
		}
		l.grids = nil
		l.buf.Reset()
		l.Writer.Table(g)
		notes := l.notes
		l.notes = nil
		for _, note := range notes {
			l.Para(note)
		}
		return
	}
	l.grids = l.grids[:n-1]
}
