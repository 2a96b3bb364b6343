package flat

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestKernelsAgree compares each kernel of this processor with the plain one.
func TestKernelsAgree(t *testing.T) {
	t.Parallel()
	for _, k := range append(runnable(), plain) {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			for _, width := range []int{64, 128, 192, 256, 384, 1024, 4096} {
				for _, rows := range []int{0, 1, 3, 4, 5, 8, 11, 64} {
					r := rand.New(rand.NewPCG(uint64(width), uint64(rows)))
					query, matrix := make([]int8, width), make([]int8, rows*width)
					for _, part := range [][]int8{query, matrix} {
						for i := range part {
							part[i] = int8(r.IntN(255) - 127)
						}
					}
					agree(t, k, fmt.Sprintf("%d rows of %d", rows, width), query, matrix)
				}
			}
			// The largest and the smallest products.
			query, matrix := slices.Repeat([]int8{127}, 4096), slices.Repeat([]int8{127}, 4*4096)
			agree(t, k, "largest", query, matrix)
			for i := range query {
				query[i] = -127
			}
			agree(t, k, "smallest", query, matrix)
		})
	}
}

// agree compares the products of a kernel with a loop in this test.
func agree(t *testing.T, k *kernel, what string, query, matrix []int8) {
	t.Helper()
	rows := len(matrix) / len(query)
	got, want := make([]int32, rows+1), make([]int32, rows+1)
	got[rows], want[rows] = 99, 99 // not to be written
	for i, v := range matrix {
		want[i/len(query)] += int32(v) * int32(query[i%len(query)])
	}
	k.all(got[:rows], query, matrix)
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// FuzzKernels compares the kernels on any bytes.
func FuzzKernels(f *testing.F) {
	f.Add([]byte{1, 2, 3, 200}, uint8(5))
	f.Fuzz(func(t *testing.T, data []byte, rows uint8) {
		rows = rows%16 + 1
		query, matrix := make([]int8, line), make([]int8, int(rows)*line)
		for i, b := range data {
			v := max(int8(b), -127)
			if i < line {
				query[i] = v
			} else if i-line < len(matrix) {
				matrix[i-line] = v
			}
		}
		for _, k := range runnable() {
			agree(t, k, k.name, query, matrix)
		}
	})
}
