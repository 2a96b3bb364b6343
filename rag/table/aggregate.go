package table

import (
	"math"
	"slices"
	"strings"
)

// aggregate is a computation over rows.
type aggregate int

// The computations.
const (
	sum aggregate = iota
	average
)

// answerAggregate answers with a sum or an average.
func (r answering) answerAggregate(op aggregate) Reply {
	c, reason := r.measure(op)
	if c < 0 {
		return reason
	}
	all := r.selected()
	rows := r.t.valued(all, c)
	if len(rows) == 0 {
		return r.nothingFits()
	}
	if len(rows) == 1 && len(all) == 1 {
		return r.answered(r.saidCell(rows[0], c), rows, r.shownColumns(append(r.used(), c)))
	}
	total := 0.0
	for _, i := range rows {
		total += r.t.Rows[i].Cells[c].Value
	}
	shown := r.shownColumns(append(r.used(), c))
	decimals := r.t.Columns[c].Decimals
	if op == average {
		total, decimals = total/float64(len(rows)), max(2, decimals)
	}
	reply := r.answered(r.saidAggregate(op, round(total, decimals), c, len(rows), len(all)-len(rows)), rows, shown)
	reply.Query = r.query(map[aggregate]string{sum: "SUM", average: "AVG"}[op] + "(" + sqlName(r.t.Columns[c]) + ")")
	return reply
}

// measure returns the column to add up, or a reply with the reason why it is not clear.
func (r answering) measure(op aggregate) (int, Reply) {
	fits := func(c int) bool { return r.t.Columns[c].summable() || op == average && r.t.Columns[c].Kind == Percent }
	var named, operational []int
	for _, m := range r.asked() {
		list := r.narrowedBy(m)
		list = slices.DeleteFunc(slices.Clone(list), func(c int) bool { return !fits(c) })
		used := len(intersect(m.columns, r.used())) == len(m.columns) // "milk" of "cow's milk"
		if len(list) == 0 && (m.strength < byWord || used) {          // such as "machines" for a column of text
			continue
		}
		if len(list) == 0 {
			return -1, r.unclear(r.noOperation())
		}
		if m.operational {
			operational = append(operational, list...)
		} else {
			named = append(named, list...)
		}
	}
	if len(named) == 0 {
		named = operational
	}
	if len(named) == 0 && op == sum && r.has(worthPhrases, unknown) {
		for c := range r.t.Columns {
			if fits(c) && r.t.described(c, "price total") > 0 {
				named = append(named, c)
			}
		}
	}
	if len(named) == 0 {
		for c := range r.t.Columns {
			if fits(c) && !r.t.isYears(c) && !slices.Contains(r.labels, c) {
				named = append(named, c)
			}
		}
		if len(named) > 1 {
			named = moneyFirst(r.t, r.t.narrowed(named, nil))
		}
	}
	switch len(named) {
	case 0:
		return -1, r.unclear(r.noColumn())
	case 1:
		return named[0], Reply{}
	}
	if named = r.t.narrowed(named, nil); len(named) == 1 {
		return named[0], Reply{}
	}
	return -1, r.unclear(r.severalColumns(named))
}

// moneyFirst keeps the only column of money.
func moneyFirst(t *Table, columns []int) []int {
	var out []int
	for _, c := range columns {
		if t.Columns[c].Kind == Money {
			out = append(out, c)
		}
	}
	if len(out) == 1 {
		return out
	}
	return columns
}

// isYears reports whether a column has years.
func (t *Table) isYears(c int) bool {
	named, _ := t.Columns[c].concepts()
	return slices.Contains(named, "year")
}

func round(v float64, decimals int) float64 {
	f := math.Pow10(decimals)
	return math.Round(v*f) / f
}

