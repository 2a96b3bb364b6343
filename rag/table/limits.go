package table

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// limiter finds the columns of conditions on values.
type limiter struct{ *reading }

// resolve finds the columns of the conditions of a reading. The words of a condition without a column lose their role.
func (r limiter) resolve(pieces []*piece) {
	for _, p := range pieces {
		if p.role != condition {
			continue
		}
		var found bool
		switch {
		case p.op == times:
			found = r.multiply(p)
		case p.value < 0 && r.months(p.from):
			found = true
		case p.value < 0 && r.words[p.from].isBetween():
			found = r.between(p.from)
		case p.value < 0 && (r.onWeekday(p.from) || r.compares(p.from) || r.at(p.from)):
			found = true
		case p.value < 0:
			found = r.on(p.from)
		case p.op == equal:
			found = r.equal(p.value)
		case r.nameColumn(p.from, p.value):
			found = true
		default:
			end := r.limitAt(p.value, p.op, p.concept, nil)
			if found = end > 0; found {
				r.mark(p.from, end)
			}
		}
		switch {
		case found:
		case len(r.ambiguous) > 0: // operate says so
			r.mark(p.from, p.to)
		default:
			r.lost(p)
		}
	}
	r.findZeros()
}

// lost takes the role of a condition from words.
func (r limiter) lost(p *piece) {
	for k := p.from; k < p.to; k++ {
		switch r.roles[k] = light; {
		case k < p.value && !r.words[k].isNumber(): // a comparator without a value; see open
			r.roles[k] = unknown
		case !r.words[k].isStop():
			r.roles[k] = missed
			r.missing = append(r.missing, r.words[k].written)
		}
	}
	r.gain += gainMissing - p.gain
}

// findZeros finds "without sugar" and "with caffeine", if the column has zeros.
func (r limiter) findZeros() {
	for i := 1; i < len(r.words); i++ {
		before := r.words[i-1].text
		with := slices.Contains([]string{"with", "mit"}, before)
		first := i - 1
		if i > 1 && before == "of" && r.words[i-2].text == "out" { // out of stock
			first = i - 2
		} else if with = with || before == "in" && slices.Contains(r.words[i].concepts(), "quantity"); !with && r.roles[i-1] != nothing {
			continue
		}
		if r.roles[i] != column || len(r.matched[i]) != 1 {
			continue
		}
		c := slices.Collect(maps.Keys(r.matched[i]))[0]
		zero := func(row Row) bool { return row.Cells[c].Valued && row.Cells[c].Value == 0 }
		named := i+1 < len(r.words) && (r.roles[i+1] == column || r.words[i+1].isNumber())
		if named || !r.t.Columns[c].summable() || !slices.ContainsFunc(r.t.Rows, zero) {
			continue
		}
		l := limit{column: c, op: none, other: -1, said: "0"}
		if with {
			l.op = over
		}
		if own := (reading{t: r.t, conditions: []limit{l}}); slices.ContainsFunc(r.filters, func(f filter) bool {
			return slices.Contains(r.labels, f.column) && len(intersect(own.selected(), f.rows)) == 0
		}) { // "without deposit" of a named row with one
			r.matched[i] = nil
			r.mark(first, i+1)
			continue
		}
		r.conditions = append(r.conditions, l)
		r.mark(first, i+1)
	}
}

// equal finds the column of a value, as in "which part has an interval of 4,000 h". Some row must have the value.
func (r limiter) equal(i int) bool {
	value, end, unit, said, ok := r.numberAt(i)
	if unit == ofPeople {
		r.conditions = append(r.conditions, limit{column: seatsColumn(r.reading), op: atLeast, low: value, other: -1, said: said})
		r.mark(i, end)
		return true
	}
	var ordered []int
	for c, col := range r.t.Columns {
		if col.ordered() && col.Kind != Date && col.Kind != Clock {
			ordered = append(ordered, c)
		}
	}
	near := r.nearest(ordered, i)
	if !ok || len(near) != 1 {
		return false
	}
	c := near[0]
	if u := r.t.Columns[c].Unit; unit != "" {
		if value, ok = converted(value, unit, u); !ok || u == "" {
			return false
		}
	}
	if !slices.ContainsFunc(r.t.Rows, func(row Row) bool { return row.Cells[c].Valued && row.Cells[c].Value == value }) {
		return false
	}
	if op, n := openEnd(r.reading, end); n > 0 {
		r.conditions = append(r.conditions, limit{column: c, op: op, low: value, other: -1, said: said})
		r.mark(i, end+n)
		return true
	}
	r.conditions = append(r.conditions, limit{column: c, op: equal, low: value, other: -1, said: said})
	r.mark(i, end)
	return true
}

