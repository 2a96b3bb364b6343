package table

import (
	"slices"
	"strings"
)

// minTyped is the share of the cells with a value that must have the type of their column.
const minTyped = .8

// flags are the words of flags.
var flags = map[string]float64{
	"yes": 1, "no": 0, "ja": 1, "nein": 0, "true": 1, "false": 0, "x": 1, "✓": 1, "✔": 1, "✗": 0, "✘": 0, "wahr": 1, "falsch": 0,
	"y": 1, "n": 0, "j": 1,
}

// setTypes finds the types of the columns and the values of the cells.
func (t *Table) setTypes(language string) {
	signs := make([]decimal, len(t.Columns))
	for c := range t.Columns {
		for _, text := range t.texts(c) {
			if p := split(text); p.ok {
				signs[c] = joint(signs[c], signOf(p.number))
			}
		}
	}
	table := anySign
	for _, s := range signs {
		if s == point || s == comma {
			table = joint(table, s)
		}
	}
	for c := range t.Columns {
		sign := signs[c]
		if sign == unsure {
			switch {
			case table == point || table == comma:
				sign = table
			case table == anySign && language == "de":
				sign = comma
			case table == anySign && language == "en":
				sign = point
			}
		}
		t.setType(c, sign, language)
	}
	if isTimetable(t) { // of a fast train that does not stop everywhere
		for c := range t.Columns {
			if t.Columns[c].Kind == Text {
				t.setAbove(c, Clock, minStops, clock)
			}
		}
	}
}

// minStops is the share of the cells with a value that are times in a column of a timetable.
const minStops = .5

// commas reports whether commas separate decimals in other columns, or in the language of the text.
func (t *Table) commas(language string) bool {
	for _, c := range t.Columns {
		if c.Comma {
			return true
		}
	}
	for c := range t.Columns {
		for _, text := range t.texts(c) {
			if p := split(text); p.ok && signOf(p.number) != anySign {
				return signOf(p.number) == comma
			}
		}
	}
	return language == "de"
}

// texts returns the cells of a column that have a value, without totals.
func (t *Table) texts(c int) []string {
	var out []string
	for _, r := range t.Rows {
		if !r.Cells[c].Missing && !r.Total {
			out = append(out, r.Cells[c].Text)
		}
	}
	return out
}

// setType finds the type of a column.
func (t *Table) setType(c int, sign decimal, language string) {
	column := &t.Columns[c]
	column.Kind = Text
	texts := t.texts(c)
	order, known := slashes(texts, language)
	unit, mixed := t.cellUnit(texts)
	isFlag, isFlags := func(s string) (float64, bool) { v, ok := flags[strings.ToLower(s)]; return v, ok }, true
	for _, s := range texts {
		_, ok := isFlag(s)
		isFlags = isFlags && ok
	}
	switch {
	case isFlags:
		t.set(c, Flag, isFlag)
	case known && t.set(c, Date, func(s string) (float64, bool) { return parseDate(s, order) }):
		setBirths(t, c)
	case t.set(c, Clock, clock):
		if dimensionOf(column.Unit) == "time" {
			column.Kind = Duration
		}
	case isLabel(column.Name) && unit == "" && column.Unit == "":
	case sign != unsure && sign != undecided && !mixed && t.set(c, Number, func(s string) (float64, bool) {
		p := split(s)
		v, decimals, ok := parseNumber(p.number, sign)
		if ok = ok && p.ok && (p.unit == "" || p.unit == unit); ok {
			column.Decimals = max(column.Decimals, decimals)
		}
		return v, ok
	}):
		column.Comma = sign == comma || sign == anySign && t.commas(language)
		if column.Unit == "" {
			column.Unit = unit
		}
		switch {
		case isCurrency(column.Unit):
			column.Kind = Money
		case column.Unit == "%":
			column.Kind = Percent
		}
	case t.set(c, Duration, duration):
		column.Unit = "s"
	}
}

// lastBirth is the year from which dates of birth with two digits of the year are in the century before.
const lastBirth = 2030

// setBirths corrects the century of dates of birth.
func setBirths(t *Table, c int) {
	if !slices.ContainsFunc(words(t.Columns[c].Name), func(w word) bool { return slices.Contains(w.concepts(), "birth") }) {
		return
	}
	for i := range t.Rows {
		if cell := &t.Rows[i].Cells[c]; cell.Valued && Day(cell.Value).Year() >= lastBirth {
			cell.Value = float64(Day(cell.Value).AddDate(-100, 0, 0).Unix()) / 86400
		}
	}
}

// cellUnit returns the unit that the cells of a column have. mixed reports that they have different ones.
func (t *Table) cellUnit(texts []string) (unit string, mixed bool) {
	for _, s := range texts {
		p := split(s)
		if !p.ok || p.unit == "" {
			continue
		}
		if unit != "" && p.unit != unit {
			return "", true
		}
		unit = p.unit
	}
	return unit, false
}

// isLabel reports whether numbers below a header are names.
func isLabel(name string) bool {
	for _, w := range words(name) {
		switch w.text {
		case "no", "nr", "id", "nummer", "plz", "zip", "postcode", "code", "telefon", "phone", "tel", "fax", "ean", "isbn",
			"artikelnummer", "kundennummer", "port", "office", "room", "buro", "raum", "zimmernummer",
			"article", "artikel", "sku", "version", "release":
			return true
		}
	}
	return false
}

// set gives a column a type if enough cells have it.
func (t *Table) set(c int, kind Kind, value func(string) (float64, bool)) bool {
	return t.setAbove(c, kind, minTyped, value)
}

// setAbove gives a column a type if a share of its cells has it.
func (t *Table) setAbove(c int, kind Kind, share float64, value func(string) (float64, bool)) bool {
	values, valued, n, all := make([]float64, len(t.Rows)), make([]bool, len(t.Rows)), 0, 0
	for i, r := range t.Rows {
		if r.Cells[c].Missing {
			continue
		}
		values[i], valued[i] = value(r.Cells[c].Text)
		if r.Total {
			continue
		}
		all++
		if valued[i] {
			n++
		}
	}
	if n == 0 || float64(n) < share*float64(all) {
		return false
	}
	t.Columns[c].Kind = kind
	for i := range t.Rows {
		if cell := &t.Rows[i].Cells[c]; valued[i] {
			cell.Value, cell.Valued = values[i], true
		}
	}
	return true
}
