package table

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// limiter finds the conditions on values.
type limiter struct{ *reading }

// findLimits finds the conditions on values.
func (r limiter) findLimits() {
	r.findBetween()
	for i := 0; i < len(r.words); i++ {
		if r.roles[i] != unknown && r.roles[i] != column && r.roles[i] != operation && r.roles[i] != nothing {
			continue
		}
		op, length, concept, ok := r.comparatorAt(i)
		if !ok {
			continue
		}
		next := i + length
		for next < len(r.words) && r.roles[next] != column && isArticle(r.words[next].text) {
			next++
		}
		if next >= len(r.words) || r.nameColumn(i, next) {
			continue
		}
		if end := r.limitAt(next, op, concept, nil); end > 0 {
			r.mark(i, end)
		}
	}
	r.findMonths()
	r.findEquals()
	r.findZeros()
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
		r.conditions = append(r.conditions, l)
		r.mark(first, i+1)
	}
}

// findEquals finds values of a named column, as in "which part has an interval of 4,000 h". Some row must have the value.
func (r limiter) findEquals() {
	for i := range r.words {
		if r.roles[i] != unknown || !r.words[i].isNumber() || ranker(r).isTop(i) {
			continue
		}
		value, end, unit, said, ok := r.numberAt(i)
		var ordered []int
		for c, col := range r.t.Columns {
			if col.ordered() && col.Kind != Date && col.Kind != Clock {
				ordered = append(ordered, c)
			}
		}
		if !ok || len(r.nearest(ordered, i)) != 1 {
			continue
		}
		c := r.nearest(ordered, i)[0]
		if u := r.t.Columns[c].Unit; unit != "" {
			if value, ok = converted(value, unit, u); !ok || u == "" {
				continue
			}
		}
		if slices.ContainsFunc(r.t.Rows, func(row Row) bool { return row.Cells[c].Valued && row.Cells[c].Value == value }) {
			r.conditions = append(r.conditions, limit{column: c, op: equal, low: value, other: -1, said: said})
			r.mark(i, end)
		}
	}
}

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
	if u := r.t.Columns[c].Unit; unit != "" && u != "" {
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
	if end < len(r.words) && isUnit(r.words[end].text) && (len(r.words[end].text) > 1 || r.t.hasUnit(r.words[end].text)) {
		unit, said, end = canonicalUnit(r.words[end].text), said+" "+r.words[end].written, end+1
	}
	return value, end, unit, said, ok
}