// ofPeople is the unit of a number of people, if a column has places for them.
const ofPeople = "people"

// personWords are the words for people behind a number.
var personWords = setOf("people persons person guests participants seats leute personen person gaste teilnehmer platze")

// nameColumn gives a number and its unit back to the name of a column, as in "fastest over 100 m".
func (r limiter) nameColumn(comparator, at int) bool {
	for c, col := range r.t.Columns {
		n := len(col.names)
		if n < 2 || at+n > len(r.words) || !r.words[at].isNumber() ||
			!slices.EqualFunc(col.names, r.words[at:at+n], func(a, b word) bool { return canonicalUnit(a.text) == canonicalUnit(b.text) }) {
			continue
		}
		for k := at; k < at+n; k++ {
			r.roles[k], r.matched[k] = column, map[int]int{c: byWord}
		}
		r.roles[comparator], r.matched[comparator] = column, map[int]int{c: byWord}
		return true
	}
	return false
}

func isArticle(s string) bool {
	return slices.Contains([]string{"the", "a", "an", "der", "die", "das", "dem", "den", "of", "dem", "than", "als"}, s)
}

// mark gives words the role of a condition.
func (r limiter) mark(from, to int) {
	for k := from; k < to; k++ {
		r.roles[k] = condition
	}
}

// comparatorAt returns the comparator at a word, and the number of its words.
func (r *reading) comparatorAt(i int) (op operator, length int, concept string, ok bool) {
	rest := strings.Join(r.textsFrom(i, 6), " ") + " "
	for _, c := range comparators {
		if strings.HasPrefix(rest, c.phrase+" ") {
			return c.op, strings.Count(c.phrase, " ") + 1, "", true
		}
	}
	if a, found := r.words[i].comparative(); found && i+1 < len(r.words) && (r.words[i+1].text == "than" || r.words[i+1].text == "als") {
		op := over
		if up := a.up; up < 0 && !strings.HasPrefix(a.concepts, "age") {
			op = under
		} else if strings.HasPrefix(a.concepts, "age") {
			return 0, 0, "", false // years and dates run the other way
		}
		return op, 2, a.concepts, true
	}
	if (r.words[i].text == "less" || r.words[i].text == "more") && i+2 < len(r.words) && r.words[i+2].text == "than" {
		if a, found := adjectives[r.words[i+1].text]; found && a.concepts != "" {
			up := a.up > 0 == (r.words[i].text == "more")
			return map[bool]operator{true: over, false: under}[up], 3, a.concepts, true
		}
	}
	return 0, 0, "", false
}

func (r *reading) textsFrom(i, n int) []string {
	var out []string
	for k := i; k < min(len(r.words), i+n); k++ {
		out = append(out, r.words[k].text)
	}
	return out
}

// limitAt reads a value, or a column, behind a comparator, and adds the condition. It returns the position behind it, or 0.
func (r limiter) limitAt(at int, op operator, concept string, upper *float64) int {
	if v, end, said, kind, ok := r.dateAt(at); ok {
		c, ok := r.dateColumn(kind, at)
		if !ok {
			return 0
		}
		if r.t.Columns[c].Kind != Date { // a column of years
			y := float64(Day(v.from).Year())
			v = span{y, y + 1}
		}
		l := limit{column: c, op: op, low: v.from, other: -1, said: said}
		switch op {
		case over, atMost: // the whole day, month, or year
			l.low = v.to - 1e-6
		}
		r.conditions = append(r.conditions, l)
		return end
	}
	value, end, unit, said, ok := r.numberAt(at)
	if !ok && r.roles[at] == cell {
		return r.rowAt(at, op, concept)
	}
	if !ok {
		return r.columnAt(at, op)
	}
	c, ok := r.limited(unit, concept, at)
	if !ok {
		return 0
	}
	l := limit{column: c, op: op, low: value, other: -1, said: said}
	if u := r.t.Columns[c].Unit; unit != "" && u != "" && unit != ofPeople && !(isCurrency(unit) && inUnitOf(unit, u)) {
		if l.low, ok = converted(value, unit, u); !ok {
			return 0
		}
		if upper != nil {
			high, _ := converted(*upper, unit, u)
			upper = &high
		}
	}
	if upper != nil {
		l.high = *upper
	}
	r.conditions = append(r.conditions, l)
	return end
}

