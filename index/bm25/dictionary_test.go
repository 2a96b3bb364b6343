package bm25

import (
	"slices"
	"strings"
	"testing"
)

func TestDictionary(t *testing.T) {
	t.Parallel()
	var d dictionary
	var all []string
	for i := range 5000 {
		term := strings.Repeat("ab", i%7) + string(rune('a'+i%26)) + strings.Repeat("z", i/50)
		if _, ok := d.find(term); ok != slices.Contains(all, term) {
			t.Fatalf("%q found: %v", term, ok)
		}
		if _, ok := d.find(term); !ok {
			if n := d.add(term); int(n) != len(all) {
				t.Fatalf("%q has number %d, want %d", term, n, len(all))
			}
			all = append(all, term)
		}
	}
	for n, term := range all {
		if got, ok := d.find(term); !ok || int(got) != n || string(d.term(got)) != term {
			t.Fatalf("%q is %d (%v), want %d", term, got, ok, n)
		}
	}
}
