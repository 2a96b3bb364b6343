package table

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The first words of columns with the first and the last day of rows, as in a calendar.
var (
	fromWords = setOf("from von start starts begin begins beginn anfang ab")
	toWords   = setOf("to bis until end ends ende through")
)

// rangeColumns returns the columns with the first and the last day of the rows.
func (r limiter) rangeColumns() (from, to int, ok bool) {
	from, to = -1, -1
	for c, col := range r.t.Columns {
		if col.Kind != Date || len(col.names) == 0 {
			continue
		}
		has := func(list map[string]bool) bool {
			return slices.ContainsFunc(col.names, func(w word) bool { return list[w.text] })
		}
		switch {
		case has(fromWords) && from < 0:
			from = c
		case has(toWords) && to < 0:
			to = c
		default:
			return 0, 0, false
		}
	}
	return from, to, from >= 0 && to >= 0
}

// dayInTable returns a day without a year: in the only year of the table, or in the year of a row that has the day.
func (r limiter) dayInTable(day int, month time.Month) (span, bool) {
	var years []int
	for _, row := range r.t.Rows {
		for c, cell := range row.Cells {
			if y := Day(cell.Value).Year(); r.t.Columns[c].Kind == Date && cell.Valued && !slices.Contains(years, y) {
				years = append(years, y)
			}
		}
	}
	at := func(year int) span {
		v := float64(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix()) / 86400
		return span{v, v + 1}
	}
	from, to, ranges := r.rangeColumns()
	for _, y := range years {
		v := at(y).from
		if slices.ContainsFunc(r.t.Rows, func(row Row) bool {
			return ranges && row.Cells[from].Value <= v && v <= row.Cells[to].Value
		}) {
			return at(y), true
		}
	}
	if len(years) == 1 {
		return at(years[0]), true
	}
	return span{}, false
}

// onlyMonth returns the month of all dates of the table, if there is only one.
func (r limiter) onlyMonth() (time.Month, bool) {
	var found time.Month
	for c, col := range r.t.Columns {
		for _, row := range r.t.Rows {
			cell := row.Cells[c]
			if col.Kind != Date || !cell.Valued {
				continue
			}
			if m := Day(cell.Value).Month(); found != 0 && m != found {
				return 0, false
			} else if found = m; found == 0 {
				return 0, false
			}
		}
	}
	return found, found != 0
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
	if err == nil && next(1) == "of" && wholeMonths[next(2)] { // 12th of june
		s, ok := r.dayInTable(day, monthOf(next(2)))
		return s, at + 3, w.written + " " + next(2), aDay, ok
	}
	before := spaced(r.words[:at])
	if err == nil && (strings.HasSuffix(before, " on the ") || strings.HasSuffix(before, " am ")) {
		if month, ok := r.onlyMonth(); ok && (at+1 == len(r.words) || r.words[at+1].isStop()) { // on the 12th
			s, ok := r.dayInTable(day, month)
			return s, at + 1, w.written + ".", aDay, ok && day >= 1 && day <= 31
		}
	}
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
		if c, ok := r.dateColumn(aYear, at); ok && nearYear(r.t, c, year) {
			return days(year, 1, 1, 12, 0), at + 1, w.text, aYear, true
		}
	}
	return span{}, 0, "", 0, false
}

// maxYears is the number of years by which a year may differ from those of a column. Another number is an amount.
const maxYears = 100

// nearYear reports whether a column of dates or years has one near a year.
func nearYear(t *Table, c, year int) bool {
	return slices.ContainsFunc(t.Rows, func(row Row) bool {
		v := row.Cells[c].Value
		if t.Columns[c].Kind == Date {
			v = float64(Day(v).Year())
		}
		return row.Cells[c].Valued && math.Abs(v-float64(year)) <= maxYears
	})
}

// monthsAt returns the first and the last of several months in a row, as in "jan to march" and "im April und Mai", and the position
// behind them. Such months may have short names.
func (r limiter) monthsAt(i int) (first, last, end int, ok bool) {
	if r.words[i].isBetween() && i+1 < len(r.words) {
		i++
	}
	if first = int(monthOf(r.words[i].text)); first == 0 {
		return 0, 0, 0, false
	}
	last, end = first, i+1
	for k := end; k < len(r.words); k++ {
		m := int(monthOf(r.words[k].text))
		list := r.words[k].text == "and" || r.words[k].text == "und"
		switch spans := monthJoins[r.words[k].text]; {
		case m == 0 && !list && !spans:
			return first, last, end, end > i+1
		case m == 0:
			if k+1 == len(r.words) || monthOf(r.words[k+1].text) == 0 {
				return first, last, end, end > i+1
			}
			if next := int(monthOf(r.words[k+1].text)); list && next != last%12+1 {
				return 0, 0, 0, false
			}
		case k == end && m != last%12+1 && k == i+1:
			return 0, 0, 0, false
		default:
			last, end = m, k+1
		}
	}
	return first, last, end, end > i+1
}

