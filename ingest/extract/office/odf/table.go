package odf

import (
	"cmp"
	"encoding/xml"
	"slices"
	"strconv"
	"strings"

	"docent/ingest/extract/office/content"
	"docent/ingest/extract/office/sheet"
	"docent/ingest/extract/zipxml"
	"docent/ingest/outline"
)

// table is the outermost open table.
type table struct {
	grid      sheet.Grid
	header    int // number of header rows
	inHeader  bool
	row       int // number of the row
	hidden    int // number of hidden rows so far
	repeat    int // number of times that the row is repeated
	rowHidden bool
	cells     []sheet.Cell
	col       int
	columns   int
	hide      map[int]bool // hidden columns

	inCell  bool
	struck  bool // the text of the cell is struck out
	text    strings.Builder
	cell    sheet.Cell
	value   string // value of a cell without text
	across  int    // number of times that the cell is repeated
	down    int    // number of rows that the cell covers
	covered bool
}

// maxTableColumns bounds the columns of a table in a text document.
const maxTableColumns = sheet.MaxColumns

// write adds a paragraph to the open cell.
func (t *table) write(s string) {
	if t.text.Len() > 0 {
		t.text.WriteByte('\n')
	}
	t.text.WriteString(s)
}

// repeated returns how often a row, column, or cell is repeated.
func repeated(e xml.StartElement, name string) int {
	n, err := strconv.Atoi(zipxml.AttrIn(e, "table", name))
	if err != nil || n < 1 {
		return 1
	}
	return min(n, sheet.MaxRows)
}

// startTable opens an element of a table.
func (d *reader) startTable(e xml.StartElement) func() {
	if e.Name.Local == "table" || e.Name.Local == "sub-table" {
		return d.openTable(e)
	}
	t := d.table
	if t == nil || d.nest != 1 {
		return nil
	}
	switch e.Name.Local {
	case "table-header-rows":
		t.inHeader = true
		return func() { t.inHeader = false }
	case "table-column":
		n := repeated(e, "number-columns-repeated")
		if v := zipxml.AttrIn(e, "table", "visibility"); v == "collapse" || v == "filter" {
			for c := t.columns; c < min(t.columns+n, maxTableColumns); c++ {
				t.hide[c] = true
			}
		}
		t.columns = min(t.columns+n, maxTableColumns)
	case "table-row":
		t.repeat = repeated(e, "number-rows-repeated")
		t.rowHidden = zipxml.AttrIn(e, "table", "visibility") == "collapse" // a filter hides no content
		t.cells, t.col = nil, 0
		return func() { d.fail(t.endRow()) }
	case "table-cell", "covered-table-cell":
		t.openCell(e)
		t.struck = d.styles[zipxml.AttrIn(e, "table", "style-name")].struck
		return t.endCell
	}
	return nil
}

// fail stores the first error.
func (d *reader) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// openTable opens a table. A table inside a cell becomes text of the cell.
func (d *reader) openTable(e xml.StartElement) func() {
	d.nest++
	if d.nest > 1 {
		return func() { d.nest-- }
	}
	d.table = &table{grid: sheet.Grid{Budget: &d.budget}, hide: map[int]bool{}}
	lists := d.lists
	d.lists = nil
	style, name := zipxml.AttrIn(e, "table", "style-name"), zipxml.AttrIn(e, "table", "name")
	return func() {
		t := d.table
		d.nest, d.table, d.lists = 0, nil, lists
		d.wasItem = false
		switch hidden := d.styles[style].hidden; {
		case hidden && d.sheets:
			d.labels = append(d.labels, "") // hidden sheets count in the page numbers of LibreOffice
		case hidden:
		case d.slide != nil:
			if s := d.slide.top(); s != nil {
				s.Rows, s.Header = t.lines(), t.header > 0
			}
		case d.sheets:
			d.fail(d.addSheet(t, name))
		default:
			content.AddRows(d.b, t.lines(), t.header > 0)
		}
	}
}

