package hub

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

// maxHeader bounds the list of tensors in a file.
const maxHeader = 4 << 20

// tensor is an entry of the list of tensors.
type tensor struct {
	Type    string   `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// size returns the number of bytes of a value, or 0 for types that are not read.
func (t tensor) size() int64 {
	switch t.Type {
	case "F32":
		return 4
	case "F16", "BF16":
		return 2
	default:
		return 0
	}
}

// tensors is an open file of weights in the format safetensors: the length of the
// header (uint64), the header (JSON), and the values.
type tensors struct {
	file io.ReaderAt
	data int64 // where the values begin
	list map[string]tensor
}

// readTensors reads the header of a file.
func readTensors(file io.ReaderAt, size int64) (*tensors, error) {
	var head [8]byte
	if _, err := file.ReadAt(head[:], 0); err != nil {
		return nil, fmt.Errorf("the file is cut off: %w", err)
	}
	n := binary.LittleEndian.Uint64(head[:])
	if n > maxHeader || int64(n) > size-8 {
		return nil, errors.New("the file has no header of safetensors")
	}
	raw := make([]byte, n)
	if _, err := file.ReadAt(raw, 8); err != nil {
		return nil, fmt.Errorf("read the header: %w", err)
	}
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(raw, &entries); err != nil {
		return nil, fmt.Errorf("the header is damaged: %w", err)
	}
	t := &tensors{file: file, data: 8 + int64(n), list: make(map[string]tensor, len(entries))}
	for name, entry := range entries {
		if name == "__metadata__" {
			continue
		}
		var one tensor
		if err := json.Unmarshal(entry, &one); err != nil {
			return nil, fmt.Errorf("the entry of the tensor %q is damaged: %w", name, err)
		}
		if from, to := one.Offsets[0], one.Offsets[1]; from < 0 || to < from || to > size-t.data {
			return nil, fmt.Errorf("the tensor %q lies outside of the file", name)
		}
		t.list[name] = one
	}
	return t, nil
}

// rows returns the size of the first dimension of a tensor, or 0 without the tensor.
func (t *tensors) rows(name string) int {
	if one, ok := t.list[name]; ok && len(one.Shape) > 0 && one.Shape[0] > 0 && one.Shape[0] <= maxRows {
		return int(one.Shape[0])
	}
	return 0
}

// floats returns the values of a tensor, which must have the given shape.
func (t *tensors) floats(name string, shape ...int) ([]float32, error) {
	return t.part(name, 0, shape[0], shape...)
}

// part returns rows of a tensor, which must have the given shape.
func (t *tensors) part(name string, from, rows int, shape ...int) ([]float32, error) {
	one, ok := t.list[name]
	if !ok {
		return nil, fmt.Errorf("the weights have no tensor %s", name)
	}
	size := one.size()
	if size == 0 {
		return nil, fmt.Errorf("the tensor %s has the type %.20q: docent reads F32, F16, and BF16", name, one.Type)
	}
	fits, width := len(one.Shape) == len(shape), int64(1)
	for i, n := range shape {
		fits = fits && one.Shape[i] == int64(n)
		if i > 0 {
			width *= int64(n)
		}
	}
	if !fits || one.Offsets[1]-one.Offsets[0] != int64(shape[0])*width*size || from < 0 || rows < 0 || from+rows > shape[0] {
		return nil, fmt.Errorf("the tensor %s has the shape %v, want %v", name, one.Shape, shape)
	}
	raw := make([]byte, int64(rows)*width*size)
	if _, err := t.file.ReadAt(raw, t.data+one.Offsets[0]+int64(from)*width*size); err != nil {
		return nil, fmt.Errorf("read the tensor %s: %w", name, err)
	}
	out := make([]float32, int64(rows)*width)
	if !convert(out, raw, one.Type) {
		return nil, fmt.Errorf("the tensor %s has values that are no numbers", name)
	}
	return out, nil
}

// convert sets out to values of a type. It reports whether all are finite.
func convert(out []float32, raw []byte, kind string) bool {
	finite := true
	for i := range out {
		var v float32
		switch kind {
		case "F32":
			v = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		case "BF16":
			v = math.Float32frombits(uint32(binary.LittleEndian.Uint16(raw[2*i:])) << 16)
		default:
			v = halfFloat(binary.LittleEndian.Uint16(raw[2*i:]))
		}
		finite = finite && !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0)
		out[i] = v
	}
	return finite
}

// halfFloat converts a float16.
func halfFloat(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&1023)
	switch exponent {
	case 0:
		v := float32(fraction) / (1 << 24)
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	default:
		return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
	}
}
