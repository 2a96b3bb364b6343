package table

import (
	"slices"
	"strconv"

	"docent/internal/fault"
)

// multiple is a number of units that a price is multiplied by, as in "for 12 people" and "for 3 days".
type multiple struct {
	n    float64
	unit word
	said string
}

// multipleAt returns the multiple that begins at a word, and the position of the next word.
func multipleAt(r *reading, i int) (multiple, int, bool) {
	w := r.words[i]
	n, err := strconv.ParseFloat(w.text, 64)
	if err != nil {
		n = float64(numberWords[w.text])
	}
	if n <= 0 || i+1 >= len(r.words) {
		return multiple{}, 0, false
	}
	next := r.words[i+1]
	if !personWords[next.text] && dimensionOf(next.text) != "time" && !inUnits(r, next) {
		return multiple{}, 0, false
	}
	return multiple{n, next, w.written + " " + next.written}, i + 2, true
}

// unitHeaders are the headers of columns with the units of prices.
var unitHeaders = setOf("unit einheit per je pro")

// unitColumn returns the column with the units of prices.
func unitColumn(t *Table) (int, bool) {
	for c, col := range t.Columns {
		if col.Kind == Text && len(col.names) > 0 && unitHeaders[col.names[0].text] {
			return c, true
		}
	}
	return 0, false
}

// inUnits reports whether a word is a unit of prices.
func inUnits(r *reading, w word) bool {
	c, ok := unitColumn(r.t)
	return ok && len(inCells(r.t, c, w)) > 0
}

// answerTimes multiplies the price of a row by a number of units. The units must fit.
func (r answering) answerTimes() Reply {
	m := r.times
	r.times = multiple{}
	reply := r.operate()
	if reply.Status != Answered || len(reply.Used) != 1 || len(reply.asked) != 1 {
		reply.Status = min(reply.Status, Unclear)
		return reply
	}
	row, c := reply.Used[0], reply.asked[0]
	col, value := r.t.Columns[c], r.t.Rows[row].Cells[c]
	factor, ok := perUnit(r.t, row, c, m)
	if !value.Valued || !col.summable() || !ok || slices.Contains(col.named, "seats") {
		return r.unclear(r.noOperation())
	}
	total := round(value.Value*factor, max(2, col.Decimals))
	reply.Said = fault.NewText("table_times", "%s %s × %s = %s.", reply.Said, r.t.cellText(row, c), strconv.FormatFloat(factor, 'f', -1, 64),
		r.t.value(total, c, max(2, col.Decimals)))
	return reply
}

// perUnit returns the number of units of the price of a row. The unit of the price is in the name of its column or in a column of
// units. A price without a unit is that of one person.
func perUnit(t *Table, row, c int, m multiple) (float64, bool) {
	units := t.Columns[c].names
	u, listed := unitColumn(t)
	if listed {
		units = words(t.Rows[row].Cells[u].Text)
	}
	count, timed := 1.0, false
	for _, w := range units {
		if w.text == m.unit.text || sameRoot(w, m.unit) || personWords[w.text] && personWords[m.unit.text] {
			return m.n / count, true
		}
		if n, err := strconv.ParseFloat(w.text, 64); err == nil && n > 0 {
			count = n // of "30 min"
			continue
		}
		if v, ok := converted(m.n, m.unit.text, w.text); ok && isUnit(w.text) {
			return v / count, true
		}
		timed = timed || dimensionOf(w.text) == "time"
	}
	return m.n, personWords[m.unit.text] && !listed && !timed
}

// multiply takes a number of units as a factor, unless the rows have places for people.
func (r limiter) multiply(p *piece) bool {
	named := slices.ContainsFunc(r.filters, func(f filter) bool { return slices.Contains(r.labels, f.column) && len(f.rows) == 1 })
	if personWords[r.words[p.from+1].text] && !named && seatsColumn(r.reading) >= 0 || r.times.n > 0 {
		return false
	}
	r.times, _, _ = multipleAt(r.reading, p.from)
	return true
}

// seatsColumn returns the column with the places for people, or -1.
func seatsColumn(r *reading) int {
	return slices.IndexFunc(r.t.Columns, func(c Column) bool { return c.Kind == Number && slices.Contains(c.named, "seats") })
}
