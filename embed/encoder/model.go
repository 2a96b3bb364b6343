package encoder

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"

	"docent/embed"
)

// The sizes of the built-in model.
const (
	vocabularySize = 30522
	hidden         = 384  // the width of a token's state
	heads          = 12   // attention heads of a layer
	headWidth      = 32   // hidden / heads
	layerCount     = 6    // layers
	wide           = 1536 // the width between the two matrices of a feed-forward part
	maxTokens      = 256  // tokens of a text, with [CLS] and [SEP]
)

// panel is the number of outputs of a matrix that lie together in the model file. The
// weights of a panel are in the order [inputs/4][panel][4]: one register holds
// four inputs of several outputs.
const panel = 32

// modelFile holds the weights. The kernels read the int8 values where they lie in
// the binary, so that loading copies only the float32 values.
//
//go:embed model/minilm-l6-int8.bin
var modelFile string

//go:embed model/vocab.txt.gz
var vocabularyFile string

// linear is y = W x + b with W in int8.
type linear struct {
	in, out int
	weights string // out/panel panels
	// exact has the weights in float32, or is nil. A panel is in the order
	// [inputs][panel].
	exact []float32
	// columns has, for each panel, panel values each of: the scale of an output;
	// the sum of its weights times that scale; and its bias.
	columns []float32
	// sums has the sum of the int8 weights of each output.
	sums []int32
	// inputs is applied to x before it is quantized. W and b make up for it.
	inputs norm
}

// norm is a gain and a bias for each element of a row.
type norm struct{ gain, bias []float32 }

// layer is one layer of the transformer.
type layer struct {
	qkv, attended, up, down linear
	afterAttention, afterUp norm
}

// model is a transformer with its tokenizer. It is read-only.
type model struct {
	name string
	Shape
	// pool makes the vector of a text from the states of its n tokens.
	pool func(x []float32, width, n int) []float32
	// tokens returns the ids of a text, between those of the marks at its ends.
	// There are at most MaxTokens.
	tokens func(text string) []int32
	// word sets row to the row of a token.
	word func(row []float32, id int32)
	// places has a row for each position, with the row of the first token type
	// added. second is the difference of the second type to the first, or nil.
	places, second []float32
	start          norm
	layers         []layer
}

// loadModel parses the built-in model once per process.
var loadModel = sync.OnceValues(parseModel)

func parseModel() (*model, error) {
	pieces, err := embed.NewWordPiece(vocabularyFile)
	if err != nil {
		return nil, fmt.Errorf("encoder: %w", err)
	}
	return newModel(modelFile, pieces)
}

func newModel(file string, pieces *embed.WordPiece) (*model, error) {
	f := &modelReader{rest: file, size: len(file)}
	head := f.take(28)
	if f.err != nil || head[:4] != "DMLM" {
		return nil, errors.New("encoder: the model file has no DMLM header")
	}
	for i, want := range []uint32{1, vocabularySize, hidden, layerCount, wide, maxTokens} {
		if got := binary.LittleEndian.Uint32([]byte(head[4+4*i:][:4])); got != want {
			return nil, fmt.Errorf("encoder: number %d of the model file's header is %d, want %d", i, got, want)
		}
	}
	words, scales := f.take(vocabularySize*hidden), f.floats(vocabularySize)
	m := &model{name: Name, Shape: BuiltIn, pool: mean, layers: make([]layer, layerCount)}
	m.word = func(row []float32, id int32) {
		word, scale := words[int(id)*hidden:][:hidden], scales[id]
		for i := range hidden {
			row[i] = float32(int8(word[i])) * scale
		}
	}
	m.places = f.floats(maxTokens * hidden)
	m.start = f.norm()
	for i := range m.layers {
		l := &m.layers[i]
		l.qkv = f.linear(hidden, 3*hidden)
		l.attended = f.linear(hidden, hidden)
		l.afterAttention = f.norm()
		l.up = f.linear(hidden, wide)
		l.down = f.linear(wide, hidden)
		l.afterUp = f.norm()
	}
	if f.err != nil || f.rest != "" {
		return nil, fmt.Errorf("encoder: the model file has the wrong length %d", len(file))
	}
	cls, begins := pieces.ID("[CLS]")
	sep, ends := pieces.ID("[SEP]")
	if !begins || !ends || pieces.Tokens() != vocabularySize {
		return nil, errors.New("encoder: the vocabulary is of another model")
	}
	m.tokens = func(text string) []int32 {
		ids := pieces.Append([]uint16{cls}, text[:min(len(text), maxBytes)])
		ids = append(ids[:min(len(ids), maxTokens-1)], sep)
		out := make([]int32, len(ids))
		for i, id := range ids {
			out[i] = int32(id)
		}
		return out
	}
	return m, nil
}

// modelReader takes the parts of a model file. Each begins at a multiple of 64.
type modelReader struct {
	rest string
	size int
	err  error
}

// take returns the next n bytes. After a failure it returns zeros.
func (f *modelReader) take(n int) string {
	skip := (f.size-len(f.rest)+63)/64*64 - (f.size - len(f.rest))
	if f.err != nil || len(f.rest) < skip+n {
		f.err = errors.New("too short")
		return string(make([]byte, n))
	}
	part := f.rest[skip : skip+n]
	f.rest = f.rest[skip+n:]
	return part
}

func (f *modelReader) floats(n int) []float32 {
	raw := f.take(4 * n)
	out := make([]float32, n)
	for i := range out {
		b := raw[4*i:][:4]
		out[i] = math.Float32frombits(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24)
	}
	return out
}

func (f *modelReader) norm() norm {
	return norm{gain: f.floats(hidden), bias: f.floats(hidden)}
}

func (f *modelReader) linear(in, out int) linear {
	l := linear{in: in, out: out, weights: f.take(in * out), columns: make([]float32, 3*out), sums: make([]int32, out)}
	scales, biases, sums := f.floats(out), f.floats(out), f.take(4*out)
	for n := range out {
		l.set(n, scales[n], biases[n], int32(binary.LittleEndian.Uint32([]byte(sums[4*n:][:4]))))
	}
	l.inputs = norm{gain: f.floats(in), bias: f.floats(in)}
	return l
}

// set sets the scale, the bias, and the sum of the weights of output n.
func (l *linear) set(n int, scale, bias float32, sum int32) {
	l.sums[n] = sum
	columns := l.columns[3*(n-n%panel)+n%panel:]
	columns[0], columns[panel], columns[2*panel] = scale, scale*float32(sum), bias
}
