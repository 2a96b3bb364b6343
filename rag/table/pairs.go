package table

import (
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
	if _, ok := seats(r.reading); ok && (freeWords[w.text] || fullWords[w.text]) {
		to := i + 1
		if w.text == "booked" && to < len(r.words) && (r.words[to].text == "up" || r.words[to].text == "out") {
			to++
		}
		add(piece{from: i, to: to, role: condition, gain: gainLimit + gainUnit, value: -1})
	}
}

// compares adds the condition of a word that compares two columns.
func (r limiter) compares(i int) bool {
	w := r.words[i]
	l := limit{other: -1}
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
		if col.Kind == Money {
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
		if alike || prefixed {
			found, n = other, n+1
		}
	}
	return found, n == 1
}
