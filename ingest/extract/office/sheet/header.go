package sheet

import (
	"cmp"
	"slices"
)

// joinHeaders joins a row of merged headers with the row of headers below it, so that each column has one
// name, such as "Fees Summer". A title over the whole table is no header.
func (g *Grid) joinHeaders() {
	spans := map[int][]Area{}
	for _, m := range g.Merges {
		if m.Top == m.Bottom && m.Right > m.Left {
			spans[m.Top] = append(spans[m.Top], m)
		}
	}
	if len(spans) == 0 {
		return
	}
	rows := g.Rows[:0:0]
	for i := 0; i < len(g.Rows); i++ {
		if i+2 < len(g.Rows) && len(spans[g.Rows[i].Number]) > 0 {
			if cells := joined(g.Rows[i], g.Rows[i+1], g.Rows[i+2], spans[g.Rows[i].Number]); cells != nil {
				g.Rows[i+1].Cells = cells
				continue
			}
		}
		rows = append(rows, g.Rows[i])
	}
	g.Rows = rows
}

// joined returns the names of the columns in two rows of headers, or nil if the rows are none.
func joined(top, names, first Row, spans []Area) []Cell {
	if len(top.Cells) < 2 || names.Number != top.Number+1 || first.Number != names.Number+1 {
		return nil
	}
	slices.SortFunc(spans, func(a, b Area) int { return cmp.Compare(a.Left, b.Left) })
	cells := slices.Clone(names.Cells)
	for _, c := range top.Cells {
		if c.Numeric || len(c.Text) > 80 {
			return nil
		}
		right := c.Column
		if i, ok := slices.BinarySearchFunc(spans, c.Column, func(a Area, col int) int { return cmp.Compare(a.Left, col) }); ok {
			right = spans[i].Right
		}
		at, own := slices.BinarySearchFunc(cells, c.Column, byColumn)
		switch {
		case right > c.Column:
			below := 0
			for k := range cells {
				if cells[k].Column < c.Column || cells[k].Column > right {
					continue
				}
				if cells[k].Numeric || len(cells[k].Text) > 80 {
					return nil
				}
				cells[k].Text = c.Text + " " + cells[k].Text
				below++
			}
			if below < 2 {
				return nil
			}
		case !own:
			cells = slices.Insert(cells, at, c)
		case cells[at].Text != c.Text:
			return nil
		}
	}
	return cells
}
