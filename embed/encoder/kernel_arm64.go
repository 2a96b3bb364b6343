package encoder

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// runnable returns the kernels that this processor can run.
func runnable() []*kernel {
	if cpu.ARM64.HasASIMDDP {
		return []*kernel{neon}
	}
	return nil
}

// neonRows and neonColumns are the size of the part of a matrix that one call
// computes.
const (
	neonRows    = 4
	neonColumns = 16
)

var neon = &kernel{
	name: "neon",
	quantize: func(q quantized, x []float32, n norm, rows int) {
		k := len(n.gain)
		_, _, _ = q.values[rows*k-1], x[rows*k-1], q.scales[rows-1]
		quantizeNEON(&q.values[0], &q.scales[0], &x[0], &n.gain[0], &n.bias[0], k, rows, &constants)
	},
	multiply: func(c []float32, width, stride int, l *linear, q quantized, rows int) {
		weights := unsafe.Slice(unsafe.StringData(l.weights), len(l.weights))
		for p := range l.out / panel {
			for r := 0; r < rows; r += neonRows {
				for j := 0; j < panel; j += neonColumns {
					out := c[p*stride+r*width+j:]
					_ = out[(neonRows-1)*width+neonColumns-1]
					multiply4x16(&out[0], 4*width, &q.values[r*l.in], l.in, &weights[p*panel*l.in+4*j], l.in,
						&l.columns[3*panel*p+j], &l.sums[panel*p+j], &q.scales[r])
				}
			}
		}
	},
	product: func(c []float32, widthC int, a []float32, widthA int, b []float32, k, rows int) {
		_ = b[k*panel-1]
		for r := 0; r < rows; r += neonRows {
			for j := 0; j < panel; j += neonColumns {
				out, in := c[r*widthC+j:], a[r*widthA:]
				_, _ = out[(neonRows-1)*widthC+neonColumns-1], in[(neonRows-1)*widthA+k-1]
				product4x16(&out[0], 4*widthC, &in[0], 4*widthA, &b[j], k)
			}
		}
	},
	softmax: func(p []float32, width, rows int) {
		_ = p[rows*width-1]
		softmaxNEON(&p[0], width, rows, &constants)
	},
	gelu: func(x []float32) { geluNEON(&x[0], len(x), &constants) },
	addNorm: func(x, y []float32, n norm, rows int) {
		_, _ = x[rows*hidden-1], y[rows*hidden-1]
		addNormNEON(&x[0], &y[0], &n.gain[0], &n.bias[0], rows)
	},
}

// multiply4x16 computes 4 rows and 16 outputs of a product of activations and
// weights in int8.
//
//go:noescape
func multiply4x16(c *float32, widthC int, q *byte, widthQ int, w *byte, k int, columns *float32, sums *int32, scales *rowScale)

// product4x16 computes 4 rows and 16 columns of a float32 product.
//
//go:noescape
func product4x16(c *float32, widthC int, a *float32, widthA int, b *float32, k int)

//go:noescape
func quantizeNEON(q *byte, scales *rowScale, x, gain, bias *float32, k, rows int, t *table)

//go:noescape
func softmaxNEON(p *float32, width, rows int, t *table)

//go:noescape
func geluNEON(x *float32, n int, t *table)

//go:noescape
func addNormNEON(x, y, gain, bias *float32, rows int)
