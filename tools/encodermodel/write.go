package main

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
)

// panel is the number of outputs of a matrix that the file stores together.
const panel = 32

// output is the content of the file. Its parts begin at multiples of 64.
type output struct{ bytes.Buffer }

func (o *output) put(part any) {
	for o.Len()%64 != 0 {
		o.WriteByte(0)
	}
	_ = binary.Write(o, binary.LittleEndian, part) // a bytes.Buffer never fails
}

func write(t *transformer) []byte {
	o := &output{}
	o.put([]byte("DMLM"))
	_ = binary.Write(o, binary.LittleEndian, []uint32{1, vocabulary, hidden, layers, wide, positions})
	words, scales := quantize(t.words, hidden)
	o.put(words)
	o.put(scales)
	o.put(t.places)
	o.norm(t.start)
	for _, l := range t.layers {
		o.linear(l.qkv, true)
		o.linear(l.attended, false)
		o.norm(l.afterAttention)
		o.linear(l.up, true)
		o.linear(l.down, false)
		o.norm(l.afterUp)
	}
	return o.Bytes()
}

func (o *output) norm(n norm) {
	o.put(n.gain)
	o.put(n.bias)
}

// smoothing says how far the spans of a matrix's inputs are made alike. 0 leaves
// them and 1 makes them equal. The vectors were nearest to those in float32
// with this value.
const smoothing = 0.8

// linear writes a matrix. If smooth is set, an input x is quantized as
// gain*x + shift, so that an input with a wide span takes fewer levels from the
// others. The weights and the bias make up for that.
func (o *output) linear(m *matrix, smooth bool) {
	k := len(m.inputs)
	weights, bias := slices.Clone(m.weights), slices.Clone(m.bias)
	gain, shift := make([]float32, k), make([]float32, k)
	for i, s := range m.inputs {
		gain[i] = 1
		if !smooth {
			continue
		}
		center, half := (s.least+s.most)/2, max((s.most-s.least)/2, 1e-4)
		by := float32(math.Pow(float64(half), smoothing))
		gain[i], shift[i] = 1/by, -center/by
		for n := range bias {
			bias[n] += m.weights[n*k+i] * center
			weights[n*k+i] *= by
		}
	}
	rows, scales := quantize(weights, k)
	packed, sums := make([]int8, len(rows)), make([]int32, len(bias))
	for n := range bias {
		p, j := n/panel, n%panel
		for i := range k {
			sums[n] += int32(rows[n*k+i])
			packed[p*k*panel+i/4*panel*4+j*4+i%4] = rows[n*k+i]
		}
	}
	o.put(packed)
	o.put(scales)
	o.put(bias)
	o.put(sums)
	o.put(gain)
	o.put(shift)
}

// quantize rounds each row of a matrix to int8, by its largest magnitude.
func quantize(matrix []float32, width int) (rows []int8, scales []float32) {
	rows = make([]int8, len(matrix))
	scales = make([]float32, len(matrix)/width)
	for r := range scales {
		row := matrix[r*width:][:width]
		var most float32
		for _, x := range row {
			most = max(most, x, -x)
		}
		if most == 0 {
			continue
		}
		scales[r] = most / 127
		for i, x := range row {
			rows[r*width+i] = int8(math.Round(float64(x / scales[r])))
		}
	}
	return rows, scales
}
