package eval

import "testing"

// The expected values come from the Python function in sets/README.md.
func TestHasFact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		answer, fact string
		has          bool
	}{
		{"It is 1,600 rows", "1600", true},
		{"It is 1600 rows", "1,600", true},
		{"1,2,3 and", "123", true},
		{"16 MB of memory", "16MB", true},
		{"16\n MB", "16mb", true},
		{"16 MBit", "16mb", false},
		{"16 mb_x", "16mb", false},
		{"use a B-tree index", "btree", true},
		{"a btree", "B-tree", true},
		{"x9 8-k", "8-k", true},
		{"8-k", "8k", false},
		{"set 900", "90", false},
		{"set 90%", "90", true},
		{"set 190", "90", false},
		{"port 5432.", "5432", true},
		{"port 54321", "5432", false},
		{"run psql", "sql", false},
		{"run SQL", "sql", true},
		{"the .pgpass file", "pgpass", true},
		{"the .pgpass file", ".pgpass", true},
		{"x.pgpass", ".pgpass", true},
		{"use -1", "-1", true},
		{"use -10", "-1", false},
		{"a  b\tc", "a b c", true},
		{"5 s later", "5s", true},
		{"5 sec later", "5s", false},
		{"5 min", "5min", true},
		{"5 minutes", "5min", false},
		{"ON_ERROR_STOP", "on_error_stop", true},
		{"xON_ERROR_STOP", "on_error_stop", false},
		{"_ON_ERROR_STOP", "on_error_stop", true},
		{"éabc", "abc", true},
		{"Äbc", "äbc", true},
		{"x²", "2", false},
		{"", "a", false},
		{"a", "a", true},
		{"10 000 kB", "10 000kB", true},
		{"100 ms and", "100ms", true},
		{"100 ms2", "100ms", false},
		{"\\copy x", "\\copy", true},
		{"--jobs=4", "--jobs", true},
		{"a-b-c", "abc", true},
		{"1-a", "1a", false},
		{"two, 3", "two,3", false},
		{"9090", "90", false},
		{"90 9090 90", "90", true},
	} {
		if HasFact(c.answer, c.fact) != c.has {
			t.Errorf("%q in %q: %v", c.fact, c.answer, !c.has)
		}
	}
	if HasFact("a", "") || HasFact("", "") {
		t.Error("an empty fact is there")
	}
}

// Each fact of a set is looked for in each answer and question, most of which do
// not have it. The count is the Python function's.
func TestHasFactOverASet(t *testing.T) {
	t.Parallel()
	questions, err := Load("sets/pgxcode/questions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, q := range questions {
		for _, other := range questions {
			for _, f := range q.Facts {
				count(&n, HasFact(other.Answer+other.Text, f))
			}
		}
	}
	if n != 204 {
		t.Errorf("%d facts found, want 204", n)
	}
}
