package intent

import (
	"context"
	"fmt"
	"maps"

	"docent/internal/fault"
)

// Thresholds is a classifier that wants more of some intents: one whose score
// is below its own threshold is not taken, and then none is.
type Thresholds struct {
	classifier Classifier
	least      map[string]float64
}

// NewThresholds gives intents, by name, thresholds of their own, from 0 to 1.
// They count beside the classifier's: it takes none of a lower score anyway.
func NewThresholds(c Classifier, least map[string]float64) (*Thresholds, error) {
	if c == nil {
		return nil, fault.New(fault.Invalid, "thresholds_without_classifier", "thresholds need a classifier")
	}
	for name, score := range least {
		if !(score >= 0 && score <= 1) {
			return nil, fault.New(fault.Invalid,
				"threshold_out_of_range", "the threshold of intent %q is %v, not between 0 and 1", name, score)
		}
	}
	return &Thresholds{classifier: c, least: maps.Clone(least)}, nil
}

// Name returns the classifier's.
func (t *Thresholds) Name() string { return t.classifier.Name() }

// Classify returns the classifier's prediction if it is sure enough.
func (t *Thresholds) Classify(ctx context.Context, req Request) (Prediction, error) {
	p, err := t.classifier.Classify(ctx, req)
	if err != nil {
		err = fmt.Errorf("classify: %w", err)
	}
	if p.Intent != Fallback && p.Score < t.least[p.Intent] {
		return Unmatched(t.Name(), req.Text), err
	}
	return p, err
}
