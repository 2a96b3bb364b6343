package hub

import (
	"math"
	"testing"

	"docent/embed/encoder"
)

// TestCalibration: the constants are those of the built-in encoder.
func TestCalibration(t *testing.T) {
	t.Parallel()
	if _, ok := encoder.Available(); !ok {
		return // too slow on such a processor
	}
	e, err := encoder.New(encoder.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var vectors [2][][]float32
	for _, s := range samples {
		for i, texts := range [][]string{{s.question}, s.sentences} {
			v, err := e.EmbedDocuments(t.Context(), texts)
			if err != nil {
				t.Fatal(err)
			}
			vectors[i] = append(vectors[i], v...)
		}
	}
	mean, deviation := spread(vectors[0], vectors[1])
	if math.Abs(mean-builtInMean) > .005 || math.Abs(deviation-builtInDeviation) > .005 {
		t.Errorf("mean %.3f, deviation %.3f", mean, deviation)
	}
}
