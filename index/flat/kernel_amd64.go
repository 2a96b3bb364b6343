package flat

import "golang.org/x/sys/cpu"

// runnable returns the kernels in assembly that this processor can run, fastest
// first.
func runnable() []*kernel {
	var out []*kernel
	x := &cpu.X86
	if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512VL && x.HasAVX512VNNI {
		out = append(out, &kernel{name: "avx512vnni", dots: func(dst []int32, query, rows []int8) {
			sum := int32(0)
			for _, q := range query {
				sum += int32(q)
			}
			dots512(&dst[0], &query[0], &rows[0], len(query), len(dst), 128*sum)
		}})
	}
	if x.HasAVX2 {
		out = append(out, &kernel{name: "avx2", dots: func(dst []int32, query, rows []int8) {
			dots256(&dst[0], &query[0], &rows[0], len(query), len(dst))
		}})
	}
	return out
}

// dots512 multiplies the query with n rows. The instruction takes unsigned bytes,
// so the values of rows are increased by 128. excess is the resulting excess of
// each product, 128 times the sum of the query.
//
//go:noescape
func dots512(dst *int32, query, rows *int8, width, n int, excess int32)

//go:noescape
func dots256(dst *int32, query, rows *int8, width, n int)
