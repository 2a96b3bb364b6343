package table

import (
	"maps"
	"slices"
	"strings"
)

// Source is a table with the words that name it.
type Source struct {
	// Table is the table.
	Table *Table
	// Title has the title of the document, its file name, and the headings above the table.
	Title string
}

// role is the part that a word plays in a question.
type role int

// The roles of words.
const (
	unknown     role = iota
	light            // it has no meaning of its own
	operation        // such as "how many" and "cheapest"
	condition        // a comparator, its number, and its unit
	column           // it names a column
	cell             // it is in a cell
	titled           // it names the table
	unitOf           // the unit of a column
	nothing          // it says "no" or "not"
	descriptive      // it describes columns, such as "heavy"
)

// The strengths of matches between words and headers.
const (
	byKind     = 1
	byConcept  = 2
	byCompound = 3
	byWord     = 4
)

// reading is a question read with one table.
type reading struct {
	source *Source
	t      *Table
	text   string // the words of the question, with spaces around them
	words  []word
	roles  []role
	// labels are the columns that name rows.
	labels []int
	// matched has the columns of each word of the role column, with the strength.
	matched []map[int]int
	// filters are the groups of words in cells.
	filters []filter
	// conditions limit values.
	conditions []limit
	// ambiguous says which column of a condition is not clear.
	ambiguous []int
	// missing are the words whose role is unknown.
	missing []string
	// often reports that "how often" counts rows.
	often bool
	// assumed reports that a condition has a unit that the table does not have.
	assumed bool
}

// filter selects rows whose cells have words of the question.
type filter struct {
	column int
	rows   []int
	words  []int // positions of the words
	not    bool
	whole  bool // the words are all words of the cells
}

// limit selects rows with a value.
type limit struct {
	column    int
	op        operator
	low, high float64
	// other is the column of the value, or -1.
	other int
	said  string // the value as written
}

// read finds the roles of the words of a question.
func read(question string, s *Source) *reading {
	r := &reading{source: s, t: s.Table, words: words(question)}
	for i, w := range r.words {
		if w.text == "mean" && slices.ContainsFunc(r.words[:i], func(w word) bool { return w.text == "does" || w.text == "do" }) {
			r.words[i] = newWord("meaning") // and no average
		}
	}
	r.words = splitter{r.t}.split(r.words)
	r.roles, r.matched = make([]role, len(r.words)), make([]map[int]int, len(r.words))
	r.text = spaced(r.words)
	r.labels = r.t.labels()
	r.findOperations()
	r.findColumns()
	finder{r}.findInitials()
	finder{r}.findHours()
	finder{r}.findCells()
	r.findNouns()
	limiter{r}.findLimits()
	r.findRest()
	return r
}

// spaced returns words with spaces around them.
func spaced(list []word) string {
	texts := make([]string, len(list))
	for i, w := range list {
		texts[i] = w.text
	}
	return " " + strings.Join(texts, " ") + " "
}

// has reports whether the question has one of the phrases, and gives its words the role.
func (r *reading) has(phrases []string, as role) bool {
	found := false
	for _, p := range phrases {
		for from := 0; ; {
			i := strings.Index(r.text[from:], " "+p+" ")
			if i < 0 {
				break
			}
			found = true
			first := strings.Count(r.text[:from+i+1], " ") - 1
			for k := range strings.Count(p, " ") + 1 {
				if as != unknown && r.roles[first+k] == unknown {
					r.roles[first+k] = as
				}
			}
			from += i + 1
		}
	}
	return found
}

// findOperations marks the words of operations.
func (r *reading) findOperations() {
	for _, phrases := range [][]string{countPhrases, averagePhrases, sumPhrases, differPhrases} {
		r.has(phrases, operation)
	}
	for i := range r.words {
		if _, ok := r.superlative(i); ok && r.roles[i] == unknown {
			r.roles[i] = operation
		}
	}
	r.has(noPhrases, nothing)
	for i, w := range r.words {
		if _, _, ok := r.stockValue(); ok && slices.Contains(worthPhrases, w.text) && r.roles[i] == unknown {
			r.roles[i] = operation
		}
	}
}

