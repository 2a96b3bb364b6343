package corpus_test

import (
	"fmt"
	"strings"
	"testing"

	"docent/rag/corpus"
)

// TestCompare: a version has the texts that were added and removed, in bounds.
func TestCompare(t *testing.T) {
	t.Parallel()
	row := func(n int) string { return fmt.Sprintf("row %d of a long table with some words", n) }
	var table []string
	for i := range 100 {
		table = append(table, row(i))
	}
	long := strings.Join(table, "\n")
	for _, c := range []struct{ name, before, after, want string }{
		{"equal", "A\n\nB", "A\n\nB\n", "0 0 []"},
		{"wrapped and moved", "one two\n\nB", "B\n\none\ntwo", "0 0 []"},
		{"a paragraph", "A\n\nold\n\nB", "A\n\nnew\n\nB", "1 1 [{false old} {true new}]"},
		{"twice instead of once", "A", "A\n\nA", "1 0 [{true A}]"},
		{"a row", long, strings.Replace(long, row(50), "changed", 1), "1 1 [{false " + row(50) + "} {true changed}]"},
	} {
		v := corpus.Compare(c.before, c.after)
		if got := fmt.Sprint(v.Added, v.Removed, v.Edits); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	many := corpus.Compare("", strings.Repeat("ä"+strings.Repeat("é", 400)+"\n\n", 100)+long)
	bytes := 0
	for _, e := range many.Edits {
		if bytes += len(e.Text); strings.ContainsRune(e.Text, '�') {
			t.Errorf("a cut letter in %q", e.Text)
		}
	}
	if many.Added != 200 || len(many.Edits) > 20 || bytes > 4200 || bytes < 3000 {
		t.Errorf("%d added, %d kept with %d bytes", many.Added, len(many.Edits), bytes)
	}
}
