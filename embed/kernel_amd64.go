package embed

import "golang.org/x/sys/cpu"

// useAVX2 selects the assembly kernels; tests switch it off to compare.
var useAVX2 = cpu.X86.HasAVX2

// sumRowsAVX2 adds scale*row of n ids to acc.
//
//go:noescape
func sumRowsAVX2(acc *[dimensions]float32, rows, scales *byte, ids *uint16, n int)

// dotRowsAVX2 writes the dot products of q and the rows of n ids.
//
//go:noescape
func dotRowsAVX2(dst *int32, q *[dimensions]int16, rows *byte, ids *uint16, n int)

// squareRowAVX2 is the dot product of a row with itself.
//
//go:noescape
func squareRowAVX2(row *byte) int32

// dotAVX2 is the dot product of n floats, n a positive multiple of lanes.
//
//go:noescape
func dotAVX2(a, b *float32, n int) float32

// scaleAVX2 multiplies n floats by s, n a positive multiple of 8.
//
//go:noescape
func scaleAVX2(v *float32, n int, s float32)

func dot(a, b []float32) float32 {
	if useAVX2 {
		return dotAVX2(&a[0], &b[0], len(a))
	}
	return dotGeneric(a, b)
}

func scale(v *[dimensions]float32, s float32) {
	if useAVX2 {
		scaleAVX2(&v[0], dimensions, s)
		return
	}
	scaleGeneric(v[:], s)
}
