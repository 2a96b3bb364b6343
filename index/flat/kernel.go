package flat

// step is the number of rows that assembly computes at a time. line is the
// number of bytes to which rows and queries are padded with zeros.
const (
	step = 4
	line = 64
)

// kernel computes the dot products of a query with rows of int8. Sums of integers
// are exact, so all kernels compute the same.
type kernel struct {
	name string
	// dots computes one product per row. The rows follow each other. Their number
	// is a multiple of step, and their length, that of the query, is a multiple of
	// line.
	dots func(out []int32, query, rows []int8)
}

// best is the fastest kernel that the processor can run.
var best = append(runnable(), plain)[0]

// plain is the kernel in Go.
var plain = &kernel{name: "plain", dots: plainDots}

func plainDots(out []int32, query, rows []int8) {
	for i := range out {
		row, sum := rows[i*len(query):][:len(query)], int32(0)
		for k, q := range query {
			sum += int32(q) * int32(row[k])
		}
		out[i] = sum
	}
}

// all computes the products of any number of rows.
func (k *kernel) all(out []int32, query, rows []int8) {
	whole := len(out) - len(out)%step
	_ = rows[:len(out)*len(query)]
	if whole > 0 {
		k.dots(out[:whole], query, rows)
	}
	plainDots(out[whole:], query, rows[whole*len(query):])
}
