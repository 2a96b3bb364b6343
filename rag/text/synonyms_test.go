package text

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestGermanSynonyms(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{"kaputt": "defekt", "runtergeladen": "herunterladen", "Rechner": "computer"} {
		if got := GermanSynonyms(word); !slices.Contains(got, want) {
			t.Errorf("%s: got %v", word, got)
		}
	}
	for _, word := range []string{"und", "xyzzy", ""} {
		if got := GermanSynonyms(word); got != nil {
			t.Errorf("%q: got %v", word, got)
		}
	}
}

// TestSynonymGroups: each group has several words in small letters, and no word stands in many groups.
func TestSynonymGroups(t *testing.T) {
	t.Parallel()
	groups := map[string]int{}
	for line := range strings.Lines(germanSynonyms) {
		words := strings.Fields(line)
		if len(words) < 2 || len(words) > 8 {
			t.Errorf("%q has %d words", line, len(words))
		}
		for _, w := range words {
			if groups[w]++; groups[w] > 2 || w != strings.ToLower(w) || utf8.RuneCountInString(w) < 3 {
				t.Errorf("%q in %q", w, line)
			}
		}
	}
}
