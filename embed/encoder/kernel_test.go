package encoder

import (
	"math"
	"math/rand/v2"
	"testing"
)

func randomFloats(r *rand.Rand, n int, width float32) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = (r.Float32() - .5) * width
	}
	return out
}

// near compares what two kernels computed.
func near(t *testing.T, what string, got, want []float32, tolerance float64) {
	t.Helper()
	for i := range want {
		if d := math.Abs(float64(got[i] - want[i])); !(d <= tolerance*(1+math.Abs(float64(want[i])))) {
			t.Fatalf("%s: element %d is %g, want %g", what, i, got[i], want[i])
		}
	}
}

// TestKernelsAgree compares each kernel of this processor with the plain one.
func TestKernelsAgree(t *testing.T) {
	t.Parallel()
	m, err := loadModel()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range runnable() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			for _, rows := range []int{1, 4, 5, 12, 13} {
				r := rand.New(rand.NewPCG(uint64(rows), 7))
				agreeOnRows(t, k, &m.layers[1], r, rows)
				for _, n := range []int{4, 32, 128} {
					agreeOnProduct(t, k, r, rows, n)
				}
			}
		})
	}
}

// agreeOnRows compares the functions over the rows of a layer.
func agreeOnRows(t *testing.T, k *kernel, l *layer, r *rand.Rand, rows int) {
	const slack = rowStep
	for _, matrix := range []*linear{&l.qkv, &l.down} {
		x := randomFloats(r, rows*matrix.in, 6)
		clear(x[:matrix.in]) // a row of equal values
		var out [2][]float32
		for i, kernel := range []*kernel{k, plain} {
			q := quantized{make([]byte, 2*(rows+slack)*matrix.in), make([]rowScale, rows+slack)}
			out[i] = make([]float32, (rows+slack)*matrix.out)
			kernel.quantize(q, x, matrix.inputs, rows)
			kernel.multiply(out[i], matrix.out, panel, matrix, q, rows)
		}
		// A value between two levels may be rounded either way.
		near(t, "multiply", out[0][:rows*matrix.out], out[1][:rows*matrix.out], 2e-2)
	}
	x, y := randomFloats(r, rows*hidden, 6), randomFloats(r, rows*hidden, 6)
	want := append([]float32(nil), x...)
	k.addNorm(x, y, l.afterUp, rows)
	plain.addNorm(want, y, l.afterUp, rows)
	near(t, "addNorm", x, want, 1e-5)

	x = randomFloats(r, rows*wide, 20)
	want = append([]float32(nil), x...)
	k.gelu(x)
	plain.gelu(want)
	near(t, "gelu", x, want, 1e-6)

	for _, width := range []int{32, 96, 256} {
		x = randomFloats(r, rows*width, 30)
		for i := range rows {
			x[i*width+width-1] = masked
		}
		want = append([]float32(nil), x...)
		k.softmax(x, width, rows)
		plain.softmax(want, width, rows)
		near(t, "softmax", x, want, 1e-6)
	}
}

func agreeOnProduct(t *testing.T, k *kernel, r *rand.Rand, rows, n int) {
	a, b := randomFloats(r, (rows+rowStep)*n, 2), randomFloats(r, n*panel, 2)
	got, want := make([]float32, (rows+rowStep)*panel), make([]float32, rows*panel)
	k.product(got, panel, a, n, b, n, rows)
	plain.product(want, panel, a, n, b, n, rows)
	near(t, "product", got, want, 1e-4)
}
