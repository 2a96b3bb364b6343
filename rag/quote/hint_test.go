package quote

import "testing"

func TestAsksForWords(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]bool{
		"Is the cache on by default?":    true,
		"can users insert through it?":   true,
		"What is a passage?":             true,
		"Warum ist die Datei leer?":      true,
		"how do I list documents in Go?": false,
		"example of a view":              false,
		"wie liste ich Dokumente auf?":   false,
		"isolation level syntax":         false,
	} {
		if got := asksForWords.MatchString(question); got != want {
			t.Errorf("%q: %v, want %v", question, got, want)
		}
	}
}
