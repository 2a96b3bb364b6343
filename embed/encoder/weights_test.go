package encoder

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// TestQuantizeMatrix multiplies in int8 and in float32.
func TestQuantizeMatrix(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	random := func(n int) []float32 {
		out := make([]float32, n)
		for i := range out {
			out[i] = float32(r.NormFloat64())
		}
		return out
	}
	const in, out = 64, 2 * panel
	first, second := Matrix{random(in * panel), random(panel)}, Matrix{random(in * panel), random(panel)}
	l := quantizeMatrix(in, [3]float32{.5, 1}, first, second)
	x, got := random(in), make([]float32, out)
	q := quantized{values: make([]byte, in), scales: make([]rowScale, 1)}
	plain.quantize(q, x, l.inputs, 1)
	plain.multiply(got, out, panel, &l, q, 1)
	for n := range out {
		m, factor := first, float32(.5)
		if n >= panel {
			m, factor = second, 1
		}
		want := m.Bias[n%panel]
		for i, w := range m.Weights[n%panel*in:][:in] {
			want += w * x[i]
		}
		if want *= factor; math.Abs(float64(got[n]-want)) > .2 {
			t.Errorf("output %d is %g, want %g", n, got[n], want)
		}
	}
}

func TestInvalidWeights(t *testing.T) {
	t.Parallel()
	start := Norm{make([]float32, Width), make([]float32, Width)}
	w := Weights{Shape: BuiltIn, Places: make([]float32, MaxTokens*Width), Start: start, Layers: 1}
	w.Layer = func(int) (Layer, error) { return Layer{}, nil }
	if _, err := NewFrom(w, Config{AllowPlain: true}); err == nil {
		t.Error("an empty layer fits")
	}
	w.Places = nil
	if _, err := NewFrom(w, Config{AllowPlain: true}); err == nil || errors.Is(err, ErrUnavailable) {
		t.Errorf("no places: %v", err)
	}
}
