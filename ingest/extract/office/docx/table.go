package docx

import (
	"encoding/xml"
	"strconv"
	"strings"

	"docent/ingest/extract/office/content"
	"docent/ingest/extract/table"
	"docent/ingest/extract/zipxml"
	"docent/ingest/outline"
)

// wordTable is the outermost open table.
type wordTable struct {
	rows   [][]string
	header int // number of header rows
	cell   strings.Builder
	inCell bool
	span   int  // number of columns that the cell covers
	below  bool // the cell continues the one above
	spare  int  // number of empty cells added for wide cells
	size   int  // number of rows and cells
}

// maxSpare bounds the empty cells that are added to one table.
const maxSpare = 2_000_000

// maxSpan bounds the columns that a cell may cover. Word has 63 columns.
const maxSpan = 64

// isOn reports whether a Boolean property is set. The value may be missing.
func isOn(e xml.StartElement) bool {
	switch zipxml.Attr(e, "val") {
	case "0", "false", "off":
		return false
	}
	return true
}

// startTable opens an element of a table. A table inside a cell becomes text of
// the cell.
func (w *word) startTable(e xml.StartElement) {
	if e.Name.Local == "tbl" {
		if w.nest++; w.nest == 1 {
			w.table = &wordTable{}
		}
		return
	}
	t := w.table
	if w.nest != 1 {
		return
	}
	switch e.Name.Local {
	case "tr":
		if t.size++; t.size > content.MaxTable {
			w.addTable(t)
			t.rows, t.header, t.size = nil, -1, 0
		}
		t.rows = append(t.rows, nil)
	case "tblHeader":
		if isOn(e) && t.header >= 0 {
			t.header = len(t.rows)
		}
	case "tc":
		t.cell.Reset()
		t.inCell, t.span, t.below = true, 1, false
	case "gridSpan":
		n, _ := strconv.Atoi(zipxml.Attr(e, "val"))
		t.span = min(max(n, 1), maxSpan)
	case "vMerge":
		t.below = zipxml.Attr(e, "val") != "restart"
	}
}

// endCell ends a cell. Empty cells follow a cell over several columns, so that
// the columns stay aligned. A cell that continues the cell above repeats its
// text, so that each row is complete.
func (t *wordTable) endCell() {
	n := len(t.rows)
	if !t.inCell || n == 0 {
		return
	}
	t.inCell = false
	text := strings.Join(strings.Fields(t.cell.String()), " ")
	row := &t.rows[n-1]
	if t.below && text == "" && n > 1 {
		if above := t.rows[n-2]; len(*row) < len(above) && len(above[len(*row)]) <= content.MaxRepeated {
			text = above[len(*row)]
		}
	}
	*row = append(*row, text)
	t.size++
	for i := 1; i < t.span && t.spare < maxSpare; i++ {
		*row = append(*row, "")
		t.spare++
	}
}

// endTable adds the open table.
func (w *word) endTable() {
	t := w.table
	w.table = nil
	w.wasItem = false
	w.addTable(t)
}

// addTable adds the rows of a table.
func (w *word) addTable(t *wordTable) {
	if t.header == 0 && len(t.rows) > 1 && table.IsHeader(t.rows[0]) {
		t.header = 1
	}
	separator := "\n\n"
	for i, row := range t.rows {
		kind := outline.Row
		if i < t.header && i == 0 && len(t.rows) > 1 {
			kind = outline.Header
		}
		if line := table.Line(row); line != "" {
			w.b.Add(kind, 0, separator, line)
			separator = "\n"
		}
	}
}
