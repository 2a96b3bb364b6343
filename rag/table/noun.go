package table

import (
	"slices"
	"strings"

	"docent/internal/fault"
	"docent/rag/text"
)

// maxNouns limits the words of the noun for the rows, as in "cheapest used Japanese cars".
const maxNouns = 4

// nouns returns the positions of the words that say which rows a question asks about, such as "car" of "the cheapest car".
func (r *reading) nouns() []int {
	var out []int
	left := maxNouns // a question may begin with them
	for i, w := range r.words {
		_, superlative := r.superlative(i)
		switch {
		case superlative || r.roles[i] == operation || nounPhrases[w.text]:
			left = maxNouns
		case left > 0 && isArticle(w.text): // most of the cars
		case left > 0 && !w.isStop():
			out, left = append(out, i), left-1
		default:
			left = 0
		}
	}
	return out
}

// nounPhrases are words in front of the noun for the rows, besides those of operations.
var nounPhrases = setOf(`which what all every each many list show any welche welcher welches welchen alle aller allen jede jeder
	jedes viele liste zeige nenne`)

// titleWords returns the words of the title, the caption, and the headers of the columns that name rows.
func (r *reading) titleWords() []word {
	title := r.source.Title + " " + r.t.Caption
	out := words(title)
	for _, w := range out {
		if plain := untranscribed.Replace(w.text); plain != w.text {
			out = append(out, newWord(plain))
		}
	}
	if strings.Contains(title, "-") { // "apartments-2026.csv"
		out = append(out, words(strings.NewReplacer("-", " ", ".", " ").Replace(title))...)
	}
	for _, c := range r.labels {
		out = append(out, r.t.Columns[c].words()...)
	}
	return append(out, kindOfRows(r.t)...)
}

// entitled returns the number of words of a question that are in the title, even those without a meaning of their own.
func (s *Source) entitled(question string) int {
	n := 0
	title := words(s.Title)
	for _, w := range words(question) {
		if len(w.text) >= minPart && slices.ContainsFunc(title, func(t word) bool { return t.text == w.text }) {
			n++
		}
	}
	return n
}

// The words for the rows of tables that need not name them: of people, of payments, and of compared products.
var (
	peopleWords  = words("people persons employees staff colleagues leute personen mitarbeiter kollegen angestellte")
	paymentWords = words("payments bookings transactions transfers zahlungen buchungen überweisungen")
	goodsWords   = words("products items articles goods produkte artikel waren")
	trainWords   = words("train trains bus tram connection ride trip line ferry zug züge bahn verbindung verbindungen fahrt linie fähre")
	productWords = words("models products devices variants modelle produkte geräte varianten")
	// nameHeaders are headers of columns with the names of people.
	nameHeaders = setOf("name names employee employees person mitarbeiter mitarbeiterin vorname nachname")
)

// amounts returns the column with the amounts of payments: the only one with totals, beside a date.
func amounts(t *Table) []int {
	var out []int
	dated := false
	for c, column := range t.Columns {
		dated = dated || column.Kind == Date
		if named, _ := column.concepts(); column.Kind == Money && slices.Contains(named, "total") {
			out = append(out, c)
		}
	}
	if !dated || len(out) != 1 {
		return nil
	}
	return out
}

// goodsHeaders are headers of columns with the names of goods.
var goodsHeaders = setOf("sku article artikel item product produkt bezeichnung description artikelnummer")

// isGoods reports whether a table has goods with prices.
func isGoods(t *Table) bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return goodsHeaders[strings.ToLower(c.Header)] }) &&
		slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Kind == Money || c.Kind == Number && slices.Contains(c.named, "price") })
}

// kindOfRows returns words for the rows of a table of a known kind.
func kindOfRows(t *Table) []word {
	switch {
	case nameHeaders[strings.ToLower(t.Columns[0].Header)], slices.ContainsFunc(t.Columns, Column.isPersonal):
		return peopleWords
	case isTimetable(t):
		return trainWords
	case t.Turned:
		return productWords
	case isGoods(t):
		return goodsWords
	case len(amounts(t)) > 0:
		return paymentWords
	}
	return nil
}