// addSheet adds a table as a sheet. Its page is its index among all sheets,
// because LibreOffice also draws the hidden ones.
func (d *reader) addSheet(t *table, name string) error {
	d.b.Page = len(d.labels)
	d.labels = append(d.labels, name)
	d.shown++
	if len(t.grid.Rows) > 0 && !sheet.IsUsualName(name) || d.shown > 1 {
		d.b.Add(outline.Heading, 1, "\n\n", strings.Join(strings.Fields(name), " "))
	}
	return t.grid.AddTables(d.ctx, d.b)
}

// openCell opens a cell.
func (t *table) openCell(e xml.StartElement) {
	t.text.Reset()
	t.inCell = true
	t.covered = e.Name.Local == "covered-table-cell"
	t.across = repeated(e, "number-columns-repeated")
	t.down = repeated(e, "number-rows-spanned")
	kind := cmp.Or(zipxml.AttrIn(e, "office", "value-type"), zipxml.AttrIn(e, "table", "value-type"))
	t.cell = sheet.Cell{Numeric: kind != "" && kind != "string"}
	t.value = cmp.Or(zipxml.AttrIn(e, "office", "string-value"), zipxml.AttrIn(e, "office", "date-value"), zipxml.AttrIn(e, "office", "value"),
		formula(zipxml.AttrIn(e, "table", "formula")))
}

// maxFormula is the longest formula that is shown, in bytes.
const maxFormula = 1000

// references are the parts of a formula that spreadsheets do not display.
var references = strings.NewReplacer("[.", "", ":.", ":", "]", "")

// formula returns the formula of a cell without a value as displayed.
func formula(s string) string {
	if _, rest, ok := strings.Cut(s, ":="); ok {
		s = "=" + references.Replace(rest)
	}
	if len(s) > maxFormula {
		return ""
	}
	return s
}

// endCell adds the open cell to its row.
func (t *table) endCell() {
	t.inCell = false
	text := strings.TrimSpace(cmp.Or(t.text.String(), t.value))
	if t.struck {
		text = ""
	}
	from := t.col
	t.col = min(t.col+t.across, maxTableColumns)
	if text == "" || t.rowHidden || t.covered {
		return
	}
	if t.down > 1 && len(t.grid.Merges) < sheet.MaxMerges {
		t.grid.Merges = append(t.grid.Merges, sheet.Area{Top: t.row, Left: from, Bottom: min(t.row+t.down-1, sheet.MaxRows), Right: from})
	}
	for c := from; c < t.col; c++ {
		if !t.hide[c] {
			t.cells = append(t.cells, sheet.Cell{Column: c, Text: text, Numeric: t.cell.Numeric})
		}
	}
}

// endRow ends the open row.
func (t *table) endRow() error {
	first := t.row
	t.row = min(t.row+t.repeat, sheet.MaxRows)
	if t.rowHidden {
		t.hidden += t.repeat
		return nil
	}
	if len(t.cells) == 0 {
		return nil
	}
	if t.inHeader {
		t.header = len(t.grid.Rows) + 1
	}
	for row := first; row < t.row; row++ {
		if err := t.grid.AddRow(sheet.Row{Number: row, HiddenAbove: t.hidden, Cells: slices.Clone(t.cells)}); err != nil {
			return err
		}
	}
	return nil
}

// lines returns the rows of a table in a text document.
func (t *table) lines() [][]string {
	t.grid.RepeatMerged()
	columns := sheet.UsedColumns(t.grid.Rows)
	var rows [][]string
	size := 0
	for _, r := range t.grid.Rows {
		width := len(columns)
		if width > 64 && len(r.Cells)*8 < width {
			width = 0
		}
		var cells []string
		for _, c := range r.Cells {
			for width > 0 && len(cells) < columns[c.Column] {
				cells = append(cells, "")
			}
			cells = append(cells, c.Text)
			size += len(c.Text)
		}
		rows = append(rows, cells)
		if size > outline.MaxText {
			break
		}
	}
	return rows
}
