package table

import (
	"maps"
	"slices"
	"strings"
)

// piece is a part of a question with one role in a reading.
type piece struct {
	from, to int
	role     role
	// gain says how much of the question the piece explains. It is negative for words that the table does not have.
	gain float64
	// fits are the columns that a word names, with the strengths.
	fits map[int]int
	// filter has the rows of a piece of the role cell.
	filter filter
	// value is the position of the value behind the comparator of a condition, or -1 for one without a comparator.
	value   int
	op      operator
	concept string
}

// The gains of pieces. A word of a cell explains more than the name of a column, and both more than the name of the table.
const (
	gainWhole     = 2.3 // a word of a whole cell
	gainPart      = 1.4 // a word of a longer cell
	gainColumn    = 2.1
	gainCompound  = 1.9
	gainConcept   = 1.5
	gainKind      = .8
	gainOperation = 1.2
	gainLimit     = 2.2
	gainTitle     = 1.0
	gainUnit      = .5
	gainSoft      = -.4 // a verb or another word that limits nothing
	gainMissing   = -2.5
)

// gains are the gains of the names of columns by strength.
var gains = [...]float64{0, gainKind, gainConcept, gainCompound, gainColumn}

// The limits of the readings of a question, and of the unfinished readings at each word. A long question has fewer ones.
const (
	minReadings = 2
	maxReadings = 12
	maxPaths    = 240
)

// prefix is an unfinished reading: the last piece, and the pieces before it.
type prefix struct {
	gain   float64
	before *prefix
	piece  *piece
}

// chart finds the readings of a question.
type chart struct{ *reading }

// readings returns the readings of a question with a table, those that explain most first.
func readings(question string, s *Source) []*reading {
	r := newReading(question, s)
	if len(r.words) == 0 {
		return nil
	}
	starts, limit := chart{r}.pieces(), max(minReadings, min(maxReadings, maxPaths/len(r.words)))
	ends := make([][]*prefix, len(r.words)+1)
	ends[0] = []*prefix{{}}
	for i := range r.words {
		for _, p := range starts[i] {
			for _, before := range ends[i] {
				ends[p.to] = append(ends[p.to], &prefix{before.gain + p.gain, before, p})
			}
		}
		ends[i+1] = best(ends[i+1], limit)
	}
	var out []*reading
	for _, p := range ends[len(r.words)] {
		out = append(out, r.along(p))
	}
	return out
}

// best keeps the paths with the largest gains.
func best(list []*prefix, n int) []*prefix {
	slices.SortStableFunc(list, func(a, b *prefix) int {
		switch {
		case a.gain > b.gain:
			return -1
		case a.gain < b.gain:
			return 1
		}
		return 0
	})
	return list[:min(len(list), n)]
}

// along returns the reading of a path.
func (r *reading) along(last *prefix) *reading {
	own := r.copy()
	var pieces []*piece
	for p := last; p.piece != nil; p = p.before {
		pieces = append(pieces, p.piece)
	}
	slices.Reverse(pieces)
	own.gain = last.gain
	for _, p := range pieces {
		for k := p.from; k < p.to; k++ {
			own.roles[k] = p.role
			if own.matched[k] = p.fits; p.role == missed {
				own.missing = append(own.missing, own.words[k].written)
			}
		}
		if p.role == cell && p.filter.rows != nil {
			own.filters = append(own.filters, p.filter)
		}
	}
	separate(own)
	other(own)
	for i := range own.words { // a number of rows that is none
		if own.roles[i] == operation && own.words[i].isNumber() && !(ranker{own}).isTop(i) {
			lose(own, i)
		}
	}
	finder{own}.bind()
	limiter{own}.resolve(pieces)
	findFlags(own)
	findGaps(own)
	comparesColumns(own)
	if kind := kindOfRows(own.t); len(kind) > 0 && kind[0] == peopleWords[0] && phrased(own, whoPhrases) {
		own.gain += gainUnit
	}
	for _, f := range own.filters { // "evening on Monday: Ann" is about the column Evening
		if !slices.Contains(own.labels, f.column) && own.matches(f.column) {
			own.gain += gainTitle
		}
	}
	return own
}

