package flat

import "golang.org/x/sys/cpu"

// runnable returns the kernels in assembly that this processor can run.
func runnable() []*kernel {
	if !cpu.ARM64.HasASIMDDP {
		return nil
	}
	return []*kernel{{name: "neon", dots: func(dst []int32, query, rows []int8) {
		dotsNEON(&dst[0], &query[0], &rows[0], len(query), len(dst))
	}}}
}

// dotsNEON multiplies the query with n rows.
//
//go:noescape
func dotsNEON(dst *int32, query, rows *int8, width, n int)
