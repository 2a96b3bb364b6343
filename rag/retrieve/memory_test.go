package retrieve

import (
	"testing"

	"docent/rag/corpus"
)

// A document may have chunks with and without vectors.
func TestMeanOfSomeVectors(t *testing.T) {
	t.Parallel()
	rows := []*Row{{}, {Vector: []float32{1, 0}}, {}, {Vector: []float32{0, 1}}, {Vector: []float32{9}}}
	var d RowDocument
	d.SetMean(rows[:4])
	if len(d.Mean) != 2 || d.Mean[0] != d.Mean[1] || d.Mean[0] < .7 || d.Mean[0] > .71 {
		t.Errorf("the mean is %v", d.Mean)
	}
	d.SetMean(rows[:1])
	if d.Mean != nil {
		t.Errorf("without vectors it is %v", d.Mean)
	}
	if k := kinds[kindNumber("unknown")]; k != corpus.Prose {
		t.Errorf("an unknown kind is taken for %s", k)
	}
}
