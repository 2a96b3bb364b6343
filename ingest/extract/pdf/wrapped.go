package pdf

const (
	// maxCellLines is the maximum number of lines that are joined to one cell.
	maxCellLines = 8
	// minWrapped is the minimum number of cells in a row with a wrapped cell.
	// Two cells are more often a text with notes in the margin.
	minWrapped = 3
)

// tableLine is a line of a page divided into cells, or several lines that form
// one row of a table.
type tableLine struct {
	row  rowOf
	from int // its first line
	to   int // the line after its last line
}

// tableLines divides the lines of a page into cells. Most programs draw a table
// cell by cell. So the lines of a wrapped cell precede the next cell of the
// same row. tableLines joins these lines to one row.
func tableLines(lines []textLine) []tableLine {
	rows := make([]rowOf, len(lines))
	for i, l := range lines {
		rows[i] = cellsOf(l)
	}
	out := make([]tableLine, 0, len(lines))
	for i := 0; i < len(lines); {
		at := tableLine{row: rows[i], from: i, to: i + 1}
		if row, n := wrappedRow(rows[i:]); n > 1 {
			before := len(out) > 0 && len(out[len(out)-1].row.cells) >= minWrapped
			if before || isRow(rows[i+n:]) {
				at.row, at.to = row, i+n
			}
		}
		out = append(out, at)
		i = at.to
	}
	return out
}

// wrappedRow joins the first lines if they are a row with a wrapped cell before
// the last cell. It returns the number of lines, or 0.
func wrappedRow(rows []rowOf) (row rowOf, n int) {
	if len(rows) < 2 || len(rows[0].cells) == 0 || len(rows[1].cells) == 0 {
		return rowOf{}, 0
	}
	row = rowOf{cells: append([]cell(nil), rows[0].cells...), top: rows[0].top, bottom: rows[0].bottom}
	wrapped, beside := 0, false
	last := rows[0] // the lowest line of the last cell
	for i := 1; i < len(rows) && len(rows[i].cells) > 0; i++ {
		switch next := rows[i]; {
		case len(row.cells)+len(next.cells) > maxColumns, next.cells[len(next.cells)-1].words > maxCellWords:
			return row, lineCount(beside && len(row.cells) >= minWrapped, i)
		case wrapped < maxCellLines && goesOn(row.cells[len(row.cells)-1], last, next):
			row.cells[len(row.cells)-1].append(next.cells[0])
			last = next
			wrapped++
			if len(next.cells) > 1 {
				row.cells = append(row.cells, next.cells[1:]...)
				wrapped, beside = 0, true
			}
		case wrapped > 0 && isBeside(row, next):
			row.cells = append(row.cells, next.cells...)
			last = next
			wrapped, beside = 0, true
		default:
			return row, lineCount(beside && len(row.cells) >= minWrapped, i)
		}
		row.top, row.bottom = max(row.top, last.top), min(row.bottom, last.bottom)
		n = i + 1
	}
	return row, lineCount(beside && len(row.cells) >= minWrapped, n)
}

// isRow reports whether the first lines are a row with several cells. A row
// with a wrapped cell must be next to another row. Otherwise it is text with
// notes.
func isRow(rows []rowOf) bool {
	if len(rows) == 0 {
		return false
	}
	_, n := wrappedRow(rows)
	return n > 1 || len(rows[0].cells) >= minWrapped
}

// append adds a line to a cell.
func (c *cell) append(line cell) {
	c.text += " " + line.text
	c.words += line.words
	c.left, c.right = min(c.left, line.left), max(c.right, line.right)
}

// lineCount returns n for a table row, and otherwise 0.
func lineCount(isRow bool, n int) int {
	if !isRow {
		return 0
	}
	return n
}

// goesOn reports whether a line continues a cell. It must be close below the
// cell's last line and have the same left edge, right edge, or center. Other cells in the
// line must be higher, as vertically centered cells are.
func goesOn(c cell, last, next rowOf) bool {
	const slack = 1.5 // in points
	height := next.top - next.bottom
	if height <= 0 || next.top >= last.top || last.bottom-next.top > 0.6*height || last.bottom < next.bottom {
		return false
	}
	near := func(a, b float32) bool { return a-b < slack && b-a < slack }
	line := next.cells[0]
	for _, other := range next.cells[1:] {
		if other.top < line.top+0.2*(other.top-next.bottom) {
			return false
		}
	}
	return near(c.left, line.left) || near(c.right, line.right) || near(c.left+c.right, line.left+line.right)
}

// isBeside reports whether a line is to the right of all cells of a row and at
// the height of one of its lines.
func isBeside(row, next rowOf) bool {
	for _, c := range row.cells {
		if next.cells[0].left-c.right <= cellGap*(next.top-next.bottom) {
			return false
		}
	}
	middle := (next.top + next.bottom) / 2
	return middle < row.top && middle > row.bottom
}
