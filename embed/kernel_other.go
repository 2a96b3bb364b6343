//go:build !amd64

package embed

// useAVX2 is always false here. It is a variable because tests change it.
var useAVX2 = false

func sumRowsAVX2(*[dimensions]float32, *byte, *byte, *uint16, int) { panic("embed: no AVX2") }

func dotRowsAVX2(*int32, *[dimensions]int16, *byte, *uint16, int) { panic("embed: no AVX2") }

func squareRowAVX2(*byte) int32 { panic("embed: no AVX2") }

func dot(a, b []float32) float32 { return dotGeneric(a, b) }

func scale(v *[dimensions]float32, s float32) { scaleGeneric(v[:], s) }
