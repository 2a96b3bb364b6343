package table

import (
	"slices"
	"strings"

	"docent/internal/lazyregexp"
)

// weekdayWords are the names of the days of the week from Monday on, in lower case without diacritics.
var weekdayWords = [7][]string{
	{"monday", "mondays", "mon", "montag", "montags", "mo"},
	{"tuesday", "tuesdays", "tue", "tues", "dienstag", "dienstags", "di"},
	{"wednesday", "wednesdays", "wed", "mittwoch", "mittwochs", "mi"},
	{"thursday", "thursdays", "thu", "thurs", "thur", "donnerstag", "donnerstags", "do"},
	{"friday", "fridays", "fri", "freitag", "freitags", "fr"},
	{"saturday", "saturdays", "sat", "samstag", "samstags", "sonnabend", "sa"},
	{"sunday", "sundays", "sun", "sonntag", "sonntags", "so"},
}

// weekdayOf returns the day that a word names, or -1. Two letters name one only in a header.
func weekdayOf(w word, header bool) int {
	return slices.IndexFunc(weekdayWords[:], func(names []string) bool {
		return slices.Contains(names, w.text) && (header || len(w.text) > 2)
	})
}

// hasWeekday reports whether the name of a column is a day of the week or a range of them, such as "Mon–Fri", with the day of a word.
func (c Column) hasWeekday(w word) bool {
	day := weekdayOf(w, false)
	if day < 0 || len(c.names) == 0 || len(c.names) > 2 {
		return false
	}
	from := weekdayOf(c.names[0], true)
	to := weekdayOf(c.names[len(c.names)-1], true)
	return from >= 0 && to >= 0 && (from <= day && day <= to || from > to && (day >= from || day <= to))
}

// closedCells are the cells of places that are closed, and openWords ask for the others.
var (
	closedCells = setOf("closed geschlossen ruhetag zu off frei free")
	offWords    = setOf("off free frei dienstfrei")
	openWords   = setOf("open opened opens geoffnet offen auf")
)

// shiftWords are shifts that a rota may write as one letter.
var shiftWords = setOf(`night nights late lates early day days morning mornings
	fruh spat nacht fruhschicht spatschicht nachtschicht`)

// addHours adds "open" beside the name of a column whose cells say "closed", and the short forms that the text around the table
// explains, such as "nights" for N.
func (r chart) addHours(add func(piece)) {
	for _, w := range r.words {
		for c, col := range r.t.Columns {
			if weekdayOf(w, false) < 0 || !col.hasWeekday(w) {
				continue
			}
			for k, other := range r.words {
				f := filter{column: c, words: []int{k}, whole: true}
				short := explained(r.t, other)
				for _, row := range r.t.Data() {
					cell := r.t.Rows[row].Cells[c]
					said := folding.Replace(strings.ToLower(cell.Text))
					if openWords[other.text] && !cell.Missing && !closedCells[said] || short != "" && said == short ||
						offWords[other.text] && closedCells[said] || shiftWords[other.text] && said == other.text[:1] {
						f.rows = append(f.rows, row)
					}
				}
				if n := len(f.rows); n > 0 && n < len(r.t.Data()) {
					add(piece{from: k, to: k + 1, role: cell, gain: gainWhole + gainOperation, filter: f})
				}
			}
		}
	}
}

// explanation matches the explanation of a short form, such as "N = night".
var explanation = lazyregexp.New(`(?:^|[\s,;(])([\p{L}\d]{1,4}) ?[=:] ?(\p{L}{3,})`)

// explained returns the short form of a word in cells, which the text around the table explains, or "".
func explained(t *Table, w word) string {
	for _, m := range explanation.FindAllStringSubmatch(t.Context+"\n"+t.Caption, -1) {
		if long := newWord(strings.ToLower(m[2])); long.text == w.text || sameRoot(long, w) {
			return folding.Replace(strings.ToLower(m[1]))
		}
	}
	return ""
}

// dayRange matches two names of days, such as "Fr–So" and "Mon to Thu".
var dayRange = lazyregexp.New(`(\pL+)\.? ?(?:[-–]|to|bis) ?(\pL+)\.?`)

// dailyWords are words of cells for all days.
var dailyWords = setOf("daily taglich everyday")

// onDay reports whether a cell has a day of the week, by its name, in a range, or because it says "daily". Short names count in a
// range, and in a cell that has nothing else.
func onDay(cell string, day int) bool {
	for _, m := range dayRange.FindAllStringSubmatch(strings.ToLower(cell), -1) {
		from, to := weekdayOf(newWord(m[1]), true), weekdayOf(newWord(m[2]), true)
		if from >= 0 && to >= 0 && (from <= day && day <= to || from > to && (day >= from || day <= to)) {
			return true
		}
	}
	list := words(cell)
	only := !slices.ContainsFunc(list, func(w word) bool { return weekdayOf(w, true) < 0 && !holidays[w.text] })
	return slices.ContainsFunc(list, func(w word) bool { return dailyWords[w.text] || weekdayOf(w, only) == day })
}

// holidays are words of cells besides days.
var holidays = setOf("feiertags feiertage holidays und and sonn public")

// addDays adds a day of the week: rows whose cells have it, columns of a timetable that run then, or a condition on the dates.
func (r chart) addDays(i int, add func(piece)) {
	day := weekdayOf(r.words[i], false)
	if day < 0 {
		return
	}
	found := false
	for c, col := range r.t.Columns {
		f := filter{column: c, words: []int{i}, whole: !slices.Contains(r.labels, c)}
		for _, row := range r.t.Data() {
			if col.Kind == Text && onDay(r.t.Rows[row].Cells[c].Text, day) {
				f.rows = append(f.rows, row)
			}
		}
		if found = found || len(f.rows) > 0; len(f.rows) > 0 {
			add(piece{from: i, to: i + 1, role: cell, gain: gainWhole, filter: f})
		}
	}
	_, dated := r.dateColumn(aDay, i)
	if !found && (dated || isTimetable(r.t)) {
		add(piece{from: i, to: i + 1, role: condition, gain: gainLimit, value: -1})
	}
}

// onWeekday adds the condition of a day of the week.
func (r limiter) onWeekday(i int) bool {
	day := weekdayOf(r.words[i], false)
	if day < 0 {
		return false
	}
	if isTimetable(r.t) {
		for _, row := range r.t.Data() {
			own := map[int]bool{}
			for c, cell := range r.t.Rows[row].Cells {
				if r.t.Columns[c].Kind == Clock && onDay(cell.Text, day) {
					own[c] = true
				}
			}
			if len(own) > 0 {
				r.within = own
				return true
			}
		}
		return false
	}
	c, ok := r.dateColumn(aDay, i)
	if ok {
		r.conditions = append(r.conditions, limit{column: c, op: onDays, low: float64(day), other: -1, said: r.words[i].written})
	}
	return ok
}

// at finds the column with a time of day in a named row, as in "the 7:12 from Weidenau". The question asks for this column.
func (r limiter) at(i int) bool {
	v, ok := clock(r.words[i].text)
	if !ok {
		return false
	}
	for k, f := range r.filters {
		for _, row := range f.rows {
			found := map[int]int{}
			for c, cell := range r.t.Rows[row].Cells {
				if r.t.Columns[c].Kind == Clock && cell.Valued && cell.Value == v {
					found[c] = byWord
				}
			}
			if len(found) == 1 && len(r.filters) > 1 {
				r.roles[i], r.matched[i] = column, found
				r.filters = slices.Delete(r.filters, k, k+1)
				return true
			}
		}
	}
	return false
}
