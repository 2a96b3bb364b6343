package encoder

import (
	"errors"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// The sizes of every model that an Encoder runs.
const (
	// Width is the number of values of a token's state, and of a vector.
	Width = hidden
	// InnerWidth is the width between the two matrices of a feed-forward part.
	InnerWidth = wide
	// MaxTokens bounds the tokens of a text, with the marks at its ends.
	MaxTokens = maxTokens
)

// Weights describes a model in float32. Its layers are those of the built-in
// model in shape: Width values per token, 12 heads, and InnerWidth.
type Weights struct {
	// Name identifies the vectors of the model.
	Name string
	// Tokens returns the ids of a text, between those of the marks at its ends:
	// 2 to MaxTokens ids.
	Tokens func(text string) []int32
	// Word sets row to the row of a token.
	Word func(row []float32, id int32)
	// Places has a row for each of MaxTokens positions, with the row of the token
	// type added.
	Places []float32
	// Start normalizes the sum of a token's row and its position's row.
	Start Norm
	// Layers is the number of layers.
	Layers int
	// Layer returns a layer. It is called from several goroutines.
	Layer func(i int) Layer
}

// Norm is a layer normalization: a gain and a bias for each value.
type Norm struct{ Gain, Bias []float32 }

// Matrix is y = W x + b. Weights has a row for each output.
type Matrix struct{ Weights, Bias []float32 }

// Layer is a layer of a model.
type Layer struct {
	Query, Key, Value, Attended, Up, Down Matrix
	AfterAttention, AfterUp               Norm
}

// NewFrom makes an encoder of other weights than the built-in ones. It rounds
// the matrices to int8. It returns ErrUnavailable as New does.
func NewFrom(w Weights, cfg Config) (*Encoder, error) {
	k, err := cfg.kernel()
	if err != nil {
		return nil, err
	}
	if len(w.Places) != maxTokens*hidden || !w.Start.fits() || w.Layers < 1 {
		return nil, errors.New("encoder: the weights do not fit")
	}
	m := &model{name: w.Name, tokens: w.Tokens, word: w.Word, places: w.Places, start: w.Start.low(), layers: make([]layer, w.Layers)}
	var next atomic.Int64
	var unfit atomic.Bool
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), w.Layers) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < w.Layers; i = int(next.Add(1)) - 1 {
				l := w.Layer(i)
				if !l.fits() {
					unfit.Store(true)
					return
				}
				m.layers[i] = l.quantized()
			}
		})
	}
	wg.Wait()
	if unfit.Load() {
		return nil, errors.New("encoder: the weights of a layer do not fit")
	}
	return encoderOf(m, k, cfg.Cores), nil
}

func (n Norm) low() norm { return norm{gain: n.Gain, bias: n.Bias} }

func (n Norm) fits() bool { return len(n.Gain) == hidden && len(n.Bias) == hidden }

func (m Matrix) fits(in, out int) bool { return len(m.Weights) == in*out && len(m.Bias) == out }

func (l Layer) fits() bool {
	return l.Query.fits(hidden, hidden) && l.Key.fits(hidden, hidden) && l.Value.fits(hidden, hidden) &&
		l.Attended.fits(hidden, hidden) && l.Up.fits(hidden, wide) && l.Down.fits(wide, hidden) &&
		l.AfterAttention.fits() && l.AfterUp.fits()
}

// quantized rounds a layer to int8. The weights of the queries include the division
// of the attention scores by the root of a head's width.
func (l Layer) quantized() layer {
	root := float32(math.Sqrt(headWidth))
	return layer{
		qkv:            quantizeMatrix(hidden, [3]float32{1 / root, 1, 1}, l.Query, l.Key, l.Value),
		attended:       quantizeMatrix(hidden, [3]float32{1}, l.Attended),
		up:             quantizeMatrix(hidden, [3]float32{1}, l.Up),
		down:           quantizeMatrix(wide, [3]float32{1}, l.Down),
		afterAttention: l.AfterAttention.low(),
		afterUp:        l.AfterUp.low(),
	}
}

// quantizeMatrix joins the outputs of matrices, each multiplied by its factor.
// The scale of an output is its largest weight divided by 127.
func quantizeMatrix(in int, factors [3]float32, parts ...Matrix) linear {
	out := 0
	for _, p := range parts {
		out += len(p.Bias)
	}
	l := linear{in: in, out: out, columns: make([]float32, 3*out), sums: make([]int32, out)}
	l.inputs = norm{gain: make([]float32, in), bias: make([]float32, in)}
	for i := range in {
		l.inputs.gain[i] = 1
	}
	weights := make([]byte, in*out)
	n := 0
	for i, p := range parts {
		for j, bias := range p.Bias {
			row := p.Weights[j*in:][:in]
			var most float32
			for _, v := range row {
				most = max(most, v, -v)
			}
			scale := max(most/127, smallestSpan)
			by, sum := 1/scale, int32(0)
			to := weights[n/panel*panel*in+n%panel*4:]
			for k := 0; k < in; k += 4 {
				four := (*[4]byte)(to[k*panel:])
				for m, v := range (*[4]float32)(row[k:]) {
					q := int32(v*by+128.5) - 128 // rounds, because v*by is at least -127
					sum += q
					four[m] = byte(q)
				}
			}
			l.set(n, scale*factors[i], bias*factors[i], sum)
			n++
		}
	}
	l.weights = unsafe.String(&weights[0], len(weights))
	return l
}
