package encoder

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// runnable returns the kernels that this processor can run, fastest first.
func runnable() []*kernel {
	var out []*kernel
	x := &cpu.X86
	if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL && x.HasAVX512VNNI {
		out = append(out, vnni)
	}
	if x.HasAVX2 && x.HasFMA {
		if x.HasAVXVNNI {
			out = append(out, avxVNNI)
		}
		out = append(out, avx2)
	}
	return out
}

var vnni = &kernel{
	name: "avx512vnni",
	quantize: func(q quantized, x []float32, n norm, rows int) {
		k := len(n.gain)
		_, _, _ = q.values[rows*k-1], x[rows*k-1], q.scales[rows-1]
		quantize512(&q.values[0], &q.scales[0], &x[0], &n.gain[0], &n.bias[0], k, rows, &constants)
	},
	multiply: func(c []float32, width, stride int, l *linear, q quantized, rows int) {
		weights := unsafe.Slice(unsafe.StringData(l.weights), len(l.weights))
		for p := range l.out / panel {
			for r := 0; r < rows; r += rowStep {
				out := c[p*stride+r*width:]
				_ = out[(rowStep-1)*width+panel-1]
				multiply12x32(&out[0], 4*width, &q.values[r*l.in], l.in, &weights[p*panel*l.in], l.in, &l.columns[3*panel*p], &q.scales[r])
			}
		}
	},
	product: func(c []float32, widthC int, a []float32, widthA int, b []float32, k, rows int) {
		_ = b[k*panel-1]
		for r := 0; r < rows; r += rowStep {
			out, in := c[r*widthC:], a[r*widthA:]
			_, _ = out[(rowStep-1)*widthC+panel-1], in[(rowStep-1)*widthA+k-1]
			product12x32(&out[0], 4*widthC, &in[0], 4*widthA, &b[0], k)
		}
	},
	softmax: func(p []float32, width, rows int) {
		_ = p[rows*width-1]
		softmax512(&p[0], width, rows, &constants)
	},
	gelu: func(x []float32) { gelu512(&x[0], len(x), &constants) },
	addNorm: func(x, y []float32, n norm, rows int) {
		_, _ = x[rows*hidden-1], y[rows*hidden-1]
		addNorm512(&x[0], &y[0], &n.gain[0], &n.bias[0], rows)
	},
}

// avxVNNI is the kernel for AVX2 with VNNI, which Intel's client processors have since
// 2021. But for the matrices of weights, it is avx2.
var avxVNNI = &kernel{
	name: "avxvnni",
	quantize: func(q quantized, x []float32, n norm, rows int) {
		k := len(n.gain)
		_, _, _ = q.values[rows*k-1], x[rows*k-1], q.scales[rows-1]
		quantizeBytes256(&q.values[0], &q.scales[0], &x[0], &n.gain[0], &n.bias[0], k, rows, &constants)
	},
	multiply: func(c []float32, width, stride int, l *linear, q quantized, rows int) {
		weights := unsafe.Slice(unsafe.StringData(l.weights), len(l.weights))
		for p := range l.out / panel {
			for r := 0; r < rows; r += rowStep / 2 {
				for j := 0; j < panel; j += 16 {
					out := c[p*stride+r*width+j:]
					_ = out[(rowStep/2-1)*width+15]
					multiply6x16(&out[0], 4*width, &q.values[r*l.in], l.in, &weights[p*panel*l.in+4*j], l.in, &l.columns[3*panel*p+j], &q.scales[r])
				}
			}
		}
	},
	product: avx2.product, softmax: avx2.softmax, gelu: avx2.gelu, addNorm: avx2.addNorm,
}