// numberAt returns the number at a word, with the unit around it.
func (r limiter) numberAt(at int) (value float64, end int, unit, said string, ok bool) {
	w := r.words[at]
	if isCurrency(canonicalUnit(w.text)) && at+1 < len(r.words) {
		value, end, _, said, ok = r.numberAt(at + 1)
		return value, end, canonicalUnit(w.text), w.written + " " + said, ok
	}
	if n := numberWords[w.text]; n > 0 && at+1 < len(r.words) && isUnit(r.words[at+1].text) { // two weeks
		return float64(n), at + 2, canonicalUnit(r.words[at+1].text), w.written + " " + r.words[at+1].written, true
	}
	if !w.isNumber() || strings.Contains(w.text, ":") {
		return 0, 0, "", "", false
	}
	sign := signOf(w.text)
	if sign == unsure { // 2.000 and 1,500 are thousands in questions, unless the columns say otherwise
		sign = comma
		if strings.Contains(w.text, ",") {
			sign = point
		}
	}
	value, _, ok = parseNumber(w.text, sign)
	end, said = at+1, w.written
	if end < len(r.words) {
		switch r.words[end].text {
		case "million", "millionen", "mio":
			value, end = value*1e6, end+1
		case "thousand", "tausend":
			value, end = value*1e3, end+1
		}
	}
	if end < len(r.words) && personWords[r.words[end].text] && seatsColumn(r.reading) >= 0 {
		return value, end + 1, ofPeople, said + " " + r.words[end].written, ok
	}
	if end < len(r.words) && isUnit(r.words[end].text) && (len(r.words[end].text) > 1 || r.t.hasUnit(r.words[end].text)) {
		unit, said, end = canonicalUnit(r.words[end].text), said+" "+r.words[end].written, end+1
		if end+1 < len(r.words) && perWords[r.words[end].text] && isUnit(r.words[end+1].text) {
			if both := unit + "/" + r.words[end+1].text; r.t.hasUnit(both) { // 150 litres a minute
				unit, said, end = both, said+"/"+r.words[end+1].written, end+2
			}
		}
	}
	return value, end, unit, said, ok
}

// perWords stand between two units.
var perWords = setOf("per a an pro je die in der")

// limited returns the column that a number limits.
func (r limiter) limited(unit, concept string, at int) (int, bool) {
	fits := func(c Column) bool { return c.ordered() && c.Kind != Date && c.Kind != Clock }
	if unit == ofPeople {
		return seatsColumn(r.reading), true
	}
	if unit != "" {
		known := slices.ContainsFunc(r.t.Columns, func(c Column) bool { return c.Unit != "" && inUnitOf(unit, c.Unit) })
		switch {
		case known:
			before := fits
			fits = func(c Column) bool { return before(c) && c.Unit != "" && inUnitOf(unit, c.Unit) }
		case !around(r.t, r.words[at+1].text):
			c, ok := r.withoutUnit(unit, at)
			r.assumed = r.assumed || ok && !takes(r.t, c, unit)
			return c, ok
		}
	}
	var all, described, named []int
	for c, col := range r.t.Columns {
		if !fits(col) {
			continue
		}
		all = append(all, c)
		if concept != "" && r.t.described(c, concept) > 0 {
			described = append(described, c)
		}
	}
	named = r.nearest(all, at)
	if unit == "" && len(named) == 0 && isYear(r.words[at].text) && concept == "" && slices.ContainsFunc(r.t.Columns,
		func(c Column) bool { return c.Kind == Date }) {
		return 0, false // it is rather a year
	}
	for _, list := range [][]int{r.t.bestDescribed(described, concept), named, all} {
		if len(list) > 1 {
			list = r.t.narrowed(list, named)
		}
		if own := dimensionConcepts[dimensionOf(unit)]; len(list) > 1 && len(own) > 0 { // a weight in kg, and no load
			list = r.t.bestDescribed(list, own[0])
		}
		if len(list) > 1 && unit == "" {
			if value, _, _, _, ok := r.numberAt(at); ok {
				list = r.reached(list, value)
			}
		}
		if len(list) == 1 {
			return list[0], true
		}
		if len(list) > 1 {
			r.ambiguous = list
			return 0, false
		}
	}
	return 0, false
}

