package keyword

import "math"

// The usual parameters of BM25. BHeading is B for headings: texts of a few words,
// whose length means little.
const (
	K1       = 1.2
	B        = 0.75
	BHeading = 0.3
)

// Limits of the numbers about a passage. Greater ones are cut.
const (
	MaxLength        = 2047
	MaxHeadingLength = 255
	MaxTF            = 31
	MaxHeadingTF     = 7
)

// IDF returns the inverse document frequency of a term. df of n passages contain the
// term. The result is never negative.
func IDF(df, n int) float32 {
	return float32(math.Log(1 + (float64(n-df)+0.5)/(float64(df)+0.5)))
}

// Norm returns BM25's k1*(1-b+b*length/mean) for a passage. length and mean are in
// words.
func Norm(length, mean, b float32) float32 {
	if mean <= 0 {
		mean = 1
	}
	return K1 * (1 - b + b*length/mean)
}

// Saturated returns the score of a term that occurs tf times, without the weight of
// the term. norm is the result of Norm.
func Saturated(tf, norm float32) float32 { return tf * (K1 + 1) / (tf + norm) }
