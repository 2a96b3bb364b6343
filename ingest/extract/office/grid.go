package office

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"docent/ingest/extract/table"
	"docent/ingest/outline"
	"docent/internal/fault"
)

// maxCells bounds the cells of one workbook.
const maxCells = 2_000_000

// errCells is the reason for larger workbooks.
var errCells = fault.New(fault.Invalid,
	"sheet_too_large", "too large: it has more than 2 million cells; split it, or export the sheets that matter as CSV")

// errText is the reason for documents with too much text.
var errText = fault.New(fault.Invalid, "text_too_large", "too large: its text is more than %d MiB", outline.MaxText>>20)

// grid holds the cells of a sheet that are not empty and not hidden.
type grid struct {
	rows   []gridRow
	merges []area
	budget *int // cells that the workbook may still have
	bytes  int  // of text
}

// gridRow is a row with something in it.
type gridRow struct {
	row    int // in the sheet
	hidden int // rows above it that are hidden
	cells  []gridCell
}

// gridCell is a cell with something in it.
type gridCell struct {
	col    int
	text   string
	number bool
}

// area is a rectangle of cells, both ends included.
type area struct{ top, left, bottom, right int }

// maxMerges bounds the merged areas read of one sheet.
const maxMerges = 100_000

// add adds a row.
func (g *grid) add(r gridRow) error {
	if len(r.cells) == 0 {
		return nil
	}
	if *g.budget -= len(r.cells); *g.budget < 0 {
		return errCells
	}
	for _, c := range r.cells {
		g.bytes += len(c.text)
	}
	if g.bytes > outline.MaxText {
		return errText
	}
	g.rows = append(g.rows, r)
	return nil
}

// repeatMerged repeats the text of areas that go over several rows in each of
// them, so that a row says everything about its subject.
func (g *grid) repeatMerged() {
	steps := maxCells / 2
	for _, m := range g.merges {
		if m.bottom <= m.top {
			continue
		}
		first, found := slices.BinarySearchFunc(g.rows, m.top, func(r gridRow, top int) int { return cmp.Compare(r.row, top) })
		if !found {
			continue
		}
		cells := g.rows[first].cells
		at, found := slices.BinarySearchFunc(cells, m.left, byColumn)
		if !found || len(cells[at].text) > maxRepeated {
			continue
		}
		for i := first + 1; i < len(g.rows) && g.rows[i].row <= m.bottom; i++ {
			if steps--; steps < 0 {
				return
			}
			r := &g.rows[i]
			if j, taken := slices.BinarySearchFunc(r.cells, m.left, byColumn); !taken {
				r.cells = slices.Insert(r.cells, j, cells[at])
			}
		}
	}
}

func byColumn(c gridCell, col int) int { return cmp.Compare(c.col, col) }

// tables adds the sheet's tables: they are parted by blank rows.
func (g *grid) tables(ctx context.Context, b *outline.Builder) error {
	if !slices.IsSortedFunc(g.rows, func(a, b gridRow) int { return cmp.Compare(a.row, b.row) }) {
		slices.SortStableFunc(g.rows, func(a, b gridRow) int { return cmp.Compare(a.row, b.row) })
	}
	for i := range g.rows {
		if cells := g.rows[i].cells; !slices.IsSortedFunc(cells, func(a, b gridCell) int { return cmp.Compare(a.col, b.col) }) {
			slices.SortStableFunc(cells, func(a, b gridCell) int { return cmp.Compare(a.col, b.col) })
		}
	}
	g.repeatMerged()
	for start := 0; start < len(g.rows); {
		if err := ctx.Err(); err != nil {
			return err
		}
		end := start + 1
		for end < len(g.rows) {
			above, r := g.rows[end-1], g.rows[end]
			if gap := r.row - r.hidden - above.row + above.hidden - 1; gap > 0 && (gap > 1 || end > start+1 || !heads(above, r)) {
				break
			}
			end++
		}
		if err := addTable(ctx, b, g.rows[start:end]); err != nil {
			return err
		}
		start = end
	}
	return nil
}

// heads reports whether a row names the columns of a row below, though a blank
// row is between them.
func heads(above, r gridRow) bool {
	numbers := false
	for _, c := range r.cells {
		numbers = numbers || c.number
	}
	return numbers && isHeaderRow(above, len(r.cells)) &&
		slices.EqualFunc(above.cells, r.cells, func(a, b gridCell) bool { return a.col == b.col })
}

// addTable adds rows without a blank one between them.
func addTable(ctx context.Context, b *outline.Builder, rows []gridRow) error {
	columns := usedColumns(rows)
	for len(rows) > 0 && len(columns) > 1 && len(rows[0].cells) == 1 { // titles above the table
		b.Add(outline.Paragraph, 0, "\n\n", rows[0].cells[0].text)
		rows = rows[1:]
	}
	if len(rows) == 1 && len(rows[0].cells) == 1 {
		b.Add(outline.Paragraph, 0, "\n\n", rows[0].cells[0].text)
		return nil
	}
	separator := "\n\n"
	for i, r := range rows {
		if b.Len() > outline.MaxText-1<<20 {
			return errText
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

// usedColumns maps the columns with something in them to their order.
func usedColumns(rows []gridRow) map[int]int {
	columns := map[int]int{}
	for _, r := range rows {
		for _, c := range r.cells {
			columns[c.col] = 0
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

// isHeaderRow reports whether a first row names the columns of a table: it
// names all or all but one, with short texts.
func isHeaderRow(r gridRow, columns int) bool {
	if len(r.cells) < 2 || len(r.cells) < columns-1 {
		return false
	}
	for _, c := range r.cells {
		if c.number || len(c.text) > 80 {
			return false
		}
	}
	return true
}

// rowLine is a row as a line. A row with few cells in a very wide table leaves
// the empty ones out.
func rowLine(r gridRow, columns map[int]int) string {
	width := len(columns)
	if width > 64 && len(r.cells)*8 < width {
		width = 0
	}
	var cells []string
	for _, c := range r.cells {
		if width > 0 {
			for len(cells) < columns[c.col] {
				cells = append(cells, "")
			}
		}
		cells = append(cells, strings.TrimSpace(c.text))
	}
	return table.Line(cells)
}
