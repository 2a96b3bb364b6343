package table

import (
	"cmp"
	"math"
	"slices"

	"docent/internal/fault"
)

// pair is two columns that people compare without naming both: the stock and the level at which it is reordered, or the seats and
// the seats taken. The first one is the larger in good times.
type pair struct {
	more, less int
	// equal reports that rows with the same value in both columns count as short.
	equal bool
}

// The words of questions that compare two columns.
var (
	// shortWords ask for rows with too little.
	shortWords = setOf(`reorder reordered restock restocked replenish replenished nachbestellen nachbestellt nachzubestellen
		nachkaufen nachfullen aufgefullt knapp low short`)
	// needWords stand in front of shortWords that are no names of columns.
	needWords = setOf("to need needs must should be being we running run wird werden muss mussen")
	// freeWords ask for the difference, or for rows with one, and fullWords for rows without.
	freeWords = setOf(`free available left remaining open vacant spare unsold frei freie freien freier freies ubrig verfugbar
		offen unbelegt restplatze`)
	fullWords = setOf("full booked ausgebucht voll belegt vollbelegt besetzt")
)

// shortage returns the columns of a stock and of the level at which it is reordered.
func shortage(r *reading) (pair, bool) {
	for c, col := range r.t.Columns {
		if !col.summable() || !slices.Contains(col.named, "threshold") {
			continue
		}
		for more, other := range r.t.Columns {
			stock := slices.Contains(other.named, "quantity") && !slices.Contains(other.named, "threshold")
			if stock && more != c && other.Kind == col.Kind {
				return pair{more, c, slices.ContainsFunc(col.names, func(w word) bool { return reorders[w.text] })}, true
			}
		}
	}
	return pair{}, false
}

// reorders are words of levels at which a stock is reordered. Below a minimum, it is too late.
var reorders = setOf("reorder restock meldebestand bestellpunkt nachbestellen order")

// seats returns the columns of seats and of the seats taken.
func seats(r *reading) (pair, bool) {
	all, taken := -1, -1
	for c, col := range r.t.Columns {
		switch {
		case col.Kind != Number:
		case slices.Contains(col.named, "taken"):
			taken = c
		case slices.Contains(col.named, "seats") && all < 0:
			all = c
		}
	}
	return pair{all, taken, true}, all >= 0 && taken >= 0
}

// addPairs adds the words that compare two columns.
func (r chart) addPairs(i int, add func(piece)) {
	w, before := r.words[i], ""
	if i > 0 {
		before = r.words[i-1].text
	}
	needs := needWords[before] || i == len(r.words)-1 || r.words[i+1].text == "on" || r.words[i+1].text == "of"
	if _, ok := shortage(r.reading); ok && shortWords[w.text] && needs {
		add(piece{from: i, to: i + 1, role: condition, gain: gainLimit + gainUnit, value: -1})
	}
	if _, ok := late(r.reading); ok && lateWords[w.text] {
		add(piece{from: i, to: i + 1, role: condition, gain: gainLimit + gainUnit, value: -1})
	}
	if _, ok := unsettled(r.reading, w); ok {
		add(piece{from: i, to: i + 1, role: condition, gain: gainLimit + gainUnit, value: -1})
	}
	if _, ok := seats(r.reading); ok && (freeWords[w.text] || fullWords[w.text]) {
		to := i + 1
		if w.text == "booked" && to < len(r.words) && (r.words[to].text == "up" || r.words[to].text == "out") {
			to++
		}
		add(piece{from: i, to: to, role: condition, gain: gainLimit + gainUnit, value: -1})
	}
}

// The words for the difference of a price and a cost.
var (
	marginWords = setOf("make earn profit margin gain markup verdienen verdient gewinn marge aufschlag")
	costWords   = setOf("cost purchase wholesale buy bought einkauf einkaufspreis ek selbstkosten")
)