// avx2 is the kernel for AVX2. It stores a quantized value in 16 bits.
var avx2 = &kernel{
	name: "avx2",
	quantize: func(q quantized, x []float32, n norm, rows int) {
		k := len(n.gain)
		_, _, _ = q.values[2*rows*k-1], x[rows*k-1], q.scales[rows-1]
		quantize256(&q.values[0], &q.scales[0], &x[0], &n.gain[0], &n.bias[0], k, rows, &constants)
	},
	multiply: func(c []float32, width, stride int, l *linear, q quantized, rows int) {
		weights := unsafe.Slice(unsafe.StringData(l.weights), len(l.weights))
		for p := range l.out / panel {
			for r := 0; r < rows; r += rowStep / 2 {
				for j := 0; j < panel; j += 8 {
					out := c[p*stride+r*width+j:]
					_ = out[(rowStep/2-1)*width+7]
					multiply6x8(&out[0], 4*width, &q.values[2*r*l.in], 2*l.in, &weights[p*panel*l.in+4*j], l.in, &l.columns[3*panel*p+j], &q.scales[r])
				}
			}
		}
	},
	product: func(c []float32, widthC int, a []float32, widthA int, b []float32, k, rows int) {
		_ = b[k*panel-1]
		for r := 0; r < rows; r += rowStep / 2 {
			out, in := c[r*widthC:], a[r*widthA:]
			_, _ = out[(rowStep/2-1)*widthC+panel-1], in[(rowStep/2-1)*widthA+k-1]
			product6x16(&out[0], 4*widthC, &in[0], 4*widthA, &b[0], k)
			product6x16(&out[16], 4*widthC, &in[0], 4*widthA, &b[16], k)
		}
	},
	softmax: func(p []float32, width, rows int) {
		_ = p[rows*width-1]
		softmax256(&p[0], width, rows, &constants)
	},
	gelu: func(x []float32) { gelu256(&x[0], len(x), &constants) },
	addNorm: func(x, y []float32, n norm, rows int) {
		_, _ = x[rows*hidden-1], y[rows*hidden-1]
		addNorm256(&x[0], &y[0], &n.gain[0], &n.bias[0], rows)
	},
}

// multiply12x32 computes 12 rows and 32 outputs of a product of activations in
// uint8 and weights in int8.
//
//go:noescape
func multiply12x32(c *float32, widthC int, q *byte, widthQ int, w *byte, k int, columns *float32, scales *rowScale)

// multiply6x8 computes 6 rows and 8 outputs. The activations have 16 bits.
//
//go:noescape
func multiply6x8(c *float32, widthC int, q *byte, widthQ int, w *byte, k int, columns *float32, scales *rowScale)

// multiply6x16 computes 6 rows and 16 outputs of a product of activations in uint8
// and weights in int8.
//
//go:noescape
func multiply6x16(c *float32, widthC int, q *byte, widthQ int, w *byte, k int, columns *float32, scales *rowScale)

// product12x32 computes 12 rows and 32 columns of a float32 product.
//
//go:noescape
func product12x32(c *float32, widthC int, a *float32, widthA int, b *float32, k int)

// product6x16 computes 6 rows and 16 columns of a float32 product.
//
//go:noescape
func product6x16(c *float32, widthC int, a *float32, widthA int, b *float32, k int)

//go:noescape
func quantize512(q *byte, scales *rowScale, x, gain, bias *float32, k, rows int, t *table)

//go:noescape
func quantize256(q *byte, scales *rowScale, x, gain, bias *float32, k, rows int, t *table)

// quantizeBytes256 is quantize256, but stores a value in 8 bits.
//
//go:noescape
func quantizeBytes256(q *byte, scales *rowScale, x, gain, bias *float32, k, rows int, t *table)

//go:noescape
func softmax512(p *float32, width, rows int, t *table)

//go:noescape
func softmax256(p *float32, width, rows int, t *table)

//go:noescape
func gelu512(x *float32, n int, t *table)

//go:noescape
func gelu256(x *float32, n int, t *table)

//go:noescape
func addNorm512(x, y, gain, bias *float32, rows int)

//go:noescape
func addNorm256(x, y, gain, bias *float32, rows int)
