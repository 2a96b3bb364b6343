package table

import (
	"slices"
	"strconv"
	"strings"
)

// maxTop limits the rows of "top 10".
const maxTop = 20

// extreme is a superlative of a question.
type extreme struct {
	adjective
	word int
	n    int // the number of rows
	// nth is the only rank that is asked for, such as 2 for "second largest", or 0.
	nth int
}

// ordinals are ranks in words.
var ordinals = map[string]int{
	"second": 2, "third": 3, "fourth": 4, "2nd": 2, "3rd": 3, "4th": 4, "zweite": 2, "zweiter": 2, "zweiten": 2, "zweites": 2,
	"dritte": 3, "dritter": 3, "dritten": 3, "drittes": 3,
}

// ranked are the first parts of German superlatives with a rank, such as "zweitgrößte".
var ranked = []struct {
	part string
	nth  int
}{{"zweit", 2}, {"dritt", 3}, {"viert", 4}}

// rank returns the rank in front of a superlative, and the superlative without it.
func (w word) rank() (nth int, rest word) {
	for _, r := range ranked {
		if s, ok := strings.CutPrefix(w.text, r.part); ok && len(s) >= minPart {
			return r.nth, newWord(s)
		}
	}
	return 0, w
}

// numberWords are small numbers in words.
var numberWords = map[string]int{
	"two": 2, "three": 3, "four": 4, "five": 5, "ten": 10, "zwei": 2, "drei": 3, "vier": 4, "funf": 5, "zehn": 10,
}

// extreme returns the superlative of the question. ok is false without one, or with several.
func (r answering) extreme() (e extreme, ok bool) {
	for i := range r.words {
		a, found := r.superlative(i)
		if !found || r.roles[i] != operation {
			continue
		}
		if i+1 < len(r.words) && a.concepts == "" { // most expensive
			if next, found := adjectives[r.words[i+1].text]; found && next.concepts != "" {
				a = adjective{concepts: next.concepts, up: next.up * a.up}
				r.roles[i+1] = operation
			}
		}
		if ok {
			return extreme{}, false
		}
		e, ok = extreme{adjective: a, word: i, n: 1}, true
		e.nth, _ = r.words[i].rank()
		if i > 0 && ordinals[r.words[i-1].text] > 0 && r.roles[i-1] != cell {
			e.nth, r.roles[i-1] = ordinals[r.words[i-1].text], operation
		}
		e.n = max(e.nth, 1)
	}
	if !ok {
		return extreme{}, false
	}
	for k := range r.words {
		if n := (ranker{r.reading}).topAt(k, e.word); n > 0 && e.nth == 0 {
			e.n, r.roles[k] = n, operation
		}
	}
	return e, true
}

// ranker finds the numbers of rows in questions.
type ranker struct{ *reading }

// superlatives returns the positions of the superlatives.
func (r answering) superlatives() []int {
	var out []int
	for i := range r.words {
		if _, ok := r.superlative(i); ok && r.roles[i] == operation {
			out = append(out, i)
		}
	}
	return out
}

// topAt returns the number of rows that a word asks for, as in "the 3 largest" and "3 cantons with the most", or 0. superlative is
// the position of the superlative.
func (r ranker) topAt(k, superlative int) int {
	if role := r.roles[k]; role == column || role == cell || role == condition {
		return 0
	}
	beside := k == superlative-1 || k == superlative+1
	if !beside && (k > superlative || k+1 >= len(r.words) || !r.isLabelWord(k+1)) {
		return 0
	}
	n, err := strconv.Atoi(r.words[k].text)
	if err != nil {
		n = numberWords[r.words[k].text]
	}
	if n < 1 || n > maxTop {
		return 0
	}
	return n
}

// isTop reports whether a number is the number of rows that the question asks for.
func (r ranker) isTop(k int) bool {
	for i := range r.words {
		if _, ok := r.superlative(i); ok && r.roles[i] == operation {
			return r.topAt(k, i) > 0
		}
	}
	return false
}

