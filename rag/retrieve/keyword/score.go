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

// IDF is the rarity of a term that df of n passages contain. It is never negative.
func IDF(df, n int) float32 {
	return float32(math.Log(1 + (float64(n-df)+0.5)/(float64(df)+0.5)))
}

// Norm is BM25's k1*(1-b+b*length/mean).
func Norm(length, mean, b float32) float32 {
	if mean <= 0 {
		mean = 1
	}
	return K1 * (1 - b + b*length/mean)
}

// Saturated is the part of a score that a term with a count of tf adds. The weight
// of the term is not included.
func Saturated(tf, norm float32) float32 { return tf * (K1 + 1) / (tf + norm) }
