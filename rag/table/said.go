package table

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"docent/internal/fault"
	"docent/rag/text"
)

// maxNamed limits the columns in a sentence.
const maxNamed = 6

// phrasing writes replies.
type phrasing struct{ *reading }

// named returns the title of the table's document for a sentence.
func (s *Source) named() string {
	title, _, _ := strings.Cut(s.Title, "\n")
	return text.CodeSpan(text.Shorten(title, 80))
}

// label returns the name of a row: the cells that the question names, or the cell of its name.
func (r phrasing) label(row int) string {
	if len(r.filters) == 0 && isSingle(r.t) {
		return r.source.named()
	}
	var names []string
	for _, f := range r.filters {
		if name := namer(r).in(f.column, row); !f.not && slices.Contains(f.rows, row) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if named := len(r.labels) > 0; named && (len(names) == 0 || len(r.selected()) > 1 && !r.apart()) {
		names = []string{namer(r).of(row)}
	} else if len(names) == 0 {
		names = []string{"#" + strconv.Itoa(row+1)}
	}
	return text.CodeSpan(text.Shorten(strings.Join(names, ", "), 80))
}

func (t *Table) header(c int) string { return text.CodeSpan(text.Shorten(t.Columns[c].Header, 80)) }

func (t *Table) headers(columns []int) string {
	var list []string
	for _, c := range columns[:min(len(columns), maxNamed)] {
		list = append(list, t.header(c))
	}
	return strings.Join(list, ", ")
}

// where describes the rows: the filters and the conditions.
func (r phrasing) where() string {
	var list []string
	for _, f := range r.filters {
		sign := " = "
		if f.not {
			sign = " ≠ "
		}
		var values []string
		for _, i := range f.rows {
			if v := r.t.Rows[i].Cells[f.column].Text; !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		if len(values) > 1 {
			values = []string{r.wordsOf(f)}
		}
		name := strings.TrimPrefix(r.t.Columns[f.column].Header+sign, " = ") // a column of names may have no header
		list = append(list, text.CodeSpan(name+text.Shorten(strings.Join(values, ", "), 60)))
	}
	for _, l := range r.conditions {
		list = append(list, text.CodeSpan(r.t.Columns[l.column].Header+" "+l.op.String()+" "+l.said))
	}
	return strings.Join(list, ", ")
}

func (r phrasing) wordsOf(f filter) string {
	var list []string
	for _, i := range f.words {
		list = append(list, r.words[i].written)
	}
	return "…" + strings.Join(list, " ") + "…"
}

// value writes a number of a column with its unit.
func (t *Table) value(v float64, c, decimals int) string {
	col := t.Columns[c]
	switch col.Kind {
	case Clock:
		minutes := int(math.Round(math.Abs(v) / 60))
		return strconv.Itoa(minutes/60) + ":" + strconv.Itoa(minutes%60/10) + strconv.Itoa(minutes%10) + " h"
	case Date:
		return strconv.FormatFloat(v, 'f', 0, 64) + " d"
	case Duration:
		return strconv.FormatFloat(v, 'f', -1, 64) + " s"
	}
	money := col.Kind == Money || slices.Contains(col.named, "price")
	if money {
		decimals = max(decimals, 2)
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Contains(s, ".") && (!money || round(v, decimals) == math.Trunc(v)) {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if col.Comma {
		s = strings.ReplaceAll(s, ".", ",")
	}
	if col.Unit != "" {
		s += " " + col.Unit
	}
	return s
}

// cellText writes a cell with the unit of its column.
func (t *Table) cellText(row, c int) string {
	cell, col := t.Rows[row].Cells[c], t.Columns[c]
	s := cell.Text
	if p := split(s); cell.Valued && col.Unit != "" && p.ok && p.unit == "" {
		s += " " + col.Unit
	}
	return text.CodeSpan(text.Shorten(s, 200))
}

func (r phrasing) saidCell(row, c int) fault.Text {
	return fault.NewText("table_cell", "%s of %s: %s.", r.t.header(c), r.label(row), r.t.cellText(row, c))
}

func (r phrasing) saidExtreme(e extreme, rows []int, c, without, all int) fault.Text {
	cell, time := r.t.cellText(rows[0], c), r.t.Columns[c].Kind == Date || r.t.Columns[c].Kind == Clock
	var said fault.Text
	switch down := r.t.downward(e, c); {
	case time && down:
		said = fault.NewText("table_earliest", "The earliest %s is %s, in %s. Compared rows: %d.", r.t.header(c), cell, r.labelsOf(rows), all)
	case time:
		said = fault.NewText("table_latest", "The latest %s is %s, in %s. Compared rows: %d.", r.t.header(c), cell, r.labelsOf(rows), all)
	case down:
		said = fault.NewText("table_lowest", "The lowest %s is %s, in %s. Compared rows: %d.", r.t.header(c), cell, r.labelsOf(rows), all)
	default:
		said = fault.NewText("table_highest", "The highest %s is %s, in %s. Compared rows: %d.", r.t.header(c), cell, r.labelsOf(rows), all)
	}
	switch {
	case e.nth > 0:
		said = fault.NewText("table_nth", "Rank %d by %s: %s, in %s. Compared rows: %d.", e.nth, r.t.header(c), cell, r.labelsOf(rows), all)
	case e.n > 1:
		said = fault.NewText("table_ranked", "%d rows by %s.", len(rows), r.t.header(c))
	}
	return r.withGaps(r.among(said), without)
}

// among adds the filters and conditions of the rows.
func (r phrasing) among(said fault.Text) fault.Text {
	if where := r.where(); where != "" {
		return fault.NewText("table_among", "%s Only rows with %s.", said, where)
	}
	return said
}

func (r phrasing) labelsOf(rows []int) string {
	var list []string
	for _, i := range rows[:min(len(rows), maxNamed)] {
		list = append(list, r.label(i))
	}
	return strings.Join(list, ", ")
}

// withGaps adds the number of rows without a value.
func (r phrasing) withGaps(said fault.Text, without int) fault.Text {
	if without == 0 {
		return said
	}
	return fault.NewText("table_gaps", "%s Rows without a value: %d.", said, without)
}

func (r phrasing) saidList(n int) fault.Text {
	switch where := r.where(); {
	case where == "" && n == 1:
		return fault.NewText("table_row", "1 row of %s fits.", r.source.named())
	case where == "":
		return fault.NewText("table_rows", "%d rows of %s fit.", n, r.source.named())
	case n == 1:
		return fault.NewText("table_row_where", "1 row of %s fits %s.", r.source.named(), where)
	default:
		return fault.NewText("table_rows_where", "%d rows of %s fit %s.", n, r.source.named(), where)
	}
}

func (r phrasing) saidCount(n int) fault.Text {
	if where := r.where(); where != "" {
		return fault.NewText("table_count_where", "%d of the %d rows of %s fit %s.", n, len(r.t.Data()), r.source.named(), where)
	}
	return fault.NewText("table_count", "%d of the %d rows of %s fit.", n, len(r.t.Data()), r.source.named())
}

func (r phrasing) saidAggregate(op aggregate, v float64, c, n, without int) fault.Text {
	decimals := r.t.Columns[c].Decimals
	said := fault.NewText("table_sum", "The sum of %s in %d rows is %s.", r.t.header(c), n, r.t.value(v, c, decimals))
	if op == average {
		said = fault.NewText("table_average", "The average of %s in %d rows is %s.", r.t.header(c), n, r.t.value(v, c, max(2, decimals)))
	}
	return r.withGaps(r.among(said), without)
}

func (r phrasing) saidWorth(v float64, quantity, price, n int) fault.Text {
	return fault.NewText("table_worth", "%s × %s in %d rows: %s.", r.t.header(quantity), r.t.header(price), n, r.t.value(v, price, 2))
}

func (r phrasing) saidDifference(c int, d float64) fault.Text {
	return fault.NewText("table_difference", "The difference is %s.", r.t.value(round(math.Abs(d), r.t.Columns[c].Decimals), c,
		r.t.Columns[c].Decimals))
}

func (r phrasing) saidComparison(first, second, c int) fault.Text {
	a, b := r.t.Rows[first].Cells[c].Value, r.t.Rows[second].Cells[c].Value
	if a == b {
		return fault.NewText("table_same", "%s is the same for %s and %s: %s.", r.t.header(c), r.label(first), r.label(second),
			r.t.cellText(first, c))
	}
	return fault.NewText("table_comparison", "%s: %s for %s, and %s for %s. The difference is %s.", r.t.header(c), r.t.cellText(first, c),
		r.label(first), r.t.cellText(second, c), r.label(second), r.t.value(round(math.Abs(a-b), r.t.Columns[c].Decimals), c,
			r.t.Columns[c].Decimals))
}

func (r phrasing) lacking() fault.Text {
	var list []string
	for _, w := range r.missing[:min(len(r.missing), maxNamed)] {
		list = append(list, text.CodeSpan(w))
	}
	return fault.NewText("table_lacking", "The table in %s has nothing about %s.", r.source.named(), strings.Join(list, ", "))
}

func (r phrasing) severalColumns(columns []int) fault.Text {
	return fault.NewText("table_several_columns", "Several columns of %s fit: %s.", r.source.named(), r.t.headers(columns))
}

func (r phrasing) severalRows(n int) fault.Text {
	return fault.NewText("table_several_rows", "Several rows of %s fit this question: %d.", r.source.named(), n)
}

func (r phrasing) noColumn() fault.Text {
	return fault.NewText("table_no_column", "I cannot tell which column of %s is meant.", r.source.named())
}

// noDirection replies that the question does not tell which value is best.
func (r phrasing) noDirection(e extreme, columns []int) fault.Text {
	best := text.CodeSpan(r.words[e.word].written)
	if len(columns) == 0 {
		return fault.NewText("table_no_measure", "I cannot tell what %s means in %s. Name a column.", best, r.source.named())
	}
	return fault.NewText("table_no_direction", "I cannot tell what %s means for %s. Ask for the highest or the lowest value.", best,
		r.t.headers(columns))
}

func (r phrasing) noOperation() fault.Text {
	return fault.NewText("table_no_operation", "I cannot tell what to do with the rows of %s.", r.source.named())
}

func (r phrasing) noRows() fault.Text {
	return fault.NewText("table_no_row", "No single row of %s stands out.", r.source.named())
}

func (r phrasing) noValue(row, c int) fault.Text {
	return fault.NewText("table_no_value", "%s has no value for %s.", r.label(row), r.t.header(c))
}

// nothingFits replies that no row fits. A count of 0 is an answer only if the values exist.
func (r phrasing) nothingFits() Reply {
	said := fault.NewText("table_nothing", "No row of %s fits.", r.source.named())
	if where := r.where(); where != "" {
		said = fault.NewText("table_nothing_where", "No row of %s fits %s.", r.source.named(), where)
	}
	return r.unclear(said)
}

// answered returns a reply with rows.
func (r phrasing) answered(said fault.Text, rows, columns []int) Reply {
	columns = r.telling(rows, columns)
	reply := Reply{
		Status: Answered, Said: said, Rows: rows[:min(len(rows), maxShown)], Used: rows, Columns: columns, Query: r.query(r.selection(columns)),
		score: r.score() + bonusAnswered,
	}
	if r.assumed {
		reply.Status, reply.Near, reply.Computed = Unclear, true, true
	}
	return reply
}

// telling adds a column that tells rows with the same name apart.
func (r phrasing) telling(rows, columns []int) []int {
	if len(rows) < 2 || len(r.filters) != 1 || !r.t.same(rows, r.filters[0].column) {
		return columns
	}
	for c := range r.t.Columns {
		if r.t.Columns[c].Kind == Text && c > r.filters[0].column && !r.t.same(rows, c) {
			columns = append(slices.Clone(columns), c)
			slices.Sort(columns)
			return slices.Compact(columns)
		}
	}
	return columns
}

// same reports whether rows have the same cell in a column.
func (t *Table) same(rows []int, c int) bool {
	return !slices.ContainsFunc(rows, func(i int) bool { return t.Rows[i].Cells[c].Text != t.Rows[rows[0]].Cells[c].Text })
}

// unclear returns a reply with the nearest rows.
func (r phrasing) unclear(said fault.Text) Reply {
	var rows []int
	if len(r.filters) > 0 {
		if rows = r.selected(); len(rows) == 0 {
			rows = r.filters[0].rows
		}
	}
	if isSingle(r.t) {
		rows = r.t.Data()
	}
	rows = rows[:min(len(rows), maxNearest)]
	columns := r.askedColumns()
	if len(columns) > 0 {
		columns = append(columns, r.used()...)
	}
	score := r.score() + malusUnclear
	if len(r.filters) > 0 && len(r.selected()) == 0 {
		score += malusNothing
	}
	return Reply{
		Status: Unclear, Said: said, Rows: rows, Used: rows, Columns: r.shownColumns(columns), Near: r.near(),
		Whole: len(r.missing) == 0, score: score, named: len(r.missing) > 0 && r.namesRow(),
	}
}

// near reports whether the table has at least half of the words with a meaning, or a named row and a third of them. A word that is only
// a part of the names of several rows, such as "file" in a list of limits, names no row.
func (r phrasing) near() bool {
	known, named := 0, false
	for _, role := range r.roles {
		if role == column || role == condition {
			known++
		}
		if role == titled && isSingle(r.t) {
			known++
		}
	}
	for _, f := range r.filters {
		if f.whole || len(r.missing) == 0 || len(f.rows) == 1 && r.mostOf(f) {
			known, named = known+len(f.words), true
		}
	}
	return known > 0 && known+len(r.missing) > 1 && (known >= len(r.missing) || named && 2*known >= len(r.missing))
}

// mostOf reports whether words are at least half of the name of a row.
func (r phrasing) mostOf(f filter) bool {
	all := slices.DeleteFunc(words(r.t.Rows[f.rows[0]].Cells[f.column].Text), word.isStop)
	return 2*len(f.words) >= len(all)
}

// maxShownColumns limits the columns of a reply.
const maxShownColumns = 10

// shownColumns returns the columns that name the rows, and the given ones, in the order of the table. Without given ones, it
// returns the first columns.
func (r phrasing) shownColumns(columns []int) []int {
	out := append(namer(r).columns(), columns...)
	if len(columns) == 0 {
		for c := range r.t.Columns {
			out = append(out, c)
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return out[:min(len(out), maxShownColumns)]
}

// The bonuses of replies in the score of a reading.
const (
	bonusAnswered = 2
	bonusComputed = 1.8
	malusUnclear  = -1
	malusNothing  = -2
)

// score says how much of the question the reading explains.
func (r phrasing) score() float64 { return r.gain }

// replaceWord replaces a word of a text by a sign that is in no phrase.
func replaceWord(s string, i int) string {
	parts := strings.Split(strings.TrimSpace(s), " ")
	if i < len(parts) {
		parts[i] = "\x01"
	}
	return " " + strings.Join(parts, " ") + " "
}