// strength returns how well a word names a column.
func (c Column) strength(w word) int {
	if c.hasWeekday(w) {
		return byWord
	}
	best := 0
	named, typed := c.concepts()
	for _, own := range w.concepts() {
		switch {
		case slices.Contains(named, own):
			best = max(best, byConcept)
		case slices.Contains(typed, own):
			best = max(best, byKind)
		}
	}
	if c.Unit == "" && c.ordered() && slices.ContainsFunc(dimensionConcepts[dimensionOf(w.text)], func(own string) bool {
		return slices.Contains(named, own)
	}) { // "how many miles" of an odometer
		best = max(best, byKind)
	}
	if w.concepts() == nil { // a compound such as "Reparaturkosten" for "Repair costs"
		head, modifier := w.parts()
		has := func(name string) bool { return slices.Contains(named, name) }
		switch {
		case slices.ContainsFunc(head, has) && slices.ContainsFunc(modifier, has):
			best = max(best, byCompound)
		case slices.ContainsFunc(head, has):
			best = max(best, byConcept)
		}
	}
	for _, h := range c.words() {
		switch {
		case h.text == w.text || sameRoot(h, w):
			return byWord
		case w.verb() != "" && w.verb() == h.verb(), participle(w, h), person(w) != "" && person(w) == person(h):
			best = max(best, byCompound)
		case len(h.head) > len(w.root) && strings.HasSuffix(h.head, w.root):
		case c.compound(h, w), extends(h, w):
			best = max(best, byCompound)
		}
	}
	if best == 0 && c.short(w) {
		return byConcept
	}
	return best
}

// extends reports whether a word begins with the word of a header, and ends with a kind of value, such as "Ausländeranteil".
func extends(header, w word) bool {
	if slices.ContainsFunc(free, func(ending string) bool { return strings.HasSuffix(w.text, ending) }) {
		return false // "zuckerfrei"
	}
	for _, part := range []string{header.text, header.root} {
		if rest, ok := strings.CutPrefix(w.root, part); ok && len(part) >= 5 && (isHead(rest) || isHead(strings.TrimPrefix(rest, "s"))) {
			return true
		}
	}
	return false
}

// isHead reports whether a text can be the last part of a compound that begins with the name of a column.
func isHead(s string) bool { return len(newWord(s).concepts()) > 0 || valueWords[s] }

// compound reports whether a word is a part of a compound in the name of a column, such as "brain" of "brainwt". English has few
// compounds in one word, so the other part must be known there: "port" is no part of "transport".
func (c Column) compound(h, w word) bool {
	for _, part := range []string{w.text, w.root} {
		rest, ok := strings.CutPrefix(h.text, part)
		if !ok {
			rest, ok = strings.CutSuffix(h.root, part)
		}
		if len(part) < minPart || !ok || rest == "" {
			continue
		}
		_, adjective := adjectives[rest]
		known := adjective || lightWords[rest] || isUnit(rest) || newWord(rest).concepts() != nil
		if known || !c.english && len(h.root) >= len(part)+minOther {
			return true
		}
	}
	return false
}

// isName reports whether a word without a meaning of its own, such as "make", is the name of a column here: it stands behind "per"
// or "which".
func isName(r *reading, i int) bool {
	return i > 0 && (groupWords[r.words[i-1].text] || nounPhrases[r.words[i-1].text]) &&
		slices.ContainsFunc(r.t.Columns, func(c Column) bool { return len(c.names) == 1 && c.names[0].text == r.words[i].text })
}

// findColumns finds the columns that words name. Each word names the columns that it fits best.
func (r *reading) findColumns() {
	for i, w := range r.words {
		operational := r.roles[i] == operation
		if r.roles[i] == nothing || w.isStop() && w.concepts() == nil && !w.isNumber() && !isName(r, i) {
			continue
		}
		fits, best := map[int]int{}, 0
		for c, col := range r.t.Columns {
			s := col.strength(w)
			if w.isNumber() || w.text == "no" || operational { // they do not describe columns
				s = 0
				for _, h := range col.words() {
					if h.text == w.text {
						s = byWord
					}
				}
			}
			if s > 0 {
				fits[c] = s
			}
			best = max(best, s)
		}
		maps.DeleteFunc(fits, func(_, s int) bool { return s < best })
		if len(fits) > 0 {
			r.matched[i] = fits
			if r.roles[i] == unknown {
				r.roles[i] = column
			}
		}
	}
	for i, w := range r.words { // a number belongs to a column only together with another word of its name
		if !w.isNumber() || r.matched[i] == nil {
			continue
		}
		near := func(c int) bool {
			for j := range r.words {
				if j != i && !r.words[j].isNumber() && r.matched[j][c] > 0 {
					return true
				}
			}
			return len(r.t.Columns[c].words()) == 1 || len(w.text) < 4
		}
		maps.DeleteFunc(r.matched[i], func(c, _ int) bool { return !near(c) })
		if len(r.matched[i]) == 0 {
			r.matched[i], r.roles[i] = nil, unknown
		}
	}
}