// reached keeps the columns with values on both sides of a number, if there are some: no house has 150000 rooms.
func (r limiter) reached(columns []int, value float64) []int {
	var out []int
	for _, c := range columns {
		less, more := false, false
		for _, i := range r.t.Data() {
			if cell := r.t.Rows[i].Cells[c]; cell.Valued {
				less, more = less || cell.Value <= value, more || cell.Value >= value
			}
		}
		if less && more && (value == math.Trunc(value) || r.t.Columns[c].Decimals > 0) {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		return columns
	}
	return out
}

// bestDescribed keeps the columns that an adjective describes best.
func (t *Table) bestDescribed(columns []int, concept string) []int {
	best := 0
	for _, c := range columns {
		best = max(best, t.described(c, concept))
	}
	return slices.DeleteFunc(columns, func(c int) bool { return t.described(c, concept) < best })
}

// described returns how well concepts describe a column: by the words of its name, or by its type.
func (t *Table) described(c int, list string) int {
	named, typed := t.Columns[c].concepts()
	best := 0
	for _, concept := range strings.Fields(list) {
		if slices.Contains(named, concept) || concept == "age" && slices.Contains(named, "year") {
			best = max(best, 2)
		}
		if slices.Contains(typed, concept) {
			best = max(best, 1)
		}
	}
	return best
}

// narrowed prefers named columns, and then the only column with a total.
func (t *Table) narrowed(columns, named []int) []int {
	if both := intersect(columns, named); len(both) > 0 {
		columns = both
	}
	if len(columns) == 1 {
		return columns
	}
	var totals []int
	for _, c := range columns {
		if own, _ := t.Columns[c].concepts(); slices.Contains(own, "total") {
			totals = append(totals, c)
		}
	}
	if len(totals) == 1 {
		return totals
	}
	return columns
}

// rowAt reads the name of a row behind a comparator, as in "heavier than the roller". If the question names another row, too, it
// compares two rows and has no condition.
func (r limiter) rowAt(at int, op operator, concept string) int {
	k := slices.IndexFunc(r.filters, func(f filter) bool { return f.words[0] == at })
	if k < 0 || len(r.filters[k].rows) != 1 {
		return 0
	}
	f := r.filters[k]
	if slices.ContainsFunc(r.filters, func(other filter) bool { return other.column == f.column && other.words[0] != at }) {
		return 0
	}
	c, ok := r.limited("", concept, at)
	if !ok || !r.t.Rows[f.rows[0]].Cells[c].Valued {
		return 0
	}
	own := r.t.Rows[f.rows[0]].Cells
	r.conditions = append(r.conditions, limit{column: c, op: op, low: own[c].Value, other: -1, said: own[c].Text})
	r.filters = slices.Delete(r.filters, k, k+1)
	return f.words[len(f.words)-1] + 1
}

// timeComparators compare times, and no amounts: "nach Preis" is an order.
var timeComparators = setOf("after before since until nach vor seit ab bis")

// columnAt reads the name of a column behind a comparator. The compared column is the other one with the same unit, or with
// the same last part of its name, such as Bestand and Mindestbestand.
func (r limiter) columnAt(at int, op operator) int {
	if r.roles[at] != column || at > 0 && timeComparators[r.words[at-1].text] {
		return 0
	}
	var end int
	columns := slices.Sorted(maps.Keys(r.matched[at]))
	for end = at + 1; end < len(r.words) && r.roles[end] == column; end++ {
		both := intersect(columns, slices.Sorted(maps.Keys(r.matched[end])))
		if len(both) == 0 {
			break
		}
		columns = both
	}
	if len(columns) != 1 || !r.t.Columns[columns[0]].summable() {
		return 0
	}
	other, col := columns[0], r.t.Columns[columns[0]]
	var named, sameUnit []int
	for c, x := range r.t.Columns {
		if c == other || x.Kind != col.Kind || slices.Contains(r.labels, c) {
			continue
		}
		short, long := root(folding.Replace(strings.ToLower(x.Name))), root(folding.Replace(strings.ToLower(col.Name)))
		if len(short) >= 4 && strings.HasSuffix(long, short) {
			named = append(named, c)
		}
		if x.Unit == col.Unit && x.Unit != "" {
			sameUnit = append(sameUnit, c)
		}
	}
	compared := named
	if len(compared) == 0 {
		compared = sameUnit
	}
	if p, ok := shortage(r.reading); ok && len(compared) != 1 && p.less == other {
		compared = []int{p.more}
	}
	if len(compared) != 1 {
		return 0
	}
	r.conditions = append(r.conditions, limit{column: compared[0], op: op, other: other, said: col.Header})
	for k := at; k < end; k++ {
		r.matched[k] = nil
	}
	return end
}

// nearest returns those of the given columns that the question names nearest to a word.
func (r *reading) nearest(columns []int, at int) []int {
	var out []int
	best := len(r.words)
	for _, m := range r.mentions() {
		both := intersect(m.columns, columns)
		for _, i := range m.words {
			switch d := max(i-at, at-i); {
			case len(both) == 0 || d > best:
			case d < best:
				out, best = both, d
			default:
				out = append(out, both...)
			}
		}
	}
	if len(out) < 2 {
		return out
	}
	most, often := 0, map[int]int{} // "cost a year": other words name one of them, too
	for _, c := range out {
		for _, m := range r.matched {
			if m[c] > 0 {
				often[c]++
			}
		}
		most = max(most, often[c])
	}
	return slices.DeleteFunc(out, func(c int) bool { return often[c] < most })
}

// isBetween reports whether a word begins a range.
func (w word) isBetween() bool { return rangeWords[w.text] != "" }

// rangeWords begin ranges. The words in front of the upper end follow.
var rangeWords = map[string]string{
	"between": "and", "zwischen": "und", "from": "to till until through", "von": "bis", "vom": "bis zum",
}

// betweenAt returns the position behind a range such as "between 20 and 30 euro" and "from April till June", or 0.
func (r limiter) betweenAt(i int) int {
	if !r.words[i].isBetween() || i+3 >= len(r.words) {
		return 0
	}
	next := func(at int) int {
		if _, end, _, _, ok := r.dateAt(at); ok {
			return end
		}
		if _, end, _, _, ok := r.numberAt(at); ok {
			return end
		}
		return 0
	}
	end, joined := next(i+1), false
	for end > 0 && end+1 < len(r.words) && slices.Contains(strings.Fields(rangeWords[r.words[i].text]), r.words[end].text) {
		end, joined = end+1, true
	}
	if !joined {
		return 0
	}
	return next(end)
}

// between adds the conditions of a range.
func (r limiter) between(i int) bool {
	joins := strings.Fields(rangeWords[r.words[i].text])
	behind := func(end int) int {
		for slices.Contains(joins, r.words[end].text) {
			end++
		}
		return end
	}
	if from, end, said, kind, ok := r.dateAt(i + 1); ok {
		to, last, upper, other, ok := r.dateAt(behind(end))
		c, known := r.dateColumn(kind, i)
		if !ok || !known || other != kind {
			return false
		}
		l := limit{column: c, op: between, low: from.from, high: to.to - 1e-6, other: -1, said: said + "–" + upper}
		switch {
		case kind == anyMonth:
			l.op, l.high = inMonths, to.to
		case r.t.Columns[c].Kind != Date:
			l.low, l.high = float64(Day(from.from).Year()), float64(Day(to.from).Year())
		}
		r.conditions = append(r.conditions, l)
		r.mark(i, last)
		return true
	}
	low, end, _, said, _ := r.numberAt(i + 1)
	high, last, unit, upper, ok := r.numberAt(behind(end))
	if !ok {
		return false
	}
	c, ok := r.limited(unit, "", last-2)
	if !ok {
		return false
	}
	if u := r.t.Columns[c].Unit; unit != "" && u != "" && unit != ofPeople {
		low, _ = converted(low, unit, u)
		high, _ = converted(high, unit, u)
	}
	r.conditions = append(r.conditions, limit{column: c, op: between, low: low, high: high, other: -1, said: said + "–" + upper})
	r.mark(i, last)
	return true
}
