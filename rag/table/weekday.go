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
	closedCells = setOf("closed geschlossen ruhetag zu off")
	openWords   = setOf("open opened opens geoffnet offen auf")
)

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
					if openWords[other.text] && !cell.Missing && !closedCells[said] || short != "" && said == short {
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
