package intent

import "math"

// stemmedScore is the score of a message that is an example but for the endings
// of words.
const stemmedScore = .99

// signs say how alike a message and an example of an intent are.
type signs struct {
	// cosine is that of both vectors.
	cosine float64
	// overlap is how much of each has something like it in the other, 0 to 1.
	overlap float64
	// center is the cosine of the message and the mean of the intent's examples.
	center float64
	// against says that one of both is negated and the other is not.
	against bool
}

// What the signs count for the score, as logits. TestCalibration fits them on
// the messages of testdata/messages.tsv with odd ids and fails when they are no
// longer what comes out; docs/how-to/write-agents.md shows what they reach on the others.
const (
	weightCosine  = 3.36
	weightOverlap = 3.99
	weightCenter  = 4.17
	weightAgainst = -2.62
	bias          = -4.92
)

// calibrated is the score of an example that is not exact, above 0 and below
// stemmedScore.
func calibrated(s signs) float64 {
	x := bias + weightCosine*s.cosine + weightOverlap*s.overlap + weightCenter*s.center
	if s.against {
		x += weightAgainst
	}
	return stemmedScore / (1 + math.Exp(-x))
}
