package intent

import "math"

// stemmedScore is the score of a message that differs from an example only in
// the endings of words.
const stemmedScore = .99

// features measure the similarity of a message and an example of an intent.
type features struct {
	// cosine is the cosine of the two vectors.
	cosine float64
	// overlap is the share of each sentence that is similar to a part of the
	// other, from 0 to 1.
	overlap float64
	// center is the cosine of the message and the mean vector of the intent's
	// examples.
	center float64
	// against is set if only one of the two is negated.
	against bool
}

// The weights of the features in the score, as logits. TestCalibration fits them
// to the messages of testdata/messages.tsv with odd ids. It fails if the result
// differs from these values. docs/how-to/agent-messages.md shows the accuracy on
// the other messages.
const (
	weightCosine  = 3.45
	weightOverlap = 3.94
	weightCenter  = 4.04
	weightAgainst = -2.59
	bias          = -4.92
)

// calibrated returns the score of an inexact example. It is above 0 and below
// stemmedScore.
func calibrated(s features) float64 {
	x := bias + weightCosine*s.cosine + weightOverlap*s.overlap + weightCenter*s.center
	if s.against {
		x += weightAgainst
	}
	return stemmedScore / (1 + math.Exp(-x))
}
