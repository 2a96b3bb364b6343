package quality

import (
	"time"

	"docent/rag"
	"docent/rag/pipeline"
)

const (
	// MaxJudged bounds the stored answers that WhatIf judges.
	MaxJudged = 10_000
	// MaxMoved bounds Effect.Moved.
	MaxMoved = 50
)

// Judged is a stored answer with its evidence.
type Judged struct {
	ID       int64
	Time     time.Time
	Question string
	Outcome  rag.Outcome
	Evidence float64
}

// Moved is a stored answer with the outcome that other thresholds give.
type Moved struct {
	Judged

	To rag.Outcome
}

// Effect says how other thresholds change the outcomes of stored answers.
type Effect struct {
	// Answers is the number of answers whose outcome the present thresholds give. The others have
	// theirs from a model, or for another reason.
	Answers int
	// Outcomes are their numbers by new outcome.
	Outcomes map[rag.Outcome]int
	// Changed is the number of answers with another outcome.
	Changed int
	// Moved are the latest of them.
	Moved []Moved
}

// WhatIf returns the effect of thresholds on stored answers.
func WhatIf(answers []Judged, present, next pipeline.Thresholds) Effect {
	e := Effect{Outcomes: map[rag.Outcome]int{}}
	for _, a := range answers {
		if present.Outcome(a.Evidence) != a.Outcome {
			continue
		}
		to := next.Outcome(a.Evidence)
		e.Answers++
		e.Outcomes[to]++
		if to == a.Outcome {
			continue
		}
		e.Changed++
		if len(e.Moved) < MaxMoved {
			e.Moved = append(e.Moved, Moved{a, to})
		}
	}
	return e
}