// separate takes numbers from the names of columns that no other word names: a number names a column only together with one.
func separate(r *reading) {
	for i, w := range r.words {
		if !w.isNumber() || r.roles[i] != column {
			continue
		}
		own := map[int]int{}
		for c, strength := range r.matched[i] {
			near := len(r.t.Columns[c].words()) == 1 || len(w.text) < 4 || slices.ContainsFunc(r.words, func(other word) bool {
				k := slices.IndexFunc(r.words, func(x word) bool { return x == other })
				return k != i && !other.isNumber() && r.matched[k][c] > 0
			})
			if near {
				own[c] = strength
			}
		}
		if r.matched[i] = own; len(own) == 0 {
			lose(r, i)
		}
	}
}

// lose marks a word that has no role in this reading after all.
func lose(r *reading, i int) {
	r.roles[i], r.matched[i] = missed, nil
	r.missing = append(r.missing, r.words[i].written)
	r.gain += gainMissing - gainColumn
}

// pieces returns the pieces that begin at each word.
func (r chart) pieces() [][]*piece {
	out := make([][]*piece, len(r.words))
	add := func(p piece) { out[p.from] = append(out[p.from], &p) }
	title := r.titleWords()
	nouns := r.nouns()
	for i := range r.words {
		op := r.addOperations(i, add)
		r.addColumns(i, op, add)
		r.addCells(i, title, nouns, add)
		r.addLimits(i, add)
		r.addPairs(i, add)
		r.addDays(i, add)
		r.addOthers(i, title, nouns, add)
		r.addTitle(i, title, add)
	}
	r.addInitials(add)
	r.addHours(add)
	return out
}

// addOperations adds the phrases of operations that begin at a word, and reports whether there are some.
func (r chart) addOperations(i int, add func(piece)) bool {
	found := 0
	for _, phrases := range [][]string{countPhrases, averagePhrases, sumPhrases, differPhrases, oftenPhrases} {
		found = max(found, r.phraseAt(i, phrases))
	}
	if found == 2 && r.words[i].text == "number" && i > 0 && r.fits(i-1, false) != nil { // "phone number of"
		found = 0
	}
	if _, ok := r.superlative(i); ok && !r.isPeriod(i) || r.mayRank(i) {
		found = max(found, 1)
	}
	if _, _, ok := r.stockValue(); ok && slices.Contains(worthPhrases, r.words[i].text) {
		found = max(found, 1)
	}
	if found > 0 {
		p := piece{from: i, to: i + found, role: operation, gain: gainOperation}
		if found == 1 && r.asksTotal(i) {
			p.fits = r.fits(i, true)
		}
		add(p)
	}
	if n := r.phraseAt(i, noPhrases); n > 0 {
		add(piece{from: i, to: i + n, role: nothing, gain: gainUnit})
	}
	return found > 0
}

// isPeriod reports whether a word and the next one are a time such as "last quarter", and no last row.
func (r chart) isPeriod(i int) bool {
	w := r.words[i].text
	return (w == "last" || strings.HasPrefix(w, "letzte")) && i+1 < len(r.words) && (periods[r.words[i+1].text] ||
		weekdayOf(r.words[i+1], false) >= 0)
}

// periods are the words for parts of a year.
var periods = setOf("day week month quarter year term tag woche monat quartal jahr")

// mayRank reports whether a word may say how many rows a superlative asks for, or which of them, as in "the 3 largest" and "second
// largest".
func (r chart) mayRank(i int) bool {
	w, next := r.words[i], i+1 < len(r.words)
	if ordinals[w.text] > 0 {
		if !next {
			return false
		}
		_, ok := r.superlative(i + 1)
		return ok
	}
	if numberWords[w.text] == 0 && !w.isNumber() {
		return false
	}
	for k := range r.words {
		if _, ok := r.superlative(k); ok && (k == i-1 || k > i) {
			return true
		}
	}
	return false
}

