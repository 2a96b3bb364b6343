package pipeline

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"docent/internal/fault"
	"docent/rag"
	"docent/rag/retrieve"
	"docent/rag/table"
	"docent/rag/talk"
	"docent/rag/text"
)

// ofTable reports whether an answer has rows of a table.
func ofTable(last rag.LastAnswer) bool {
	return slices.ContainsFunc(last.Passages, func(p rag.Passage) bool { return len(p.Cells) > 0 })
}

// exchange returns the whole question, behind an answer from a table, that the tables of the same documents answer with the fewest
// cells, or "".
func (a tableAnswer) exchange(ctx context.Context, f talk.FollowUp, results []retrieve.Result) string {
	sources := a.readTables(ctx, results).sources
	best, cells := "", 0
	for _, question := range f.Exchanged() {
		reply := table.Ask(question, sources)
		n := len(reply.Rows) * len(reply.Columns)
		if reply.Status == table.Answered && n > 0 && (best == "" || n < cells) {
			best, cells = question, n
		}
	}
	return best
}

// multiply answers a message such as "how much is that for 12 people?" behind an answer with one number of a table.
func (a tableAnswer) multiply(ctx context.Context, within looked, f talk.FollowUp, last rag.LastAnswer) bool {
	times, ok := f.Times()
	if !ok {
		return false
	}
	found := a.readTables(ctx, within.found.Results)
	for i, source := range found.sources {
		d, t := found.documents[found.owners[i]], source.Table
		row, columns, value := usedRow(t, d.Document.ID, last)
		if value < 0 || !fitsUnit(times, f.Earlier+" "+rowText(t, row, columns)) {
			continue
		}
		a.take(ctx, within)
		cell, c := t.Rows[row].Cells[value], t.Columns[value]
		said := fault.NewText("table_multiple", "%s × %s = %s.", text.CodeSpan(times.Number), text.CodeSpan(cell.Text),
			text.CodeSpan(product(times.Value*cell.Value, c)))
		a.writeTable(table.Reply{Status: table.Answered, Source: i, Said: said, Rows: []int{row}, Used: []int{row}, Columns: columns}, t, d)
		a.out.Outcome, a.replied = rag.Answered, true
		return true
	}
	return false
}

// usedRow returns the only row of a table that an answer used, its used columns, and the only one of them with an amount. The column
// of the amount is -1 if there is not one of each.
func usedRow(t *table.Table, document int64, last rag.LastAnswer) (row int, columns []int, value int) {
	row, value = -1, -1
	for _, p := range last.Passages {
		if p.DocumentID != document {
			continue
		}
		for n, r := range t.Rows {
			for c, cell := range r.Cells {
				if cell.End == 0 || !slices.Contains(p.Cells, rag.Span{Start: cell.Start, End: cell.End}) {
					continue
				}
				if row >= 0 && row != n {
					return -1, nil, -1
				}
				row, columns = n, append(columns, c)
			}
		}
	}
	for _, c := range columns {
		kind := t.Columns[c].Kind
		if !t.Rows[row].Cells[c].Valued || kind != table.Money && kind != table.Number || c == columns[0] && len(columns) > 1 {
			continue
		}
		if value >= 0 {
			return -1, nil, -1
		}
		value = c
	}
	return row, columns, value
}

// rowText returns the cells of a row that say what an amount is for, and the header of the amount.
func rowText(t *table.Table, row int, columns []int) string {
	var parts []string
	for c, cell := range t.Rows[row].Cells {
		if slices.Contains(columns, c) {
			parts = append(parts, t.Columns[c].Header)
		}
		if !cell.Valued {
			parts = append(parts, cell.Text)
		}
	}
	return strings.Join(parts, " ")
}

// fitsUnit reports whether a multiple makes sense of an amount in a context: times are multiplied only if the amount is for the
// same unit of time, and other things only if the amount is not for a time.
func fitsUnit(times talk.Times, context string) bool {
	unit, known := talk.TimeUnit(times.Things), talk.TimeUnits(context)
	return unit == "" && len(known) == 0 || unit != "" && slices.Contains(known, unit)
}

// product writes a result in the form of a column.
func product(value float64, c table.Column) string {
	decimals := c.Decimals
	if c.Kind == table.Money || decimals > 0 {
		decimals = max(decimals, 2)
	}
	if value == math.Trunc(value) && c.Decimals == 0 {
		decimals = 0
	}
	s := strconv.FormatFloat(value, 'f', decimals, 64)
	if c.Comma {
		s = strings.ReplaceAll(s, ".", ",")
	}
	return strings.TrimSpace(s + " " + c.Unit)
}