// margin returns the columns of the price and the cost of things, if the question asks what they earn.
func margin(r *reading) (pair, bool) {
	price, cost, more := -1, -1, 0
	for c, col := range r.t.Columns {
		switch {
		case col.Kind != Money:
		case slices.ContainsFunc(col.names, func(w word) bool { return costWords[w.text] }):
			cost, more = c, more+1
		case slices.Contains(col.named, "price"):
			price, more = c, more+1
		}
	}
	asks := slices.ContainsFunc(r.words, func(w word) bool { return marginWords[w.text] })
	return pair{more: price, less: cost}, asks && price >= 0 && cost >= 0 && more == 2 && r.t.Columns[price].Unit == r.t.Columns[cost].Unit
}

// late returns the columns of the days on which something was done and was due, if the question asks what was late.
func late(r *reading) (pair, bool) {
	due, done := -1, -1
	for c, col := range r.t.Columns {
		switch {
		case col.Kind != Date:
		case slices.Contains(col.named, "due"):
			due = c
		case slices.ContainsFunc(col.names, func(w word) bool { return doneWords[w.text] }):
			done = c
		}
	}
	return pair{more: done, less: due}, due >= 0 && done >= 0
}

var (
	// doneWords are in headers of the days on which something was done.
	doneWords = setOf("returned back paid delivered received completed closed zuruck zuruckgegeben bezahlt gezahlt geliefert erledigt eingang")
	// lateWords ask for things that were done late.
	lateWords = setOf("late overdue spat verspatet")
)

// counterparts returns the columns that a row is compared in: the two named ones, or the named one and its only counterpart.
func counterparts(r *reading) (pair, bool) {
	if p, ok := margin(r); ok {
		return p, true
	}
	var list []int
	for _, m := range r.asked() {
		for _, c := range m.columns {
			if r.t.Columns[c].ordered() && !slices.Contains(list, c) {
				list = append(list, c)
			}
		}
	}
	if len(list) == 1 {
		for _, w := range r.words {
			if other, ok := counterpart(r.t, list[0], w); ok {
				list = append(list, other)
				break
			}
		}
	}
	if len(list) != 2 || !r.t.sameKind(list) {
		return pair{}, false
	}
	return pair{more: list[0], less: list[1]}, true
}

// answerMinus answers with the difference of two columns of a row.
func answerMinus(r answering, p pair, row int) Reply {
	a, b := r.t.Rows[row].Cells[p.more], r.t.Rows[row].Cells[p.less]
	if !a.Valued || !b.Valued {
		return r.unclear(r.noValue(row, p.more))
	}
	if a.Value < b.Value {
		p.more, p.less, a, b = p.less, p.more, b, a
	}
	decimals := max(r.t.Columns[p.more].Decimals, r.t.Columns[p.less].Decimals)
	said := fault.NewText("table_minus", "%s − %s of %s: %s.", r.t.header(p.more), r.t.header(p.less), r.label(row),
		r.t.value(round(a.Value-b.Value, decimals), p.more, decimals))
	reply := r.answered(said, []int{row}, r.shownColumns(append(r.used(), p.more, p.less)))
	reply.Query = r.query(sqlName(r.t.Columns[p.more]) + " - " + sqlName(r.t.Columns[p.less]))
	return reply
}

// answerChange answers how a value of a thing changed from the first date to the last one.
func answerChange(r answering) Reply {
	date, ok := r.dateColumn(aDay, 0)
	c, reason := r.measure(sum)
	if c < 0 {
		return reason
	}
	if !ok {
		return r.unclear(r.noOperation())
	}
	rows := intersect(r.t.valued(r.selected(), c), r.t.valued(r.selected(), date))
	if len(rows) < 2 || distinct(r.t, rows, date) < len(rows) {
		return r.unclear(r.noOperation())
	}
	slices.SortStableFunc(rows, func(a, b int) int {
		return cmp.Compare(r.t.Rows[a].Cells[date].Value, r.t.Rows[b].Cells[date].Value)
	})
	first, last := rows[0], rows[len(rows)-1]
	d := r.t.Rows[last].Cells[c].Value - r.t.Rows[first].Cells[c].Value
	said := fault.NewText("table_comparison", "%s: %s for %s, and %s for %s. The difference is %s.", r.t.header(c), r.t.cellText(first, c),
		r.t.cellText(first, date), r.t.cellText(last, c), r.t.cellText(last, date),
		r.t.value(round(math.Abs(d), r.t.Columns[c].Decimals), c, r.t.Columns[c].Decimals))
	return r.answered(said, rows, r.shownColumns(append(r.used(), date, c)))
}

