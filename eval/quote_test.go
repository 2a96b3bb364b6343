package eval

import (
	"strings"
	"testing"
)

func TestHoldsQuote(t *testing.T) {
	t.Parallel()
	ten := "one two three four five six seven eight nine ten"
	for _, c := range []struct {
		name, source, passage string
		quote                 string
		file                  string
		holds                 bool
	}{
		{"verbatim", "/m/a.html", "zero " + ten + " eleven", ten, "a.html", true},
		{"white space differs", "/m/a.html", "zero one two\n\tthree  four five six\u00a0seven eight nine ten", ten, "a.html", true},
		{"eight of ten at the cut", "/m/a.html", "three four five six seven eight nine ten eleven", ten, "a.html", true},
		{"seven of ten", "/m/a.html", "four five six seven eight nine ten eleven", ten, "a.html", false},
		{"in order with others between", "/m/a.html", "one two x three four x five six seven x eight", ten, "a.html", true},
		{"not in order", "/m/a.html", "ten nine eight seven six five four three two one", ten, "a.html", false},
		{"long, from another page", "/m/b.html", ten, ten, "a.html", true},
		{"short, in its document", "/m/q.jsonl#en-00-01", "it was 308 points", "308", "en-00-01", true},
		{"short, inside a word", "/m/q.jsonl#en-00-01", "“308,”", "308", "en-00-01", true},
		{"short, in another", "/m/q.jsonl#en-00-02", "it was 308 points", "308", "en-00-01", false},
		{"letter case counts", "/m/a.html", strings.ToUpper(ten), ten, "a.html", false},
	} {
		got := newPassage(c.source, c.passage).has(newQuote(Evidence{File: c.file, Quote: c.quote}))
		if got != c.holds {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestInOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		words, passage string
		n              int
	}{
		{"a b c", "a b c", 3},
		{"a b c", "c b a", 1},
		{"a b a b", "b a b a", 3},
		{"a a a", "a", 1},
		{"a", "a a a", 1},
		{"a b", "", 0},
		{"a b c d", "x a y c z d b", 3},
	} {
		if got := inOrder(strings.Fields(c.words), strings.Fields(c.passage)); got != c.n {
			t.Errorf("%q in %q: %d, want %d", c.words, c.passage, got, c.n)
		}
	}
}

func TestSameFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		source, file string
		same         bool
	}{
		{"/doc/html/app-psql.html", "app-psql.html", true},
		{"/doc/html/xapp-psql.html", "app-psql.html", false},
		{"/pgx/pgconn/pgconn.go", "pgconn/pgconn.go", true},
		{"/pgx/conn.go", "pgconn/conn.go", false},
		{"upload:a.html", "a.html", true},
		{"a.html", "a.html", true},
		{"/x/corpus.jsonl#en-00-01", "en-00-01", true},
		{"/x/corpus.jsonl#xen-00-01", "en-00-01", false},
		{"/x/corpus.jsonl#7", "corpus.jsonl", true},
	} {
		if got := sameFile(c.source, c.file); got != c.same {
			t.Errorf("%s as %s: %v", c.source, c.file, got)
		}
	}
}
