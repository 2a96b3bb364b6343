package encoder

import (
	"math"
	"slices"
	"unsafe"
)

// rowStep is the number of rows that a kernel computes at a time. Buffers have as many
// rows more than they need, because kernels write whole steps.
const rowStep = 12

// rowScale says what the quantized values of a row stand for: scale*u + least.
type rowScale struct{ scale, least float32 }

// quantized is a matrix of activations in 8 bits, one scale per row. Each kernel
// chooses how it stores a value.
type quantized struct {
	values []byte
	scales []rowScale
}

// kernel has the operations that take the time. Every kernel quantizes alike and
// adds up integers exactly, so that the vectors of two kernels differ by the
// rounding of float32 only.
type kernel struct {
	name string
	// quantize stores n.gain*x + n.bias in q.
	quantize func(q quantized, x []float32, n norm, rows int)
	// multiply computes c = W q + b. Output n of row r goes to
	// c[n/panel*stride + r*width + n%panel].
	multiply func(c []float32, width, stride int, l *linear, q quantized, rows int)
	// product multiplies float32 matrices: c[rows][panel] = a[rows][k] b[k][panel].
	// k is a multiple of 4. It computes whole steps of rows.
	product func(c []float32, widthC int, a []float32, widthA int, b []float32, k, rows int)
	// softmax replaces rows of p. Their width is a multiple of 32.
	softmax func(p []float32, width, rows int)
	// gelu replaces each element of x. Their number is a multiple of 32.
	gelu func(x []float32)
	// addNorm sets rows of x, each hidden wide, to the layer normalization of
	// x+y, with epsilon. Models of other sizes use the function addNorm.
	addNorm func(x, y []float32, n norm, rows int)
}

// bestKernel returns the fastest kernel that the processor can run.
func bestKernel() (*kernel, bool) {
	all := runnable()
	if len(all) == 0 {
		return nil, false
	}
	return all[0], true
}

// plain is the kernel in Go. It is about a hundred times slower than the others
// and serves to check them.
var plain = &kernel{
	name: "plain", quantize: plainQuantize, multiply: plainMultiply, product: plainProduct,
	softmax: plainSoftmax, gelu: plainGelu, addNorm: plainAddNorm,
}

// levels is the largest quantized value.
const levels = 255

// smallestSpan keeps the scale of a constant row above zero.
const smallestSpan = 1e-20

func plainQuantize(q quantized, x []float32, n norm, rows int) {
	k := len(n.gain)
	row := make([]float32, k)
	for r := range rows {
		for i, v := range x[r*k:][:k] {
			row[i] = v*n.gain[i] + n.bias[i]
		}
		out := q.values[r*k:][:k]
		least, most := slices.Min(row), slices.Max(row)
		span := max(most-least, smallestSpan)
		q.scales[r] = rowScale{span / levels, least}
		for i, v := range row {
			out[i] = byte((v-least)*(levels/span) + .5)
		}
	}
}

func plainMultiply(c []float32, width, stride int, l *linear, q quantized, rows int) {
	for p := range l.out / panel {
		weights := unsafe.Slice(unsafe.StringData(l.weights), len(l.weights))[p*panel*l.in:][:panel*l.in]
		columns := l.columns[3*panel*p:][:3*panel]
		for r := range rows {
			var sums [panel]int32
			row := q.values[r*l.in:][:l.in]
			for k := 0; k < l.in; k += 4 {
				a, w := (*[4]byte)(row[k:]), (*[4 * panel]byte)(weights[k*panel:])
				a0, a1, a2, a3 := int32(a[0]), int32(a[1]), int32(a[2]), int32(a[3])
				for j := range sums {
					sums[j] += a0*int32(int8(w[4*j])) + a1*int32(int8(w[4*j+1])) + a2*int32(int8(w[4*j+2])) + a3*int32(int8(w[4*j+3]))
				}
			}
			scale := q.scales[r]
			out := c[p*stride+r*width:][:panel]
			for j := range out {
				out[j] = float32(sums[j])*columns[j]*scale.scale + columns[panel+j]*scale.least + columns[2*panel+j]
			}
		}
	}
}

func plainProduct(c []float32, widthC int, a []float32, widthA int, b []float32, k, rows int) {
	for r := range rows {
		var sums [panel]float32
		for i, x := range a[r*widthA:][:k] {
			row := (*[panel]float32)(b[i*panel:])
			for j := range sums {
				sums[j] += x * row[j]
			}
		}
		copy(c[r*widthC:], sums[:])
	}
}

func plainSoftmax(p []float32, width, rows int) {
	for r := range rows {
		row := p[r*width:][:width]
		most, sum := slices.Max(row), float32(0)
		for i, x := range row {
			row[i] = float32(math.Exp(float64(x - most)))
			sum += row[i]
		}
		for i := range row {
			row[i] /= sum
		}
	}
}

func plainGelu(x []float32) {
	for i, v := range x {
		x[i] = v * .5 * float32(math.Erfc(-float64(v)/math.Sqrt2))
	}
}

func plainAddNorm(x, y []float32, n norm, rows int) { addNorm(x, y, n, rows, epsilon) }

// addNorm sets rows of x, each as wide as n, to the layer normalization of x+y.
// epsilon is added to the variance before its root is taken.
func addNorm(x, y []float32, n norm, rows int, epsilon float64) {
	width := len(n.gain)
	for r := range rows {
		row, other := x[r*width:][:width], y[r*width:][:width]
		var sum, squares float32
		for i := range row {
			row[i] += other[i]
			sum += row[i]
		}
		mean := sum / float32(width)
		for _, v := range row {
			squares += (v - mean) * (v - mean)
		}
		by := float32(1 / math.Sqrt(float64(squares)/float64(width)+epsilon))
		for i := range row {
			row[i] = (row[i]-mean)*by*n.gain[i] + n.bias[i]
		}
	}
}

// epsilon is that of the built-in model.
const epsilon = 1e-12
