package pdf

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"docent/ingest/extract/table"
)

const (
	// cellGap is the minimum distance between two cells of a row, in heights of
	// the line.
	cellGap = 0.85
	// minRows is the minimum number of rows of a table with two columns. With
	// more columns, one row less is enough.
	minRows = 3
	// maxColumns bounds the cells of a row.
	maxColumns = 40
	// maxCellWords is the maximum average number of words in a cell. Columns of
	// prose have more.
	maxCellWords = 7
	// maxRowSkip is the maximum distance between two rows of a table, in
	// heights of a line.
	maxRowSkip = 4
)

// cell is a part of a line with wide gaps around it.
type cell struct {
	left, right float32
	top         float32 // height of its tallest word; 0 in a column
	words       int
	text        string
}

// rowOf divides a line into cells. The result has no cells if the places of the
// words are unknown.
type rowOf struct {
	cells       []cell
	top, bottom float32
}

// pageTables joins the cells of tables and leaves other lines unchanged.
func pageTables(lines []textLine) []line {
	rows := tableLines(lines)
	out := make([]line, 0, len(lines))
	for i := 0; i < len(rows); {
		t, ok := tableAt(rows[i:])
		if ok {
			out = append(out, t.lines(lines, rows[i:])...)
			i += t.length
			continue
		}
		// Half of the rows that are not a table are not examined again, so the
		// work is linear.
		for range max(1, t.length/2) {
			for _, l := range lines[rows[i].from:rows[i].to] {
				out = append(out, l.line)
			}
			i++
		}
	}
	return out
}

// cellsOf divides a line at its wide gaps.
func cellsOf(l textLine) rowOf {
	var row rowOf
	if l.size <= 0 || len(l.words) > maxPlaced {
		return row
	}
	start := 0
	end := func(to int) {
		words := l.words[start:to]
		c := cell{left: words[0].box[0], right: words[len(words)-1].box[2], top: words[0].box[1], words: len(words), text: joinWords(words)}
		for _, w := range words {
			c.top = max(c.top, w.box[1])
		}
		row.cells = append(row.cells, c)
		start = to
	}
	for i, w := range l.words {
		height := w.box[1] - w.box[3]
		if !w.placed || height <= 0 {
			return rowOf{}
		}
		if i == 0 {
			row.top, row.bottom = w.box[1], w.box[3]
			continue
		}
		before := l.words[i-1]
		gap := w.box[0] - before.box[2]
		if gap < -height || w.box[1] < before.box[3] || w.box[3] > before.box[1] {
			return rowOf{} // rotated text, or more than one line
		}
		row.top, row.bottom = max(row.top, w.box[1]), min(row.bottom, w.box[3])
		if gap > cellGap*min(height, l.size) {
			end(i)
		}
	}
	if len(l.words) > 0 {
		end(len(l.words))
	}
	if len(row.cells) > maxColumns {
		return rowOf{}
	}
	return row
}

// foundTable is a table at the start of some lines.
type foundTable struct {
	columns []cell // extents of the columns
	rows    []rowOf
	length  int // number of lines
	most    int // maximum number of cells in a row
}

// tableAt finds a table that begins with the first of some rows.
func tableAt(rows []tableLine) (foundTable, bool) {
	var t foundTable
	for i := range rows {
		row := rows[i].row
		if len(row.cells) == 0 && t.length > 0 && i+1 < len(rows) && len(rows[i+1].row.cells) > 1 && i == t.length {
			// an empty line within the table
			t.rows = append(t.rows, rowOf{})
			if !t.canFollow(rows[i+1].row) {
				t.rows = t.rows[:len(t.rows)-1]
				break
			}
			t.length++
			continue
		}
		if i > 0 && len(row.cells) == 1 && t.continues(row) {
			t.rows = append(t.rows, row)
			t.length++
			continue
		}
		if len(row.cells) < 2 || !t.canFollow(row) {
			break
		}
		t.add(row)
	}
	t.trim()
	return t, t.believable()
}

