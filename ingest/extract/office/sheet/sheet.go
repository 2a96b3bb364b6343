// Package sheet turns the cells of spreadsheets into tables.
package sheet

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"docent/ingest/extract/office/content"
	"docent/ingest/extract/table"
	"docent/ingest/outline"
	"docent/internal/fault"
)

// errCells is the error for a workbook with too many cells.
var errCells = fault.New(fault.Invalid,
	"sheet_too_large", "too large: it has more than 2 million cells; split it, or export the sheets that matter as CSV")

// ErrTextTooLarge is the error for a document with too much text.
var ErrTextTooLarge = fault.New(fault.Invalid, "text_too_large", "too large: its text is more than %d MiB", outline.MaxText>>20)

// Grid holds the non-empty, visible cells of a sheet.
type Grid struct {
	Rows   []Row
	Merges []Area
	Budget *int // number of cells that the workbook may still add
	bytes  int  // bytes of text
}

// Row is a non-empty row.
type Row struct {
	Number      int // index in the sheet
	HiddenAbove int // number of hidden rows above it
	Hidden      bool
	Cells       []Cell
}

// Cell is a non-empty cell.
type Cell struct {
	Column  int
	Text    string
	Numeric bool
}

// Area is a rectangle of cells, both ends included.
type Area struct{ Top, Left, Bottom, Right int }

// AddRow adds a row.
func (g *Grid) AddRow(r Row) error {
	if len(r.Cells) == 0 {
		return nil
	}
	if *g.Budget -= len(r.Cells); *g.Budget < 0 {
		return errCells
	}
	for _, c := range r.Cells {
		g.bytes += len(c.Text)
	}
	if g.bytes > outline.MaxText {
		return ErrTextTooLarge
	}
	g.Rows = append(g.Rows, r)
	return nil
}

// RepeatMerged repeats the text of a merged area in each of its rows, so that
// each row is complete.
func (g *Grid) RepeatMerged() {
	steps := MaxCells / 2
	for _, m := range g.Merges {
		if m.Bottom <= m.Top {
			continue
		}
		first, found := slices.BinarySearchFunc(g.Rows, m.Top, func(r Row, top int) int { return cmp.Compare(r.Number, top) })
		if !found {
			continue
		}
		cells := g.Rows[first].Cells
		at, found := slices.BinarySearchFunc(cells, m.Left, byColumn)
		if !found || len(cells[at].Text) > content.MaxRepeated {
			continue
		}
		for i := first + 1; i < len(g.Rows) && g.Rows[i].Number <= m.Bottom; i++ {
			if steps--; steps < 0 {
				return
			}
			r := &g.Rows[i]
			if j, taken := slices.BinarySearchFunc(r.Cells, m.Left, byColumn); !taken {
				r.Cells = slices.Insert(r.Cells, j, cells[at])
			}
		}
	}
}

func byColumn(c Cell, col int) int { return cmp.Compare(c.Column, col) }

// AddTables adds the tables of the sheet. Blank rows separate tables.
func (g *Grid) AddTables(ctx context.Context, b *outline.Builder) error {
	if !slices.IsSortedFunc(g.Rows, func(a, b Row) int { return cmp.Compare(a.Number, b.Number) }) {
		slices.SortStableFunc(g.Rows, func(a, b Row) int { return cmp.Compare(a.Number, b.Number) })
	}
	for i := range g.Rows {
		if cells := g.Rows[i].Cells; !slices.IsSortedFunc(cells, func(a, b Cell) int { return cmp.Compare(a.Column, b.Column) }) {
			slices.SortStableFunc(cells, func(a, b Cell) int { return cmp.Compare(a.Column, b.Column) })
		}
	}
	g.RepeatMerged()
	g.joinHeaders()
	for start := 0; start < len(g.Rows); {
		if err := ctx.Err(); err != nil {
			return err
		}
		end := start + 1
		for end < len(g.Rows) {
			above, r := g.Rows[end-1], g.Rows[end]
			if gap := r.Number - r.HiddenAbove - above.Number + above.HiddenAbove - 1; gap > 0 && (gap > 1 || end > start+1 || !heads(above, r)) {
				break
			}
			end++
		}
		for _, rows := range apart(g.Rows[start:end]) {
			if err := addTable(ctx, b, rows); err != nil {
				return err
			}
		}
		start = end
	}
	return nil
}

// heads reports whether a row names the columns of the next row, although a
// blank row is between them.
func heads(above, r Row) bool {
	numbers := false
	for _, c := range r.Cells {
		numbers = numbers || c.Numeric
	}
	return numbers && isHeaderRow(above, len(r.Cells)) &&
		slices.EqualFunc(above.Cells, r.Cells, func(a, b Cell) bool { return a.Column == b.Column })
}

// addTable adds a block of rows without a blank row.
func addTable(ctx context.Context, b *outline.Builder, rows []Row) error {
	columns := UsedColumns(rows)
	for len(rows) > 0 && len(columns) > 1 && len(rows[0].Cells) == 1 { // titles above the table
		b.Add(outline.Paragraph, 0, "\n\n", rows[0].Cells[0].Text)
		rows = rows[1:]
	}
	if len(rows) == 1 && len(rows[0].Cells) == 1 {
		b.Add(outline.Paragraph, 0, "\n\n", rows[0].Cells[0].Text)
		return nil
	}
	separator := "\n\n"
	for i, r := range rows {
		if b.Len() > outline.MaxText-1<<20 {
			return ErrTextTooLarge
		}
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		kind := outline.Row
		if i == 0 && len(rows) > 1 && isHeaderRow(r, len(columns)) {
			kind = outline.Header
		}
		b.Add(kind, 0, separator, rowLine(r, columns))
		separator = "\n"
	}
	return nil
}

// UsedColumns maps each non-empty column to its position among them.
func UsedColumns(rows []Row) map[int]int {
	columns := map[int]int{}
	for _, r := range rows {
		for _, c := range r.Cells {
			columns[c.Column] = 0
		}
	}
	order := make([]int, 0, len(columns))
	for col := range columns {
		order = append(order, col)
	}
	slices.Sort(order)
	for i, col := range order {
		columns[col] = i
	}
	return columns
}

// isHeaderRow reports whether a first row names the columns of a table. It must
// name all or all but one, with short texts.
func isHeaderRow(r Row, columns int) bool {
	if len(r.Cells) < 2 || len(r.Cells) < columns-1 {
		return false
	}
	for _, c := range r.Cells {
		if c.Numeric || len(c.Text) > 80 {
			return false
		}
	}
	return true
}

// rowLine returns a row as one line. It omits the empty cells of a sparse row
// in a very wide table.
func rowLine(r Row, columns map[int]int) string {
	width := len(columns)
	if width > 64 && len(r.Cells)*8 < width {
		width = 0
	}
	var cells []string
	for _, c := range r.Cells {
		if width > 0 {
			for len(cells) < columns[c.Column] {
				cells = append(cells, "")
			}
		}
		cells = append(cells, strings.TrimSpace(c.Text))
	}
	return table.Line(cells)
}
