package embed

// The plain Go kernels. The assembly in kernel_amd64.s computes the same
// results, bit for bit: it multiplies and adds in the same order and never fuses
// both. So a corpus that is embedded on one machine can be searched on any
// other. The conversions around products below keep Go's compiler from fusing
// them.

// lanes is the number of partial sums of a dot product.
const lanes = 32

func (t *table) sumGeneric(acc *[dimensions]float32, ids []uint16) {
	for _, id := range ids {
		s, row := t.scale(id), t.row(id)
		for i := range acc {
			acc[i] += float32(s * float32(int8(row[i])))
		}
	}
}

func (t *table) dotsGeneric(dst []int32, q uint16, ids []uint16) {
	a := t.row(q)
	for k, id := range ids {
		b, sum := t.row(id), int32(0)
		for i := 0; i < dimensions; i++ {
			sum += int32(int8(a[i])) * int32(int8(b[i]))
		}
		dst[k] = sum
	}
}

func squareGeneric(row string) (sum int32) {
	for i := 0; i < dimensions; i++ {
		sum += int32(int8(row[i])) * int32(int8(row[i]))
	}
	return sum
}

// dotGeneric returns the dot product of two vectors whose length is a multiple
// of lanes.
func dotGeneric(a, b []float32) float32 {
	var l [lanes]float32
	for ; len(a) >= lanes && len(b) >= lanes; a, b = a[lanes:], b[lanes:] {
		x, y := a[:lanes], b[:lanes]
		for k := range l {
			l[k] += float32(x[k] * y[k])
		}
	}
	for k := 0; k < 8; k++ {
		l[k] = (l[k] + l[k+8]) + (l[k+16] + l[k+24])
	}
	for k := 0; k < 4; k++ {
		l[k] += l[k+4]
	}
	return (l[0] + l[2]) + (l[1] + l[3])
}

func scaleGeneric(v []float32, s float32) {
	for i := range v {
		v[i] *= s
	}
}

// Dot returns the dot product of two vectors of equal length. For vectors of
// length 1 it is the similarity of their texts.
func Dot(a, b []float32) float32 {
	b = b[:len(a)]
	whole := len(a) - len(a)%lanes
	var sum float32
	if whole > 0 {
		sum = dot(a[:whole], b[:whole])
	}
	for i := whole; i < len(a); i++ {
		sum += float32(a[i] * b[i])
	}
	return sum
}