// phraseAt returns the number of words of the longest phrase at a word, or 0.
func (r *reading) phraseAt(i int, phrases []string) int {
	rest, n := strings.Join(r.textsFrom(i, 6), " ")+" ", 0
	for _, p := range phrases {
		if strings.HasPrefix(rest, p+" ") {
			n = max(n, strings.Count(p, " ")+1)
		}
	}
	return n
}

// fits returns the columns that a word names best, with the strength.
func (r *reading) fits(i int, exact bool) map[int]int {
	w, out, best := r.words[i], map[int]int{}, 0
	if w.isStop() && w.concepts() == nil && !w.isNumber() && !isName(r, i) {
		if exact = partOfName(r, i); !exact {
			return nil
		}
	}
	for c, col := range r.t.Columns {
		s := 0
		if exact || w.isNumber() || w.text == "no" { // they do not describe columns
			if slices.ContainsFunc(col.words(), func(h word) bool { return h.text == w.text }) {
				s = byWord
			}
		} else {
			s = col.strength(w)
		}
		switch {
		case s == 0 || s < best:
		case s > best:
			out, best = map[int]int{c: s}, s
		default:
			out[c] = s
		}
	}
	if best == 0 {
		return nil
	}
	if best == byWord && len(out) > 1 { // "Pächter" and not "Pacht"
		named := maps.Clone(out)
		maps.DeleteFunc(named, func(c, _ int) bool {
			return !slices.ContainsFunc(r.t.Columns[c].words(), func(h word) bool { return h.text == w.text })
		})
		if len(named) > 0 {
			return named
		}
	}
	return out
}

// partOfName reports whether a word such as "list" is a part of the name of a column whose other words the question has, too.
func partOfName(r *reading, i int) bool {
	w := r.words[i]
	return len(w.text) >= minPart && slices.ContainsFunc(r.t.Columns, func(c Column) bool {
		has := func(h word) bool { return h.text == w.text }
		return slices.ContainsFunc(c.names, has) && slices.ContainsFunc(c.names, func(h word) bool {
			return !has(h) && !h.isStop() && slices.ContainsFunc(r.words, func(own word) bool { return own.text == h.text })
		})
	})
}

// suppliers returns the columns with the suppliers if a word ends a question where something is from, as in "where is it from".
func (r chart) suppliers(i int) map[int]int {
	w, before := r.words[i].text, spaced(r.words[:i])
	from := w == "her" && strings.Contains(before, " wo ") || w == "from" && strings.Contains(before, " where ") || w == "woher"
	if !from {
		return nil
	}
	out := map[int]int{}
	for c, col := range r.t.Columns {
		if slices.Contains(col.named, "supplier") {
			out[c] = byConcept
		}
	}
	return out
}

// addColumns adds the columns that a word names.
func (r chart) addColumns(i int, op bool, add func(piece)) {
	fits := r.fits(i, op)
	if from := r.suppliers(i); len(from) > 0 {
		fits = from
	}
	for c, s := range fits {
		gain := gains[s]
		if r.t.Columns[c].Kind == Date && s == byWord && phrased(r.reading, whenPhrases) { // "when was it shipped" asks for no state
			gain += gainUnit
		}
		if op { // "mean" of "Mean temperature"
			gain = gainOperation - .2
			if r.besideName(i, fits) {
				gain = gainColumn
			}
		}
		add(piece{from: i, to: i + 1, role: column, gain: gain, fits: fits})
		return
	}
}

// phrased reports whether the question has one of the phrases.
func phrased(r *reading, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(r.text, " "+p+" ") })
}

