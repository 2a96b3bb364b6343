package evidence

import (
	"strings"
	"testing"

	"docent/rag/text"
)

// TestPositions: the place of a word tells whether it may name a subject.
func TestPositions(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		question, word string
		verb, noun     bool
	}{
		{"how do I descale the boiler", "descale", true, false},
		{"how do I descale the boiler", "boiler", false, true},
		{"my shoes are falling apart", "apart", false, false},
		{"do contractors get leave", "contractors", false, true},
		{"mileage allowance", "mileage", false, true},
		{"das blatt steckt im drucker fest", "drucker", false, true},
		{"hab den drucker aus versehen gestartet", "gestartet", true, true},
		{"how do I open the Heron", "Heron", false, true},
	} {
		q := readQuestion(row.question, nil)
		at := strings.Index(row.question, row.word)
		term := text.Weighted{Stem: row.word, Start: at, End: at + len(row.word)}
		if verb, noun := q.isVerb(term), q.isNoun(term); verb != row.verb || noun != row.noun {
			t.Errorf("%s in %q: verb %v, noun %v", row.word, row.question, verb, noun)
		}
	}
}
