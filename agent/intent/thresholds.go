package intent

import (
	"context"
	"fmt"
	"maps"

	"docent/internal/fault"
)

// Thresholds is a classifier that has separate minimum scores for some intents.
// If the predicted intent does not reach its own score, the message matches no
// intent.
type Thresholds struct {
	classifier Classifier
	least      map[string]float64
}

// NewThresholds sets minimum scores from 0 to 1, by intent. The threshold of
// the classifier still applies, so lower values have no effect.
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

// Name returns the name of the classifier.
func (t *Thresholds) Name() string { return t.classifier.Name() }

// Classify returns the prediction of the classifier if it reaches the threshold
// of its intent, and otherwise Unmatched.
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