// limited returns the column that a number limits.
func (r limiter) limited(unit, concept string, at int) (int, bool) {
	fits := func(c Column) bool { return c.ordered() && c.Kind != Date && c.Kind != Clock }
	if unit != "" {
		known := slices.ContainsFunc(r.t.Columns, func(c Column) bool { _, ok := converted(1, unit, c.Unit); return ok && c.Unit != "" })
		switch {
		case known:
			before := fits
			fits = func(c Column) bool { _, ok := converted(1, unit, c.Unit); return before(c) && ok && c.Unit != "" }
		case !r.t.around(r.words[at+1].text):
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

// columnAt reads the name of a column behind a comparator. The compared column is the other one with the same unit, or with
// the same last part of its name, such as Bestand and Mindestbestand.
func (r limiter) columnAt(at int, op operator) int {
	if r.roles[at] != column {
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
	return out
}

// findBetween finds "between 20 and 30 euro".
func (r limiter) findBetween() {
	for i, w := range r.words {
		if w.text != "between" && w.text != "zwischen" || i+3 >= len(r.words) {
			continue
		}
		low, end, _, said, ok := r.numberAt(i + 1)
		if !ok || end+1 >= len(r.words) || r.words[end].text != "and" && r.words[end].text != "und" {
			continue
		}
		high, last, unit, upper, ok := r.numberAt(end + 1)
		if !ok {
			continue
		}
		c, ok := r.limited(unit, "", last-2)
		if !ok {
			continue
		}
		if u := r.t.Columns[c].Unit; unit != "" && u != "" {
			low, _ = converted(low, unit, u)
			high, _ = converted(high, unit, u)
		}
		r.conditions = append(r.conditions, limit{column: c, op: between, low: low, high: high, other: -1, said: said + "–" + upper})
		r.mark(i, last)
	}
}

// span is a range of days.
type span struct{ from, to float64 }

// The length of a span.
type spanKind int

const (
	aDay spanKind = iota
	aMonth
	aYear
	anyMonth // a month of any year
)

// dateAt reads a date, a month, or a year.
func (r limiter) dateAt(at int) (s span, end int, said string, kind spanKind, ok bool) {
	days := func(year, month, day, months, n int) span {
		from := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
		return span{float64(from.Unix()) / 86400, float64(from.AddDate(0, months, n).Unix()) / 86400}
	}
	w := r.words[at]
	next := func(k int) string {
		if at+k < len(r.words) {
			return r.words[at+k].text
		}
		return ""
	}
	if v, ok := parseDate(w.text, dayFirst); ok && !strings.Contains(w.text, "/") {
		return span{v, v + 1}, at + 1, w.written, aDay, true
	}
	day, err := strconv.Atoi(strings.TrimRight(w.text, "."))
	if month := monthOf(next(1)); err == nil && day >= 1 && day <= 31 && month > 0 && isYear(next(2)) { // 12 march 2026
		year, _ := strconv.Atoi(next(2))
		return days(year, int(month), day, 0, 1), at + 3, strings.Join(r.textsFrom(at, 3), " "), aDay, true
	}
	if month := monthOf(next(1)); err == nil && day >= 1 && day <= 31 && month > 0 && wholeMonths[next(1)] { // 12 march
		s, ok := r.dayInTable(day, month)
		return s, at + 2, w.written + " " + next(1), aDay, ok
	}
	if month := monthOf(w.text); month > 0 && wholeMonths[w.written] {
		if isYear(next(1)) {
			year, _ := strconv.Atoi(next(1))
			return days(year, int(month), 1, 1, 0), at + 2, w.written + " " + next(1), aMonth, true
		}
		return span{float64(month), float64(month)}, at + 1, w.written, anyMonth, true
	}
	if isYear(w.text) && r.matched[at] == nil && !(at+1 < len(r.words) && isUnit(next(1)) && measures[next(1)].dimension != "time") {
		year, _ := strconv.Atoi(w.text)
		if _, ok := r.dateColumn(aYear, at); ok {
			return days(year, 1, 1, 12, 0), at + 1, w.text, aYear, true
		}
	}
	return span{}, 0, "", 0, false
}

// dateColumn returns the column of dates that the question means: the named one, or the only one, or the one that is just
// called date. A year also fits a column of years.
func (r *reading) dateColumn(kind spanKind, at int) (int, bool) {
	var all, named, plain []int
	for c, col := range r.t.Columns {
		years := false
		if col.Kind == Number {
			own, _ := col.concepts()
			years = kind == aYear && slices.Contains(own, "year")
		}
		if col.Kind != Date && !years {
			continue
		}
		all = append(all, c)
		if name := strings.ToLower(col.Name); name == "date" || name == "datum" {
			plain = append(plain, c)
		}
	}
	named = r.nearest(all, at)
	for _, list := range [][]int{named, all, plain} {
		if len(list) == 1 {
			return list[0], true
		}
	}
	return 0, false
}

// findMonths finds "in march", "im april 2026", "from april", and "in 2026".
func (r limiter) findMonths() {
	for i := range r.words {
		if r.roles[i] != unknown && r.roles[i] != column || i == 0 {
			continue
		}
		if before := r.words[i-1].text; !slices.Contains([]string{
			"in", "im", "from", "of", "during", "on", "am", "vom", "aus", "of",
			"jahr", "year",
		}, before) && monthOf(r.words[i].text) == 0 {
			continue
		}
		v, end, said, kind, ok := r.dateAt(i)
		if !ok {
			continue
		}
		c, ok := r.dateColumn(kind, i)
		if from, to, ranges := r.rangeColumns(); !ok && ranges && kind != anyMonth {
			r.conditions = append(r.conditions, limit{column: from, op: under, low: v.to, other: -1, said: said},
				limit{column: to, op: atLeast, low: v.from, other: -1, said: said})
			r.mark(i, end)
			continue
		}
		if from, _, ranges := r.rangeColumns(); !ok && ranges {
			c, ok = from, true // what begins in the month
		}
		if !ok {
			continue
		}
		l := limit{column: c, op: between, low: v.from, high: v.to - 1e-6, other: -1, said: said}
		switch {
		case kind == anyMonth:
			l.op = inMonth
		case r.t.Columns[c].Kind != Date:
			l.op, l.low = equal, float64(Day(v.from).Year())
		}
		r.conditions = append(r.conditions, l)
		r.mark(i, end)
	}
}
