package flat

import (
	"math"
	"runtime"
	"slices"
	"sync"

	"docent/index"
)

// blockRows is the number of rows of a full block. A search shares its work among
// cores by blocks.
const blockRows = 1024

// matrix holds the vectors of a collection in int8, in the order of the
// collection's list.
type matrix struct {
	width  int // of a row, padded
	blocks []*block
}

// block holds consecutive rows of a matrix. Only the last block of a matrix has
// fewer than blockRows rows.
type block struct {
	codes []int8
	// scales times the codes are nearly the vectors.
	scales []float32
	// errors are not less than the distances between the vectors and the products of
	// scales and codes.
	errors []float32
	// saved reports whether the parts belong to a file, and nobody may write to them.
	saved bool
}

func newMatrix(dimensions int) *matrix {
	return &matrix{width: (dimensions + line - 1) / line * line}
}

// grow appends a row of zeros.
func (m *matrix) grow() {
	last := len(m.blocks) - 1
	if last < 0 || len(m.blocks[last].scales) == blockRows {
		m.blocks = append(m.blocks, &block{})
		if last++; last > 0 { // only small collections begin small
			m.blocks[last] = &block{
				codes: make([]int8, 0, blockRows*m.width), scales: make([]float32, 0, blockRows), errors: make([]float32, 0, blockRows),
			}
		}
	}
	b := m.own(last)
	n := len(b.codes)
	b.codes = slices.Grow(b.codes, m.width)[:n+m.width]
	clear(b.codes[n:])
	b.scales, b.errors = append(b.scales, 0), append(b.errors, 0)
}

// own returns a block that may change.
func (m *matrix) own(i int) *block {
	b := m.blocks[i]
	if b.saved {
		b = &block{codes: slices.Clone(b.codes), scales: slices.Clone(b.scales), errors: slices.Clone(b.errors)}
		m.blocks[i] = b
	}
	return b
}

// drop moves the last row to a place and removes the last place.
func (m *matrix) drop(place int) {
	end := len(m.blocks) - 1
	to, from := m.own(place/blockRows), m.own(end)
	at, last := place%blockRows, len(from.scales)-1
	copy(to.codes[at*m.width:][:m.width], from.codes[last*m.width:])
	to.scales[at], to.errors[at] = from.scales[last], from.errors[last]
	from.codes, from.scales, from.errors = from.codes[:last*m.width], from.scales[:last], from.errors[:last]
	if last == 0 {
		m.blocks[end] = nil
		m.blocks = m.blocks[:end]
	}
}

// set fills a row.
func (m *matrix) set(place int, values []float32) {
	b, at := m.blocks[place/blockRows], place%blockRows
	b.scales[at], b.errors[at] = quantize(b.codes[at*m.width:][:len(values)], values)
}

// level is the largest code. There is no -128, so that a sum of two products fits
// in 16 bits.
const level = 127

// quantize writes the codes of a vector. It returns their scale, and at least the
// distance between the vector and scale times the codes.
func quantize(codes []int8, values []float32) (scale, distance float32) {
	most := float32(0)
	for _, v := range values {
		most = max(most, v, -v)
	}
	if scale = most / level; scale == 0 {
		return 0, 1 // no vector of length 1
	}
	by, square := 1/scale, float32(0)
	_ = codes[:len(values)]
	for i, v := range values {
		// Adding and subtracting this number rounds.
		const rounding = 3 << 22
		code := float32(v*by+rounding) - rounding
		codes[i] = int8(min(max(code, -level), level))
		rest := v - code*scale
		square += rest * rest
	}
	return scale, float32(math.Sqrt(float64(square)))*(1+1e-3) + 1e-6
}

// fill quantizes vectors that were added to the table, on all cores if they are
// many. It ignores those that have left the table.
func (x *Index) fill(fresh []*index.Vector) {
	const piece = 4096
	var work sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for part := range slices.Chunk(fresh, piece) {
		free <- struct{}{}
		work.Go(func() {
			for _, v := range part {
				if x.vectors.Get(v.ID) == v {
					x.codes[v.Collection].set(v.Place(), v.Values)
				}
			}
			<-free
		})
	}
	work.Wait()
}
