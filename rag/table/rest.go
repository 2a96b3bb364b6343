package table

import (
	"slices"
	"strings"

	"docent/internal/lazyregexp"
)

// findRest finds the roles of the other words.
func (r *reading) findRest() {
	title := r.titleWords()
	for i, w := range r.words {
		if r.roles[i] != unknown {
			continue
		}
		_, compares := r.comparative(i)
		a, positive := adjectives[w.text]
		if positive || w.text == "ab" && i == len(r.words)-1 {
			compares = true
		}
		switch {
		case isUnit(w.text) && r.t.hasUnit(w.text):
			r.roles[i] = unitOf
		case !w.isStop() && slices.ContainsFunc(title, func(t word) bool { return names(t, w) }):
			r.roles[i] = titled
		case positive && a.concepts != "" && asksInVain(r, i, a.concepts):
			r.missing = append(r.missing, w.written)
		case compares:
			r.roles[i] = descriptive
		case r.qualifies(i), numberWords[w.text] > 0 && i > 0 && allWords[r.words[i-1].text], hourWords[w.text] && asksHours(r):
			r.roles[i] = light
		case i > 0 && r.roles[i-1] == nothing && w.concepts() != nil: // "not paid" limits the rows
			r.missing = append(r.missing, w.written)
		case w.isStop() || len(w.text) == 1 && !w.isNumber() || i == len(r.words)-1 && happens(r, w):
			r.roles[i] = light
		default:
			r.missing = append(r.missing, w.written)
		}
	}
}

// happened matches participles: "collected", "abgeholt", and "geleert".
var happened = lazyregexp.New(`^(?:\p{L}{3,}ed|(?:\p{L}{2,4})?ge\p{L}{3,}(?:t|en))$`)

// happens reports whether a word at the end of a question for a date says only that something happens then, in a table whose only
// values are dates.
func happens(r *reading, w word) bool {
	return r.asks(whenPhrases) && happened.MatchString(w.text) &&
		!slices.ContainsFunc(r.t.Columns, func(c Column) bool { return c.ordered() && c.Kind != Date })
}

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
var valueWords = setOf("size value level rate amount grosse wert werte stand angabe zahl zahlen anzahl")

// qualifies reports whether a word only says that a value of a named column is asked for, or that the present year is meant.
func (r *reading) qualifies(i int) bool {
	near := func(k int, role role) bool { return k >= 0 && k < len(r.roles) && r.roles[k] == role }
	if w := r.words[i].text; w == "year" || w == "jahr" {
		return i > 0 && slices.Contains([]string{"this", "dieses", "diesem"}, r.words[i-1].text)
	}
	return valueWords[r.words[i].text] && (near(i-1, column) || near(i+1, column) || near(i+1, light) && near(i+2, column))
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
		if _, ok := converted(1, code, c.Unit); ok && c.Unit != "" {
			return true
		}
	}
	return t.around(unit)
}

// around reports whether the text in front of the table has a word.
func (t *Table) around(unit string) bool {
	return slices.ContainsFunc(words(t.Context+" "+t.Caption), func(w word) bool { return w.text == unit })
}