// comparesColumns adds the condition of a comparison of two columns that the question names, as in "more water in 2025 than in 2024".
func comparesColumns(r *reading) {
	at := slices.IndexFunc(r.words, func(w word) bool { return w.text == "than" || w.text == "als" })
	if at < 1 || at == len(r.words)-1 || r.roles[at] == condition || phrased(r, differPhrases) || phrased(r, muchPhrases) {
		return
	}
	op := direction(0)
	for i := range at {
		if a, ok := r.comparative(i); ok {
			op = a.up
		}
	}
	best := func(words []map[int]int, but int) int {
		found, most, tie := -1, 0, false
		for c, col := range r.t.Columns {
			n := 0
			for _, m := range words {
				if m[c] > 0 {
					n++
				}
			}
			switch {
			case n == 0 || c == but || !col.summable():
			case n > most:
				found, most, tie = c, n, false
			case n == most:
				tie = true
			}
		}
		if tie {
			return -1
		}
		return found
	}
	less := best(r.matched[at:], -1)
	more := best(r.matched[:at], less)
	if op == 0 || more < 0 || less < 0 || !r.t.sameKind([]int{more, less}) {
		return
	}
	l := limit{column: more, op: over, other: less, said: r.t.Columns[less].Header}
	if op < 0 {
		l.op = under
	}
	for i := range r.words {
		if _, ok := r.comparative(i); ok || r.matched[i][more] > 0 || r.matched[i][less] > 0 || i == at {
			r.roles[i], r.matched[i] = condition, nil
		}
	}
	r.conditions = append(r.conditions, l)
}

// compares adds the condition of a word that compares two columns.
func (r limiter) compares(i int) bool {
	w := r.words[i]
	l := limit{other: -1}
	if c, ok := unsettled(r.reading, w); ok {
		r.conditions = append(r.conditions, limit{column: c, op: none, other: -1, said: noCell})
		r.mark(i, i+1)
		return true
	}
	switch {
	case shortWords[w.text]:
		p, _ := shortage(r.reading)
		l = limit{column: p.more, op: under, other: p.less, said: r.t.Columns[p.less].Header}
		if p.equal {
			l.op = atMost
		}
	case fullWords[w.text]:
		p, _ := seats(r.reading)
		l = limit{column: p.less, op: atLeast, other: p.more, said: r.t.Columns[p.more].Header}
	case freeWords[w.text]:
		p, _ := seats(r.reading)
		l = limit{column: p.less, op: under, other: p.more, said: r.t.Columns[p.more].Header}
		r.free = true
	case lateWords[w.text]:
		p, _ := late(r.reading)
		l = limit{column: p.more, op: over, other: p.less, said: r.t.Columns[p.less].Header}
	default:
		return false
	}
	if i > 0 && r.roles[i-1] == nothing && !r.free { // not full
		l.op = map[operator]operator{atLeast: under, under: atLeast, atMost: over}[l.op]
		r.roles[i-1] = condition
	}
	for k := range r.words { // the names of both columns ask for nothing else
		if r.matched[k][l.column] > 0 || r.matched[k][l.other] > 0 {
			r.roles[k], r.matched[k] = condition, nil
		}
	}
	r.conditions = append(r.conditions, l)
	return true
}

