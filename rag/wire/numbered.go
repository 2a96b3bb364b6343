package wire

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"docent/payload"
	"docent/rag/text"
)

// Numbered is an answer as people read it: the passages stand, and are numbered,
// in the order in which it first cites them, and those that it does not cite
// after them. Its passages are otherwise in the order in which they were found,
// and the first that it cites may be number 2. An answer of "I don't know" stays
// as it is.
func Numbered(m payload.RAGMessage) payload.RAGMessage {
	if m.Abstained {
		return m
	}
	order := text.Marked(m.Answer, len(m.Docs))
	if slices.IsSorted(order) && len(order) > 0 && order[len(order)-1] == len(order) || len(order) == 0 {
		return m
	}
	for n := 1; n <= len(m.Docs); n++ {
		if !slices.Contains(order, n) {
			order = append(order, n)
		}
	}
	number := make(map[int]int, len(order)) // by the old one
	docs := make([]payload.RAGDoc, len(order))
	for i, n := range order {
		number[n], docs[i] = i+1, m.Docs[n-1]
	}
	m.Docs = docs
	var ends []shift
	m.Answer, ends = renumber(m.Answer, number)
	sentences := make([]payload.RAGSentence, len(m.Sentences))
	for i, s := range m.Sentences {
		s.Start, s.End = moved(s.Start, ends), moved(s.End, ends)
		s.Docs = slices.Clone(s.Docs)
		for k, n := range s.Docs {
			s.Docs[k] = cmp.Or(number[n], n)
		}
		sentences[i] = s
	}
	m.Sentences = sentences
	return m
}

// shift says that what is behind a place of a text moved by so many bytes.
type shift struct{ behind, by int }

// renumber gives the markers of an answer new numbers, and says what moved.
// Numbers without a new one stay.
func renumber(s string, number map[int]int) (string, []shift) {
	var b strings.Builder
	var shifts []shift
	at := 0
	for m := range text.MarkersIn(s) {
		b.WriteString(s[at:m.Start])
		at = m.End
		for _, n := range m.Docs {
			b.WriteString("[" + strconv.Itoa(cmp.Or(number[n], n)) + "]")
		}
		shifts = append(shifts, shift{at, b.Len() - at})
	}
	b.WriteString(s[at:])
	return b.String(), shifts
}

// moved is where a place of a text is after the shifts, which are in order.
func moved(at int, shifts []shift) int {
	by := 0
	for _, s := range shifts {
		if s.behind > at {
			break
		}
		by = s.by
	}
	return at + by
}
