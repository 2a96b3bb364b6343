package table

import (
	"slices"
	"strings"

	"docent/internal/lazyregexp"
	"docent/rag/text"
)

// isSoft reports whether a word without a place in the table limits nothing: a verb, or a word of time, order, and degree. A word
// behind "not", and one in front of the name of a column or a row does.
func isSoft(r *reading, i int) bool {
	w := r.words[i]
	if hourWords[w.text] && asksHours(r) {
		return true
	}
	if w.isNumber() || w.measures() {
		return false
	}
	if i > 0 && r.phraseAt(i-1, noPhrases) == 1 || i > 1 && beforeVerbs[r.words[i-1].text] && r.phraseAt(i-2, noPhrases) == 1 {
		return false
	}
	return softWords[w.text] || adverb.MatchString(w.text) && w.concepts() == nil || text.IsEveryday(w.written) || isVerb(r, i)
}

// softWords are short forms and other words that limit nothing.
var softWords = setOf("incl inkl approx ca ok okay etc eg single einzelne einzelner fit fits hold holds reinpassen back")

// adverb matches English adverbs, and no "supply".
var adverb = lazyregexp.New(`^\p{L}{2,}[^p]ly$`)

// beforeVerbs are words in front of a verb.
var beforeVerbs = setOf("i you we they he she it who people to ich du wir ihr sie er es man wer")

// modals stand in front of a German verb at the end of a question.
var modals = setOf("kann kannst konnen konnte muss musst mussen soll sollen darf durfen will wollen mochte werden wird wurde wurden")

// isVerb reports whether a word stands in the place of a verb.
func isVerb(r *reading, i int) bool {
	w := r.words[i]
	if happened.MatchString(w.text) && i == len(r.words)-1 {
		return true
	}
	last := i == len(r.words)-1
	if last && slices.ContainsFunc(r.words[:i], func(w word) bool { return modals[w.text] }) && strings.HasSuffix(w.text, "en") {
		return true
	}
	if i > 0 && happened.MatchString(w.text) && r.namesAmount(i-1) { // water used
		return true
	}
	if i > 1 && i+1 < len(r.words) && isArticle(r.words[i+1].text) && r.isNoun(i-1) && !exceptVerbs[w.text] { // rooms face the sea
		return true
	}
	return i > 0 && beforeVerbs[r.words[i-1].text] && i < len(r.words)-1
}

// exceptVerbs say that something is not there.
var exceptVerbs = setOf("exclude omit miss avoid lack forbid refuse lose leave")

// namesAmount reports whether a word names a column of amounts.
func (r *reading) namesAmount(i int) bool {
	for c := range r.fits(i, false) {
		if r.t.Columns[c].summable() {
			return true
		}
	}
	return false
}

// isNoun reports whether a word names the rows.
func (r *reading) isNoun(i int) bool {
	return slices.ContainsFunc(r.titleWords(), func(t word) bool { return t.text == r.words[i].text || sameRoot(t, r.words[i]) })
}

// happened matches participles: "collected", "abgeholt", and "geleert".
var happened = lazyregexp.New(`^(?:\p{L}{3,}ed|(?:\p{L}{2,4})?ge\p{L}{3,}(?:t|en)|ver\p{L}{3,}t)$`)

// asksInVain reports whether an adjective follows "how", and no column has one of its concepts.
func asksInVain(r *reading, i int, concepts string) bool {
	if i == 0 || r.words[i-1].text != "how" && r.words[i-1].text != "wie" {
		return false
	}
	for c := range r.t.Columns {
		if r.t.described(c, concepts) > 0 {
			return false
		}
	}
	return true
}

// valueWords are words for the value of a named column, as in "water tank size" and "Nitratwert".
var valueWords = setOf(`size value level rate amount grosse wert werte stand angabe zahl zahlen anzahl number nummer
	shift shifts duty duties slot slots ticket tickets fee charge figure dienst dienste schicht schichten fahrkarte`)

// qualifies reports whether a word only says that a value of a named column is asked for, or that the present year is meant.
func qualifies(r *reading, i int) bool {
	near := func(k int) bool { return k >= 0 && k < len(r.words) && len(r.fits(k, false)) > 0 }
	if w := r.words[i].text; w == "year" || w == "jahr" {
		return i > 0 && slices.Contains([]string{"this", "dieses", "diesem"}, r.words[i-1].text)
	}
	return valueWords[r.words[i].text] && (near(i-1) || near(i+1) || i+1 < len(r.words) && r.words[i+1].isStop() && near(i+2))
}

var (
	// allWords stand in front of a number that only says how many rows there are, as in "all four".
	allWords = setOf("all alle aller allen these the diese dieser diesen die")
	// hourWords ask for the cell of a day.
	hourWords = setOf("time times hours zeit zeiten uhrzeit")
)

// asksHours reports whether the question names a column of a day of the week.
func asksHours(r *reading) bool {
	return slices.ContainsFunc(r.words, func(w word) bool {
		return slices.ContainsFunc(r.t.Columns, func(c Column) bool { return c.hasWeekday(w) })
	})
}

// names reports whether a word of a title is a word of the question, or ends or begins with it.
func names(title, w word) bool {
	return title.text == w.text || title.means(w) || !w.isNumber() && (sameRoot(title, w) || w.verb() != "" && w.verb() == title.verb() ||
		w.verb() != "" && len(title.root) >= len(w.verb())+3 && strings.HasSuffix(title.root, w.verb()) ||
		len(w.root) >= 4 && len(title.root) >= len(w.root)+2 && (strings.HasSuffix(title.root,
			w.root) || strings.HasPrefix(title.root, w.root)))
}

// hasUnit reports whether a column or the text around the table has a unit.
func (t *Table) hasUnit(unit string) bool {
	code := canonicalUnit(unit)
	for _, c := range t.Columns {
		_, per, _ := strings.Cut(c.Unit, "/")
		if _, ok := converted(1, code, c.Unit); ok && c.Unit != "" || per != "" && strings.EqualFold(per, unit) {
			return true
		}
	}
	return around(t, unit)
}

// around reports whether the text in front of the table has a word.
func around(t *Table, unit string) bool {
	return slices.ContainsFunc(words(t.Context+" "+t.Caption), func(w word) bool { return w.text == unit })
}