// canFollow reports whether a row with several cells fits below the other rows.
func (t *foundTable) canFollow(row rowOf) bool {
	if t.most == 0 {
		return true
	}
	last := t.lastPlaced()
	if row.top > last.top || last.bottom-row.top > maxRowSkip*(row.top-row.bottom) {
		return false
	}
	most := max(t.most, len(row.cells))
	columns := mergeColumns(t.columns, row.cells)
	if len(columns) < 2 || len(columns)*2 < most+1 {
		return false
	}
	// Each row must keep at least two columns separate.
	return t.most < 3 || len(columns)+1 >= min(t.most, len(t.columns)+1)
}

func (t *foundTable) lastPlaced() rowOf {
	for i := len(t.rows) - 1; i > 0; i-- {
		if len(t.rows[i].cells) > 0 {
			return t.rows[i]
		}
	}
	return t.rows[0]
}

func (t *foundTable) add(row rowOf) {
	t.columns = mergeColumns(t.columns, row.cells)
	t.most = max(t.most, len(row.cells))
	t.rows = append(t.rows, row)
	t.length++
}

// continues reports whether a line with one cell continues a cell of the last
// row. It must be close below the row and within one column.
func (t *foundTable) continues(row rowOf) bool {
	if t.most < 2 {
		return false
	}
	last, c := t.lastPlaced(), row.cells[0]
	if len(last.cells) == 0 || row.top > last.top || last.bottom-row.top > 0.6*(row.top-row.bottom) {
		return false
	}
	at := columnOf(t.columns, c)
	return at > 0 && c.left >= t.columns[at].left-2 && c.right <= t.columns[at].right+(row.top-row.bottom)
}

// trim drops lines at the end that are not separate rows.
func (t *foundTable) trim() {
	for len(t.rows) > 0 && len(t.rows[len(t.rows)-1].cells) == 0 {
		t.rows = t.rows[:len(t.rows)-1]
		t.length--
	}
}

// leaders matches the dots between a title and its page number.
var leaders = regexp.MustCompile(`(?:\. ?){4,}|…{2,}|(?:·\s?){4,}`)

// listMark matches the mark of a list item.
var listMark = regexp.MustCompile(`^(?:[^\pL\pN]{1,2}|[(\[]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,4})[.)\]]{1,2}|\[[^\]]{1,12}\])$`)

// believable reports whether rows are a table. They may also be columns of
// prose, a list, or a table of contents.
func (t *foundTable) believable() bool {
	rows, words, cells, dotted, marked, letters := 0, 0, 0, 0, 0, 0
	for _, row := range t.rows {
		if len(row.cells) < 2 {
			continue
		}
		rows++
		if listMark.MatchString(row.cells[0].text) {
			marked++
		}
		for _, c := range row.cells {
			cells++
			words += c.words
			if leaders.MatchString(c.text) {
				dotted++
			}
			if strings.ContainsFunc(c.text, unicode.IsLetter) {
				letters++
			}
		}
	}
	need := minRows
	if len(t.columns) > 2 {
		need--
	}
	switch {
	case rows < need || len(t.columns) < 2 || letters*5 < cells:
		return false
	case words > maxCellWords*cells:
		return false
	case dotted*2 > rows:
		return false
	case len(t.columns) == 2 && marked*2 > rows:
		return false
	}
	return !t.numbered() && !t.prose()
}

