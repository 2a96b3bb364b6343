package embed

import (
	"math"
	"testing"
)

func TestWeightIsWhatMeanCounts(t *testing.T) {
	t.Parallel()
	s, err := NewStatic()
	if err != nil {
		t.Fatal(err)
	}
	ids := s.Tokenize("the weather")
	want, got := make([]float32, s.Dimensions()), make([]float32, s.Dimensions())
	s.Mean(want, ids)
	one := make([]float32, s.Dimensions())
	for _, id := range ids {
		s.Mean(one, []uint16{id})
		for i, v := range one {
			got[i] += v * s.Weight(id)
		}
	}
	length := float32(math.Sqrt(float64(Dot(got, got))))
	for i := range got {
		if math.Abs(float64(got[i]/length-want[i])) > 1e-5 {
			t.Fatalf("dimension %d is %g, want %g", i, got[i]/length, want[i])
		}
	}
	if s.Weight(ids[0]) >= s.Weight(ids[1]) {
		t.Errorf("%q counts more than %q", s.Token(ids[0]), s.Token(ids[1]))
	}
}
