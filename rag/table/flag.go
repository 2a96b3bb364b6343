package table

import (
	"slices"
	"strings"
)

// answerFlag answers with the rows that have a flag.
func (r answering) answerFlag(c int, on bool) Reply {
	rows := slices.DeleteFunc(r.t.valued(r.selected(), c), func(i int) bool { return (r.t.Rows[i].Cells[c].Value == 1) != on })
	if len(rows) == 0 {
		return r.nothingFits()
	}
	value := "no"
	if on {
		value = "yes"
	}
	reply := r.answered(r.saidList(len(rows)), rows, r.shownColumns(append(r.used(), c)))
	reply.Query = r.query(r.selection(reply.Columns), sqlName(r.t.Columns[c])+" = "+value)
	return reply
}

// flagOfRows returns the column of a flag that is all that a question asks about several rows, as in "first aiders in Cardiff".
func flagOfRows(r answering, rows []int) (int, bool) {
	asked := r.asked()
	if len(rows) < 2 || len(asked) != 1 || len(asked[0].columns) != 1 || r.apart() {
		return 0, false
	}
	c := asked[0].columns[0]
	return c, r.t.Columns[c].Kind == Flag
}

// without returns the rows that have nothing in the only named column: no value, 0, or no.
func (r answering) without() (rows []int, c int, ok bool) {
	asked := r.asked()
	if len(asked) != 1 {
		return nil, 0, false
	}
	nothing := func(i, c int) bool {
		cell := r.t.Rows[i].Cells[c]
		zero := cell.Valued && cell.Value == 0 && r.t.Columns[c].Kind != Date && r.t.Columns[c].Kind != Clock
		return cell.Missing || zero || cell.empty() && r.t.Columns[c].ordered()
	}
	c = asked[0].columns[0]
	for _, i := range r.selected() {
		n := 0
		for _, c := range asked[0].columns {
			if nothing(i, c) {
				n++
			}
		}
		if n > 0 && n < len(asked[0].columns) { // the columns tell different things
			return nil, 0, false
		}
		if n > 0 {
			rows = append(rows, i)
		}
	}
	return rows, c, true
}

// empty reports whether a cell in a column of values has a short text and no value, such as "KA".
func (c Cell) empty() bool {
	return !c.Valued && len(c.Text) <= 12 && !strings.ContainsAny(c.Text, "0123456789")
}

// answerWithout answers "which machines have no inspection date".
func (r answering) answerWithout() Reply {
	rows, c, ok := r.without()
	switch {
	case !ok:
		return r.unclear(r.noOperation())
	case len(rows) == 0:
		return r.nothingFits()
	}
	reply := r.answered(r.saidList(len(rows)), rows, r.shownColumns(append(r.used(), c)))
	name := sqlName(r.t.Columns[c])
	reply.Query = r.query(r.selection(reply.Columns), "("+name+" IS NULL OR "+name+" = 0)")
	return reply
}