// answerCount answers "how many".
func (r answering) answerCount(negative bool) Reply {
	asked := r.asked()
	noun, follows := r.counted()
	if noun >= 0 && (r.roles[noun] == cell && !follows || r.roles[noun] == unitOf) && !negative {
		c, ok := r.quantity()
		if r.roles[noun] == unitOf { // "how many hours"
			c, ok = inUnit(r.reading, noun)
			if !ok {
				return r.unclear(r.noColumn())
			}
		}
		if ok {
			rows := r.t.valued(r.selected(), c)
			switch {
			case len(rows) == 0:
				return r.nothingFits()
			case len(rows) == 1:
				return r.answered(r.saidCell(rows[0], c), rows, r.shownColumns(append(r.used(), c)))
			case r.partly() && !r.asks(sumPhrases):
				return r.unclear(r.severalRows(len(rows)))
			}
			return r.answerSumOf(c, rows)
		}
	}
	if c, ok := r.quantity(); ok && r.asks(sumPhrases) && !negative && (noun < 0 || r.roles[noun] != condition && !r.isLabelWord(noun)) {
		if rows := r.t.valued(r.selected(), c); len(rows) > 1 { // "how many plants in stock all together"
			return r.answerSumOf(c, rows)
		}
	}
	if len(asked) == 0 && r.onlyNamed() && r.namesRow() && !follows { // one thing is not counted
		return r.unclear(r.noColumn())
	}
	rows := r.selected()
	if noun >= 0 && r.roles[noun] == column && !r.isLabelWord(noun) { // it counts values of a column
		return r.countValues(rows, asked, noun)
	}
	var extra []int
	for _, m := range asked {
		if m.operational || len(intersect(m.columns, r.used())) > 0 {
			continue
		}
		if len(m.columns) > 1 {
			return r.unclear(r.severalColumns(m.columns))
		}
		extra = append(extra, m.columns...)
	}
	if len(extra) > 1 || negative && len(extra) == 0 {
		return r.unclear(r.noOperation())
	}
	if len(extra) == 1 {
		all := rows
		if rows = r.t.having(rows, extra[0], negative); len(rows) == len(all) && !negative { // it may ask for a count by this column
			return r.unclear(r.noOperation())
		}
	}
	return countedRows(r, rows, extra, r.having(extra, negative)...)
}

// countedRows answers with the number of rows.
func countedRows(r answering, rows, columns []int, having ...string) Reply {
	reply := r.answered(r.saidCount(len(rows)), rows, r.shownColumns(append(r.used(), columns...)))
	reply.Query = r.query("COUNT(*)", having...)
	reply.counts = len(r.filters) > 0 && !slices.ContainsFunc(r.filters, func(f filter) bool { return !f.whole })
	return reply
}

// inUnit returns the only column with values in the unit at a word.
func inUnit(r *reading, at int) (int, bool) {
	found := -1
	for c, col := range r.t.Columns {
		if _, ok := converted(1, canonicalUnit(r.words[at].text), col.Unit); ok && col.Unit != "" && col.summable() {
			if found >= 0 {
				return 0, false
			}
			found = c
		}
	}
	return found, found >= 0
}

// answerSumOf answers with the sum of a column.
func (r answering) answerSumOf(c int, rows []int) Reply {
	total := 0.0
	for _, i := range rows {
		total += r.t.Rows[i].Cells[c].Value
	}
	missing := len(r.selected()) - len(rows)
	reply := r.answered(r.saidAggregate(sum, round(total, r.t.Columns[c].Decimals), c, len(rows), missing), rows,
		r.shownColumns(append(r.used(), c)))
	reply.Query = r.query("SUM(" + sqlName(r.t.Columns[c]) + ")")
	return reply
}

// stockValue returns the columns of quantities and of prices of one piece.
func (r *reading) stockValue() (quantity, price int, ok bool) {
	quantity, ok = r.quantity()
	price = -1
	for c, col := range r.t.Columns {
		if name := strings.ToLower(col.Header); col.Kind == Money {
			for _, piece := range []string{"unit price", "price per", "each", "je ", "pro ", "stückpreis", "einzelpreis"} {
				if strings.Contains(name, piece) {
					ok, price = ok && price < 0, c
				}
			}
		}
	}
	return quantity, price, ok && price >= 0
}

// answerWorth answers with the sum of the products of quantities and prices.
func (r answering) answerWorth() Reply {
	quantity, price, ok := r.stockValue()
	if !ok {
		return r.unclear(r.noColumn())
	}
	rows := intersect(r.t.valued(r.selected(), quantity), r.t.valued(r.selected(), price))
	if len(rows) == 0 {
		return r.nothingFits()
	}
	total := 0.0
	for _, i := range rows {
		total += r.t.Rows[i].Cells[quantity].Value * r.t.Rows[i].Cells[price].Value
	}
	reply := r.answered(r.saidWorth(round(total, 2), quantity, price, len(rows)), rows, r.shownColumns(append(r.used(), quantity, price)))
	reply.Query = r.query("SUM(" + sqlName(r.t.Columns[quantity]) + " * " + sqlName(r.t.Columns[price]) + ")")
	return reply
}

