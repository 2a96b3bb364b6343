package table

import (
	"slices"
	"strings"
)

// Source is a table with the words that name it.
type Source struct {
	// Table is the table.
	Table *Table
	// Title has the title of the document, the names of its file and folder, and the headings above the table.
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
	qualifier        // it only says that a value is asked for, such as "number" of "phone number"
	missed           // the table has nothing about it
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
	// missing are the words of the role missed.
	missing []string
	// free reports that the question asks for the seats that are not taken.
	free bool
	// times is the number of units that a price is multiplied by.
	times multiple
	// within are the columns that the question is limited to, such as trains on Sundays, or nil for all.
	within map[int]bool
	// gain says how much of the question the reading explains.
	gain float64
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

// newReading returns a reading without roles.
func newReading(question string, s *Source) *reading {
	r := &reading{source: s, t: s.Table, words: words(question)}
	for i, w := range r.words {
		if w.text == "mean" && slices.ContainsFunc(r.words[:i], func(w word) bool { return w.text == "does" || w.text == "do" }) {
			r.words[i] = newWord("meaning") // and no average
		}
	}
	r.words = splitter{r.t}.split(splitter{r.t}.taxed(r.words))
	r.roles, r.matched = make([]role, len(r.words)), make([]map[int]int, len(r.words))
	r.text = spaced(r.words)
	r.labels = r.t.labels()
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

// inCells returns the rows whose cells in a column have a word.
func inCells(t *Table, c int, w word) []int {
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

// bind says which filters are negated, and joins those of one thing.
func (r finder) bind() {
	for k := range r.filters {
		f := &r.filters[k]
		for i := f.words[0] - 1; i >= max(0, f.words[0]-2) && !f.not; i-- {
			f.not = r.roles[i] == nothing
			if r.roles[i] != light && r.roles[i] != nothing && !r.words[i].isStop() {
				break
			}
		}
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

// beforeMonths are the words in front of the month of a condition.
var beforeMonths = setOf("in im during since seit ab")

// inMonth reports whether a word is the month of a condition, as in "in march", although cells have it, too.
func (r finder) inMonth(i int) bool {
	if i == 0 || !wholeMonths[r.words[i].written] || !beforeMonths[r.words[i-1].text] {
		return false
	}
	_, ok := r.dateColumn(aDay, i)
	return ok
}

// groups returns the longest groups of words from i that the cells of each column have.
func (r finder) groups(i int) []filter {
	var out []filter
	light := r.words[i].isStop()
	if light && !lightVerbs[r.words[i].text] {
		return nil
	}
	for c, col := range r.t.Columns {
		rows := inCells(r.t, c, r.words[i])
		if col.Kind != Text { // numbers such as years name rows only in the first column
			if rows = wholeCells(r.t, c, r.words[i]); c > 0 || !r.words[i].isNumber() {
				continue
			}
		}
		if len(rows) == 0 {
			continue
		}
		f := filter{column: c, rows: rows, words: []int{i}}
		for k := i + 1; k < len(r.words); k++ {
			if r.words[k].isStop() && !r.linking(k, c, f.rows) {
				break
			}
			both := intersect(f.rows, inCells(r.t, c, r.words[k]))
			if len(both) == 0 {
				break
			}
			f.rows, f.words = both, append(f.words, k)
		}
		if f.exact(r.reading); f.whole || !light {
			out = append(out, f)
		}
	}
	return out
}

// matches reports whether a word names a column.
func (r *reading) matches(c int) bool {
	return slices.ContainsFunc(r.matched, func(m map[int]int) bool { return m[c] >= byWord })
}

// wholeCells returns the rows with a number as the whole cell.
func wholeCells(t *Table, c int, w word) []int {
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
	has := func(k int) bool { return len(intersect(rows, inCells(r.t, c, r.words[k]))) > 0 }
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
