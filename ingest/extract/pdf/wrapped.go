package pdf

const (
	// maxCellLines is the most lines of a cell that are put together.
	maxCellLines = 8
	// minWrapped is the least cells of a row with a wrapped cell. Two are more
	// often notes in the margin of a text.
	minWrapped = 3
)

// tableLine is a line of a page in cells, or several lines that are one row of a
// table.
type tableLine struct {
	row  rowOf
	from int // the first of its lines
	to   int // the line after its last one
}

// tableLines divides the lines of a page into cells. Most programs draw a table
// cell by cell. The lines of a wrapped cell then come one below the other, before
// the next cell of the row, which is beside them. Those lines become one row.
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

// wrappedRow puts the first lines together if they are a row with a wrapped cell
// before its last one. It returns the number of lines, 0 if they are not.
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

// isRow reports whether the first lines are a row of several cells. A row with a
// wrapped cell has another row beside it: else it is text with notes around it.
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

// lineCount is n for a row of a table, else 0.
func lineCount(isRow bool, n int) int {
	if !isRow {
		return 0
	}
	return n
}

// goesOn reports whether a line goes on in a cell: it is close below the cell's
// last line, and begins or ends with it, or has the same center. More cells in the
// line stand higher, as cells do that are centered in the height of the row.
func goesOn(c cell, last, next rowOf) bool {
	const slack = 1.5 // points
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

// isBeside reports whether a line stands apart to the right of all cells of a row,
// at the height of one of its lines.
func isBeside(row, next rowOf) bool {
	for _, c := range row.cells {
		if next.cells[0].left-c.right <= cellGap*(next.top-next.bottom) {
			return false
		}
	}
	middle := (next.top + next.bottom) / 2
	return middle < row.top && middle > row.bottom
}
