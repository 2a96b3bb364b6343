package eval_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"docent/eval"
)

func TestFitLogistic(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	want := eval.Logistic{Bias: .5, Weights: []float64{3, -2}}
	var rows [][]float64
	var positive []bool
	positives := 0
	for range 10_000 {
		row := []float64{random.Float64()*2 - 1, random.Float64()*4 - 2, 7} // the last feature is constant
		p := 1 / (1 + math.Exp(-(want.Bias + want.Weights[0]*row[0] + want.Weights[1]*row[1])))
		rows, positive = append(rows, row), append(positive, random.Float64() < p)
		if positive[len(positive)-1] {
			positives++
		}
	}
	got := eval.FitLogistic(rows, positive)
	// The fit is for equal classes, so the bias changes by the odds of the sample.
	bias := want.Bias - math.Log(float64(positives)/float64(len(rows)-positives))
	for name, pair := range map[string][2]float64{
		"first": {got.Weights[0], 3}, "second": {got.Weights[1], -2}, "constant": {got.Weights[2], 0}, "bias": {got.Bias, bias},
	} {
		if math.Abs(pair[0]-pair[1]) > .3 {
			t.Errorf("%s: got %.3f, want %.3f", name, pair[0], pair[1])
		}
	}
	if p := got.Probability([]float64{1, -2, 7}); p < .99 {
		t.Errorf("probability %v", p)
	}
	if got := eval.FitLogistic(nil, nil); got.Bias != 0 || len(got.Weights) != 0 {
		t.Errorf("without rows: %+v", got)
	}
}
