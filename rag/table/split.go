package table

import (
	"slices"
	"strings"
	"unicode"
)

// minCompound is the minimum length of a German compound in a question that is split.
const minCompound = 9

// operationParts are the first parts of compounds that ask for an operation, such as "Gesamtpreis", with the words that they mean.
var operationParts = []struct{ part, word string }{{"durchschnitts", "durchschnitt"}, {"gesamt", "gesamt"}}

// links are the letters between the parts of a compound.
var links = []string{"", "s", "n", "en", "es"}

// splitter splits the compounds of questions on a table.
type splitter struct{ *Table }

// split splits German compounds that the table does not have as a whole: "Gesamtertrag" into an operation and a column, and
// "Dieselfahrzeuge" into a cell and a known word.
func (t splitter) split(list []word) []word {
	list = t.joined(list)
	var out []word
	for i, w := range list {
		if w.text == "free" && i > 0 && t.knows(list[i-1]) { // sugar-free
			out = slices.Insert(out, len(out)-1, newWord("without"))
			continue
		}
		soldOut := w.text == "out" && i > 0 && list[i-1].text == "sold"
		if soldOut || w.text == "ausverkauft" || w.text == "vergriffen" {
			if soldOut {
				out = out[:len(out)-1]
			}
			out = append(out, newWord("without"), newWord("stock"))
			continue
		}
		if w.text == "lager" && i > 0 && list[i-1].text == "auf" && !t.has(w) { // in stock
			w = newWord("bestand")
		}
		out = append(out, t.splitWord(w)...)
	}
	return out
}

// taxed replaces "including VAT" by "gross", and "without VAT" by "net", if the table has such a column.
func (t splitter) taxed(list []word) []word {
	var out []word
	for i := 0; i < len(list); i++ {
		as := ""
		if i+1 < len(list) && slices.Contains(list[i+1].concepts(), "tax") {
			switch {
			case includingWords[list[i].text]:
				as = "gross"
			case excludingWords[list[i].text]:
				as = "net"
			}
		}
		if as != "" && slices.ContainsFunc(t.Columns, func(c Column) bool { return slices.Contains(c.named, as) }) {
			out = append(out, newWord(as))
			i++
			continue
		}
		out = append(out, list[i])
	}
	return out
}

var (
	includingWords = setOf("incl including inclusive with inkl inklusive mit einschliesslich")
	excludingWords = setOf("excl excluding exclusive without before exkl exklusive ohne vor zzgl")
)

// joined joins two words that the table writes as one, such as "noble gases" for "Noblegas".
func (t splitter) joined(list []word) []word {
	var out []word
	for i := 0; i < len(list); i++ {
		if i+1 < len(list) && len(list[i].text) >= minPart && len(list[i+1].text) >= minPart && !list[i].isStop() && !t.has(list[i]) {
			if both := newWord(list[i].text + list[i+1].text); t.has(both) && !t.has(list[i+1]) {
				out = append(out, both)
				i++
				continue
			}
		}
		out = append(out, list[i])
	}
	return out
}

// spelled returns a word with umlauts that the user wrote as two letters, if the table has that word.
func (t splitter) spelled(w word) word {
	if t.has(w) {
		return w
	}
	if plain := newWord(untranscribed.Replace(w.text)); plain.text != w.text && (t.has(plain) || t.knows(plain)) {
		return plain
	}
	if near, ok := t.misspelled(w); ok {
		return near
	}
	return w
}

// minSpelled is the minimum length of a misspelled word, in letters.
const minSpelled = 6

// misspelled returns the only word of the table that differs from an unknown word in one letter.
func (t splitter) misspelled(w word) (word, bool) {
	other := func(r rune) bool { return !unicode.IsLetter(r) }
	if len(w.text) < minSpelled || strings.ContainsFunc(w.text, other) || w.isStop() || t.knows(w) {
		return word{}, false
	}
	var found []word
	add := func(own word) {
		if len(own.text) >= minSpelled && own.text[0] == w.text[0] && oneEdit(own.text, w.text) && !slices.ContainsFunc(found,
			func(f word) bool { return f.text == own.text }) {
			found = append(found, own)
		}
	}
	for _, col := range t.Columns {
		for _, h := range col.words() {
			add(h)
		}
		for _, p := range col.index {
			add(p.word)
		}
	}
	if len(found) != 1 {
		return word{}, false
	}
	return found[0], true
}

// oneEdit reports whether two texts differ in one inserted or replaced letter, or in two letters that changed places.
func oneEdit(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(b) && a[i] == b[i] {
		i++
	}
	switch len(a) - len(b) {
	case 1:
		return a[i+1:] == b[i:]
	case 0:
		return i < len(a) && (a[i+1:] == b[i+1:] || i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:])
	}
	return false
}

// untranscribed removes the second letters of umlauts.
var untranscribed = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u")

// free are the endings of "zuckerfrei", which means without sugar.
var free = []string{"frei", "freie", "freien", "freier", "freies", "freiem"}

// without returns the first part of such a word, if it names a column.
func (t splitter) without(w word) (word, bool) {
	for _, ending := range free {
		part, ok := strings.CutSuffix(w.text, ending)
		if noun := newWord(part); ok && len(part) >= minPart &&
			slices.ContainsFunc(t.Columns, func(c Column) bool { return c.strength(noun) >= byConcept }) {
			return noun, true
		}
	}
	return word{}, false
}

// has reports whether a column or a cell has a word.
func (t splitter) has(w word) bool {
	for c, col := range t.Columns {
		if col.strength(w) >= byCompound || len(inCells(t.Table, c, w)) > 0 {
			return true
		}
	}
	return false
}

func (t splitter) splitWord(w word) []word {
	w = t.spelled(w)
	whole := []word{w}
	if len(w.text) < minCompound || strings.ContainsFunc(w.text, func(r rune) bool { return !unicode.IsLetter(r) }) || w.isStop() {
		return whole
	}
	if t.has(w) {
		return whole
	}
	if noun, ok := t.without(w); ok {
		return []word{newWord("ohne"), noun}
	}
	for _, o := range operationParts {
		if rest, ok := strings.CutPrefix(w.text, o.part); ok && len(rest) >= minPart {
			return []word{newWord(o.word), newWord(rest)}
		}
	}
	if first, ok := strings.CutSuffix(w.text, "summe"); ok && t.knows(newWord(strings.TrimSuffix(first, "s"))) { // "Lohnsumme"
		return []word{newWord("summe"), newWord(strings.TrimSuffix(first, "s"))}
	}
	if w.concepts() != nil {
		return whole
	}
	for _, col := range t.Columns {
		for _, p := range col.index {
			rest, ok := strings.CutPrefix(w.text, p.word.text)
			if !ok || len(p.word.text) < minPart {
				continue
			}
			for _, link := range links {
				if end, ok := strings.CutPrefix(rest, link); ok && len(end) >= minPart && t.knows(newWord(end)) {
					return []word{p.word, newWord(end)}
				}
			}
		}
	}
	return whole
}

// knows reports whether a word names a column or a known kind of column.
func (t splitter) knows(w word) bool {
	return w.concepts() != nil || slices.ContainsFunc(t.Columns, func(c Column) bool { return c.strength(w) >= byWord })
}
