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
