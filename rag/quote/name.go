package quote

import (
	"strings"

	"docent/internal/lazyregexp"
)

// name matches an identifier. A quote must show it exactly.
var name = lazyregexp.New(`\$?[A-Za-z]\w*_\w+|\b[A-Z]{3,}\b|--[a-z][\w-]+|\b[A-Za-z]?[a-z]+[A-Z]\w+|\b[a-z]\w+\(|\b[a-z]+\.[a-z]+[\w.]*\w`)

// namesIn returns the identifiers of a text except those in the question, which
// has the form of plainWordsOf.
func namesIn(s, question string) map[string]bool {
	out := map[string]bool{}
	for _, n := range name.FindAllString(s, -1) {
		if !strings.Contains(question, strings.TrimSuffix(plainWordsOf(n), " ")+" ") {
			out[strings.ToLower(n)] = true
		}
	}
	return out
}