// measures returns the columns that a superlative may mean.
func (r answering) measures(e extreme) []int {
	if e.own > 0 {
		return []int{e.own - 1}
	}
	var ordered, named []int
	for c, col := range r.t.Columns {
		if col.ordered() {
			ordered = append(ordered, c)
		}
	}
	strong := 0
	for _, m := range r.asked() {
		if both := intersect(m.columns, ordered); len(both) > 0 {
			if m.strength >= strong {
				named, strong = append(named, both...), m.strength
			}
		}
	}
	if strings.HasPrefix(e.concepts, "size") && len(named) > 0 { // "the largest population" has no area
		return r.t.narrowed(named, nil)
	}
	var described []int
	if e.concepts != "" {
		for _, c := range ordered {
			if r.t.described(c, e.concepts) > 0 {
				described = append(described, c)
			}
		}
		if both := intersect(described, named); len(both) > 0 {
			return both
		}
		described = r.t.bestDescribed(described, e.concepts)
		switch {
		case len(described) > 1 && strings.HasPrefix(e.concepts, "date"):
			if c, ok := r.dateColumn(aDay, 0); ok && slices.Contains(described, c) {
				return []int{c}
			}
			return described
		case len(described) == 0 && e.concepts == adjectives["fast"].concepts:
			return slices.DeleteFunc(slices.Clone(named), func(c int) bool { return dimensionOf(r.t.Columns[c].Unit) != "time" })
		case len(described) == 0 && e.concepts == adjectives["long"].concepts:
			if c, ok := r.dateColumn(aDay, 0); ok && begins(r.t, c) {
				return []int{c}
			}
			return nil
		case len(described) > 0:
			if e.concepts == "price" {
				described = append(described, r.t.totals(described)...)
			}
			return described
		case !strings.HasPrefix(e.concepts, "size"):
			return nil
		}
	}
	if len(named) > 0 {
		return r.t.narrowed(named, nil)
	}
	if e.concepts == "" && len(ordered) > 1 { // "the most orders" may count rows
		return nil
	}
	return r.t.narrowed(slices.DeleteFunc(ordered, func(c int) bool {
		k := r.t.Columns[c].Kind
		return k == Date || k == Clock
	}), nil)
}

// totals returns columns of totals with the unit of the given columns. "The cheapest order" may mean its total.
func (t *Table) totals(columns []int) []int {
	var out []int
	for c, col := range t.Columns {
		if named, _ := col.concepts(); slices.Contains(named, "total") && col.Kind == Money && !slices.Contains(columns, c) {
			out = append(out, c)
		}
	}
	return out
}

// downward reports whether the smallest value is meant.
func (t *Table) downward(e extreme, c int) bool {
	named, _ := t.Columns[c].concepts()
	if strings.HasPrefix(e.concepts, "age") && slices.Contains(named, "age") {
		return e.up > 0
	}
	fast := e.concepts == adjectives["fast"].concepts && dimensionOf(t.Columns[c].Unit) == "time"
	if fast || e.concepts == adjectives["long"].concepts && begins(t, c) {
		return e.up > 0
	}
	return e.up < 0
}

// describes reports whether a superlative names a column, such as "lightest" a column of weights.
func (r answering) describes() bool {
	e, ok := r.extreme()
	return ok && e.concepts != "" && slices.ContainsFunc(r.measures(e), func(c int) bool {
		return r.t.described(c, e.concepts) > 1 || begins(r.t, c)
	})
}

// begins reports whether a column of a table of people has the dates on which they began. The person with the
// earliest date has been there longest.
func begins(t *Table, c int) bool {
	named, _ := t.Columns[c].concepts()
	return t.Columns[c].Kind == Date && slices.Contains(named, "begin") && len(kindOfRows(t)) > 0 && kindOfRows(t)[0] == peopleWords[0]
}

// best returns the first n rows by a column, and all rows with the same value as the last of them.
func (t *Table) best(rows []int, c, n int, down bool) []int {
	value := func(i int) float64 { return t.Rows[i].Cells[c].Value }
	rows = t.valued(rows, c)
	slices.SortStableFunc(rows, func(a, b int) int {
		switch d := value(a) - value(b); {
		case d == 0:
			return 0
		case d < 0 == down:
			return -1
		}
		return 1
	})
	for n < len(rows) && n > 0 && value(rows[n]) == value(rows[n-1]) {
		n++
	}
	return rows[:min(n, len(rows))]
}

// besidesPhrases ask for more than the row with the largest value.
var besidesPhrases = phrases("and who | and what | and where | and when | for what | what for | und wer | und was | und wo | und wann | wofur")