// having returns the rows that have something in a column, or nothing.
func (t *Table) having(rows []int, c int, not bool) []int {
	return slices.DeleteFunc(slices.Clone(rows), func(i int) bool {
		cell := t.Rows[i].Cells[c]
		has := !cell.Missing && (t.Columns[c].Kind != Flag || cell.Value == 1)
		return has == not
	})
}

// countValues answers "how many moons": the cell of one row, a sum that is asked for, or the rows with a flag.
func (r answering) countValues(rows []int, asked []mention, noun int) Reply {
	if slices.ContainsFunc(r.conditions, func(l limit) bool { return r.matched[noun][l.column] > 0 }) { // it counts rows
		reply := r.answered(r.saidCount(len(rows)), rows, r.shownColumns(r.used()))
		reply.Query = r.query("COUNT(*)")
		return reply
	}
	i := slices.IndexFunc(asked, func(m mention) bool { return slices.Contains(m.words, noun) })
	if i < 0 || len(asked[i].columns) > 1 {
		return r.unclear(r.noColumn())
	}
	c := asked[i].columns[0]
	if distinct := distinct(r.t, rows, c); r.t.Columns[c].Kind == Text && distinct == len(rows) && len(r.filters)+len(r.conditions) > 0 {
		return countedRows(r, rows, []int{c})
	}
	switch col := r.t.Columns[c]; {
	case len(rows) == 1 && len(r.filters) > 0:
		return r.answerRow(rows[0], asked)
	case r.asks(sumPhrases) && col.summable():
		return r.answerAggregate(sum)
	}
	return r.unclear(r.noOperation())
}

// distinct returns the number of different cells of rows in a column.
func distinct(t *Table, rows []int, c int) int {
	seen := map[string]bool{}
	for _, i := range rows {
		if cell := t.Rows[i].Cells[c]; !cell.Missing {
			seen[cell.Text] = true
		}
	}
	return len(seen)
}

// counted returns the word behind "how many", and whether a word for the rows follows it, as in "how many lamp orders". It
// returns -1 if there is no such word.
func (r answering) counted() (noun int, follows bool) {
	at := -1
	for i := range r.words {
		if r.roles[i] == operation {
			at = i
			continue
		}
		if at >= 0 && r.roles[i] != light && r.roles[i] != condition {
			noun = i
			for k := i + 1; k < len(r.words) && k <= i+1; k++ {
				follows = follows || r.isLabelWord(k)
			}
			return noun, follows
		}
	}
	return -1, false
}

// isLabelWord reports whether a word names the rows.
func (r *reading) isLabelWord(i int) bool {
	if r.roles[i] == titled {
		return true
	}
	for c := range r.matched[i] {
		if r.roles[i] == column && slices.Contains(r.labels, c) {
			return true
		}
	}
	return false
}

// quantity returns the only column with quantities.
func (r *reading) quantity() (int, bool) {
	var named []int
	for _, m := range r.asked() {
		for _, c := range m.columns {
			if r.t.Columns[c].summable() && !m.operational {
				named = append(named, c)
			}
		}
	}
	if len(named) == 1 {
		return named[0], true
	}
	var list []int
	for c, col := range r.t.Columns {
		if col.Kind == Number && (slices.Contains(lastWord(col).concepts(), "quantity") || dimensionOf(col.Unit) == "pieces") {
			list = append(list, c)
		}
	}
	for c, col := range r.t.Columns { // "Stock volume"
		if len(list) == 0 && col.Kind == Number && slices.Contains(col.named, "quantity") {
			list = append(list, c)
		}
	}
	if len(named) > 0 || len(list) != 1 {
		return 0, false
	}
	return list[0], true
}

// lastWord returns the last word of a column's name.
func lastWord(c Column) word {
	own := c.words()
	if len(own) == 0 {
		return word{}
	}
	return own[len(own)-1]
}

