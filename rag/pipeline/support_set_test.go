package pipeline

import (
	"bufio"
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"docent/rag"
	"docent/rag/retrieve"
)

// labeled is a labeled pair of a passage and a sentence.
type labeled struct {
	PassageID string `json:"passage_id"`
	Passage   string
	Sentence  string
	Label     string
	Change    string
}

// readPairs reads the labeled pairs.
func readPairs(t *testing.T) []labeled {
	t.Helper()
	f, err := os.Open("../../eval/sets/postfix/support.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []labeled
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var p labeled
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// odd reports whether the pair belongs to the half that the rules were tuned on.
func (p labeled) odd(t *testing.T) bool {
	t.Helper()
	n, err := strconv.Atoi(p.PassageID[1:])
	if err != nil {
		t.Fatal(err)
	}
	return n%2 == 1
}

// matrix counts pairs by label and mark.
type matrix map[string]map[rag.Support]int

func (m matrix) add(label string, mark rag.Support) {
	if m[label] == nil {
		m[label] = map[rag.Support]int{}
	}
	m[label][mark]++
}

// f1 returns precision, recall, and F1 for the label "not", as predicted by the
// given marks.
func (m matrix) f1(marks ...rag.Support) (precision, recall, f float64) {
	var hits, predicted, actual int
	for label, row := range m {
		for mark, n := range row {
			said := false
			for _, k := range marks {
				said = said || k == mark
			}
			if said {
				predicted += n
			}
			if label == "not" {
				actual += n
			}
			if said && label == "not" {
				hits += n
			}
		}
	}
	precision, recall = float64(hits)/float64(max(1, predicted)), float64(hits)/float64(max(1, actual))
	return precision, recall, 2 * float64(hits) / float64(max(1, predicted+actual))
}

// TestSupportSet measures the marks on the labeled pairs. The mark None
// predicts the label "not".
func TestSupportSet(t *testing.T) {
	t.Parallel()
	halves := map[string]matrix{"odd": {}, "even": {}, "all": {}}
	for _, p := range readPairs(t) {
		c := newChecker(testStatic, []retrieve.Result{passage(1, "", "", p.Passage)})
		mark := c.support(p.Sentence, []int{1})
		half := "even"
		if p.odd(t) {
			half = "odd"
			if os.Getenv("SHOW") != "" {
				var rules []string
				for _, cl := range clauses(p.Sentence) {
					rules = append(rules, c.conflict(cl, []int{1}))
				}
				t.Logf("%s/%s %s %q %s", p.Label, p.Change, mark, rules, p.Sentence)
			}
		}
		halves[half].add(p.Label, mark)
		halves["all"].add(p.Label, mark)
	}
	for _, half := range []string{"odd", "even", "all"} {
		m := halves[half]
		for _, label := range []string{"supported", "partly", "not"} {
			t.Logf("%-5s %-9s strong %3d weak %3d none %3d", half, label, m[label][rag.Strong], m[label][rag.Weak], m[label][rag.None])
		}
		precision, recall, f := m.f1(rag.None)
		t.Logf("%-5s none is not: precision %.2f recall %.2f F1 %.3f", half, precision, recall, f)
		precision, recall, f = m.f1(rag.None, rag.Weak)
		t.Logf("%-5s weak and none are not: precision %.2f recall %.2f F1 %.3f", half, precision, recall, f)
	}
}
