package table

import (
	"slices"
	"strings"
)

// valueHeaders are the headers of the second column in a list of properties of one thing.
var valueHeaders = setOf("value values wert werte detail details data daten angabe angaben specification specifications")

// across returns the table with its rows as columns, if the rows have types and the columns have none: a comparison with a column
// for each product, or a list of the properties of one product.
func across(t *Table, language string) (Table, bool) {
	if len(t.Columns) < 2 || len(t.Rows) < 2 || len(t.Rows) >= maxColumns {
		return Table{}, false
	}
	if second := strings.ToLower(t.Columns[1].Header); len(t.Columns) == 2 && second != "" && !valueHeaders[second] {
		return Table{}, false
	}
	out := Table{Caption: t.Caption, Context: t.Context, Turned: true, Start: t.Start, End: t.End, Columns: []Column{t.Columns[0]}}
	for _, r := range t.Rows {
		name := r.Cells[0]
		if r.Total || name.Missing || len(name.Text) > maxHeaderCell || isValue(name.Text) || slices.ContainsFunc(out.Columns[1:],
			func(c Column) bool { return c.Header == name.Text }) {
			return Table{}, false
		}
		own := Column{Header: name.Text}
		own.Name, own.Unit = splitUnit(name.Text)
		out.Columns = append(out.Columns, own)
	}
	for c, column := range t.Columns[1:] {
		row := Row{Start: t.Rows[0].Start, End: t.Rows[len(t.Rows)-1].End, Cells: []Cell{
			{Text: column.Header, Missing: missing(column.Header)},
		}}
		for _, r := range t.Rows {
			own := r.Cells[c+1]
			own.Value, own.Valued = 0, false
			row.Cells = append(row.Cells, own)
		}
		out.Rows = append(out.Rows, row)
	}
	out.setTypes(language)
	valued := countValued(&out)
	return out, valued > 2*countValued(t) && 3*valued >= len(t.Rows)*(len(t.Columns)-1)
}

// isSingle reports whether a table is about one thing.
func isSingle(t *Table) bool { return t.Turned && len(t.Rows) == 1 }

// countValued returns the number of cells with a value behind the first column.
func countValued(t *Table) int {
	n := 0
	for _, r := range t.Rows {
		for _, c := range r.Cells[min(1, len(r.Cells)):] {
			if c.Valued {
				n++
			}
		}
	}
	return n
}
