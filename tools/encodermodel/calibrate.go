package main

import "math"

// span is the least and the greatest value that an input of a matrix takes.
type span struct{ least, most float32 }

// matrix is y = W x + b in float32, with the spans of its inputs.
type matrix struct {
	weights, bias []float32
	inputs        []span
}

func newMatrix(weights, bias []float32) *matrix {
	m := &matrix{weights: weights, bias: bias, inputs: make([]span, len(weights)/len(bias))}
	for i := range m.inputs {
		m.inputs[i] = span{math.MaxFloat32, -math.MaxFloat32}
	}
	return m
}

// apply returns y for each row of x, and widens the spans.
func (m *matrix) apply(x [][]float32) [][]float32 {
	out := make([][]float32, len(x))
	k := len(m.inputs)
	for r, row := range x {
		for i, v := range row {
			s := &m.inputs[i]
			s.least, s.most = min(s.least, v), max(s.most, v)
		}
		out[r] = make([]float32, len(m.bias))
		for n := range out[r] {
			sum := m.bias[n]
			for i, w := range m.weights[n*k:][:k] {
				sum += row[i] * w
			}
			out[r][n] = sum
		}
	}
	return out
}

// norm is a layer normalization.
type norm struct{ gain, bias []float32 }

// add sets x to the normalization of x+y.
func (n norm) add(x, y [][]float32) {
	for r, row := range x {
		var sum, squares float64
		for i := range row {
			row[i] += y[r][i]
			sum += float64(row[i])
		}
		mean := sum / hidden
		for _, v := range row {
			squares += (float64(v) - mean) * (float64(v) - mean)
		}
		by := 1 / math.Sqrt(squares/hidden+1e-12)
		for i, v := range row {
			row[i] = float32((float64(v)-mean)*by)*n.gain[i] + n.bias[i]
		}
	}
}

// layer is one layer of the transformer.
type layer struct {
	qkv, attended, up, down *matrix
	afterAttention, afterUp norm
}

// transformer is the model in float32.
type transformer struct {
	words, places []float32
	start         norm
	layers        []layer
}

// run passes a text, given as its token ids, through the model.
func (t *transformer) run(ids []uint16) {
	x, places := make([][]float32, len(ids)), make([][]float32, len(ids))
	for i, id := range ids {
		x[i] = append([]float32(nil), t.words[int(id)*hidden:][:hidden]...)
		places[i] = t.places[i*hidden:][:hidden]
	}
	t.start.add(x, places)
	for _, l := range t.layers {
		l.afterAttention.add(x, l.attended.apply(attention(l.qkv.apply(x))))
		between := l.up.apply(x)
		for _, row := range between {
			for i, v := range row {
				row[i] = v * .5 * float32(math.Erfc(-float64(v)/math.Sqrt2))
			}
		}
		l.afterUp.add(x, l.down.apply(between))
	}
}

// attention returns the joined heads. A row of qkv has the queries of all heads,
// then the keys, then the values.
func attention(qkv [][]float32) [][]float32 {
	const width = hidden / heads
	out := make([][]float32, len(qkv))
	for r := range out {
		out[r] = make([]float32, hidden)
		for h := range heads {
			query := qkv[r][h*width:][:width]
			scores, sum := make([]float64, len(qkv)), 0.0
			for j := range qkv {
				var dot float32
				for i, v := range qkv[j][hidden+h*width:][:width] {
					dot += v * query[i]
				}
				scores[j] = math.Exp(float64(dot))
				sum += scores[j]
			}
			for j, s := range scores {
				for i, v := range qkv[j][2*hidden+h*width:][:width] {
					out[r][h*width+i] += float32(s/sum) * v
				}
			}
		}
	}
	return out
}