// besideName reports whether the next word before or behind names one of the columns, too.
func (r chart) besideName(i int, fits map[int]int) bool {
	for _, k := range []int{i - 1, i + 1} {
		if k < 0 || k >= len(r.words) {
			continue
		}
		for c := range r.fits(k, false) {
			if fits[c] > 0 {
				return true
			}
		}
	}
	return false
}

// addCells adds the groups of words in cells that begin at a word.
func (r chart) addCells(i int, title []word, nouns []int, add func(piece)) {
	w := r.words[i]
	if finder(r).inMonth(i) || w.isNumber() && r.afterComparator(i) || finder(r).limits(i) {
		return
	}
	if f, ok := finder(r).gender(i); ok {
		add(piece{from: i, to: i + 1, role: cell, gain: gainWhole, filter: f})
		return
	}
	noun := slices.Contains(nouns, i)
	if noun && slices.ContainsFunc(kindOfRows(r.t), func(k word) bool { return k.text == w.text }) {
		return // all are employees, whatever cells say
	}
	for _, f := range finder(r).groups(i) {
		gain, label := 0.0, slices.Contains(r.labels, f.column)
		for k, at := range f.words {
			switch own := r.words[at]; {
			case own.isStop():
			case f.whole:
				gain += gainWhole
			case label && k > 0:
				gain += gainWhole - .1
			default:
				gain += gainPart
			}
		}
		if f.whole && label {
			gain += .1
		}
		gain += r.direction(i, f.column)
		if _, op := r.superlative(i); op && (len(f.words) < 2 || !f.whole) {
			continue
		}
		if !f.whole && !slices.ContainsFunc(f.words, func(k int) bool {
			return label && !noun || !slices.ContainsFunc(title, func(t word) bool { return names(t, r.words[k]) })
		}) {
			gain = min(gain, gainTitle-.2) // "book in the library" of library.csv
		}
		if len(f.words) == 1 && !f.whole && noun { // "which car": all rows may be cars
			gain -= gainOperation
		}
		add(piece{from: i, to: i + len(f.words), role: cell, gain: gain, filter: f})
	}
}

// addTitle adds two words that stand together in the title, such as "harbour view". One of them is in no column and no cell.
func (r chart) addTitle(i int, title []word, add func(piece)) {
	if i+1 >= len(r.words) {
		return
	}
	own := func(k int) bool {
		return !(splitter{r.t}).has(r.words[k]) && !r.words[k].isStop()
	}
	for k := 1; k < len(title); k++ {
		if title[k-1].text == r.words[i].text && title[k].text == r.words[i+1].text && (own(i) || own(i+1)) {
			add(piece{from: i, to: i + 2, role: titled, gain: gainTitle + gainWhole})
			return
		}
	}
}

// direction returns the gain of a cell in a column of origins or destinations behind a word such as "to".
func (r chart) direction(i, c int) float64 {
	k := i - 1
	for k >= 0 && isArticle(r.words[k].text) && r.words[k].text != "of" {
		k--
	}
	if k < 0 || r.t.Columns[c].Kind != Text || len(r.t.Columns[c].names) == 0 {
		return 0
	}
	for _, way := range ways {
		if at := r.t.Columns[c].names[0].text; way.headers[at] && way.words[r.words[k].text] {
			return gainOperation
		} else if way.words[r.words[k].text] && (ways[0].headers[at] || ways[1].headers[at]) {
			return -gainOperation
		}
	}
	return 0
}

// ways are the headers of origins and of destinations, with the words in front of them in questions.
var ways = [2]struct{ headers, words map[string]bool }{
	{setOf("from von ab origin departure start abfahrt abfahrtsort"), setOf("from leaving von ab aus")},
	{setOf("to nach bis an destination arrival ziel ankunft ankunftsort"), setOf("to towards nach zum zur bis")},
}

