package store

import (
	"encoding/binary"
	"fmt"
	"math"
)

// vectorItem is the size of a stored vector's element, in bytes.
const vectorItem = 4

// AppendVector appends v to b as little-endian float32.
func AppendVector(b []byte, v []float32) []byte {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// Vector decodes a stored vector into a new slice.
func Vector(b []byte) ([]float32, error) {
	if len(b)%vectorItem != 0 {
		return nil, fmt.Errorf("stored vector of %d bytes: not whole float32s", len(b))
	}
	v := make([]float32, len(b)/vectorItem)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[i*vectorItem:]))
	}
	return v, nil
}

// AppendQuantized appends a vector of length 1, or of zeros, with an int8 for
// each element. The largest element becomes 127 or -127, and the length of the
// vector is lost.
func AppendQuantized(b []byte, v []float32) []byte {
	largest := float32(0)
	for _, x := range v {
		largest = max(largest, x, -x)
	}
	for _, x := range v {
		q := 0.0
		if largest > 0 {
			q = math.Round(float64(x) / float64(largest) * math.MaxInt8)
		}
		b = append(b, byte(int8(q)))
	}
	return b
}

// Quantized decodes a vector of AppendQuantized into a new slice. The vector has
// length 1 or is all zeros.
func Quantized(b []byte) []float32 {
	v, square := make([]float32, len(b)), 0
	for _, q := range b {
		square += int(int8(q)) * int(int8(q))
	}
	if square == 0 {
		return v
	}
	scale := float32(1 / math.Sqrt(float64(square)))
	for i, q := range b {
		v[i] = float32(int8(q)) * scale
	}
	return v
}

// VectorsInOrder returns the vectors of chunks in the order of ids, and nil for those
// without one.
func VectorsInOrder(ids []int64, found map[int64][]float32) [][]float32 {
	out := make([][]float32, len(ids))
	for i, id := range ids {
		out[i] = found[id]
	}
	return out
}