// answerExtreme answers "the cheapest machine".
func (r answering) answerExtreme(e extreme) Reply {
	rows, measures := r.selected(), r.measures(e)
	if e.judges {
		better := direction(0)
		if len(measures) == 1 {
			better = r.t.Columns[measures[0]].better()
		}
		if e.up *= better; better == 0 {
			reply := r.unclear(r.noDirection(e, measures))
			reply.Near, reply.Whole = true, false // other quotes do not tell what is best, either
			return reply
		}
	}
	if len(measures) == 0 {
		return r.unclear(r.noColumn())
	}
	if len(rows) == 1 && len(measures) > 1 && r.t.sameKind(measures) {
		return r.acrossColumns(rows[0], measures, e)
	}
	var best []int
	for k, c := range measures {
		own := r.t.best(rows, c, e.n, r.t.downward(e, c))
		if e.nth > 0 && len(own) == e.nth && r.t.Rows[own[e.nth-1]].Cells[c].Value != r.t.Rows[own[e.nth-2]].Cells[c].Value {
			own = own[e.nth-1:]
		} else if e.nth > 0 {
			return r.unclear(r.noRows()) // rows with the same value share a rank
		}
		if len(own) == 0 {
			continue
		}
		if slices.Sort(own); k > 0 && !slices.Equal(own, best) {
			return r.unclear(r.severalColumns(measures))
		}
		best = own
	}
	if len(best) == 0 || len(best) > maxTop || len(r.conflicting(measures)) > 1 || r.groups(measures) {
		return r.unclear(r.noRows())
	}
	best = r.t.best(best, measures[0], len(best), r.t.downward(e, measures[0]))
	shown := r.shownColumns(append(measures, r.askedColumns()...))
	if len(best) == 1 && r.asks(besidesPhrases) { // "the biggest expense, who and for what"
		shown = r.shownColumns(nil)
	}
	fit := r.fit(e, measures[0])
	without := len(rows) - len(r.t.valued(rows, measures[0]))
	reply := r.answered(r.saidExtreme(e, best, measures[0], without, len(rows)), best, shown)
	reply.Query = r.ranking(reply.Columns, measures[0], e, r.t.downward(e, measures[0]))
	reply.score += float64(fit) / 5
	if fit == 0 && len(best) < len(rows) { // "the largest" may mean another size than the only column with numbers
		reply.Status, reply.Near, reply.Computed, reply.Query = Unclear, true, true, ""
	}
	return reply
}

// fit returns how well a superlative fits a column that it orders by: the question names the column, or the adjective describes it.
// It is 0 if the column is only the one that can be ordered.
func (r answering) fit(e extreme, c int) int {
	if e.own > 0 || begins(r.t, c) {
		return 2
	}
	for _, m := range r.mentions() {
		if slices.Contains(m.columns, c) {
			return 2
		}
	}
	named, _ := r.t.Columns[c].concepts()
	if e.concepts == "" || slices.Contains(named, "total") {
		return 1
	}
	return r.t.described(c, e.concepts)
}

// conflicting returns strongly named columns that do not order the rows. One may be asked for.
func (r answering) conflicting(measures []int) []int {
	var out []int
	for _, m := range r.asked() {
		if len(intersect(m.columns, measures)) == 0 && m.strength >= byWord {
			out = append(out, m.columns...)
		}
	}
	return out
}

// groups reports whether "which customer has the highest total" may ask for a sum by customer.
func (r answering) groups(measures []int) bool {
	return slices.ContainsFunc(r.conflicting(measures), func(c int) bool { return r.t.Columns[c].Kind == Text }) && r.listing()
}

// sameKind reports whether columns have the same type and unit.
func (t *Table) sameKind(columns []int) bool {
	a := t.Columns[columns[0]]
	return !slices.ContainsFunc(columns, func(c int) bool { b := t.Columns[c]; return a.Kind != b.Kind || a.Unit != b.Unit })
}

// acrossColumns answers with the smallest or largest of several cells of a row.
func (r answering) acrossColumns(row int, columns []int, e extreme) Reply {
	best := -1
	for _, c := range columns {
		cell := r.t.Rows[row].Cells[c]
		if !cell.Valued || r.within != nil && !r.within[c] {
			continue
		}
		if best < 0 || (cell.Value < r.t.Rows[row].Cells[best].Value) == (e.up < 0) {
			best = c
		}
	}
	if best < 0 {
		return r.unclear(r.noValue(row, columns[0]))
	}
	rows := []int{row}
	if first := r.t.Data()[0]; r.t.Columns[best].Kind == Clock && first < row { // where the train begins
		rows = []int{first, row}
	}
	return r.answered(r.saidCell(row, best), rows, r.shownColumns(columns))
}