// addLimits adds the conditions on values that begin at a word. limiter finds their columns.
func (r chart) addLimits(i int, add func(piece)) {
	l := limiter(r)
	if _, _, end, ok := l.monthsAt(i); ok {
		add(piece{from: i, to: end, role: condition, gain: gainLimit * float64(end-i), value: -1})
	}
	if end := l.betweenAt(i); end > 0 {
		add(piece{from: i, to: end, role: condition, gain: gainLimit * 2, value: -1})
	}
	if op, n, concept, ok := r.comparatorAt(i); ok {
		next := i + n
		for next < len(r.words) && isArticle(r.words[next].text) {
			next++
		}
		if next < len(r.words) {
			p := piece{from: i, to: next, role: condition, gain: gainUnit, value: next, op: op, concept: concept}
			if _, end, _, _, ok := l.dateAt(next); ok {
				p.to, p.gain = end, gainLimit+gainUnit
			} else if _, end, _, _, ok := l.numberAt(next); ok {
				p.to, p.gain = end, gainLimit+gainUnit
			}
			add(p)
		}
	}
	if _, end, _, _, ok := l.dateAt(i); ok && (monthOf(r.words[i].text) > 0 || i > 0 && inDates[r.words[i-1].text] || end > i+1 ||
		!isYear(r.words[i].text)) {
		add(piece{from: i, to: end, role: condition, gain: gainLimit, value: -1})
	}
	if w := r.words[i]; w.isNumber() && !ranker(r).isTop(i) {
		if _, end, _, _, ok := l.numberAt(i); ok {
			add(piece{from: i, to: end, role: condition, gain: gainLimit - .3, value: i, op: equal})
		}
		if _, ok := clock(w.text); ok {
			add(piece{from: i, to: i + 1, role: condition, gain: gainLimit, value: -1})
		}
	}
	if _, end, ok := multipleAt(r.reading, i); ok {
		add(piece{from: i, to: end, role: condition, gain: gainLimit + gainUnit, value: -1, op: times})
	}
}

// inDates are the words in front of dates, months, and years.
var inDates = setOf("in im from of during on am vom aus jahr year")

// addOthers adds what a word is if the table has no place for it.
func (r chart) addOthers(i int, title []word, nouns []int, add func(piece)) {
	w := r.words[i]
	one := func(as role, gain float64) { add(piece{from: i, to: i + 1, role: as, gain: gain}) }
	hasUnit := isUnit(w.text) && r.t.hasUnit(w.text)
	if hasUnit {
		one(unitOf, gainUnit)
	}
	entitled := slices.ContainsFunc(title, func(t word) bool { return names(t, w) })
	if entitled && !w.isStop() {
		one(titled, gainTitle)
	}
	_, compares := r.comparative(i)
	a, positive := adjectives[w.text]
	if compares || positive && (a.concepts == "" || !asksInVain(r.reading, i, a.concepts)) || w.text == "ab" && i == len(r.words)-1 {
		one(descriptive, 0)
		return
	}
	limits := i > 0 && r.phraseAt(i-1, noPhrases) == 1 && w.concepts() != nil // "not paid" limits the rows
	switch {
	case r.phraseAt(i, noPhrases) > 0:
	case w.text == "number" && qualifies(r.reading, i):
		one(qualifier, 0)
	case limits && !hasUnit:
		one(missed, gainMissing)
	case numberWords[w.text] > 0 && i > 0 && allWords[r.words[i-1].text], w.isStop(), len(w.text) == 1 && !w.isNumber():
		one(light, 0)
	case qualifies(r.reading, i):
		one(qualifier, 0)
	case isSoft(r.reading, i):
		one(light, gainSoft)
	default:
		gain := gainMissing
		if slices.Contains(nouns, i) && len(nouns) > 0 {
			gain += gainTitle // the word for the rows
		} else if w.measures() { // it asks for a column that the table does not have
			gain -= gainTitle
		}
		if len(r.fits(i, false)) > 0 || slices.ContainsFunc(finder(r).groups(i), func(f filter) bool { return f.whole }) {
			gain += gainMissing // it has something about it
		}
		one(missed, gain)
	}
}