// compares reports whether a comparative asks to compare two rows.
func (r *reading) compares() bool {
	if _, ok := margin(r); ok && len(r.filters) > 0 {
		return true
	}
	if len(r.conditions) > 0 || len(r.filters) < 1 || phrased(r, sumPhrases) {
		return false
	}
	if len(r.filters) == 1 {
		_, ok := counterparts(r)
		return ok && phrased(r, muchPhrases) && slices.ContainsFunc(r.words, func(w word) bool { _, ok := w.comparative(); return ok })
	}
	for i := range r.words {
		if _, ok := r.comparative(i); ok && r.roles[i] != column && r.roles[i] != cell {
			return true
		}
	}
	return r.apart() && len(r.asked()) == 1 && r.t.Columns[r.asked()[0].columns[0]].ordered()
}

// apart reports whether two filters name one row each, in the same column.
func (r *reading) apart() bool {
	return len(r.filters) == 2 && r.filters[0].column == r.filters[1].column && len(r.filters[0].rows) == 1 && len(r.filters[1].rows) == 1
}

// answerDifference compares two rows, or two cells of a row.
func (r answering) answerDifference() Reply {
	rows := r.selected()
	if p, ok := counterparts(r.reading); ok && len(rows) == 1 && len(r.filters) > 0 && len(r.askedColumns()) != 2 {
		return answerMinus(r, p, rows[0])
	}
	if len(rows) > 1 && len(r.filters) == 1 && r.filters[0].whole && !r.apart() {
		return answerChange(r)
	}
	if len(rows) == 1 && len(r.filters) > 0 {
		columns := r.askedColumns()
		if len(columns) != 2 || !r.t.sameKind(columns) || !r.t.Columns[columns[0]].ordered() {
			return r.unclear(r.noOperation())
		}
		a, b := r.t.Rows[rows[0]].Cells[columns[0]], r.t.Rows[rows[0]].Cells[columns[1]]
		if !a.Valued || !b.Valued {
			return r.unclear(r.noValue(rows[0], columns[0]))
		}
		return r.answered(r.saidDifference(columns[0], a.Value-b.Value), rows, r.shownColumns(append(r.used(), columns...)))
	}
	if !r.apart() {
		return r.unclear(r.noOperation())
	}
	columns := r.comparedColumns()
	if len(columns) != 1 {
		if len(columns) == 0 {
			return r.unclear(r.noColumn())
		}
		return r.unclear(r.severalColumns(columns))
	}
	c := columns[0]
	first, second := r.filters[0].rows[0], r.filters[1].rows[0]
	a, b := r.t.Rows[first].Cells[c], r.t.Rows[second].Cells[c]
	if !a.Valued || !b.Valued {
		return r.unclear(r.noValue(map[bool]int{true: second, false: first}[a.Valued], c))
	}
	return r.answered(r.saidComparison(first, second, c), []int{first, second}, r.shownColumns(append(r.used(), c)))
}

// comparedColumns returns the columns that compared rows may mean.
func (r answering) comparedColumns() []int {
	var units []int
	for i, w := range r.words {
		if r.roles[i] != unitOf {
			continue
		}
		for c, col := range r.t.Columns {
			if col.ordered() && canonicalUnit(w.text) == col.Unit {
				units = append(units, c)
			}
		}
	}
	var named []int
	for _, m := range r.asked() {
		for _, c := range m.columns {
			if r.t.Columns[c].ordered() {
				named = append(named, c)
			}
		}
	}
	if len(named) > 1 && len(intersect(named, units)) > 0 {
		named = intersect(named, units)
	}
	if len(named) == 1 {
		return named
	}
	for i := range r.words {
		a, ok := r.comparative(i)
		if !ok || r.roles[i] == cell {
			continue
		}
		if a.own > 0 {
			return []int{a.own - 1}
		}
		var described []int
		for c, col := range r.t.Columns {
			if col.ordered() && a.concepts != "" && r.t.described(c, a.concepts) > 0 {
				described = append(described, c)
			}
		}
		if described = r.t.bestDescribed(described, a.concepts); len(described) > 1 && len(intersect(described, units)) > 0 {
			described = intersect(described, units)
		}
		if both := intersect(described, named); len(both) > 0 {
			return both
		}
		if len(described) > 0 && len(named) == 0 {
			return described
		}
	}
	if len(named) > 0 {
		return named
	}
	return units
}