// numbered reports whether the rows are not a table but numbered lines, as in a
// listing, or titles with ascending page numbers.
func (t *foundTable) numbered() bool {
	var rows, wide, ascending, steps, paged int
	before, page := -2, 0
	for i, row := range t.rows {
		if len(row.cells) < 2 {
			continue
		}
		if i == 0 && !isNumber(row.cells[0].text) && isTableHeader(cellTexts(row.cells), []line{{}}) &&
			!isNumber(row.cells[len(row.cells)-1].text) {
			return false
		}
		rows++
		if len(row.cells) > 2 {
			wide++
		}
		if n, err := strconv.Atoi(row.cells[0].text); err == nil {
			if n > before && n <= before+5 {
				ascending++
			}
			before = n
			steps++
		}
		if n, err := strconv.Atoi(row.cells[len(row.cells)-1].text); err == nil && n >= page {
			page = n
			paged++
		}
	}
	switch {
	case wide*2 > rows:
		return false
	case steps*10 >= rows*7 && (ascending+1)*10 >= steps*8:
		return true
	}
	return rows > minRows && paged == rows
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

func cellTexts(cells []cell) []string {
	var texts []string
	for _, c := range cells {
		texts = append(texts, c.text)
	}
	return texts
}

// prose reports whether the columns are running text. Such lines have several
// words and fill their column.
func (t *foundTable) prose() bool {
	full, columns := 0, 0
	for at, column := range t.columns {
		n, filled, words := 0, 0, 0
		for _, row := range t.rows {
			for _, c := range row.cells {
				if columnOf(t.columns, c) != at {
					continue
				}
				n++
				words += c.words
				if (c.right-c.left)*10 > (column.right-column.left)*8 {
					filled++
				}
			}
		}
		if n == 0 {
			continue
		}
		columns++
		if words >= 4*n && filled*2 > n {
			full++
		}
	}
	return full*2 >= columns && full > 0 && columns <= 3
}

// lines returns the rows of the table as text. The table begins with the first
// of rows, and lines are the lines of rows.
func (t *foundTable) lines(lines []textLine, rows []tableLine) []line {
	var grid [][]string
	var sizes []line
	for i, row := range t.rows {
		if len(row.cells) == 0 {
			continue
		}
		texts := make([]string, len(t.columns))
		for _, c := range row.cells {
			at := columnOf(t.columns, c)
			texts[at] = strings.TrimSpace(texts[at] + " " + c.text)
		}
		if len(row.cells) == 1 && len(grid) > 0 {
			last := grid[len(grid)-1]
			for at, text := range texts {
				last[at] = strings.TrimSpace(last[at] + " " + text)
			}
			continue
		}
		grid, sizes = append(grid, texts), append(sizes, lines[rows[i].from].line)
	}
	out := make([]line, 0, len(grid))
	for i, texts := range grid {
		l := line{text: table.Line(texts), size: sizes[i].size, kind: rowLine, fresh: i == 0}
		if i == 0 && isTableHeader(texts, sizes) {
			l.kind = headerLine
		}
		out = append(out, l)
	}
	return out
}

// isTableHeader reports whether the first row names the columns, because of its
// words or because only this row is bold.
func isTableHeader(first []string, rows []line) bool {
	named := slices.DeleteFunc(slices.Clone(first), func(s string) bool { return s == "" })
	if !table.IsHeader(named) {
		return false
	}
	return !strings.ContainsAny(strings.Join(named, ""), "0123456789") || (rows[0].bold && !rows[len(rows)-1].bold)
}

// columnOf returns the column that overlaps most with a cell.
func columnOf(columns []cell, c cell) int {
	at, most := 0, float32(-1e9)
	for i, column := range columns {
		if shared := min(c.right, column.right) - max(c.left, column.left); shared > most {
			at, most = i, shared
		}
	}
	return at
}

// mergeColumns returns the extents of the columns after adding a row.
// Overlapping extents become one.
func mergeColumns(columns, row []cell) []cell {
	all := make([]cell, 0, len(columns)+len(row))
	for _, c := range columns {
		all = append(all, cell{left: c.left, right: c.right})
	}
	for _, c := range row {
		all = append(all, cell{left: c.left, right: c.right})
	}
	slices.SortFunc(all, func(a, b cell) int {
		switch {
		case a.left < b.left:
			return -1
		case a.left > b.left:
			return 1
		}
		return 0
	})
	out := all[:0]
	for _, c := range all {
		if n := len(out); n > 0 && c.left < out[n-1].right {
			out[n-1].right = max(out[n-1].right, c.right)
			continue
		}
		out = append(out, c)
	}
	return out
}
