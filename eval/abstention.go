package eval

import (
	"fmt"
	"math"
	"slices"
)

// maxWrong is the share of answerable questions for which the calibrated threshold may abstain.
const maxWrong = .1

// judgement is the basis for measuring abstention on one question.
type judgement struct {
	evidence   float64
	answerable bool // the corpus answers the question
	found      bool // a passage shown holds a quote
}

// Abstention is the effect of a threshold. Questions with less evidence get "I don't know".
type Abstention struct {
	// Threshold is the minimum evidence for an answer.
	Threshold float64 `json:"threshold"`
	// Coverage is the share of all questions that get an answer.
	Coverage float64 `json:"coverage"`
	// Risk is the share of answered questions whose passages lack the evidence. Such a question is
	// unanswerable, or retrieval missed the evidence.
	Risk float64 `json:"risk"`
	// Unanswerable is the share of unanswerable questions without an answer.
	Unanswerable float64 `json:"unanswerable"`
	// Answerable is the share of answerable questions without an answer.
	Answerable float64 `json:"answerable"`
	// Found is the share of unanswered questions among those whose passages contain the
	// evidence.
	Found float64 `json:"found"`
}

// abstain measures the effect of a threshold.
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

// share returns n/of, or 0 if of is 0.
func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// calibrate returns the highest threshold, in thousandths, that abstains on at most the share maxWrong of the answerable
// questions.
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

// A calibration needs at least these numbers of questions. Then the 95 % interval of a share, p ± 1.96·√(p·(1-p)/n), is at most
// ±.1 for the refused answerable questions (p = maxWrong), and ±.25 for the refused unanswerable ones (p = .5).
const (
	minAnswerable   = 35 // 1.96²·.1·.9/.1²
	minUnanswerable = 16 // 1.96²·.5·.5/.25²
)

// calibrationCounts counts the questions of a calibration: the odd answerable ones set the threshold, the even ones check it.
type calibrationCounts struct{ odd, even, evenUnanswerable int }

// Short says which questions a calibration lacks, or is "" if it has enough. The values of a smaller set are chance.
func (c *Calibration) Short() string {
	n := c.counts
	if n.odd >= minAnswerable && n.even >= minAnswerable && n.evenUnanswerable >= minUnanswerable {
		return ""
	}
	return fmt.Sprintf("the set is too small for a reliable threshold: it needs %d answerable questions with odd numbers (it has %d), "+
		"%d with even numbers (it has %d), and %d unanswerable questions with even numbers (it has %d)",
		minAnswerable, n.odd, minAnswerable, n.even, minUnanswerable, n.evenUnanswerable)
}

// answerable counts the questions that the corpus answers.
func answerable(judgements []judgement) (n int) {
	for _, j := range judgements {
		count(&n, j.answerable)
	}
	return n
}

// riskCoverage returns the effects of thresholds in even steps, up to the first that answers nothing.
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
