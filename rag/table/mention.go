package table

import (
	"slices"
)

// mention is a group of columns that the same words of a question name.
type mention struct {
	columns []int
	words   []int
	// strength is that of the best match.
	strength int
	// operational reports that all words are also words of operations, such as "total".
	operational bool
}

// mentions returns the named columns, without those that name rows. A column named by fewer words than another one is not
// meant: "day rate" names "Day rate" and not "Week rate".
func (r *reading) mentions() []mention {
	named := make([][]int, len(r.t.Columns))
	for i, m := range r.matched {
		for c := range m {
			named[c] = append(named[c], i)
		}
	}
	var out []mention
	for c, own := range named {
		if len(own) == 0 || slices.Contains(r.labels, c) {
			continue
		}
		less := slices.ContainsFunc(named, func(other []int) bool { return len(other) > len(own) && len(intersect(own, other)) == len(own) })
		if less || r.namesRows(own) && !r.t.whole(c, own) {
			continue
		}
		if i := slices.IndexFunc(out, func(m mention) bool { return slices.Equal(m.words, own) }); i >= 0 {
			out[i].columns = append(out[i].columns, c)
			continue
		}
		m := mention{columns: []int{c}, words: own, operational: true}
		for _, i := range own {
			m.strength = max(m.strength, r.matched[i][c])
			m.operational = m.operational && r.roles[i] == operation
		}
		out = append(out, m)
	}
	for i := range out {
		out[i].columns = r.wholeNames(out[i])
	}
	return out
}

// namesRows reports whether words are the whole name of a column with the names of rows. "Which part" then asks for rows, and
// not for the column "Spare part no."
func (r *reading) namesRows(own []int) bool {
	return slices.ContainsFunc(r.labels, func(c int) bool {
		return r.t.whole(c, own) && !slices.ContainsFunc(own, func(i int) bool { return r.matched[i][c] != byWord })
	})
}

// whole reports whether a column's name has as many words as the question uses for it.
func (t *Table) whole(c int, own []int) bool { return len(t.Columns[c].words()) == len(own) }

// wholeNames keeps the only column whose whole name the words are: "eol" names the column eol and not eol-lts, and "Einwohner" the
// column population and not population_male.
func (r *reading) wholeNames(m mention) []int {
	if own := dated(r, m.columns); len(own) < len(m.columns) {
		return own
	}
	if own := plain(r.t, m.columns); len(own) < len(m.columns) {
		return own
	}
	var whole []int
	for _, c := range m.columns {
		if len(r.t.Columns[c].words()) == len(m.words) && r.matched[m.words[0]][c] >= byConcept {
			whole = append(whole, c)
		}
	}
	if len(whole) == 1 {
		return whole
	}
	return m.columns
}

// dated keeps the columns of dates and times if the question asks when.
func dated(r *reading, columns []int) []int {
	out := slices.DeleteFunc(slices.Clone(columns), func(c int) bool { return r.t.Columns[c].Kind != Date && r.t.Columns[c].Kind != Clock })
	if len(out) == 0 || len(columns) < 2 || !r.asks(whenPhrases) {
		return columns
	}
	return out
}

// plain keeps the only column whose name is a part of the names of all others, such as eol beside eol-lts and eol-elts.
func plain(t *Table, columns []int) []int {
	for _, c := range columns {
		own := t.Columns[c].words()
		if len(columns) > 1 && !slices.ContainsFunc(columns, func(other int) bool {
			names := t.Columns[other].words()
			return other != c && (len(names) <= len(own) || slices.ContainsFunc(own, func(w word) bool {
				return !slices.ContainsFunc(names, func(n word) bool { return n.text == w.text })
			}))
		}) {
			return []int{c}
		}
	}
	return columns
}

// asked returns the mentions that no condition uses, and no filter whose value follows the name of its column.
func (r *reading) asked() []mention {
	return slices.DeleteFunc(r.mentions(), func(m mention) bool {
		limits := func(l limit) bool {
			return slices.Contains(m.columns, l.column) || !slices.ContainsFunc(m.words, func(i int) bool { return r.matched[i][l.column] == 0 })
		}
		return slices.Equal(m.columns, r.valuedBy()) || slices.ContainsFunc(r.conditions, limits)
	})
}

// specific drops mentions by a general word, such as "cost", beside the name of a column of the same kind, such as "reduced".
func specific(r *reading, list []mention) []mention {
	return slices.DeleteFunc(slices.Clone(list), func(m mention) bool {
		general := slices.ContainsFunc(m.words, func(i int) bool {
			return slices.ContainsFunc(r.words[i].concepts(), func(c string) bool { return c == "price" || c == "total" || c == "quantity" })
		})
		return general && m.strength <= byConcept && slices.ContainsFunc(list, func(other mention) bool {
			return other.strength >= byCompound && r.t.sameKind(slices.Concat(m.columns, other.columns)) && r.t.Columns[m.columns[0]].summable()
		})
	})
}

// valuedBy returns the column of the only filter, if it does not name rows and the question names it: "which days is the branch
// closed" asks for rows with a value.
func (r *reading) valuedBy() []int {
	if len(r.filters) != 1 || !r.filters[0].whole || slices.Contains(r.labels, r.filters[0].column) || !r.matches(r.filters[0].column) {
		return nil
	}
	return []int{r.filters[0].column}
}

// selected returns the rows of data that fit the filters and the conditions.
func (r *reading) selected() []int {
	rows := r.t.Data()
	byColumn := map[int][]int{}
	for _, f := range r.filters {
		if f.not {
			rows = slices.DeleteFunc(rows, func(i int) bool { return slices.Contains(f.rows, i) })
			continue
		}
		byColumn[f.column] = append(byColumn[f.column], f.rows...)
	}
	rows = slices.DeleteFunc(rows, func(i int) bool {
		for _, list := range byColumn {
			if !slices.Contains(list, i) {
				return true
			}
		}
		for _, l := range r.conditions {
			cell := r.t.Rows[i].Cells[l.column]
			if !cell.Valued {
				if l.op == none && cell.Missing {
					continue
				}
				return true
			}
			low := l.low
			if l.other >= 0 {
				other := r.t.Rows[i].Cells[l.other]
				if low = other.Value; !other.Valued {
					return true
				}
			}
			if !l.op.holds(cell.Value, low, l.high) {
				return true
			}
		}
		return false
	})
	return rows
}

// used returns the columns of the filters and the conditions.
func (r *reading) used() []int {
	var out []int
	for _, f := range r.filters {
		out = append(out, f.column)
	}
	for _, l := range r.conditions {
		out = append(out, l.column)
		if l.other >= 0 {
			out = append(out, l.other)
		}
	}
	return out
}

// valued returns the rows that have a value in a column.
func (t *Table) valued(rows []int, c int) []int {
	var out []int
	for _, i := range rows {
		if t.Rows[i].Cells[c].Valued {
			out = append(out, i)
		}
	}
	return out
}