// monthJoins stand between the first and the last month of a range.
var monthJoins = setOf("to till until through thru bis")

// months adds the condition of several months.
func (r limiter) months(i int) bool {
	first, last, end, ok := r.monthsAt(i)
	c, known := r.dateColumn(anyMonth, i)
	if !ok || !known || r.t.Columns[c].Kind != Date {
		return false
	}
	l := limit{column: c, op: inMonths, low: float64(first), high: float64(last), other: -1, said: strings.Join(r.textsFrom(i, end-i), " ")}
	if end < len(r.words) && isYear(r.words[end].text) {
		year, _ := strconv.Atoi(r.words[end].text)
		day := func(year, month int) float64 {
			return float64(time.Date(year, time.Month(month), 1, 0, 0, 0, 0, time.UTC).Unix()) / 86400
		}
		l.op, l.low, l.high, l.said, end = between, day(year, first), day(year, last+1)-1e-6, l.said+" "+r.words[end].written, end+1
	}
	r.conditions = append(r.conditions, l)
	r.mark(i, end)
	return true
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

// on adds the condition of a date, a month, or a year, as in "in march", "im april 2026", "12 june", and "in 2026 or later".
func (r limiter) on(i int) bool {
	v, end, said, kind, ok := r.dateAt(i)
	if !ok {
		return false
	}
	c, ok := r.dateColumn(kind, i)
	from, to, ranges := r.rangeColumns()
	if !ok && ranges && kind != anyMonth {
		r.conditions = append(r.conditions, limit{column: from, op: under, low: v.to, other: -1, said: said},
			limit{column: to, op: atLeast, low: v.from, other: -1, said: said})
		r.mark(i, end)
		return true
	}
	if !ok && ranges {
		c, ok = from, true // what begins in the month
	}
	if !ok {
		return false
	}
	l := limit{column: c, op: between, low: v.from, high: v.to - 1e-6, other: -1, said: said}
	if kind == anyMonth {
		l.op = inMonth
	} else if r.t.Columns[c].Kind != Date {
		l.op, l.low = equal, float64(Day(v.from).Year())
	}
	if kind == aDay && r.t.Columns[c].Kind == Date && slices.ContainsFunc(r.words, func(w word) bool { return alreadyWords[w.text] }) {
		l.op, l.low = atMost, l.high // "already due on 1 March"
		if slices.ContainsFunc(r.t.Columns[c].names, func(w word) bool { return toWords[w.text] }) {
			l.op, l.low = under, v.from
		}
	}
	if op, n := openEnd(r.reading, end); n > 0 && kind != anyMonth {
		l.op, end = op, end+n
		if op == atMost && r.t.Columns[c].Kind == Date {
			l.low = l.high
		}
	}
	r.conditions = append(r.conditions, l)
	r.mark(i, end)
	return true
}

// alreadyWords ask for rows whose date came before another one.
var alreadyWords = setOf("already expired bereits schon abgelaufen")

// openEnds are words behind a value that make it the lower or upper end, as in "2023 or later".
var openEnds = []struct {
	phrases []string
	op      operator
}{
	{phrases(`or later | or more | or above | or after | or higher | or newer | and later | and up | and above | and after | oder spater |
		oder mehr | oder hoher | oder neuer | und spater | und mehr | und hoher | aufwarts`), atLeast},
	{phrases(`or earlier | or less | or fewer | or below | or before | or lower | or older | and earlier | and below | oder fruher |
		oder weniger | oder niedriger | oder alter | und fruher | und weniger`), atMost},
}

// openEnd returns the operator of such words, and their number.
func openEnd(r *reading, at int) (operator, int) {
	for _, e := range openEnds {
		if n := r.phraseAt(at, e.phrases); n > 0 {
			return e.op, n
		}
	}
	return equal, 0
}
