package table

import (
	"slices"
	"strings"

	"docent/internal/fault"
)

// place returns the column with the places of things, if the question asks where one is.
func place(r answering) (int, bool) {
	if !r.asks([]string{"where", "wo"}) {
		return 0, false
	}
	for _, concept := range []string{"place", "shelf"} {
		var list []int
		for c := range r.t.Columns {
			if r.t.described(c, concept) > 0 && !slices.Contains(r.labels, c) {
				list = append(list, c)
			}
		}
		if len(list) > 0 {
			return list[0], len(list) == 1
		}
	}
	return 0, false
}

// wanted returns the columns that question words ask for: who, when, how long, and where.
func wanted(r answering) []int {
	var out []int
	if r.asks(whoPhrases) && !slices.ContainsFunc(r.labels, r.t.isNames) {
		for c := range r.t.Columns {
			if !slices.Contains(r.labels, c) && r.t.isNames(c) {
				out = append(out, c)
			}
		}
	}
	if r.asks(whenPhrases) {
		filtered := func(c int) bool { return slices.ContainsFunc(r.filters, func(f filter) bool { return f.column == c }) }
		if days := r.t.weekdays(); days >= 0 && !filtered(days) {
			out = append(out, days)
			for c, col := range r.t.Columns {
				if col.Kind == Clock {
					out = append(out, c)
				}
			}
		} else if c, ok := r.dateColumn(aDay, 0); ok {
			out = append(out, c)
		}
	}
	if r.asks(longPhrases) {
		for c := range r.t.Columns {
			if r.t.described(c, "duration") > 0 {
				out = append(out, c)
			}
		}
	}
	if c, ok := place(r); ok {
		out = append(out, c)
	}
	return out
}

// longPhrases ask for a duration.
var longPhrases = phrases("how long | wie lange | wie lang")

// isNames reports whether a column has the names of people who do something for the rows.
func (t *Table) isNames(c int) bool {
	col := t.Columns[c]
	doer := slices.ContainsFunc([]string{"teacher", "responsible", "manager", "employee", "person"}, func(concept string) bool {
		return slices.Contains(col.named, concept)
	})
	return col.Kind == Text && (doer || slices.ContainsFunc(col.names, func(w word) bool { return doerWords[w.text] }))
}

// doerWords are headers of columns with people.
var doerWords = setOf("practitioner doctor therapist trainer coach staff clerk technician host leader arzt arztin behandler trainerin name")

// weekdays returns the column with days of the week, or -1.
func (t *Table) weekdays() int {
	return slices.IndexFunc(t.Columns, func(col Column) bool {
		return col.Kind == Text && len(col.index) > 0 && !slices.ContainsFunc(col.index, func(p posting) bool {
			return weekdayOf(p.word, true) < 0
		})
	})
}

// implied returns the column that a question without the name of a column asks for.
func (r answering) implied() (int, bool) {
	find := func(concept string) (int, bool) {
		var list []int
		for c := range r.t.Columns {
			if r.t.described(c, concept) > 0 && !slices.Contains(r.labels, c) {
				list = append(list, c)
			}
		}
		list = r.t.bestDescribed(list, concept)
		if len(list) != 1 {
			return 0, false
		}
		return list[0], true
	}
	switch {
	case r.asks(whenPhrases):
		return r.dateColumn(aDay, 0)
	case r.asksQuantity():
		return r.quantity()
	case r.asks(muchPhrases):
		return find("price")
	}
	return place(r)
}

// asksQuantity reports whether the question asks for a number of things: "how many", or "wie viel" in front of the name of a
// row.
func (r answering) asksQuantity() bool {
	if r.asks(countPhrases) {
		return true
	}
	for i, w := range r.words[:max(0, len(r.words)-1)] {
		if (w.text == "wieviel" || w.text == "viel") && r.roles[i+1] == cell {
			return true
		}
	}
	return false
}

// answerAcross answers with the columns in which a row has a value, or has none.
func (r answering) answerAcross(row int, columns []int, not bool) Reply {
	var with []int
	for _, c := range columns {
		if len(r.t.having([]int{row}, c, not)) > 0 {
			with = append(with, c)
		}
	}
	if len(with) == 0 {
		return r.unclear(r.noValue(row, columns[0]))
	}
	said := fault.NewText("table_columns", "%s has a value in %d columns: %s.", r.label(row), len(with), r.t.headers(with))
	if not {
		said = fault.NewText("table_no_columns", "%s has no value in %d columns: %s.", r.label(row), len(with), r.t.headers(with))
	}
	return r.answered(said, []int{row}, r.shownColumns(with))
}

// trains returns the columns of a timetable if a question asks which trains stop somewhere.
func trains(r answering) []int {
	var out []int
	which := r.asks([]string{"which", "what", "welche", "welcher"})
	if !isTimetable(r.t) || !which || !slices.ContainsFunc(trainWords, func(w word) bool { return strings.Contains(r.text, " "+w.text+" ") }) {
		return nil
	}
	for c, col := range r.t.Columns {
		if col.Kind == Clock {
			out = append(out, c)
		}
	}
	return out
}