// isTimetable reports whether several columns have times of day.
func isTimetable(t *Table) bool {
	n := 0
	for _, c := range t.Columns {
		if c.Kind == Clock {
			n++
		}
	}
	return n > 1
}

// known returns the number of words that the table has.
func (r phrasing) known() int {
	n := 0
	for _, role := range r.roles {
		if role == column || role == cell || role == condition || role == titled || role == unitOf {
			n++
		}
	}
	return n
}

// doubtful answers although the table does not have the noun for the rows, or another word: it takes all rows, and says so. ok is
// false if the word asks for a column that the table does not have, or if more words are missing than known.
func (r answering) doubtful() (Reply, bool) {
	nouns := r.nouns()
	all, noun := answering{phrasing{r.copy()}}, true
	var said fault.Text
	if len(r.missing) > 0 {
		for i, w := range r.words {
			if r.roles[i] != missed {
				continue
			}
			qualifies := i+1 < len(r.words) && r.roles[i+1] == column && !slices.Contains(nouns, i) // "weekend rate"
			kind := w.concepts() != nil && !slices.Contains(nouns, i)
			if w.measures() || kind || w.isNumber() || qualifies || i > 0 && r.roles[i-1] == nothing {
				return Reply{}, false
			}
			noun = noun && slices.Contains(nouns, i)
		}
		if len(r.missing) > r.known() {
			return Reply{}, false
		}
		said, all.missing = r.lacking(), nil
	} else {
		k := r.partialNoun(nouns)
		if k < 0 {
			return Reply{}, false
		}
		said = fault.NewText("table_named", "Only %s in %s is named %s.", r.label(r.filters[k].rows[0]), r.source.named(),
			text.CodeSpan(r.wordsOf(r.filters[k])))
		for _, i := range r.filters[k].words {
			all.roles[i] = light
		}
		all.filters = slices.Delete(all.filters, k, k+1)
	}
	_, superlative := all.extreme()
	if !superlative && all.onlyNamed() && !all.asks(averagePhrases) && !all.asks(sumPhrases) {
		return Reply{}, false
	}
	reply := all.operate()
	if reply.Status != Answered && !reply.Computed {
		return Reply{}, false
	}
	reply.Status, reply.Near, reply.Computed, reply.Query = Unclear, true, noun, ""
	reply.Said = fault.NewText("table_all_rows", "%s In all its rows: %s", said, reply.Said)
	reply.score = r.score() + bonusComputed
	return reply, true
}

// measures reports whether a word has a concept other than that of a thing.
func (w word) measures() bool {
	return slices.ContainsFunc(w.concepts(), func(name string) bool { return !things[name] })
}

// partialNoun returns the filter by a noun that is only a part of one row's name, if the question asks for the largest of such
// rows, or if no such row fits the rest of the question. It returns -1 without one.
func (r answering) partialNoun(nouns []int) int {
	k := slices.IndexFunc(r.filters, func(f filter) bool {
		return !f.whole && !f.not && len(f.rows) == 1 && slices.Contains(r.labels, f.column) &&
			!slices.ContainsFunc(f.words, func(i int) bool { return !slices.Contains(nouns, i) })
	})
	if k < 0 {
		return -1
	}
	if _, superlative := r.extreme(); superlative || len(r.selected()) == 0 || r.listing() && len(r.filters)+len(r.conditions) > 1 {
		return k
	}
	return -1
}

// copy returns a reading that can be changed.
func (r *reading) copy() *reading {
	own := *r
	own.roles, own.matched = slices.Clone(r.roles), slices.Clone(r.matched)
	own.filters, own.conditions, own.missing = slices.Clone(r.filters), slices.Clone(r.conditions), slices.Clone(r.missing)
	return &own
}
