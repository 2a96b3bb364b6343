package eval

import (
	"math"
	"slices"
)

// DefaultMaxWrong is the share of answerable questions that a calibrated
// threshold may turn away.
const DefaultMaxWrong = .1

// judgement is what abstention is measured by.
type judgement struct {
	evidence   float64
	answerable bool // the corpus answers the question
	found      bool // a passage shown holds a quote
}

// Abstention is what comes of one threshold: "I don't know" where the evidence
// is below it.
type Abstention struct {
	// Threshold is the evidence from which there is an answer.
	Threshold float64 `json:"threshold"`
	// Coverage is the share of all questions that are answered.
	Coverage float64 `json:"coverage"`
	// Risk is the share of the answered ones whose passages do not hold the
	// evidence: unanswerable, or not found.
	Risk float64 `json:"risk"`
	// Unanswerable is the share of the unanswerable questions turned away.
	Unanswerable float64 `json:"unanswerable"`
	// Answerable is the share of the answerable questions turned away.
	Answerable float64 `json:"answerable"`
	// Found is the share of those turned away among the questions whose
	// evidence was in the passages.
	Found float64 `json:"found"`
}

// abstain says what comes of a threshold.
func abstain(judgements []judgement, threshold float64) Abstention {
	var answered, risky, unanswerable, unanswerableAway, answerable, answerableAway, found, foundAway int
	for _, j := range judgements {
		away := j.evidence < threshold
		if !away {
			answered++
			count(&risky, !j.found)
		}
		if j.answerable {
			answerable++
			count(&answerableAway, away)
		} else {
			unanswerable++
			count(&unanswerableAway, away)
		}
		if j.found {
			found++
			count(&foundAway, away)
		}
	}
	return Abstention{
		Threshold: threshold, Coverage: share(answered, len(judgements)), Risk: share(risky, answered),
		Unanswerable: share(unanswerableAway, unanswerable), Answerable: share(answerableAway, answerable), Found: share(foundAway, found),
	}
}

func count(n *int, is bool) {
	if is {
		*n++
	}
}

// share returns n/of, 0 of nothing.
func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// calibrate returns the highest threshold, in thousandths, that turns away at
// most the share maxWrong of the answerable questions: as much abstention as
// that costs.
func calibrate(judgements []judgement, maxWrong float64) float64 {
	var evidence []float64
	for _, j := range judgements {
		if j.answerable {
			evidence = append(evidence, j.evidence)
		}
	}
	if len(evidence) == 0 {
		return 0
	}
	slices.Sort(evidence)
	allowed := min(int(maxWrong*float64(len(evidence))), len(evidence)-1)
	return math.Floor(evidence[allowed]*1000) / 1000
}

// riskCoverage returns what comes of thresholds in even steps, up to the first
// that turns everything away.
func riskCoverage(judgements []judgement) []Abstention {
	var out []Abstention
	for step := 0; step <= 20; step++ {
		a := abstain(judgements, float64(step)/20)
		out = append(out, a)
		if a.Coverage == 0 {
			break
		}
	}
	return out
}
