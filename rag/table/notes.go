package table

// maxNotes limits the lines with notes above the header of a table.
const maxNotes = 10

// notes returns the number of lines above the header that have a title or notes, as in spreadsheets. The header is the first line
// that fills all columns. Its cells are names, and the row below it has values.
func notes(lines []line) int {
	width, few := widest(lines), false
	for i := range min(maxNotes+1, len(lines)-1) {
		cells := lines[i].cells
		switch {
		case width < 3 || hasValue(cells):
			return 0
		case filledCells(cells) < width:
			few = few || 2*filledCells(cells) <= width
		case i > 0 && few && namesColumns(cells) && hasValue(lines[i+1].cells):
			return i
		default:
			return 0
		}
	}
	return 0
}

// footnotes returns the number of lines at the end that have text in a few cells and no value.
func footnotes(lines []line) int {
	width, n := widest(lines), 0
	for n < len(lines)-2 {
		cells := lines[len(lines)-1-n].cells
		if width < 3 || 3*filledCells(cells) > width || hasValue(cells) {
			break
		}
		n++
	}
	return n
}

func widest(lines []line) int {
	width := 0
	for _, l := range lines {
		width = max(width, len(l.cells))
	}
	return width
}

func filledCells(cells []string) int {
	n := 0
	for _, c := range cells {
		if c != "" {
			n++
		}
	}
	return n
}

func hasValue(cells []string) bool {
	for _, c := range cells {
		if isValue(c) {
			return true
		}
	}
	return false
}
