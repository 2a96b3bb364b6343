package table

import (
	"slices"
	"strings"

	"docent/internal/lazyregexp"
)

// maxCode is the length up to which all cells of a column are codes, such as symbols and codes of countries.
const maxCode = 3

// address matches the name of a file, a web address, and a mail address, which are no names for people.
var address = lazyregexp.New(`^\S+(?:\.[a-z]{2,4}|://\S+|@\S+)$`)

// isCode reports whether a text is a code or an address, and no name for people.
func isCode(s string) bool {
	return len(s) <= maxCode || !strings.Contains(s, " ") && strings.ContainsAny(s, "0123456789") || address.MatchString(s)
}

// labels returns the columns that name rows: the first column with distinct texts, and a column with codes before it. Rows may have
// no names.
func (t *Table) labels() []int {
	data := t.Data()
	var codes []int
	for c := range min(len(t.Columns), 4) {
		if t.Columns[c].Kind != Text {
			continue
		}
		seen, coded, n := map[string]bool{}, true, 0
		for _, r := range data {
			cell := t.Rows[r].Cells[c]
			if cell.Missing {
				continue
			}
			n++
			seen[strings.ToLower(cell.Text)] = true
			coded = coded && isCode(cell.Text)
		}
		distinct := .9
		if len(codes) > 0 { // two devices may have the same name, but not the same code
			distinct = .75
		}
		switch {
		case n == 0 || float64(len(seen)) < distinct*float64(n) || n < len(data)*9/10:
			parts := partsOfNames(t, c)
			if parts && t.Columns[c].isPersonal() && distinctPairs(t, c) {
				return append(codes, c)
			}
			if len(codes) > 0 && !parts { // the codes alone name the rows
				return codes[:1]
			}
		case coded:
			codes = append(codes, c)
		default:
			return append(codes, c)
		}
	}
	dates := !slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Kind != Date }) // as of a calendar
	if len(codes) == 0 && len(t.Columns) > 0 && t.numbered() && !dates {
		return []int{0}
	}
	return codes[:min(1, len(codes))]
}

// numbered reports whether the first column can name the rows although it has values: they differ, as years and numbers of rows do.
func (t *Table) numbered() bool {
	if t.Columns[0].Kind == Text {
		return true
	}
	seen := map[string]bool{}
	for _, i := range t.Data() {
		if cell := t.Rows[i].Cells[0]; !cell.Missing && seen[cell.Text] {
			return false
		}
		seen[t.Rows[i].Cells[0].Text] = true
	}
	return t.Columns[0].Decimals == 0
}
