package table

import (
	"slices"
	"strings"
)

// states are groups of words for the same state of a thing.
var states = [][]string{
	{"rejected", "declined", "denied", "refused", "abgelehnt", "verweigert"},
	{"approved", "accepted", "granted", "genehmigt", "bewilligt"},
	{"pending", "outstanding", "unresolved", "unpaid", "ausstehend", "offen", "unbezahlt"},
	{"paid", "settled", "reimbursed", "bezahlt", "gezahlt", "ausgezahlt", "ausbezahlt", "uberwiesen", "beglichen", "erstattet"},
	{"cancelled", "canceled", "storniert", "abgesagt"},
	{"shipped", "dispatched", "versandt", "verschickt"},
	{"broken", "defective", "faulty", "defekt", "kaputt"},
}

// sameState reports whether a cell and a word of a question say the same state in other words.
func (w word) sameState(cell word) bool {
	return slices.ContainsFunc(states, func(group []string) bool {
		return inGroup(group, w) && inGroup(group, cell)
	})
}

// inGroup reports whether a word is one of a group, also with the ending of a German adjective.
func inGroup(group []string, w word) bool {
	return slices.ContainsFunc(group, func(s string) bool {
		rest, ok := strings.CutPrefix(w.text, s)
		return ok && (rest == "" || slices.Contains([]string{"e", "er", "es", "en", "em"}, rest))
	})
}