// inCells returns the rows whose cells in a column have a word.
func (t *Table) inCells(c int, w word) []int {
	var out []int
	for _, p := range t.Columns[c].index {
		if own := p.word; own.text == w.text || sameRoot(own, w) || w.sameState(own) || compound(own, w) || partOfCode(own.text, w.text) {
			out = append(out, p.rows...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// compound reports whether a German word of a cell ends in a word of the question, such as "Sechskantschraube".
func compound(cell, w word) bool {
	return len(w.root) >= 5 && len(cell.root) >= len(w.root)+3 && strings.HasSuffix(cell.root,
		w.root) && !strings.ContainsAny(cell.text, "0123456789")
}

// partOfCode reports whether a number is a part of a code, such as 2637 of SO-2637.
func partOfCode(code, part string) bool {
	if len(part) < 3 || !strings.ContainsAny(code, "-/") || strings.Trim(part, "0123456789") != "" {
		return false
	}
	return slices.Contains(strings.FieldsFunc(code, func(r rune) bool { return r == '-' || r == '/' }), part)
}

// finder finds the words of a question in cells.
type finder struct{ *reading }

// findCells finds groups of words in cells of text.
func (r finder) findCells() {
	when := r.has(whenPhrases, unknown)
	for i := 0; i < len(r.words); i++ {
		w := r.words[i]
		if r.roles[i] == nothing || r.roles[i] == cell || r.roles[i] == condition || r.roles[i] == unknown && w.isStop() ||
			w.isNumber() && r.afterComparator(i) || r.inMonth(i) || r.limits(i) || r.beside(i) {
			continue
		}
		f, ok := r.gender(i)
		if !ok {
			f, ok = r.group(i)
		}
		if !ok || r.roles[i] == operation && (len(f.words) < 2 || !f.whole) {
			continue
		}
		if r.roles[i] == column && !r.cellWins(i, f, when) {
			continue
		}
		for _, k := range f.words {
			r.roles[k], r.matched[k] = cell, nil
		}
		for k := f.words[0] - 1; k >= max(0, f.words[0]-2) && !f.not; k-- {
			f.not = r.roles[k] == nothing
			if r.roles[k] != light && r.roles[k] != nothing && !r.words[k].isStop() {
				break
			}
		}
		i = f.words[len(f.words)-1]
		r.filters = append(r.filters, f)
	}
	r.mergeFilters()
	if slices.ContainsFunc(r.filters, func(f filter) bool { return !slices.Contains(r.labels, f.column) && len(f.rows) > 1 }) {
		r.often = r.has(oftenPhrases, operation)
	}
}

// limits reports whether a comparator with a number begins at a word, as in "weniger als 5", although cells have the word, too.
func (r finder) limits(i int) bool {
	_, n, _, ok := r.comparatorAt(i)
	return ok && i+n < len(r.words) && r.words[i+n].isNumber()
}

// beside reports whether a number stands beside the name of a column that has this value, as in "price class 2".
func (r finder) beside(i int) bool {
	for c, col := range r.t.Columns {
		near := func(k int) bool { return k >= 0 && k < len(r.words) && r.matched[k][c] >= byConcept }
		value := r.words[i].isNumber() && col.ordered() && !slices.Contains(r.labels, c)
		if value && (near(i-1) || near(i+1)) && len(r.t.wholeCells(c, r.words[i])) > 0 {
			return true
		}
	}
	return false
}

// inMonths are the words in front of the month of a condition.
var inMonths = setOf("in im during since seit ab")

// inMonth reports whether a word is the month of a condition, as in "in march", although cells have it, too.
func (r finder) inMonth(i int) bool {
	if i == 0 || !wholeMonths[r.words[i].written] || !inMonths[r.words[i-1].text] {
		return false
	}
	_, ok := r.dateColumn(aDay, i)
	return ok
}

// cellWins reports whether words that name a column are rather the text of cells.
func (r finder) cellWins(i int, f filter, when bool) bool {
	strength := 0
	for _, s := range r.matched[i] {
		strength = max(strength, s)
	}
	for _, k := range f.words[1:] {
		if r.matched[k] == nil {
			return true // a longer name
		}
	}
	return strength < byCompound || f.whole && !when && strength < byWord || f.whole && !when && !slices.Contains(r.labels, f.column)
}

// group returns the longest group of words from i that the cells of one column have.
func (r finder) group(i int) (filter, bool) {
	best := filter{column: -1}
	better := func(f filter) bool {
		switch {
		case best.column < 0 || len(f.words) != len(best.words):
			return best.column < 0 || len(f.words) > len(best.words)
		case f.whole != best.whole:
			return f.whole
		case r.matches(f.column) != r.matches(best.column):
			return r.matches(f.column)
		}
		return slices.Contains(r.labels, f.column) && !slices.Contains(r.labels, best.column)
	}
	for c, col := range r.t.Columns {
		rows := r.t.inCells(c, r.words[i])
		if col.Kind != Text { // numbers such as years name rows only in the first column
			if rows = r.t.wholeCells(c, r.words[i]); c > 0 || !r.words[i].isNumber() || r.afterComparator(i) {
				continue
			}
		}
		if len(rows) == 0 {
			continue
		}
		f := filter{column: c, rows: rows, words: []int{i}}
		for k := i + 1; k < len(r.words); k++ {
			if r.roles[k] != unknown && r.roles[k] != column || r.words[k].isStop() && r.matched[k] == nil && !r.linking(k, c, f.rows) {
				break
			}
			both := intersect(f.rows, r.t.inCells(c, r.words[k]))
			if len(both) == 0 {
				break
			}
			f.rows, f.words = both, append(f.words, k)
		}
		f.exact(r.reading)
		if better(f) {
			best = f
		}
	}
	return best, best.column >= 0
}

// matches reports whether a word names a column.
func (r *reading) matches(c int) bool {
	return slices.ContainsFunc(r.matched, func(m map[int]int) bool { return m[c] >= byWord })
}

// wholeCells returns the rows with a number as the whole cell.
func (t *Table) wholeCells(c int, w word) []int {
	var out []int
	for _, i := range t.Data() {
		if t.Rows[i].Cells[c].Text == w.text {
			out = append(out, i)
		}
	}
	return out
}

// afterComparator reports whether a comparator stands in front of a word.
func (r *reading) afterComparator(i int) bool {
	for k := max(0, i-4); k < i; k++ {
		if r.words[k].text == "between" || r.words[k].text == "zwischen" {
			return true
		}
		if _, n, _, ok := r.comparatorAt(k); ok && k+n == i {
			return true
		}
	}
	return false
}

// linking reports whether a light word is a part of a name in cells, such as "of" in "Bank of Ireland".
func (r finder) linking(k, c int, rows []int) bool {
	has := func(k int) bool { return len(intersect(rows, r.t.inCells(c, r.words[k]))) > 0 }
	return len(r.words[k].text) == 1 || k+1 < len(r.words) && has(k) && has(k+1)
}

// exact keeps the rows whose whole cells the words are, if there are some.
func (f *filter) exact(r *reading) {
	var whole []int
	known := map[string]bool{}
	for _, i := range f.rows {
		text := r.t.Rows[i].Cells[f.column].Text
		all, seen := known[text]
		if !seen {
			all = slices.ContainsFunc(r.items(f.column, text), func(item string) bool {
				return !slices.ContainsFunc(words(item), func(own word) bool {
					return (!own.isStop() || len(own.text) == 1) && !slices.ContainsFunc(f.words, func(k int) bool {
						return own.text == r.words[k].text || sameRoot(own,
							r.words[k])
					})
				})
			})
			known[text] = all
		}
		if all {
			whole = append(whole, i)
		}
	}
	if len(whole) > 0 {
		f.rows, f.whole = whole, true
	}
}

// items returns the items of a cell that lists several, such as the models that a part fits. The name of a row is one item.
func (r *reading) items(c int, cell string) []string {
	if slices.Contains(r.labels, c) {
		return []string{cell}
	}
	return strings.Split(cell, ", ")
}

// mergeFilters joins groups in the same column that have rows in common, such as "the generator with 60 kva".
func (r finder) mergeFilters() {
	for i := 1; i < len(r.filters); i++ { // first and last names
		a, b := &r.filters[i-1], r.filters[i]
		parts := r.t.Columns[a.column].isNamePart() && r.t.Columns[b.column].isNamePart() && a.column != b.column && !a.not && !b.not
		if both := intersect(a.rows, b.rows); parts && len(both) > 0 && a.words[len(a.words)-1]+1 == b.words[0] && len(r.labels) > 0 {
			*a = filter{column: r.labels[len(r.labels)-1], rows: both, words: append(a.words, b.words...), whole: true}
			r.filters = slices.Delete(r.filters, i, i+1)
			i--
		}
	}
	for i := 1; i < len(r.filters); i++ {
		for k := range i {
			a, b := &r.filters[k], r.filters[i]
			if both := intersect(a.rows, b.rows); a.column == b.column && a.not == b.not && len(both) > 0 && !a.whole && !b.whole {
				a.rows, a.words = both, append(a.words, b.words...)
				r.filters = slices.Delete(r.filters, i, i+1)
				i--
				break
			}
		}
	}
}

// intersect returns the numbers that are in both sorted lists.
func intersect(a, b []int) []int {
	var out []int
	for _, x := range a {
		if slices.Contains(b, x) {
			out = append(out, x)
		}
	}
	return out
}
