package sheet

import "slices"

// maxApart is the number of rows up to which tables side by side are looked for.
const maxApart = 20_000

// apart returns the tables that stand side by side in a block of rows. Blank columns
// separate them. A blank column inside one table separates nothing: tables side by side
// have headers of their own, and they differ in length or repeat a name.
func apart(rows []Row) [][]Row {
	if len(rows) < 2 || len(rows) > maxApart {
		return [][]Row{rows}
	}
	used := UsedColumns(rows)
	columns := make([]int, 0, len(used))
	for c := range used {
		columns = append(columns, c)
	}
	slices.Sort(columns)
	start := 0
	for i := 1; i < len(columns); i++ {
		if columns[i] == columns[i-1]+1 {
			continue
		}
		left := within(rows, columns[start], columns[i-1])
		right := within(rows, columns[i], columns[len(columns)-1])
		if i-start > 1 && len(columns)-i > 1 && separate(left, right, columns[i]-columns[i-1] > 2) {
			return append([][]Row{left}, apart(right)...)
		}
	}
	return [][]Row{rows}
}

// within returns the cells of rows between two columns, without empty rows.
func within(rows []Row, from, to int) []Row {
	var out []Row
	for _, r := range rows {
		var cells []Cell
		for _, c := range r.Cells {
			if c.Column >= from && c.Column <= to {
				cells = append(cells, c)
			}
		}
		if len(cells) > 0 {
			r.Cells = cells
			out = append(out, r)
		}
	}
	return out
}

// separate reports whether two groups of columns are tables of their own.
func separate(left, right []Row, wide bool) bool {
	first, second := header(left), header(right)
	if first == nil || second == nil {
		return false
	}
	if wide || left[0].Number != right[0].Number || left[len(left)-1].Number != right[len(right)-1].Number {
		return true
	}
	if len(left[0].Cells) == 1 && len(right[0].Cells) == 1 && len(first) > 1 && len(second) > 1 {
		return true // each has a title of its own
	}
	for _, a := range first {
		for _, b := range second {
			if a.Text == b.Text {
				return true
			}
		}
	}
	return false
}

// header returns the header of a table, below its titles, or nil.
func header(rows []Row) []Cell {
	columns := len(UsedColumns(rows))
	for i, r := range rows {
		if len(r.Cells) == 1 && columns > 1 && i+1 < len(rows) {
			continue
		}
		if isHeaderRow(r, columns) && i+1 < len(rows) {
			return r.Cells
		}
		return nil
	}
	return nil
}
