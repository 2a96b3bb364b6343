package pipeline

import (
	"bufio"
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"docent/rag"
	"docent/rag/retrieve"
	"docent/rag/text"
)

// labeled is a labeled pair of a passage and a sentence.
type labeled struct {
	PassageID string `json:"passage_id"`
	Passage   string
	Sentence  string
	Label     string
}

// readPairs reads the n labeled pairs of a set.
func readPairs(t *testing.T, set string, n int) []labeled {
	t.Helper()
	f, err := os.Open("../../eval/sets/" + set + "/support.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []labeled
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var p labeled
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	if err := lines.Err(); err != nil || len(out) != n {
		t.Fatalf("%d pairs, %v", len(out), err)
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

// notSupported returns precision, recall, and F1 of the mark None as a
// prediction of the label "not".
func (m matrix) notSupported() (precision, recall, f float64) {
	predicted, actual := 0, 0
	for label, row := range m {
		predicted += row[rag.None]
		for _, n := range row {
			if label == "not" {
				actual += n
			}
		}
	}
	hits := float64(m["not"][rag.None])
	return hits / float64(predicted), hits / float64(actual), 2 * hits / float64(predicted+actual)
}

// mark returns the mark of the pair's sentence.
func (p labeled) mark() rag.Support {
	return newChecker(testStatic, []retrieve.Result{passage(1, "", "", p.Passage)}).support(p.Sentence, []int{1})
}

// TestSupportSet holds the quality of the marks on the labeled pairs. Half of
// the passages of the set postfix, those with odd numbers, tuned the rules. The
// set sentences tuned nothing.
func TestSupportSet(t *testing.T) {
	t.Parallel()
	sets := map[string]matrix{"odd": {}, "even": {}, "all": {}, "sentences": {}}
	for _, p := range readPairs(t, "postfix", 200) {
		mark, half := p.mark(), "even"
		if p.odd(t) {
			half = "odd"
		}
		sets[half].add(p.Label, mark)
		sets["all"].add(p.Label, mark)
	}
	for _, p := range readPairs(t, "sentences", 80) {
		sets["sentences"].add(p.Label, p.mark())
	}
	for set, least := range map[string]float64{"odd": .62, "even": .7, "all": .66, "sentences": .5} {
		m := sets[set]
		for _, label := range []string{"supported", "partly", "not"} {
			t.Logf("%-9s %-9s strong %3d weak %3d none %3d", set, label, m[label][rag.Strong], m[label][rag.Weak], m[label][rag.None])
		}
		precision, recall, f := m.notSupported()
		t.Logf("%-9s precision %.3f recall %.3f F1 %.3f", set, precision, recall, f)
		if f < least {
			t.Errorf("F1 of the %s pairs is %.3f, want at least %.3f", set, f, least)
		}
	}
	if wrong := sets["all"]["supported"][rag.None]; wrong > 5 {
		t.Errorf("%d supported sentences are marked as not supported, want at most 5", wrong)
	}
}

// TestSupportOfPassages: a passage supports its own sentences.
func TestSupportOfPassages(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	marks := map[rag.Support]int{}
	for _, p := range readPairs(t, "postfix", 200) {
		if seen[p.PassageID] {
			continue
		}
		seen[p.PassageID] = true
		c := newChecker(testStatic, []retrieve.Result{passage(1, "", "", p.Passage)})
		for _, s := range text.Sentences(p.Passage, false) {
			marks[c.support(p.Passage[s.Start:s.End], []int{1})]++
		}
	}
	if marks[rag.Strong] < 348 || marks[rag.None] > 0 {
		t.Errorf("the marks of the passages' own sentences are %v", marks)
	}
}
