package table

import (
	"slices"
	"time"
)

// The first words of columns with the first and the last day of rows, as in a calendar.
var (
	fromWords = setOf("from von start starts begin begins beginn anfang ab")
	toWords   = setOf("to bis until end ends ende through")
)

// rangeColumns returns the columns with the first and the last day of the rows.
func (r limiter) rangeColumns() (from, to int, ok bool) {
	from, to = -1, -1
	for c, col := range r.t.Columns {
		if col.Kind != Date || len(col.names) == 0 {
			continue
		}
		has := func(list map[string]bool) bool {
			return slices.ContainsFunc(col.names, func(w word) bool { return list[w.text] })
		}
		switch {
		case has(fromWords) && from < 0:
			from = c
		case has(toWords) && to < 0:
			to = c
		default:
			return 0, 0, false
		}
	}
	return from, to, from >= 0 && to >= 0
}

// dayInTable returns a day without a year: in the only year of the table, or in the year of a row that has the day.
func (r limiter) dayInTable(day int, month time.Month) (span, bool) {
	var years []int
	for _, row := range r.t.Rows {
		for c, cell := range row.Cells {
			if y := Day(cell.Value).Year(); r.t.Columns[c].Kind == Date && cell.Valued && !slices.Contains(years, y) {
				years = append(years, y)
			}
		}
	}
	at := func(year int) span {
		v := float64(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix()) / 86400
		return span{v, v + 1}
	}
	from, to, ranges := r.rangeColumns()
	for _, y := range years {
		v := at(y).from
		if slices.ContainsFunc(r.t.Rows, func(row Row) bool {
			return ranges && row.Cells[from].Value <= v && v <= row.Cells[to].Value
		}) {
			return at(y), true
		}
	}
	if len(years) == 1 {
		return at(years[0]), true
	}
	return span{}, false
}
