package table

import (
	"slices"
)

// takes reports whether values of a column without a unit can be in a unit: its name is the unit, or what the unit measures, or its
// values are percentages.
func takes(t *Table, c int, unit string) bool {
	col := t.Columns[c]
	switch {
	case slices.ContainsFunc(col.words(), func(w word) bool { return canonicalOf(w.text) == canonicalOf(unit) }):
		return true
	case dimensionOf(unit) == "percent":
		return !slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Cells[c].Valued && (r.Cells[c].Value < 0 || r.Cells[c].Value > 100) })
	}
	return slices.ContainsFunc(dimensionConcepts[dimensionOf(unit)], func(own string) bool { return slices.Contains(col.named, own) })
}

// withoutUnit returns the column without a unit that a number with a unit may limit: the named one, or the only one with prices.
func (r limiter) withoutUnit(unit string, at int) (int, bool) {
	var named, measured []int // measured are those of the kind that the unit measures
	for c, col := range r.t.Columns {
		if col.Kind != Number || col.Unit != "" {
			continue
		}
		named = append(named, c)
		if isCurrency(unit) && r.t.described(c, "price total") > 0 || !isCurrency(unit) && takes(r.t, c, unit) && dimensionOf(unit) != "percent" {
			measured = append(measured, c)
		}
	}
	if named = r.nearest(named, at); len(named) > 1 {
		named = r.t.narrowed(named, nil)
	}
	for _, list := range [][]int{named, measured} {
		if len(list) == 1 {
			return list[0], true
		}
	}
	return 0, false
}
