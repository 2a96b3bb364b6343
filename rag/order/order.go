// Package order orders the passages of an answer for readers.
package order

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"docent/payload"
	"docent/rag/text"
)

// ByCitation orders the passages of an answer by their first citation and
// numbers them anew. Uncited passages follow. An answer that abstains does not
// change.
func ByCitation(m payload.RAGMessage) payload.RAGMessage {
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

// Numbered numbers the passages that a text cites by their first citation. It gives the beginning of an answer the
// numbers of [ByCitation].
func Numbered(s string) string {
	number := map[int]int{}
	for i, n := range text.Marked(s, math.MaxInt) {
		number[n] = i + 1
	}
	numbered, _ := renumber(s, number)
	return numbered
}

// shift says that the text behind an offset moved by a number of bytes.
type shift struct{ behind, by int }

// renumber gives the markers of an answer new numbers and returns the shifts.
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

// moved returns an offset after the shifts, which are in order.
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
