package encoder

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// The sizes of the built-in model.
const (
	// Width is the number of values of a token's state, and of a vector.
	Width = hidden
	// InnerWidth is the width between the two matrices of a feed-forward part.
	InnerWidth = wide
	// MaxTokens bounds the tokens of a text, with the marks at its ends.
	MaxTokens = maxTokens
)

// Shape has the sizes of a model. The kernels need widths that are multiples of 32,
// also of Width/Heads.
type Shape struct {
	// Width is the number of values of a token's state, and of a vector.
	Width int
	// Heads is the number of attention heads of a layer.
	Heads int
	// Inner is the width between the two matrices of a feed-forward part.
	Inner int
	// MaxTokens bounds the tokens of a text, with the marks at its ends.
	MaxTokens int
	// Epsilon is added to the variance in layer normalizations.
	Epsilon float64
}

// BuiltIn is the shape of the built-in model. It has the fastest kernels.
var BuiltIn = Shape{Width: hidden, Heads: heads, Inner: wide, MaxTokens: maxTokens, Epsilon: epsilon}

// Check returns an error if a model of this shape cannot be run.
func (s Shape) Check() error {
	switch {
	case s.Width < panel || s.Heads < 1 || s.Inner < panel || s.MaxTokens < 2:
		return fmt.Errorf("a size is missing: width %d, %d heads, inner width %d, %d tokens", s.Width, s.Heads, s.Inner, s.MaxTokens)
	case s.Width > 4096 || s.Inner > 16384 || s.MaxTokens > 512:
		return fmt.Errorf("a size is too large: width %d, inner width %d, %d tokens", s.Width, s.Inner, s.MaxTokens)
	case s.Width%(s.Heads*panel) != 0 || s.Inner%panel != 0:
		return fmt.Errorf("heads of a width that is not a multiple of %d: width %d, %d heads, inner width %d", panel, s.Width, s.Heads, s.Inner)
	}
	return nil
}

// Weights describes a model in float32.
type Weights struct {
	// Name identifies the vectors of the model.
	Name string
	// Shape has the sizes of the model.
	Shape Shape
	// Tokens returns the ids of a text, between those of the marks at its ends:
	// 2 to MaxTokens ids. It may be nil if only FirstStates is used.
	Tokens func(text string) []int32
	// Word sets row to the row of a token.
	Word func(row []float32, id int32)
	// Places has a row for each of MaxTokens positions, with the row of the first
	// token type added.
	Places []float32
	// Second is the difference of the row of the second token type to the first.
	// Default: nil, there is one type.
	Second []float32
	// Start normalizes the sum of a token's row and its position's row.
	Start Norm
	// Layers is the number of layers.
	Layers int
	// Layer returns a layer. It is called from several goroutines.
	Layer func(i int) (Layer, error)
	// PoolFirst makes the vector of a text from its first token. Default: the mean
	// of all tokens.
	PoolFirst bool
	// Exact keeps the matrices in float32, which needs four times the memory and
	// more than twice the time. It is for tests. Default: false, they are rounded to int8.
	Exact bool
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

// NewFrom makes an encoder of other weights than the built-in ones. It returns ErrUnavailable as New does.
func NewFrom(w Weights, cfg Config) (*Encoder, error) {
	k, err := cfg.kernel()
	if err != nil {
		return nil, err
	}
	if err := w.Shape.Check(); err != nil {
		return nil, fmt.Errorf("encoder: %w", err)
	}
	width := w.Shape.Width
	if len(w.Places) != w.Shape.MaxTokens*width || w.Second != nil && len(w.Second) != width || !w.Start.fits(width) || w.Layers < 1 {
		return nil, errors.New("encoder: the weights do not fit")
	}
	m := &model{
		name: w.Name, Shape: w.Shape, pool: mean, tokens: w.Tokens, word: w.Word,
		places: w.Places, second: w.Second, start: w.Start.low(), layers: make([]layer, w.Layers),
	}
	if w.PoolFirst {
		m.pool = firstScaled
	}
	if err := m.readLayers(w); err != nil {
		return nil, fmt.Errorf("encoder: %w", err)
	}
	return encoderOf(m, k, cfg.Cores), nil
}

// readLayers reads the layers on all cores.
func (m *model) readLayers(w Weights) error {
	var next atomic.Int64
	errs := make([]error, w.Layers)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), w.Layers) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < w.Layers; i = int(next.Add(1)) - 1 {
				l, err := w.Layer(i)
				if err == nil && !l.fits(w.Shape) {
					err = errors.New("the weights do not fit")
				}
				if err != nil {
					errs[i] = fmt.Errorf("layer %d: %w", i, err)
					return
				}
				m.layers[i] = l.low(w.Shape, w.Exact)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (n Norm) low() norm { return norm{gain: n.Gain, bias: n.Bias} }

func (n Norm) fits(width int) bool { return len(n.Gain) == width && len(n.Bias) == width }

func (m Matrix) fits(in, out int) bool { return len(m.Weights) == in*out && len(m.Bias) == out }

func (l Layer) fits(s Shape) bool {
	w, inner := s.Width, s.Inner
	return l.Query.fits(w, w) && l.Key.fits(w, w) && l.Value.fits(w, w) &&
		l.Attended.fits(w, w) && l.Up.fits(w, inner) && l.Down.fits(inner, w) &&
		l.AfterAttention.fits(w) && l.AfterUp.fits(w)
}

// low converts a layer. The weights of the queries include the division of the
// attention scores by the root of a head's width.
func (l Layer) low(s Shape, exact bool) layer {
	convert := quantizeMatrix
	if exact {
		convert = exactMatrix
	}
	root := float32(math.Sqrt(float64(s.Width / s.Heads)))
	return layer{
		qkv:            convert(s.Width, [3]float32{1 / root, 1, 1}, l.Query, l.Key, l.Value),
		attended:       convert(s.Width, [3]float32{1}, l.Attended),
		up:             convert(s.Width, [3]float32{1}, l.Up),
		down:           convert(s.Inner, [3]float32{1}, l.Down),
		afterAttention: l.AfterAttention.low(),
		afterUp:        l.AfterUp.low(),
	}
}

// exactMatrix joins the outputs of matrices, each multiplied by its factor.
func exactMatrix(in int, factors [3]float32, parts ...Matrix) linear {
	l := linear{in: in}
	for _, p := range parts {
		l.out += len(p.Bias)
	}
	l.exact, l.columns, l.sums = make([]float32, in*l.out), make([]float32, 3*l.out), make([]int32, l.out)
	n := 0
	for i, p := range parts {
		for j, bias := range p.Bias {
			to := l.exact[n/panel*panel*in+n%panel:]
			for k, v := range p.Weights[j*in:][:in] {
				to[k*panel] = v * factors[i]
			}
			l.set(n, 1, bias*factors[i], 0)
			n++
		}
	}
	return l
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
