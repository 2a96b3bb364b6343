package table

import (
	"slices"
	"strings"

	"docent/rag/text"
)

// nameParts are words of the headers of columns that are one name together, such as a first and a last name, or a make and a model.
var nameParts = setOf(`vorname nachname familienname firstname lastname surname first last make brand marke hersteller manufacturer
	model modell`)

// titleHeaders are headers of columns with the names of goods that have codes.
var titleHeaders = setOf("name title description bezeichnung titel beschreibung")

// isNamePart reports whether a column has a part of a name.
func (c Column) isNamePart() bool {
	return c.Kind == Text && len(c.names) > 0 && nameParts[c.names[0].text]
}

// isPersonal reports whether a column has first or last names of people.
func (c Column) isPersonal() bool {
	return slices.Contains(c.named, "firstname") || slices.Contains(c.named, "surname")
}

// partsOfNames reports whether a column and the next one have parts of names.
func partsOfNames(t *Table, c int) bool {
	part := func(c int) bool {
		own := words(t.Columns[c].Name)
		return t.Columns[c].Kind == Text && len(own) > 0 && nameParts[own[0].text]
	}
	return c+1 < len(t.Columns) && part(c) && part(c+1)
}

// distinctPairs reports whether no two rows have the same cells in a column and the next one.
func distinctPairs(t *Table, c int) bool {
	seen := map[string]bool{}
	for _, i := range t.Data() {
		name := t.Rows[i].Cells[c].Text + "\x00" + t.Rows[i].Cells[c+1].Text
		if seen[name] {
			return false
		}
		seen[name] = true
	}
	return true
}

// maxTelling is the number of columns with texts that are shown beside the codes of rows.
const maxTelling = 2

// coded reports whether the cells of a column are codes.
func coded(t *Table, c int) bool {
	return t.Columns[c].Kind == Text && !slices.ContainsFunc(t.Data(), func(i int) bool { return !isCode(t.Rows[i].Cells[c].Text) })
}

// namer names rows.
type namer struct{ *reading }

// columns returns the columns with the names of rows: the labels, and the parts of names beside the last one.
func (r namer) columns() []int {
	out := slices.Clone(r.labels)
	if len(out) == 1 && goodsHeaders[strings.ToLower(r.t.Columns[out[0]].Header)] {
		for c, col := range r.t.Columns { // the names of goods may repeat
			if col.Kind == Text && c > out[0] && titleHeaders[strings.ToLower(col.Header)] {
				return append(out, c)
			}
		}
	}
	if len(out) == 1 && coded(r.t, out[0]) { // a code tells a reader little
		for c := out[0] + 1; c < min(len(r.t.Columns), out[0]+1+maxTelling) && r.t.Columns[c].Kind == Text; c++ {
			out = append(out, c)
		}
		return out
	}
	if len(out) == 0 || !r.t.Columns[out[len(out)-1]].isNamePart() {
		return out
	}
	label := out[len(out)-1]
	for _, c := range []int{label - 1, label + 1} {
		if c >= 0 && c < len(r.t.Columns) && r.t.Columns[c].isNamePart() {
			out = append(out, c)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// in returns the cell of a row in a column, or the whole name if it is a part of one.
func (r namer) in(c, row int) string {
	if slices.Contains(r.columns(), c) && r.t.Columns[c].isNamePart() {
		return r.of(row)
	}
	return r.t.Rows[row].Cells[c].Text
}

// of returns the name of a row in words.
func (r namer) of(row int) string {
	label := r.labels[len(r.labels)-1]
	parts := []string{}
	for _, c := range r.columns() {
		if c == label || r.t.Columns[c].isNamePart() {
			parts = append(parts, r.t.Rows[row].Cells[c].Text)
		}
	}
	return text.Shorten(strings.TrimSpace(strings.Join(parts, " ")), 80)
}
