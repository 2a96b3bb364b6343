package multilingual

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"docent/embed/encoder"
)

// The sizes of the model, and of its file.
const (
	heads      = 12
	blockSize  = 32 // weights per block
	blockBytes = 18
	wordBytes  = encoder.Width / blockSize * blockBytes
	maxLayers  = 48
)

var errCutOff = errors.New("the file is cut off")

// cursor reads numbers of the file. After its end it returns zeros and sets err.
type cursor struct {
	rest []byte
	err  error
}

func (c *cursor) take(n int) []byte {
	if n < 0 || n > len(c.rest) {
		c.err, c.rest = errCutOff, nil
		return nil
	}
	part := c.rest[:n:n]
	c.rest = c.rest[n:]
	return part
}

func (c *cursor) number(size int) int {
	var b [8]byte
	copy(b[:], c.take(size))
	return int(binary.LittleEndian.Uint64(b[:]))
}

// u32 also reads int32, of which the file has no negative one.
func (c *cursor) u32() int { return c.number(4) }

func (c *cursor) u32s(n int) []uint32 {
	raw := c.take(4 * n)
	if raw == nil {
		return make([]uint32, max(0, min(n, 1)))
	}
	out := make([]uint32, n)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	return out
}

// file is the parsed model file. Its tensors are slices of the file.
type file struct {
	layers  int
	words   int // rows of words
	pieces  pieces
	tensors map[string][]byte
	rows    []byte // of the words
}

// parse reads a model file. The file must not change afterwards.
func parse(data []byte) (*file, error) {
	c := &cursor{rest: data}
	if string(c.take(4)) != "E5S1" {
		return nil, errors.New("the file has no E5S1 header")
	}
	c.u32() // version
	f := &file{tensors: map[string][]byte{}}
	width := c.u32()
	f.layers = c.u32()
	if h, inner := c.u32(), c.u32(); width != encoder.Width || h != heads || inner != encoder.InnerWidth || f.layers > maxLayers {
		return nil, fmt.Errorf("the model has the width %d, %d heads, and the inner width %d", width, h, inner)
	}
	f.words = c.u32()
	positions := c.u32()
	c.u32() // token types
	c.u32() // epsilon
	if block := c.u32(); block != blockSize || positions < encoder.MaxTokens {
		return nil, fmt.Errorf("the model has %d positions and blocks of %d weights", positions, block)
	}
	f.pieces = readPieces(c)
	f.readTensors(c, data)
	switch {
	case c.err != nil:
		return nil, c.err
	case f.pieces.Count() > f.words:
		return nil, fmt.Errorf("%d pieces for %d rows of words", f.pieces.Count(), f.words)
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	f.rows = f.tensors["emb.word"]
	return f, nil
}

// readTensors reads the list of tensors.
func (f *file) readTensors(c *cursor, data []byte) {
	for range c.u32() {
		name := string(c.take(c.number(2)))
		kind, count := c.number(1), c.u32()
		from, length := c.number(8), c.number(8)
		want := 4 * count
		if kind == 1 {
			want = count / blockSize * blockBytes
		}
		if c.err != nil || length != want || from < 0 || from > len(data)-length {
			c.err = errCutOff
			return
		}
		f.tensors[name] = data[from:][:length]
	}
}

// check verifies that all tensors exist and have the right length.
func (f *file) check() error {
	const w, inner = encoder.Width, encoder.InnerWidth
	want := map[string]int{
		"emb.word": f.words * wordBytes, "emb.pos": 4 * encoder.MaxTokens * w, "emb.type": 4 * w, "emb.ln.w": 4 * w, "emb.ln.b": 4 * w,
	}
	for i := range f.layers {
		name := layerName(i)
		for _, part := range []string{"q.", "k.", "v.", "ao.", "fi.", "fo."} {
			want[name+part+"w"], want[name+part+"b"] = w*wordBytes, 4*w
		}
		want[name+"fi.w"], want[name+"fo.w"], want[name+"fi.b"] = inner*wordBytes, inner*wordBytes, 4*inner
		for _, part := range []string{"aln.w", "aln.b", "oln.w", "oln.b"} {
			want[name+part] = 4 * w
		}
	}
	for name, size := range want {
		// There are more positions than are used.
		if got := len(f.tensors[name]); got < size || got > size && name != "emb.pos" && name != "emb.type" {
			return fmt.Errorf("the tensor %s has %d bytes, want %d", name, got, size)
		}
	}
	return nil
}

func layerName(i int) string { return fmt.Sprintf("l%d.", i) }

// floats returns the first n values of a tensor of float32.
func (f *file) floats(name string, n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(f.tensors[name][4*i:]))
	}
	return out
}

func (f *file) norm(name string) encoder.Norm {
	return encoder.Norm{Gain: f.floats(name+".w", encoder.Width), Bias: f.floats(name+".b", encoder.Width)}
}

func (f *file) matrix(name string, in, out int) encoder.Matrix {
	m := encoder.Matrix{Weights: make([]float32, in*out), Bias: f.floats(name+".b", out)}
	unpack(m.Weights, f.tensors[name+".w"])
	return m
}

// layer returns a layer in float32.
func (f *file) layer(i int) encoder.Layer {
	const w, inner = encoder.Width, encoder.InnerWidth
	name := layerName(i)
	return encoder.Layer{
		Query: f.matrix(name+"q", w, w), Key: f.matrix(name+"k", w, w), Value: f.matrix(name+"v", w, w),
		Attended: f.matrix(name+"ao", w, w), AfterAttention: f.norm(name + "aln"),
		Up: f.matrix(name+"fi", w, inner), Down: f.matrix(name+"fo", inner, w), AfterUp: f.norm(name + "oln"),
	}
}

// places returns the rows of the positions with that of the token type added.
func (f *file) places() []float32 {
	out, first := f.floats("emb.pos", encoder.MaxTokens*encoder.Width), f.floats("emb.type", encoder.Width)
	for i := range out {
		out[i] += first[i%encoder.Width]
	}
	return out
}

// word sets row to the row of a token.
func (f *file) word(row []float32, id int32) {
	unpack(row[:encoder.Width], f.rows[int(id)*wordBytes:][:wordBytes])
}

// unpack sets out to the weights of blocks.
func unpack(out []float32, blocks []byte) {
	for len(out) > 0 {
		scale := halfFloat(binary.LittleEndian.Uint16(blocks))
		for j, b := range blocks[2:blockBytes] {
			out[j] = float32(int(b&15)-8) * scale
			out[j+blockSize/2] = float32(int(b>>4)-8) * scale
		}
		out, blocks = out[blockSize:], blocks[blockBytes:]
	}
}

// halfFloat converts a float16.
func halfFloat(h uint16) float32 {
	exponent, fraction := int(h>>10&31), float64(h&1023)
	var v float64
	switch exponent {
	case 0:
		v = math.Ldexp(fraction, -24)
	case 31:
		v = math.Inf(1) // the file has none
	default:
		v = math.Ldexp(1024+fraction, exponent-25)
	}
	if h>>15 == 1 {
		v = -v
	}
	return float32(v)
}