// answerFree answers "how many seats are left" with the difference of two columns, of one row or added up.
func answerFree(r answering) Reply {
	p, _ := seats(r.reading)
	r.conditions = slices.DeleteFunc(slices.Clone(r.conditions), func(l limit) bool { return l.other == p.more })
	rows := intersect(r.t.valued(r.selected(), p.more), r.t.valued(r.selected(), p.less))
	if len(rows) == 0 {
		return r.nothingFits()
	}
	if len(rows) > 1 && r.partly() && !r.asks(sumPhrases) {
		return r.unclear(r.severalRows(len(rows)))
	}
	sum := 0.0
	for _, i := range rows {
		sum += r.t.Rows[i].Cells[p.more].Value - r.t.Rows[i].Cells[p.less].Value
	}
	of := r.source.named()
	if len(rows) == 1 {
		of = r.label(rows[0])
	}
	said := fault.NewText("table_minus", "%s − %s of %s: %s.", r.t.header(p.more), r.t.header(p.less), of, r.t.value(sum, p.more, 0))
	reply := r.answered(said, rows, r.shownColumns(append(r.used(), p.more, p.less)))
	reply.Query = r.query("SUM(" + sqlName(r.t.Columns[p.more]) + " - " + sqlName(r.t.Columns[p.less]) + ")")
	return reply
}

// setTotals finds columns that are the sum of two others in all rows, such as a gross amount.
func setTotals(t *Table) {
	var money []int
	for c, col := range t.Columns {
		if col.Kind == Money || col.Kind == Number && col.Decimals == 2 {
			money = append(money, c)
		}
	}
	if len(money) < 3 || len(money) > maxTotals {
		return
	}
	for _, c := range money {
		for _, a := range money {
			for _, b := range money {
				if a < b && a != c && b != c && adds(t, a, b, c) && !slices.Contains(t.Columns[c].named, "total") {
					t.Columns[c].named = append(t.Columns[c].named, "total")
				}
			}
		}
	}
}

// maxTotals limits the columns of money that are compared.
const maxTotals = 8

// adds reports whether a column is the sum of two others, which are not always 0.
func adds(t *Table, a, b, c int) bool {
	n := 0
	for _, i := range t.Data() {
		x, y, z := t.Rows[i].Cells[a], t.Rows[i].Cells[b], t.Rows[i].Cells[c]
		switch {
		case !x.Valued || !y.Valued || !z.Valued:
		case math.Abs(x.Value+y.Value-z.Value) > .011:
			return false
		case x.Value != 0 && y.Value != 0:
			n++
		}
	}
	return n >= 2
}

// other takes a negated name of a column as the name of its counterpart: "not a member" is a guest if there are only a price for
// members and one for guests.
func other(r *reading) {
	for i := range r.words {
		if r.roles[i] != column || len(r.matched[i]) != 1 {
			continue
		}
		k := i - 1
		for k >= 0 && r.roles[k] != nothing && r.words[k].isStop() && r.roles[k] != column {
			k--
		}
		if k < 0 || i-k > 2 || r.roles[k] != nothing {
			continue
		}
		for c, strength := range r.matched[i] {
			if other, ok := counterpart(r.t, c, r.words[i]); ok {
				r.roles[k], r.matched[i] = light, map[int]int{other: strength}
			}
		}
	}
}

// minTail is the minimum length of the common end of two compounds, as of "Hauptsaison" and "Nebensaison".
const minTail = 5

// commonEnd returns the length of the common end of two texts.
func commonEnd(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// counterpart returns the only other column of the same kind that has the words of a column's name but one.
func counterpart(t *Table, c int, w word) (int, bool) {
	found, n := 0, 0
	for other, col := range t.Columns {
		if other == c || col.Kind != t.Columns[c].Kind || col.Unit != t.Columns[c].Unit || !col.summable() {
			continue
		}
		alike := len(col.names) == len(t.Columns[c].names) && len(col.names) > 1
		for k := 0; alike && k < len(col.names); k++ {
			own := t.Columns[c].names[k]
			alike = own.text == col.names[k].text || own.text == w.text || sameRoot(own, w)
		}
		prefixed := len(col.names) > 0 && slices.ContainsFunc([]string{"nicht", "non"}, func(p string) bool {
			return col.names[0].text == p || col.names[0].root == p+w.root
		})
		one := len(col.names) == 1 && len(t.Columns[c].names) == 1
		tail := one && (col.names[0].text == w.text || t.Columns[c].names[0].text == w.text) &&
			commonEnd(col.names[0].text, t.Columns[c].names[0].text) >= minTail
		if alike || prefixed || tail {
			found, n = other, n+1
		}
	}
	return found, n == 1
}
