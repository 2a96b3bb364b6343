package table

import (
	"slices"
	"strings"
)

// stepWords name what a step-free place does not have.
var stepWords = setOf("step steps stairs treppe treppen stufe stufen")

// findFlags takes the names of columns of flags as conditions, unless the question asks for the flag of a named row.
func findFlags(r *reading) {
	if isSingle(r.t) || slices.ContainsFunc(r.filters, func(f filter) bool {
		return slices.Contains(r.labels, f.column) && len(f.rows) == 1 && !f.not
	}) {
		return
	}
	for i := range r.words {
		if r.roles[i] != column || len(r.matched[i]) != 1 {
			continue
		}
		for c := range r.matched[i] {
			if r.t.Columns[c].Kind != Flag || asksFlag(r, i) || slices.ContainsFunc(r.conditions, func(l limit) bool { return l.column == c }) {
				continue
			}
			l := limit{column: c, op: equal, low: 1, other: -1}
			if negatedAt(r, i) != stepWords[r.words[i].text] {
				l.op, l.low = none, 0
			}
			for _, row := range r.t.Data() {
				if cell := r.t.Rows[row].Cells[c]; cell.Valued && cell.Value == l.low {
					l.said = cell.Text
					break
				}
			}
			r.conditions = append(r.conditions, l)
		}
	}
}

// askWords begin the clause of a question for yes or no.
var askWords = setOf("can is are does do may kann ist sind darf gibt hat has")

// asksFlag reports whether a word stands in a second clause that asks for yes or no, as in "cheapest room, and is there a bath".
func asksFlag(r *reading, i int) bool {
	for k := i - 1; k > 0; k-- {
		if joint := r.words[k-1].text; askWords[r.words[k].text] && (joint == "and" || joint == "und") {
			return slices.Contains(r.roles[:k], operation)
		}
	}
	return false
}

// noCell stands for a missing value.
const noCell = "–"

// unsettled returns the column of dates whose missing cells say that something is open, if a word says so and no cell does.
func unsettled(r *reading, w word) (int, bool) {
	if !slices.ContainsFunc(states, func(group []string) bool { return group[0] == "pending" && inGroup(group, w) }) && w.text != "open" {
		return 0, false
	}
	found := -1
	for c, col := range r.t.Columns {
		if len(inCells(r.t, c, w)) > 0 {
			return 0, false
		}
		if col.Kind == Date && slices.ContainsFunc(col.names, func(w word) bool { return doneWords[w.text] }) && hasGaps(r.t, c) {
			if found >= 0 {
				return 0, false
			}
			found = c
		}
	}
	return found, found >= 0
}

// hasGaps reports whether a column has missing cells.
func hasGaps(t *Table, c int) bool {
	return slices.ContainsFunc(t.Data(), func(i int) bool { return t.Rows[i].Cells[c].Missing })
}

// findGaps takes a negated name of a column as the condition that its cell is missing, as in "not paid yet".
func findGaps(r *reading) {
	for i := range r.words {
		if r.roles[i] != column || len(r.matched[i]) != 1 {
			continue
		}
		for c := range r.matched[i] {
			if r.t.Columns[c].Kind != Flag && hasGaps(r.t, c) && negatedAt(r, i) {
				r.conditions = append(r.conditions, limit{column: c, op: none, other: -1, said: noCell})
				r.matched[i], r.roles[i] = nil, condition
				break
			}
		}
	}
}

// negatedAt reports whether "no" or "not" stands in front of a word. It then belongs to the condition with this word.
func negatedAt(r *reading, i int) bool {
	for k := i - 1; k >= max(0, i-5); k-- {
		if r.roles[k] == nothing {
			r.roles[k] = condition
			return true
		}
		if !r.words[k].isStop() && r.roles[k] != column && r.roles[k] != descriptive {
			return false
		}
	}
	return false
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
		off := r.t.Columns[c].Kind == Text && offWords[folding.Replace(strings.ToLower(cell.Text))]
		return cell.Missing || zero || off || cell.empty() && r.t.Columns[c].ordered()
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
