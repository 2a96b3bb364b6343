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
	var out []word
	for _, w := range list {
		out = append(out, t.splitWord(w)...)
	}
	return out
}

func (t splitter) splitWord(w word) []word {
	whole := []word{w}
	if len(w.text) < minCompound || strings.ContainsFunc(w.text, func(r rune) bool { return !unicode.IsLetter(r) }) || w.isStop() {
		return whole
	}
	for c, col := range t.Columns {
		if col.strength(w) >= byCompound || len(t.inCells(c, w)) > 0 {
			return whole
		}
	}
	for _, o := range operationParts {
		if rest, ok := strings.CutPrefix(w.text, o.part); ok && len(rest) >= minPart {
			return []word{newWord(o.word), newWord(rest)}
		}
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
